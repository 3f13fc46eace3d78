// From the service's state of a table to what the console works with: one place that knows the API's names.

import { RANKS } from "../cards.js";

const CHOICES = new Set(["withdrawn", "refused"]); // between people, not by a card: nothing to hand out from a list

export function readState(body) {
  const { terms } = body;
  return {
    sequence: body.head.sequence,
    after: body.after,
    next_deal: body.next_deal ?? nextName(body.deal?.deal),
    table: {
      code: body.table, name: body.name || body.table, game: body.game, state: body.state, digits: terms.exponent,
      currency: terms.currency, min_minor: terms.min_minor, max_minor: terms.max_minor, chip_minor: terms.chip_minor,
      seats: terms.seats, rules: terms.rules, bank_minor: body.bank_minor,
    },
    kinds: body.bet_kinds,
    deal: body.deal && readDeal(body),
    waiting: body.waiting,
  };
}

function readDeal(body) {
  const { deal, turns } = body;
  const newest = turns.at(-1);
  const complete = turns.filter((turn) => turn.even || turn.deed);
  const settlements = deal.turn_open ? [] : rowsOf(newest, turns);
  const bets = body.standing.map((bet) => ({ ...bet, corners: bet.bends, card: bet.card ?? null }));
  const last = deal.cards.at(-1);
  const dealt = deal.cards.filter((each) => !each.pocket);
  const known = new Map();
  for (const bet of [...bets, ...turns.flatMap((turn) => turn.settlements)]) known.set(bet.bet, bet);
  return {
    deal: deal.deal, position: deal.position, turn: deal.turn, turn_open: deal.turn_open, finished: deal.finished,
    take_backs: deal.take_backs, cut: deal.cut, splits: deal.splits,
    undealt: Array.from({ length: 52 }, (_, index) => body.undealt[RANKS[Math.floor(index / 4)] + "CDHS"[index % 4]] ?? 0),
    odd: deal.turn_open ? last?.card ?? null : oddEven(dealt).odd, even: deal.turn_open ? null : oddEven(dealt).even,
    bets, takes: body.takes, settlements, cards: dealt, known_bets: [...known.values()].filter((bet) => bet.kind),
    last_turns: complete.filter((turn) => turn.even).reverse().map((turn) => ({
      turn: turn.turn, odd: turn.odd, even: turn.even, split: turn.odd?.[0] === turn.even?.[0],
      taken_minor: total(turn.settlements, "taken_minor"), paid_minor: total(turn.settlements, "paid_minor"),
    })),
  };
}

/** The two cards of the last complete turn. */
function oddEven(cards) {
  const even = cards.filter((each) => each.position % 2 === 0).at(-1);
  const odd = even && cards.find((each) => each.position === even.position - 1);
  return { odd: odd?.card ?? null, even: even?.card ?? null };
}

/** The rows that the last thing settled: those of the last turn, with what the pocket, an end or a misdeal added. */
function rowsOf(newest, turns) {
  if (!newest) return [];
  const rows = newest.deed && newest.deed !== "pocket" ? newest.settlements : turns.filter((turn) => turn === newest || (newest.deed === "pocket" && turn.deed === "pocket")).flatMap((turn) => turn.settlements);
  return rows.filter((row) => !CHOICES.has(row.outcome));
}

const total = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);

function nextName(last) {
  if (last && /^\d+$/.test(last)) return String(Number(last) + 1);
  return last ? `${last}+` : "1";
}
