// The players' casekeep: how many of each card are undealt, live, from the same record. It only reads, and it is never
// told an order of cards, a bet or a seat.

import { CLOTH, GRID_SUITS, isRed, rankText, SIGNS, SUITS } from "./cards.js";
import { fill, h, pegs } from "./dom.js";
import { clock, load, say } from "./words.js";

const { address, words, language } = document.body.dataset;
const PATIENCE = 5000; // as the floor: older than this is no longer live
const at = (id) => document.getElementById(id);
const seen = { keep: null, heardAt: null, unknown: false };

async function refresh() {
  const controller = new AbortController();
  const patience = setTimeout(() => controller.abort(), PATIENCE);
  try {
    const since = seen.keep ? `?since=${seen.keep.sequence}` : "";
    const answer = await fetch(address + since, { signal: controller.signal, credentials: "omit", cache: "no-store" });
    seen.unknown = answer.status === 404;
    if (answer.status === 200) seen.keep = await answer.json();
    if (answer.ok) seen.heardAt = Date.now();
  } catch {
    // no answer: the counts stay, and age
  } finally {
    clearTimeout(patience);
  }
  draw();
}

function draw() {
  const { keep, heardAt, unknown } = seen;
  const lost = heardAt !== null && Date.now() - heardAt > PATIENCE;
  document.body.classList.toggle("stale", lost);
  at("live").textContent = unknown ? say("casekeep.unknown") : heardAt === null ? say("connecting") : lost ? say("pit.not_live", { at: clock(heardAt) }) : "";
  if (!keep) return;
  at("name").textContent = keep.name || keep.table;
  const state = keep.state === "open" ? null : say(keep.state === "paused" ? "table_paused" : "table_closed");
  fill(at("facts"), JSON.stringify([keep.sequence]), () => [
    keep.deal === null ? h("span", {}, say("casekeep.no_deal")) : [
      h("span", {}, `${say("deal")} `, h("b", {}, keep.deal)),
      keep.finished ? h("span", {}, say("casekeep.over")) : h("span", {}, `${say("turn")} `, h("b", {}, String(keep.turn))),
    ],
    h("span", {}, h("b", {}, String(keep.undealt)), ` ${say("undealt")}`),
    state && h("span", {}, state),
  ].flat());
  const ranks = new Map(keep.ranks.map((each) => [each.rank, each]));
  if (!at("cloth").childElementCount) for (const rank of CLOTH) at("cloth").append(h("div", { "data-rank": rank, role: "group" }));
  for (const cell of at("cloth").children) {
    const mine = ranks.get(cell.dataset.rank);
    const way = mine.lies === "odd" ? "take" : mine.lies === "even" ? "pay" : "";
    cell.className = ["rank", mine.rank === "7" ? "r7" : "", mine.state, way].filter(Boolean).join(" ");
    fill(cell, JSON.stringify(mine), () => [head(mine), mine.state !== "absent" && beads(mine), h("span", { class: "lies" }, mine.lies && `${mine.lies === "odd" ? "↓" : "↑"} ${say(`casekeep.${mine.lies}`)}`)]);
  }
}

function head({ rank, state, copies, undealt }) {
  return h("span", { class: "head" }, h("b", {}, rankText(rank)),
    state === "live" ? h("span", {}, String(undealt), h("small", {}, `/${copies}`)) : h("small", {}, say(state === "dead" ? "dead" : "not_in_deck")));
}

/** By suit, always in the same order: places for one deck, a row of pegs with its count for several. */
function beads({ full, left }) {
  const bySuit = [...GRID_SUITS].map((suit) => ({ suit, full: full[SUITS.indexOf(suit)], left: left[SUITS.indexOf(suit)] }));
  if (full[0] === 1) {
    return h("span", { class: "keep one" }, bySuit.map((each) => each.left
      ? h("span", { class: isRed(each.suit) ? "red" : "black" }, SIGNS[each.suit]) : h("span", { class: "gone" }, "·")));
  }
  return h("span", { class: "keep" }, bySuit.map((each) => h("span", { class: isRed(each.suit) ? "red" : "black" },
    h("span", {}, SIGNS[each.suit]), pegs(each.left, each.full), h("b", {}, String(each.left)))));
}

await load(words, language);
draw();
await refresh();
setInterval(() => void refresh(), 1000);
setInterval(draw, 500);
