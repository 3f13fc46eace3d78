/**
 * Plays a deal in the browser from the built game, which the server hands out as data: settlements, takes, standing
 * bets, casekeep and refusals as the server will give them. It knows no game, no clock, no network and no screen, and
 * what it says is provisional until the server has committed it.
 *
 * The data is what tables/rules/paytable.py calls `Game.data()`; the events are those of docs/table-log.md. A state
 * is plain data (structured clone and JSON keep it), `copy` shares what never changes in it.
 *
 * Money is whole minor units in safe integers; what is multiplied is multiplied in BigInt, so no fraction is ever a
 * float. An amount beyond 2^53 - 1 is not played here (`Beyond`).
 */

const RANKS = "23456789TJQKA";
const SUITS = "CDHS";
const SUIT_SIGNS = "♣♦♥♠";
const BLACK = [true, false, false, true];
const LOWEST_RANK = { 52: 0, 36: 4, 32: 5 }; // C-2
const CARDS_SHOWN = 12;
const TURNS_SHOWN = 3;

/** An input that the rules refuse; the state has not changed. `facts` are the texts that the sentence names. */
export class Refused extends Error {
  constructor(code, facts = {}) {
    super(code);
    this.name = "Refused";
    this.code = code;
    this.facts = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
  }
}

/** What only the server can judge: a correction of more than the odd card, amounts beyond 2^53 - 1. */
export class Beyond extends Error {
  constructor(what) {
    super(`Only the server can judge this: ${what}.`);
    this.name = "Beyond";
    this.what = what;
  }
}

// -- the state

/**
 * Return a table before a deal.
 *
 * terms  `digits`, `min_minor`, `max_minor`, `chip_minor`, `seats`, `bank_minor` (null: the house's), as the console's
 *        state has them under `table`
 * game   the built game as data
 * since  number and names of the deals before, where they are known
 */
export function newTable(terms, game, { number = 0, names = [] } = {}) {
  return { terms, game, bank: terms.bank_minor, number, names: [...names], deal: null };
}

/**
 * Return a table as the server's answer to GET /api/tables/<code>/rules describes it, in the middle of a deal as well.
 *
 * The acts of the deal come as corrected, so that every correction may lie behind it.
 */
export function resume({ terms, game, bank_minor, number, deal }) {
  if (!deal) return { ...newTable(terms, game, { number }), bank: bank_minor };
  const state = newTable(deal.terms, deal.game, { number: deal.number - 1 });
  state.bank = deal.bank_minor;
  openDeal(state, { deal: deal.deal });
  for (const act of deal.acts) ACTS[act.type](state, act);
  Object.assign(state.deal, { unmade: deal.unmade, take_backs: deal.take_backs });
  const { settlements } = state.deal;
  for (const index of deal.corrected) settlements[index] = { ...settlements[index], corrected: true };
  return Object.assign(state, { terms, game, bank: bank_minor, number });
}

/** Return a state that can be played on without changing this one. */
export function copy(state) {
  const deal = state.deal && {
    ...state.deal,
    undealt: [...state.deal.undealt],
    cards: [...state.deal.cards],
    pocket: [...state.deal.pocket],
    bets: [...state.deal.bets], // a bet and a settlement are replaced, never changed
    standing: [...state.deal.standing],
    settlements: [...state.deal.settlements],
  };
  return { ...state, names: [...state.names], deal };
}

/** Change the terms between deals. `bank_minor` only where a banker was named. Raises deal_not_finished. */
export function changeTerms(state, terms, game, bank_minor) {
  refuseInsideDeal(state);
  state.terms = terms;
  state.game = game;
  if (bank_minor !== undefined) state.bank = bank_minor;
}

/**
 * Record an event of the table log and say what came of it. A refused event changes nothing.
 *
 * Returns { settlements, takes }: what it settled, in the order of C-14, and, while a turn is open, what the odd card
 * will take; each with its bet, as the console's state has them. Raises Refused, Beyond.
 */
export function apply(state, event) {
  read(event);
  const before = copy(state); // what is refused is seen before anything changes, what is beyond us perhaps later
  try {
    const settled = act(state, event);
    return { settlements: settled.map((each) => describe(state.deal, each)), takes: takes(state) };
  } catch (error) {
    Object.assign(state, before);
    throw error;
  }
}

function act(state, event) {
  if (event.type === "deal") return openDeal(state, event);
  if (!state.deal) refuse("deal_finished");
  if (event.type === "correct") return correctOddCard(state, event);
  if (state.deal.finished) refuse("deal_finished", { value: state.deal.deal });
  return ACTS[event.type](state, event);
}

/** Say whether the dealer may correct alone: only the odd card whose turn is still open. Rules: C-12. */
export function alone(state, event) {
  return Boolean(state.deal && turnOpen(state.deal) && isOfOddCard(state.deal, event));
}

/** Return the last card as the next event's sender must know it. */
export function after(state) {
  const deal = state.deal;
  if (!deal) return { deal: null, position: 0, take_backs: 0 };
  return { deal: deal.deal, position: deal.cards.length + deal.pocket.length, take_backs: deal.take_backs };
}

// -- the built game, read once

const compiled = new WeakMap();

function compile(game) {
  let known = compiled.get(game);
  if (!known) {
    const kinds = Object.fromEntries(game.kinds.map((kind) => [kind.name, compileKind(kind)]));
    known = { kinds, ratio: game.ratio === null ? null : fraction(game.ratio), mostPaidAfter: null };
    compiled.set(game, known);
  }
  return known;
}

function compileKind(kind) {
  const lines = kind.lines.map((line) => ({
    ...line,
    when: Object.entries(line.when),
    take: fraction(line.take),
    pay: line.pay === "last_halving" ? line.pay : fraction(line.pay),
  }));
  return { ...kind, lines, byColour: kind.lines.some((line) => line.when.colour !== undefined) };
}

function fraction(text) {
  const [n, d = "1"] = text.split("/");
  return { n: BigInt(n), d: BigInt(d) };
}

const NONE = fraction("0");
const isMore = (one, other) => one.n * other.d > other.n * one.d;

/** Return the first line that holds; none: the bet stands untouched. */
function firstLine(kind, facts) {
  return kind.lines.find((line) => line.when.every(([name, value]) => facts[name] === value));
}

function sizeOf(game) {
  return game.deck * game.decks;
}

function playedOf(game) {
  return sizeOf(game) - game.pocket;
}

/** For each number of dealt cards the most that a card still to come pays, of the stake. Rules: C-13. */
function mostPaidAfter(game) {
  const known = compile(game);
  if (!known.mostPaidAfter) {
    const { rank } = known.kinds;
    const colours = rank.byColour ? ["full", "half", "plain"] : [undefined];
    const most = Array(sizeOf(game) + 1).fill(NONE);
    for (let position = playedOf(game); position > 0; position -= 1) {
      const side = position % 2 ? "odd" : "even";
      const last = position === sizeOf(game);
      most[position - 1] = colours
        .map((colour) => firstLine(rank, { side, split: false, colour, position, last, reduced: false }).pay)
        .reduce((best, pay) => (isMore(pay, best) ? pay : best), most[position]);
    }
    known.mostPaidAfter = most;
  }
  return known.mostPaidAfter;
}

// -- money: the only rounding (C-7)

function safe(amount) {
  if (!Number.isSafeInteger(Number(amount))) throw new Beyond("an amount beyond 2^53 - 1");
  return Number(amount);
}

function share({ n, d }, of, up, chip) {
  const above = n * BigInt(of);
  const chips = d * BigInt(chip);
  return safe(((up ? above + chips - 1n : above) / chips) * BigInt(chip));
}

const pays = (deal, part, of) => share(part, of, deal.game.fractions === "player", deal.terms.chip_minor);
const takesOf = (deal, part, of) => share(part, of, deal.game.fractions !== "player", deal.terms.chip_minor);

/** Return what a line does to a bet of which `stake` stands, judged on `base`. Rules: C-6. */
function amounts(deal, line, stake, base, lastHalving) {
  const taken = takesOf(deal, line.take, base);
  const paid = line.pay === "last_halving" ? lastHalving : pays(deal, line.pay, base);
  const rest = stake - taken;
  let returned = 0;
  let standing = 0;
  if (line.rest === "returned" || stake === 0) returned = rest + paid;
  else if (line.rest === "stands_from_minimum") {
    if (rest < deal.terms.min_minor) returned = rest;
    else standing = rest;
  } else if (line.paid_to === "bet") standing = rest + paid;
  else [returned, standing] = [paid, rest];
  safe(stake + paid);
  if (stake + paid !== taken + returned + standing || Math.min(paid, taken, returned, standing) < 0) {
    throw new Error("conservation (C-6)");
  }
  return { stake_minor: stake, paid_minor: paid, taken_minor: taken, returned_minor: returned, standing_minor: standing };
}

/** Write an amount (a number or a BigInt) as the table log does, without needless zeros. */
export function amountText(minor, digits) {
  const text = String(minor).replace("-", "").padStart(digits + 1, "0");
  const point = text.length - digits;
  const part = text.slice(point).replace(/0+$/, "");
  return `${minor < 0 ? "-" : ""}${text.slice(0, point)}${part && "."}${part}`;
}

// -- cards

const rankOf = new Map([...RANKS].flatMap((letter, rank) => [[letter, rank], [letter.toLowerCase(), rank]]));
rankOf.set("10", RANKS.indexOf("T"));
const suitOf = new Map(
  [...SUITS].flatMap((letter, suit) => [[letter, suit], [letter.toLowerCase(), suit], [SUIT_SIGNS[suit], suit]]),
);

const cardText = (card) => RANKS[card >> 2] + SUITS[card & 3];

function readCard(deal, text) {
  const rank = rankOf.get(text.slice(0, -1));
  const suit = suitOf.get(text.slice(-1));
  if (rank === undefined || suit === undefined) refuse("bad_card", { value: text });
  refuseRankNotInDeck(deal, rank, text);
  return rank * 4 + suit;
}

function readRank(deal, text) {
  const rank = rankOf.get(text);
  if (rank === undefined) refuse("bad_card", { value: text });
  refuseRankNotInDeck(deal, rank, text);
  return rank;
}

function refuseRankNotInDeck(deal, rank, text) {
  if (rank < LOWEST_RANK[deal.game.deck]) refuse("not_in_deck", { value: text });
}

function refuseExhausted(deal, card) {
  refuse("card_exhausted", { value: cardText(card), limit: deal.game.decks });
}

function colourOf(suit, other) {
  if (suit === other) return "full";
  return BLACK[suit] === BLACK[other] ? "half" : "plain";
}

function undealtOfRank(deal, rank) {
  return deal.undealt.slice(rank * 4, rank * 4 + 4).reduce((sum, count) => sum + count, 0);
}

// -- what can be read of a deal

const turnOpen = (deal) => deal.cards.length % 2 === 1 && !deal.finished;
const standingBets = (deal) => deal.standing.map((ordinal) => deal.bets[ordinal - 1]);
const isRankBet = (bet) => bet.kind === "rank";
const rankBetStands = (deal, seat) => standingBets(deal).some((bet) => bet.seat === seat && isRankBet(bet));
const isDormant = (deal, bet) => !isRankBet(bet) && !rankBetStands(deal, bet.seat);
const kindOf = (deal, bet) => compile(deal.game).kinds[bet.kind];

function bettingClosed(deal) {
  const until = deal.game.betting === "between_turns" ? playedOf(deal.game) : 1;
  return deal.cut || deal.cards.length >= until;
}

/** Return the standing bets that a card of a rank touches now, in the order of placing. Rules: C-14, T-6. */
function hitBy(deal, rank) {
  const standing = standingBets(deal);
  const named = standing.filter((bet) => bet.rank === rank);
  if (!named.length) return named;
  const seats = new Set(named.map((bet) => bet.seat));
  return standing.filter((bet) =>
    kindOf(deal, bet).touched_by === "its_rank" ? bet.rank === rank : seats.has(bet.seat),
  );
}

function lineFor(deal, bet, card, side, split, base, position) {
  const kind = kindOf(deal, bet);
  const colour = kind.byColour && bet.suit !== null ? colourOf(bet.suit, card & 3) : undefined;
  const last = position === sizeOf(deal.game);
  return firstLine(kind, { side, split, colour, position, last, reduced: base < bet.amount });
}

function takes(state) {
  const { deal } = state;
  if (!deal || !turnOpen(deal)) return [];
  const odd = deal.cards.at(-1);
  const position = deal.cards.length;
  return hitBy(deal, odd >> 2)
    .map((bet) => [bet, lineFor(deal, bet, odd, "odd", false, bet.standing, position)])
    .filter(([, line]) => line)
    .map(([bet, line]) => describe(deal, settlement(deal, bet, line, position, bet.standing, lastHalving(bet))));
}

/** Return the deal as the console's state has it under `deal`; null before the first. Amounts in minor units. */
export function view(state) {
  const { deal } = state;
  if (!deal) return null;
  const { cards } = deal;
  const complete = cards.length >> 1;
  const turns = Array.from({ length: Math.min(complete, TURNS_SHOWN) }, (_, back) => complete - back);
  const shown = turnOpen(deal) ? cards.slice(-1) : cards.slice(Math.max(2 * complete - 2, 0), 2 * complete);
  return {
    deal: deal.deal,
    number: deal.number,
    position: cards.length + deal.pocket.length,
    turn: (cards.length + 1) >> 1,
    turn_open: turnOpen(deal),
    take_backs: deal.take_backs,
    finished: deal.finished,
    cut: deal.cut,
    betting_closed: bettingClosed(deal),
    splits: cards.filter((card, index) => index % 2 && cards[index - 1] >> 2 === card >> 2).length,
    size: sizeOf(deal.game),
    undealt: [...deal.undealt],
    odd: shown.length ? cardText(shown[0]) : null,
    even: shown.length > 1 ? cardText(shown[1]) : null,
    cards: cards.map((card, index) => ({ position: index + 1, card: cardText(card) })).slice(-CARDS_SHOWN),
    pocket: deal.pocket.map(cardText),
    bets: standingBets(deal).map((bet) => standingView(deal, bet)),
    takes: takes(state),
    settlements: lastSettled(deal).map((each) => describe(deal, each)),
    last_turns: turns.map((turn) => turnView(deal, turn)),
    bet_count: deal.bets.length,
    taken_minor: sum(deal.settlements, "taken_minor"),
    paid_minor: sum(deal.settlements, "paid_minor"),
  };
}

/** Every bet and card of a deal, the last first: what a correction may name. A bet that was never made is none. C-12 */
export function record(deal) {
  return {
    bets: deal.bets.map((bet) => standingView(deal, bet)).reverse(),
    cards: deal.cards.map((card, index) => ({ position: index + 1, card: cardText(card) })).reverse(),
  };
}

const sum = (settlements, name) => settlements.reduce((total, each) => safe(total + each[name]), 0);

/** What was settled last: by the last complete turn, or by the pocket, the end or a misdeal. */
function lastSettled(deal) {
  let last = deal.settlements.filter((each) => each.turn >= deal.turn);
  const givenBack = last.filter((each) => ["returned", "void"].includes(each.outcome));
  if (deal.finished && givenBack.length) last = givenBack;
  else if (deal.pocket.length) last = last.filter((each) => each.turn > deal.turn);
  return last.filter(
    (each) =>
      !["withdrawn", "refused"].includes(each.outcome) && (each.turn === deal.turn || deal.pocket.length > 0),
  );
}

function turnView(deal, turn) {
  const [odd, even] = deal.cards.slice(2 * turn - 2, 2 * turn);
  const settled = deal.settlements.filter(
    (each) => each.turn === turn && !["withdrawn", "refused", "returned", "void"].includes(each.outcome),
  );
  return {
    turn,
    odd: cardText(odd),
    even: cardText(even),
    split: odd >> 2 === even >> 2,
    taken_minor: sum(settled, "taken_minor"),
    paid_minor: sum(settled, "paid_minor"),
    bank_minor: sum(settled, "taken_minor") - sum(settled, "paid_minor"),
    settlements: settled.map((each) => describe(deal, each)),
  };
}

function names(bet) {
  const rank = bet.rank === null ? null : RANKS[bet.rank];
  const suit = bet.suit === null ? null : SUITS[bet.suit];
  return { kind: bet.sealed ? "sealed" : bet.kind, rank, suit, card: rank && suit ? rank + suit : null };
}

function standingView(deal, bet) {
  let bends = 0;
  for (let won = bet.of; won !== null; won = find(deal, won).of) bends += 1;
  return {
    bet: bet.name,
    seat: bet.seat,
    ...names(bet),
    amount_minor: bet.amount,
    standing_minor: bet.standing,
    sealed: bet.sealed,
    dormant: isDormant(deal, bet),
    of: bet.of,
    bends,
    after: bet.after,
    ordinal: bet.ordinal,
  };
}

function describe(deal, each) {
  const { ordinal, ...said } = each;
  const bet = deal.bets[ordinal - 1];
  return { ...said, ...names(bet), amount_minor: bet.amount, of: bet.of, was_sealed: bet.was_sealed };
}

// -- what is refused whatever is done

function refuse(code, facts) {
  throw new Refused(code, facts);
}

function refuseInsideDeal(state) {
  if (state.deal && !state.deal.finished) refuse("deal_not_finished", { value: state.deal.deal });
}

function refuseInsideTurn(deal) {
  if (deal.cards.length % 2) refuse("turn_open", { value: cardText(deal.cards.at(-1)) });
}

function refuseUnlessOffered(deal, deed, words) {
  if (!deal.game.deeds.includes(deed)) refuse("not_offered", { value: words });
}

function refuseClosedBetting(closed) {
  if (closed) refuse("betting_closed");
}

const find = (deal, name) => deal.bets.find((bet) => bet.name === name);

function known(deal, name) {
  return find(deal, name) ?? refuse("unknown_bet", { value: name });
}

function standing(deal, name) {
  const bet = known(deal, name);
  if (!bet.standing) refuse("bet_settled", { value: name });
  return bet;
}

function refuseKnownName(deal, name) {
  if (find(deal, name) || deal.unmade.includes(name)) refuse("duplicate_bet", { value: name });
}

function refuseDeadRank(deal, rank) {
  if (!undealtOfRank(deal, rank)) refuse("dead_rank", { value: RANKS[rank] });
}

function checkSeat({ terms, game }, seat) {
  if (game.seat !== null && seat !== game.seat) refuse("bad_seat", { value: seat, limit: game.seat });
  if (seat < 1 || seat > terms.seats) refuse("bad_seat", { value: seat, limit: terms.seats });
}

/** Read an amount above zero into minor units: { n } whole, or null where it is finer than the currency. */
function parseAmount(text, digits) {
  const match = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  const part = match?.[2]?.replace(/0+$/, "") ?? "";
  const all = match ? BigInt(match[1] + part) : 0n;
  if (!all) refuse("bad_amount", { value: text });
  return part.length > digits ? null : all * 10n ** BigInt(digits - part.length);
}

function readAmount({ terms, game }, text, suitBet) {
  const say = (minor) => amountText(minor, terms.digits);
  const amount = text === undefined ? BigInt(terms.min_minor) : parseAmount(text, terms.digits);
  const chip = BigInt(terms.chip_minor) * BigInt(suitBet ? game.suit_multiple : 1);
  if (amount === null || amount % chip) {
    refuse("not_a_chip", { value: text ?? say(terms.min_minor), limit: say(chip) });
  }
  if (amount < terms.min_minor) refuse("below_minimum", { value: text, limit: say(terms.min_minor) });
  if (amount > terms.max_minor) refuse("above_maximum", { value: text, limit: say(terms.max_minor) });
  return Number(amount);
}

function checkRatio(deal, amount, seat) {
  const { ratio } = compile(deal.game);
  const say = (minor) => amountText(minor, deal.terms.digits);
  for (const bet of ratio ? standingBets(deal) : []) {
    const [one, other] = [BigInt(amount), BigInt(bet.amount)];
    if (bet.seat === seat && (one * ratio.d > other * ratio.n || other * ratio.d > one * ratio.n)) {
      refuse("ratio", { value: say(amount), limit: deal.game.ratio, other: say(bet.amount) });
    }
  }
}

/** Raises bank_exceeded where one card could pay more than the banker has. Rules: C-13. */
function checkBank(state, bet) {
  if (state.bank === null) return;
  const { deal } = state;
  const exposure = [...standingBets(deal), bet].reduce((all, each) => safe(all + mostPaid(deal, each)), 0);
  if (exposure > state.bank) {
    const { digits } = deal.terms;
    refuse("bank_exceeded", { value: amountText(exposure, digits), limit: amountText(state.bank, digits) });
  }
}

function mostPaid(deal, bet) {
  // For a bet that is still sealed every card that lies is yet to be judged (P-4).
  if (isRankBet(bet)) return pays(deal, mostPaidAfter(deal.game)[bet.sealed ? 0 : deal.cards.length], bet.standing);
  const reduced = bet.standing < bet.amount;
  return kindOf(deal, bet)
    .lines.filter(({ when }) => when.every(([name, value]) => name !== "reduced" || value === reduced))
    .map(({ pay }) => (pay === "last_halving" ? lastHalving(bet) : pays(deal, pay, bet.standing)))
    .reduce((most, pay) => Math.max(most, pay), 0);
}

// -- what can happen

const ACTS = {
  bet: placeBet,
  withdraw,
  refuse: refuseStake,
  cut,
  card: drawCard,
  reveal,
  paroli,
  pocket: showPocket,
  end: endDeal,
  misdeal,
};

function openDeal(state, event) {
  if (state.names.includes(event.deal)) refuse("duplicate_deal", { value: event.deal });
  refuseInsideDeal(state);
  const { terms, game } = state;
  state.names.push(event.deal);
  state.number += 1;
  state.deal = {
    deal: event.deal,
    number: state.number,
    terms,
    game,
    undealt: Array.from({ length: 52 }, (_, card) => (card >> 2 >= LOWEST_RANK[game.deck] ? game.decks : 0)),
    cards: [],
    pocket: [],
    bets: [], // all of them, a bet's place is its ordinal less one
    standing: [], // ordinals of those that stand, in the order of placing
    unmade: [],
    settlements: [],
    turn: 0,
    take_backs: 0,
    cut: false,
    finished: false,
  };
  return [];
}

function placeBet(state, event) {
  const { deal } = state;
  const { game } = deal;
  const { bet: name, seat } = event;
  refuseInsideTurn(deal);
  if (event.rank === undefined) refuseKindNotOffered(deal, event);
  refuseClosedBetting(bettingClosed(deal));
  refuseKnownName(deal, name);
  const { rank, suit } = named(deal, event);
  const suitBet = rank === null && suit !== null;
  checkSeat(deal, seat);
  const amount = readAmount(deal, event.amount, suitBet);
  checkRatio(deal, amount, seat);
  if (rank !== null) {
    refuseDeadRank(deal, rank);
    if (!game.secondary_bets && undealtOfRank(deal, rank) < 4 * game.decks) {
      refuse("secondary_bet", { value: RANKS[rank] });
    }
  } else if (suitBet) {
    if (!rankBetStands(deal, seat)) refuse("suit_without_rank", { value: seat });
    if (standingBets(deal).some((bet) => bet.seat === seat && !isRankBet(bet))) refuse("second_suit", { value: seat });
  }
  if (!suitBet) refuseSecondBet(deal, seat, rank);
  stand(state, { name, seat, kind: suitBet ? "suit" : "rank", rank, suit, amount, of: null });
  return [];
}

function refuseKindNotOffered(deal, event) {
  if (event.suit !== undefined) refuseUnlessOffered(deal, "suit", "suit bets");
  else if (event.card !== undefined) refuseUnlessOffered(deal, "card", "bets on a card");
  else refuseUnlessOffered(deal, "sealed", "sealed bets");
}

/** Return the rank and the suit that a bet names. Raises bad_card, not_in_deck. */
function named(deal, event) {
  if (event.card !== undefined) {
    const card = readCard(deal, event.card);
    return { rank: card >> 2, suit: card & 3 };
  }
  if (event.rank !== undefined) {
    if (deal.game.names_card) refuse("bad_card", { value: event.rank });
    return { rank: readRank(deal, event.rank), suit: null };
  }
  if (event.suit !== undefined) {
    const suit = suitOf.get(event.suit);
    if (suit === undefined) refuse("bad_card", { value: event.suit });
    return { rank: null, suit };
  }
  return { rank: null, suit: null };
}

function refuseSecondBet(deal, seat, rank) {
  const second = {
    deal: () => true,
    rank: (bet) => bet.seat === seat && rank !== null && bet.rank === rank,
  }[deal.game.one_bet];
  if (second && standingBets(deal).some(second)) refuse("second_bet", { value: seat });
}

/** Put a new bet on the layout; the last check is the bank's, which must see it. */
function stand(state, bet) {
  const { deal } = state;
  const sealed = bet.rank === null && bet.suit === null;
  const placed = {
    ...bet,
    ordinal: deal.bets.length + 1,
    after: deal.cards.length,
    standing: bet.amount,
    sealed,
    was_sealed: sealed,
    halvings: [],
    win: null,
    bent: false,
  };
  checkBank(state, placed);
  deal.bets.push(placed);
  deal.standing.push(placed.ordinal);
}

/** Put a changed bet in the place of a bet, and return it. One of which nothing stands leaves the layout. */
function change(deal, bet, changes) {
  const changed = { ...bet, ...changes };
  deal.bets[bet.ordinal - 1] = changed;
  if (bet.standing && !changed.standing) deal.standing = deal.standing.filter((ordinal) => ordinal !== bet.ordinal);
  return changed;
}

function withdraw({ deal }, event) {
  refuseInsideTurn(deal);
  refuseClosedBetting(bettingClosed(deal));
  const bet = standing(deal, event.bet);
  if (deal.game.locked) {
    if (isRankBet(bet)) refuse("rank_locked", { value: bet.name });
    if (rankBetStands(deal, bet.seat)) refuse("suit_locked", { value: bet.name });
  }
  return [giveBack(deal, bet, "withdrawn", "C-4")];
}

function refuseStake({ deal }, event) {
  refuseInsideTurn(deal);
  refuseUnlessOffered(deal, "refuse", "refusals by the banker");
  refuseClosedBetting(deal.cards.length > 0);
  return [giveBack(deal, standing(deal, event.bet), "refused", "P-7")];
}

function cut({ deal }, event) {
  refuseInsideTurn(deal);
  refuseUnlessOffered(deal, "cut", "cut that closes betting");
  refuseClosedBetting(deal.cut || deal.cards.length > 0);
  if (event.seat !== undefined) checkSeat(deal, event.seat);
  deal.cut = true;
  return [];
}

function drawCard(state, event) {
  const { deal } = state;
  const { game } = deal;
  const position = deal.cards.length + 1;
  if (position > playedOf(game)) refuse("deal_finished", { limit: playedOf(game) });
  const card = readCard(deal, event.card);
  if (!deal.undealt[card]) refuseExhausted(deal, card);
  if (event.position !== undefined && event.position !== position) {
    refuse("wrong_position", { value: event.position, limit: position });
  }
  if (position > 2 && standingBets(deal).some((bet) => bet.sealed)) refuse("sealed_bet");
  deal.undealt[card] -= 1;
  deal.cards.push(card);
  if (position % 2) return [];
  deal.turn += 1;
  const settled = judgeTurn(state);
  if (position === sizeOf(game) && game.dealer_ends === "never") deal.finished = true;
  return settled;
}

function reveal(state, event) {
  const { deal } = state;
  refuseInsideTurn(deal);
  refuseUnlessOffered(deal, "reveal", "sealed bets");
  const sealed = standing(deal, event.bet);
  const { rank, suit } = named(deal, event);
  if (!deal.cards.length) refuse("sealed_bet", { value: event.bet });
  if (!sealed.sealed) refuse("not_sealed", { value: event.bet });
  let bet = change(deal, sealed, { rank, suit, sealed: false });
  const [first, second] = deal.cards;
  const split = first >> 2 === second >> 2;
  const settled = [];
  for (const [position, side, card] of [[1, "odd", first], [2, "even", second]]) {
    if (bet.standing && card >> 2 === rank) {
      const line = lineFor(deal, bet, card, side, split, bet.standing, position);
      settled.push(close(state, bet, line, position, bet.standing, lastHalving(bet)));
      bet = deal.bets[bet.ordinal - 1];
    }
  }
  for (const each of settled) {
    // In its place by C-14, also where a sealed bet is settled after its turn.
    const later = deal.settlements.findIndex(
      (other) =>
        other.position > each.position || (other.position === each.position && other.ordinal >= each.ordinal),
    );
    deal.settlements.splice(later < 0 ? deal.settlements.length : later, 0, each);
  }
  endWithBet(deal, settled);
  return settled;
}

function paroli(state, event) {
  const { deal } = state;
  refuseInsideTurn(deal);
  refuseUnlessOffered(deal, "paroli", "paroli");
  const win = find(deal, event.of)?.win;
  refuseClosedBetting(Boolean(win) && win.turn !== deal.turn);
  refuseKnownName(deal, event.bet);
  const won = known(deal, event.of);
  if (won.bent) refuse("bet_settled", { value: event.of });
  if (!win) refuse("not_won", { value: event.of });
  refuseDeadRank(deal, won.rank);
  const { seat, kind, rank, suit } = won;
  stand(state, { name: event.bet, seat, kind, rank, suit, amount: win.returned_minor, of: event.of });
  change(deal, won, { bent: true });
  return [];
}

function showPocket(state, event) {
  const { deal } = state;
  refuseInsideTurn(deal);
  refuseUnlessOffered(deal, "pocket", "pocket");
  const cards = event.cards.map((text) => readCard(deal, text));
  for (const card of cards) {
    if (cards.filter((each) => each === card).length > deal.undealt[card]) refuseExhausted(deal, card);
  }
  const played = playedOf(deal.game);
  if (deal.cards.length !== played) refuse("wrong_position", { value: deal.cards.length, limit: played });
  const settled = [];
  for (const card of cards) {
    deal.undealt[card] -= 1;
    deal.pocket.push(card);
    const position = played + deal.pocket.length;
    for (const bet of hitBy(deal, card >> 2)) {
      const line = lineFor(deal, bet, card, "pocket", false, bet.standing, position);
      settled.push(close(state, bet, line, position, bet.standing, lastHalving(bet)));
    }
  }
  deal.settlements.push(...settled);
  deal.finished = true;
  return settled;
}

function endDeal({ deal }) {
  const { dealer_ends: ends } = deal.game;
  const bets = standingBets(deal);
  if (ends === "never") refuse("deal_not_finished");
  if (ends === "when_none_stands" && bets.length) refuse("deal_not_finished", { value: bets[0].name });
  refuseInsideTurn(deal);
  deal.finished = true;
  return bets.map((bet) => giveBack(deal, bet, "returned", "T-14"));
}

function misdeal({ deal }) {
  deal.finished = true;
  return standingBets(deal).map((bet) => giveBack(deal, bet, "void", "C-11"));
}

/** Whether a correction is of nothing but the odd card that awaits its even card, or that a misdeal cancelled. */
function isOfOddCard(deal, event) {
  const positions = Object.keys(event.cards ?? {});
  return deal.cards.length % 2 === 1 && positions.length === 1 && positions[0] === String(deal.cards.length);
}

/** Put another card in the place of the odd card, or take it back: it has settled nothing yet. Rules: C-12. */
function correctOddCard({ deal }, event) {
  if (!isOfOddCard(deal, event)) throw new Beyond("a correction of more than the odd card");
  const recorded = deal.cards.at(-1);
  const [text] = Object.values(event.cards);
  const right = text === null ? null : readCard(deal, text);
  if (right !== null && right !== recorded && !deal.undealt[right]) refuseExhausted(deal, right);
  deal.undealt[recorded] += 1;
  deal.cards.pop();
  if (right === null) deal.take_backs += 1;
  else {
    deal.undealt[right] -= 1;
    deal.cards.push(right);
  }
  return [];
}

// -- how a turn is judged

/** Judge the two cards that lie, the odd one first. Rules: C-4, C-14, T-6. */
function judgeTurn(state) {
  const { deal } = state;
  const [odd, even] = deal.cards.slice(-2);
  const position = deal.cards.length;
  const split = odd >> 2 === even >> 2;
  // Which bets a card touches is known at the start of the turn, before the odd card closes any.
  const hitOdd = hitBy(deal, odd >> 2);
  const hitEven = split ? [] : hitBy(deal, even >> 2);
  const settled = [];
  const opening = new Map(); // by ordinal: bets judged on the opening stake that the odd card settled
  for (const bet of hitOdd) {
    const line = lineFor(deal, bet, odd, "odd", split, bet.standing, position - 1);
    if (line) {
      const made = close(state, bet, line, position - 1, bet.standing, lastHalving(bet));
      settled.push(made);
      if (kindOf(deal, bet).judged_on === "opening") opening.set(bet.ordinal, made);
    }
  }
  for (const { ordinal } of hitEven) {
    const bet = deal.bets[ordinal - 1]; // as the odd card has left it
    const byOdd = opening.get(ordinal);
    const base = byOdd ? byOdd.stake_minor : bet.standing;
    const line = base && lineFor(deal, bet, even, "even", split, base, position);
    if (line) settled.push(close(state, bet, line, position, base, byOdd?.taken_minor || lastHalving(bet)));
  }
  deal.settlements.push(...settled);
  endWithBet(deal, settled);
  return settled;
}

function endWithBet(deal, settled) {
  if (settled.length && deal.game.ends_with_bet) deal.finished = true;
}

/** What the last halving that took something took, 0 if there is none. Rules: T-10. */
function lastHalving(bet) {
  return bet.halvings.at(-1) ?? 0;
}

function settlement(deal, bet, line, position, base, halving) {
  return {
    deal: deal.deal,
    turn: (position + 1) >> 1,
    position,
    bet: bet.name,
    seat: bet.seat,
    outcome: line.outcome,
    ...amounts(deal, line, bet.standing, base, halving),
    corrected: false,
    clause: line.clause,
    ordinal: bet.ordinal,
  };
}

/** Settle a bet by a card: wholly, or in part where something stands on. */
function close(state, bet, line, position, base, halving) {
  const made = settlement(state.deal, bet, line, position, base, halving);
  const standing = made.standing_minor;
  let { halvings } = bet;
  if (standing && made.taken_minor) halvings = [...halvings, made.taken_minor];
  else if (standing && line.pay === "last_halving") halvings = halvings.slice(0, -1);
  change(state.deal, bet, { standing, halvings, win: made.outcome === "win" ? made : bet.win });
  if (state.bank !== null) state.bank = safe(state.bank + made.taken_minor - made.paid_minor);
  return made;
}

/** Return what stands of a bet that no card settled. */
function giveBack(deal, bet, outcome, clause) {
  const made = {
    deal: deal.deal,
    turn: deal.turn,
    position: deal.turn * 2,
    bet: bet.name,
    seat: bet.seat,
    outcome,
    stake_minor: bet.standing,
    paid_minor: 0,
    taken_minor: 0,
    returned_minor: bet.standing,
    standing_minor: 0,
    corrected: false,
    clause,
    ordinal: bet.ordinal,
  };
  change(deal, bet, { standing: 0 });
  deal.settlements.push(made);
  return made;
}

// -- the shape of an event: what the table log would call bad_line

const isText = (value) => typeof value === "string" && !value.includes("\0") && !/[\ud800-\udfff]/u.test(value);
const isName = (value) =>
  isText(value) && !/^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(value);
const isWhole = (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
const isBool = (value) => typeof value === "boolean";
const isFour = (value) => Array.isArray(value) && value.length === 4 && value.every(isText);
const isCards = (value) =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(
    ([position, card]) => /^(0|[1-9][0-9]{0,8})$/.test(position) && (card === null || isText(card)),
  );

/** The keys of each type that this can play; "?" ends the name of one that may be missing. */
const KEYS = Object.fromEntries(
  Object.entries({
    deal: { deal: isName, "shuffle?": isText, "cut_by?": isText },
    bet: { bet: isName, seat: isWhole, "amount?": isText, "rank?": isText, "card?": isText, "suit?": isText },
    withdraw: { bet: isName },
    refuse: { bet: isName },
    cut: { "seat?": isWhole },
    card: { card: isText, "position?": isWhole },
    reveal: { bet: isName, card: isText },
    paroli: { bet: isName, of: isName },
    pocket: { cards: isFour },
    end: {},
    misdeal: { reason: isName },
    correct: {
      reason: isName,
      "cards?": isCards,
      "bet?": isName,
      "made?": isBool,
      "after?": isWhole,
      "seat?": isWhole,
      "amount?": isText,
      "rank?": isText,
      "card?": isText,
      "suit?": isText,
    },
  }).map(([type, keys]) => [
    type,
    {
      reads: new Map(Object.entries(keys).map(([key, reads]) => [key.replace("?", ""), reads])),
      needs: Object.keys(keys).filter((key) => !key.endsWith("?")),
    },
  ]),
);

/** Raises bad_line where an event is not one of the table log's, without `at` and `by`. */
function read(event) {
  const keys = Object.hasOwn(KEYS, event.type) ? KEYS[event.type] : refuse("bad_line");
  for (const [key, value] of Object.entries(event)) {
    if (key !== "type" && !keys.reads.get(key)?.(value)) refuse("bad_line");
  }
  if (keys.needs.some((key) => !Object.hasOwn(event, key))) refuse("bad_line");
  const count = (...names) => names.filter((name) => Object.hasOwn(event, name)).length;
  if (count("rank", "card", "suit") > 1) refuse("bad_line");
  if (event.type === "correct") readCorrection(event, Object.keys(event).length - 2, count);
}

function readCorrection(event, given, count) {
  if (count("cards", "bet") !== 1 || (count("cards") && given > 1)) refuse("bad_line");
  if (event.made === true ? count("after", "seat") < 2 : count("after")) refuse("bad_line");
  if (count("bet") && event.made === false && given > 2) refuse("bad_line");
  if (count("bet") && event.made === undefined && given === 1) refuse("bad_line");
}
