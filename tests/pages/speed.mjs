/**
 * Times turns with thirty bets on the layout, through a whole six-deck shoe: twenty of them settle each turn and are
 * placed again. In: { terms, game } of a stos table. Out: { bets, turns: microseconds of each turn, placing: of each bet }.
 */

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { apply, newTable } from "../../tables/static/tables/rules.mjs";

const RANKS = "23456789TJQK";
const NEVER_DEALT = "A";
const TURNS = 140;

const { terms, game } = JSON.parse(readFileSync(0, "utf-8"));
const state = newTable(terms, game);
const suits = [..."CDHS"];
const turns = [];
const placing = [];
let bets = 0;

function timed(times, deeds, count) {
  const start = performance.now();
  const answers = deeds.map((event) => apply(state, event));
  times.push(Math.round(((performance.now() - start) * 1000) / count));
  return answers;
}

/** A card of the rank that is still undealt. */
function card(rank) {
  const suit = suits.findIndex((_, index) => state.deal.undealt[RANKS.indexOf(rank) * 4 + index]);
  return { type: "card", card: rank + suits[suit] };
}

apply(state, { type: "deal", deal: "1" });
for (let turn = 0; turn < TURNS; turn += 1) {
  const ranks = [RANKS[turn % 12], RANKS[(turn + 1) % 12], ...(turn ? [] : [NEVER_DEALT])];
  const placed = ranks.flatMap((rank) =>
    Array.from({ length: 10 }, (_, seat) => ({ type: "bet", bet: `b${(bets += 1)}`, seat: seat + 1, rank })),
  );
  timed(placing, placed, placed.length);
  const standing = state.deal.bets.filter((bet) => bet.standing).length;
  const [, even] = timed(turns, ranks.slice(0, 2).map(card), 1);
  if (standing !== 30 || even.settlements.length !== 20) throw new Error(`${standing}, ${even.settlements.length}`);
}
process.stdout.write(`${JSON.stringify({ bets, turns, placing })}\n`);
