/**
 * What a dealer's keys come to, by the console's own code. In, a line each: a list of `event.code`s. Out: what Enter would
 * then place, `{ seat, targets, minor }`, or null where it cannot be placed; or the card that was keyed.
 */

import { readFileSync } from "node:fs";
import { press } from "../../tables/static/tables/console/keys.js";
import { draftAmount, draftReady } from "../../tables/static/tables/console/model.js";

const table = { digits: 2, min_minor: 10000, max_minor: 1000000, chip_minor: 5000 };
const kinds = { rank: true, suit: true, card: false, sealed: false };

for (const line of readFileSync(0, "utf-8").trim().split("\n")) {
  let draft = null;
  let card = null;
  for (const code of JSON.parse(line)) {
    const next = press(draft, code);
    draft = next.draft;
    card = next.card ?? card;
  }
  const minor = draft && !draft.first ? draftAmount(draft, table, null) : null;
  const ready = draft && !draft.first && draftReady(draft, minor, kinds);
  const targets = draft?.targets.map(({ rank, suit }) => (rank ?? "") + (suit ?? "")).join(" ");
  console.log(JSON.stringify(card ? { card } : ready ? { seat: draft.seat, targets, minor } : null));
}
