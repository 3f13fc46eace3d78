// What the console shows, worked out from the server's state and from what waits on this device. Plain values in,
// plain values out: no page, no clock, no network. Never knows or guesses the order of undealt cards.

import { fullShoe, GRID_RANKS, RANKS } from "../cards.js";
import * as money from "../money.js";

export const SOLO = new Set(["private"]); // one punter, one bet

/** How many turns this table deals before the pocket, or null where there is none. Rules: S-6, S-7, S-8. */
export function pocketAfter(table) {
  const { secondary_bets: secondary, deal_from: from } = table.rules;
  return table.game === "stuss" && secondary !== false && from !== "hand" ? 48 : null;
}

export const liveDeal = (state) => (state.deal && !state.deal.finished ? state.deal : null);

/** One thing that a hand still has to do with chips; its name changes when a correction changes it. */
const nameOf = (deal, row) => `${deal.deal}/${deal.take_backs}/${row.bet}@${row.position}:${row.outcome}:${row.amount}`;

/**
 * What is still to be handed out or collected once the even card lies there, less what was confirmed: the pay list,
 * and what the odd card's own list could not say (a bet opened later, a position turned round, the even card's half).
 */
export function pending(deal, confirmed) {
  if (!deal || deal.turn_open) return { pays: [], lateTakes: [], names: [] };
  const done = new Set(confirmed ?? []);
  const left = (row) => !done.has(nameOf(deal, row));
  const pays = payRows(deal).filter(left);
  const lateTakes = evenTakes(deal).filter(left);
  return { pays, lateTakes, names: [...pays, ...lateTakes].map((row) => nameOf(deal, row)) };
}

/**
 * What the table waits for: "closed", "paused", "idle", "even", "reveal", "pocket", "odd" or "last" (no card left).
 * A list that is still to be paid comes before all of them: "pay", on the screen of whoever `pays`.
 */
export function phase(state, confirmed, { pays = true } = {}) {
  const { table, deal } = state;
  if (pays && pending(deal, confirmed).names.length) return "pay";
  if (table.state !== "open") return table.state;
  if (!deal || deal.finished) return "idle";
  if (deal.turn_open) return "even";
  if (deal.position >= 2 && deal.bets.some((bet) => bet.sealed)) return "reveal";
  if (deal.position === pocketAfter(table)) return "pocket";
  return deal.undealt.some((left) => left > 0) ? "odd" : "last";
}

/** May bets be placed now? C-4, F-2, P-3, S-6: the door decides; the console only does not offer what cannot be. */
export function bettingOpen(state, now) {
  if (now !== "odd") return false;
  const { table, deal } = state;
  return table.game === "stuss" || table.game === "stos" || (!deal.cut && deal.position === 0);
}

/**
 * The bets that stand, those waiting on this device included, in the order of seats, ranks before suits. `played`: what
 * waits is in the deal already.
 */
export function standing(deal, queue, played) {
  if (!deal) return [];
  if (played) {
    const unsaved = new Set(queue.map(({ event }) => event.bet));
    return deal.bets.map((bet) => ({ ...bet, waiting: unsaved.has(bet.bet) })).sort(bySeat);
  }
  const gone = new Set(queue.filter(({ event }) => event.type === "withdraw" || event.type === "refuse").map(({ event }) => event.bet));
  const bets = deal.bets.filter((bet) => !gone.has(bet.bet)).map((bet) => ({ ...bet, waiting: false }));
  const waiting = queue.filter(({ event }) => event.type === "bet").map(({ event, shown }) => ({
    bet: event.bet, seat: event.seat, kind: event.suit ? "suit" : event.rank || event.card ? "rank" : "sealed",
    rank: event.rank ?? event.card?.[0] ?? null, suit: event.suit ?? null, card: event.card ?? null,
    amount_minor: shown, standing_minor: shown, sealed: !event.rank && !event.card && !event.suit,
    of: null, corners: 0, dormant: false, waiting: true,
  }));
  return [...bets, ...waiting].sort(bySeat);
}

/** Bets that the turn has settled but whose chips still lie there until they are paid out. */
export function stillLying(pays) {
  return pays.filter((row) => row.settled).map((row) => ({ ...row.settled, waiting: false, dormant: false, sealed: false, corners: 0 }));
}

export const kindOrder = (bet) => (bet.kind === "suit" ? 1 : 0);
export const bySeat = (a, b) => a.seat - b.seat || kindOrder(a) - kindOrder(b);

export const onRank = (bets, rank) => bets.filter((bet) => bet.kind !== "suit" && bet.rank === rank);
export const suitBets = (bets) => bets.filter((bet) => bet.kind === "suit");
export const sealedBets = (bets) => bets.filter((bet) => bet.sealed);

/** For each rank: copies left and of how many, and left by suit. */
export function casekeep(table, deal) {
  const full = fullShoe(table.game, table.rules);
  const left = deal && !deal.finished ? deal.undealt : deal ? deal.undealt : full;
  return Object.fromEntries([...RANKS].map((rank, at) => {
    const suits = Object.fromEntries([..."CDHS"].map((suit, suitAt) => [suit, { left: left[at * 4 + suitAt], full: full[at * 4 + suitAt] }]));
    const total = (key) => Object.values(suits).reduce((sum, each) => sum + each[key], 0);
    return [rank, { left: total("left"), full: total("full"), suits }];
  }));
}

export const undealtCount = (deal) => deal.undealt.reduce((sum, each) => sum + each, 0);

/** What a card that lies there takes: one row a bet. `say` words are keys of the catalogue with their places. */
export function takeRows(rows) {
  return rows.filter((row) => row.taken_minor > 0 || row.outcome === "half_lose").map((row) => ({
    seat: row.seat, bet: row.bet, position: row.position, outcome: row.outcome, what: whatOf(row), amount: row.taken_minor, kind: row.kind, corrected: row.corrected,
    how: takeHow(row), stays: staysOf(row),
  })).sort(bySeat);
}

function takeHow(row) {
  if (row.outcome === "pocket") return { key: "how.pocket" };
  if (row.kind === "suit") return { key: row.outcome === "half_lose" ? "how.half_lose" : "how.full_lose", of: row.stake_minor };
  if (row.taken_minor < row.stake_minor) return { key: "how.part", of: row.stake_minor };
  return { key: row.of ? "how.paroli" : "how.stake" };
}

function staysOf(row) {
  if (row.standing_minor > 0) return { key: "how.stays", of: row.standing_minor };
  if (row.returned_minor > 0 && row.kind === "suit") return { key: "how.rest_back", of: row.returned_minor };
  return row.returned_minor > 0 ? { key: "how.give_back", of: row.returned_minor } : null;
}

/** What is still to be handed out once the even card lies there: winnings, and stakes that go back. */
export function payRows(deal) {
  const odd = deal.position % 2 === 1;
  return deal.settlements
    .filter((row) => !(odd && deal.turn_open))
    .filter((row) => row.paid_minor > 0 || ["push", "returned", "void", "half_win"].includes(row.outcome) || (row.outcome === "split" && row.returned_minor > 0))
    .map((row) => ({
      seat: row.seat, bet: row.bet, position: row.position, what: whatOf(row), kind: row.kind, corrected: row.corrected, outcome: row.outcome,
      amount: row.paid_minor > 0 ? row.paid_minor : row.returned_minor, back: row.paid_minor === 0,
      how: payHow(row), won: row.outcome === "win", returned: row.returned_minor,
      settled: row.standing_minor === 0 ? { bet: row.bet, seat: row.seat, kind: row.kind, rank: row.rank, suit: row.suit, card: row.card, amount_minor: row.amount_minor, standing_minor: row.stake_minor } : null,
    })).sort(bySeat);
}

function payHow(row) {
  const back = row.returned_minor - row.paid_minor;
  if (row.paid_minor === 0) return [{ key: row.outcome === "split" ? "how.split_back" : `how.${row.outcome}` }];
  const words = [];
  if (row.kind === "suit") words.push({ key: row.outcome === "half_win" ? "how.half_win" : "how.full_win", of: row.stake_minor });
  if (back > 0) words.push({ key: "how.stake_back", of: back });
  if (row.standing_minor > 0) words.push({ key: row.returned_minor ? "how.stays" : "how.grows", of: row.standing_minor });
  return words;
}

const whatOf = (row) => (row.kind === "suit" ? { suit: row.suit } : row.card ? { card: row.card } : row.rank ? { rank: row.rank } : { sealed: true });

/** What the odd card's list could not say: taken by the even card (F-5, T-6), or of a bet that was opened later (P-4). */
const evenTakes = (deal) => takeRows(deal.settlements.filter((row) => row.taken_minor > 0 && row.outcome !== "pocket" && (row.position % 2 === 0 || row.was_sealed)));

export const total = (rows) => rows.reduce((sum, row) => sum + row.amount, 0);

/** What the last turn moved, each with the way that chips took: what may have been done otherwise than shown. */
export const moved = (deal) => [
  ...takeRows(deal.settlements.filter((row) => row.taken_minor > 0)).map((row) => ({ ...row, way: "take" })),
  ...payRows(deal).map((row) => ({ ...row, way: "pay" })),
].sort(bySeat);

/** All that the turn paid which was settled last. */
export const paidInTurn = (deal) => deal.settlements.reduce((sum, row) => sum + row.paid_minor, 0);

/** The bank's result of the turn that was settled last. */
export const bankResult = (deal) => deal.settlements.reduce((sum, row) => sum + row.taken_minor - row.paid_minor, 0);

/** The four cards of the pocket: what the casekeep has left, in its own order. Nothing is said about theirs. */
export function pocketCards(deal) {
  const cards = [];
  for (const suit of "SHDC") {
    for (const rank of GRID_RANKS) {
      for (let copy = 0; copy < deal.undealt[RANKS.indexOf(rank) * 4 + "CDHS".indexOf(suit)]; copy += 1) cards.push(rank + suit);
    }
  }
  return cards;
}

export function pocketTakes(bets) {
  return bets.filter((bet) => bet.rank).map((bet) => ({
    seat: bet.seat, bet: bet.bet, what: { rank: bet.rank }, amount: bet.standing_minor, kind: "rank", how: { key: "how.pocket" }, stays: null,
  }));
}

/** A draft's amount in minor units; null while what was typed cannot be read whole. */
export function draftAmount(draft, table, remembered) {
  if (draft.typed) return money.read(draft.typed.replace(/\.$/, ""), table.digits);
  const set = money.plaques(table);
  const chips = draft.chips.reduce((sum, count, at) => sum + (count ?? 0) * (set[at] ?? 0), 0);
  return chips || remembered || table.min_minor;
}

/** Can this entry be placed? Where thirds are played a bet names its card, not its rank alone (F-6). */
export function draftReady(draft, amount, kinds) {
  if (!draft.seat || draft.open || amount === null) return false;
  if (draft.verb === "sealed") return true;
  return draft.targets.length > 0 && (draft.verb !== "bet" || kinds.rank || draft.targets.every((target) => target.suit));
}

/** A bet's name: its seat and five letters drawn on this device, so that two tablets never choose the same. */
export function betName(seat) {
  const letters = "23456789abcdefghjkmnpqrstvwxyz";
  return `${seat}-${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => letters[byte % letters.length]).join("")}`;
}
