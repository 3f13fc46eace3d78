// One table's shift, live: asks again when the stream says that the table moved, or when the stream is silent, and says
// honestly how old it is. No figure is made here.

import { cardText, isRed, rankText, SIGNS } from "./cards.js";
import { curve } from "./curve.js";
import { newId } from "./console/outbox.js";
import { fill, h } from "./dom.js";
import { describe, fetchJson, post, ratio, refused, short, sum, whole } from "./floor-figures.js";
import { follow } from "./live.js";
import { read, units } from "./money.js";
import { pad, pinOf, pressedOf } from "./pin-pad.js";
import { moment, since } from "./since.js";
import { clock, count, has, load, say, spoken } from "./words.js";

const { table: code, deeds: deedsUrl, rules: rulesUrl, luck: luckUrl, shift: shiftUrl, state: stateUrl, words, live: liveUrl, liveWorker, person } = document.body.dataset;
const at = (id) => document.getElementById(id);
const SILENT_AFTER_MS = 4500;
const LOST_AFTER_MS = 8000;
const ASK_EVERY_MS = 2000;
const LUCK_EVERY_MS = 20000;
const DRAW_EVERY_MS = 500; // what is heard is drawn at once; this is for the ages
const AGAIN_AFTER_MS = 400; // a table that moves on and on is asked for this often at most

const seen = { asked: null, id: null, pin: "", refusal: null, limits: {}, told: null, luck: null, view: null, state: null, heardAt: null, streams: false, moved: true, asking: false, failure: null };

async function ask() {
  if (seen.asking) return;
  seen.asking = true;
  seen.moved = false;
  try {
    [seen.view, seen.state] = await Promise.all([fetchJson(shiftUrl), fetchJson(stateUrl)]);
    seen.heardAt = moment();
    seen.failure = null;
  } catch (failure) {
    seen.failure = failure.status ?? null; // no answer: what is shown ages, and says so
    seen.moved = seen.moved || failure.status === undefined;
  } finally {
    setTimeout(() => { seen.asking = false; }, AGAIN_AFTER_MS);
  }
  draw();
}

/** What is judged among all tables is asked for apart and less often: it takes longer, and nobody waits for it. */
async function askLuck() {
  try {
    seen.luck = await fetchJson(luckUrl);
  } catch {
    // Asked again soon; until then the last one stands.
  }
  draw();
}

function keepUp() {
  const silence = seen.heardAt === null ? Infinity : since(seen.heardAt);
  if (seen.moved || silence > SILENT_AFTER_MS || (!seen.streams && silence > ASK_EVERY_MS)) void ask();
}

const lost = () => seen.heardAt !== null && since(seen.heardAt) > LOST_AFTER_MS;
const cardCell = (card) => (card ? h("span", { class: isRed(card[1]) ? "red" : "" }, cardText(card)) : "–");

/** A table of rows: heads as words, or as signs that are the same in every language; `.n` right-aligned. */
function list(heads, rows) {
  if (!rows.length) return h("p", { class: "dim" }, say("view.none"));
  return h("table", { class: "list" }, h("thead", {}, h("tr", {}, heads.map(([word, n, sign]) => h("th", { class: n ? "n" : "", scope: "col" }, sign ?? (word ? say(word) : ""))))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, index) => h("td", { class: heads[index][1] ? "n" : "" }, cell))))));
}

function draw() {
  if (document.hidden) return; // of ten tabs one is looked at
  document.body.classList.toggle("stale", lost());
  const live = at("live");
  live.className = lost() ? "live lost" : "live";
  live.textContent = seen.failure === 404 ? say("pit.never_opened") : seen.heardAt === null ? say("connecting") : lost() ? say("pit.not_live", { at: clock(Date.now() - since(seen.heardAt)) })
    : `● ${say("pit.live", { n: (since(seen.heardAt) / 1000).toFixed(1).replace(".", spoken() === "ru" ? "," : ".") })}`;
  at("clock").textContent = clock(Date.now(), { seconds: true });
  if (!seen.view) return;
  const { view, state } = seen;
  const { table } = view;
  const mark = JSON.stringify([spoken(), table.sequence, view.at.slice(0, 16)]);
  drawDeeds(view);
  fill(at("what"), mark, () => document.createTextNode([say(`game.${table.game}`), `${short(table.min_minor, table)}–${short(table.max_minor, table)} ${table.currency}`,
    table.state === "open" ? say("view.shift", { n: table.shift, at: clock(view.since) }) : say(table.state === "paused" ? "pit.paused" : "pit.closed")].join(" · ")));
  fill(at("who"), mark, () => (table.dealer ? [h("b", {}, table.dealer), h("small", {}, ` ${say("view.since", { at: clock(table.dealer_since) })}`)] : h("span", {}, say("pit.no_dealer"))));
  at("read-at").textContent = new Date(view.at).toLocaleString(spoken() === "ru" ? "ru-RU" : "en-GB");
  at("since").textContent = `${clock(view.since)} · ${count("view.turns", table.turns)}`;
  fill(at("result"), mark, () => result(table));
  fill(at("curve"), mark, () => curve(view, {
    write: (minor) => sum(whole(minor, table), table, { signed: true }), clock,
    words: { sd: (n) => say("view.sd", { n }), expected: say("pit.expected"), picture: `${say("pit.win")} ${sum(table.game_win_minor, table, { signed: true })}, ${say("pit.expected")} ${sum(whole(table.expected_minor, table), table, { signed: true })} ± ${sum(whole(table.deviation_minor, table), table)}` },
  }));
  if (seen.luck) fill(at("luck"), JSON.stringify([spoken(), seen.luck.at, table.dealer]), () => luck(seen.luck, view));
  fill(at("now"), mark, () => now(state, table));
  fill(at("journal"), mark, () => list([["view.no", true], ["view.what"], ["view.by"], ["view.when", true]],
    view.entries.map((entry) => [String(entry.sequence), entryText(entry), entry.author, clock(entry.happened_at, { seconds: true })])));
  fill(at("ranks"), mark, () => list([["view.on"], ["view.bets", true], ["view.staked", true], ["view.bank", true], ["pit.expected", true], ["", true, "z"]],
    view.ranks.map((each) => [backed(each), String(each.bets), sum(each.staked_minor, table), sum(each.bank_minor, table, { signed: true }),
      each.expected_minor === null ? "" : sum(whole(each.expected_minor, table), table, { signed: true }), each.z === null ? "–" : ratio(each.z)])));
  fill(at("seats"), mark, () => list([["view.seat"], ["view.bets", true], ["view.average", true], ["view.staked", true], ["view.bank", true]],
    view.seats.map((each) => [each.what, String(each.bets), sum(whole(each.average_minor, table), table), sum(each.staked_minor, table), sum(each.bank_minor, table, { signed: true })])));
  at("float").textContent = table.float_minor === null ? say("pit.float_unknown") : say("view.float_of", { float: short(table.float_minor, table), mark: short(table.low_mark_minor, table) });
  fill(at("chips"), mark, () => list([["view.what"], ["view.no"], ["view.amount", true], ["view.when", true]], [
    ...view.slips.map((each) => [say(`movement.${each.kind}`), say(`slip.${each.state}`), sum(each.to_float_minor, table, { signed: true }), clock(each.requested_at)]),
    ...view.chips.map((each) => [say(`movement.${each.kind}`), each.slip, sum(each.amount_minor, table, { signed: !["opener", "closer", "count"].includes(each.kind) }), clock(each.at)]),
  ]));
  fill(at("people"), mark, () => list([["view.role"], ["view.name"], ["view.from", true], ["view.to", true], ["view.turns_dealt", true], ["view.corrections", true]],
    view.people.map((each) => [say(`role.${each.role}`), each.name, clock(each.since), each.until ? clock(each.until) : "", each.role === "dealer" ? String(each.turns) : "", String(each.corrections)])));
}

/** This table's results and splits, and its dealer's, among all of their kind, with the moment at which they were judged. */
function luck({ at: judgedAt, results, splits }, { table, people }) {
  const dealer = people.find((each) => each.role === "dealer" && each.until === null);
  const mine = (each) => (each.kind === "dealer" ? each.name === dealer?.number : each.name === code);
  const chance = (value) => (value === null ? "–" : value < 1e-4 ? ratio(value.toExponential(1), { signed: false }) : ratio(String(Number(value.toPrecision(2))), { signed: false }));
  const money_ = (minor, signed) => sum(whole(minor, table), table, { signed });
  const name = (kind) => (kind === "dealer" ? `${dealer.name}, ${say("view.luck.dealer")}` : say(`view.luck.${kind}`));
  const word = (each, text) => (each.stands_out ? h("b", { class: "check" }, `‼ ${text}`) : text);
  return list([["", false, `${say("view.luck")}, ${clock(judgedAt, { seconds: true })}`], ["pit.turns", true], ["pit.win", true], ["pit.expected", true], ["view.deviation", true], ["view.z", true], ["view.chance", true], ["view.word", true]], [
    ...results.filter((each) => ["table", "table_day", "dealer"].includes(each.kind) && mine(each) && each.currency === table.currency).map((each) => [name(each.kind), String(each.turns), money_(each.win_minor, true),
      money_(each.expected_minor, true), money_(each.deviation_minor), each.z === null ? "–" : ratio(each.z), chance(each.chance), word(each, say(`pit.word.${each.word}`))]),
    ...splits.filter((each) => each.kind !== "deal" && mine(each)).map((each) => [`${say("pit.splits")}, ${name(each.kind)}`, String(each.turns), String(each.splits), ratio(each.expected.toFixed(1), { signed: false }), "", "",
      chance(each.chance), word(each, say(each.stands_out ? "pit.word.check" : each.one_in ? "pit.word.rare" : "pit.word.normal"))]),
  ]);
}

// --- open, close, pause, move, limits: two taps and a PIN ------------------------------------------------------------------

const OFFERED = { closed: ["open"], open: ["pause", "close"], paused: ["resume", "close"] };

function drawDeeds({ table }) {
  const { asked, pin, refusal, told } = seen;
  for (const button of document.querySelectorAll("[data-deed]")) button.hidden = !["move", "limits"].includes(button.dataset.deed) && !(OFFERED[table.state] ?? []).includes(button.dataset.deed);
  const box = at("asked");
  box.hidden = asked === null && told === null;
  if (box.hidden) return;
  fill(box, JSON.stringify([spoken(), asked, seen.pit, pin.length, refusal, told]), () => (told ? h("p", { class: "say", role: "status" }, told) : [
    h("div", {}, h("b", {}, say(`floor.${asked}`)), ` ${table.name || code} `, h("small", {}, asked === "move" && !seen.pit ? say("floor.to_pit") : say(asked === "limits" ? "floor.limits_pin" : "pit.your_pin"))),
    ...choices(table),
    refusal && h("p", { class: "say", role: "alert" }, h("b", {}, say("not_recorded", { what: say("that") })), ` ${refusal.sentence} `, h("small", {}, refusal.code)),
  ]));
}

/** What is asked before the PIN: a pit, or limits as they are to be. */
function choices(table) {
  if (seen.asked === "move" && !seen.pit) {
    const pits = [...document.querySelectorAll("#pits [data-pit]")].map((each) => h("button", { type: "button", class: "btn", "data-to": each.dataset.pit }, each.textContent));
    return [h("div", { class: "pits" }, pits, h("button", { type: "button", class: "btn", "data-pin": "leave", "aria-label": say("never_mind") }, "✕"))];
  }
  if (seen.asked !== "limits") return pad(seen.pin);
  const field = (name) => h("label", {}, say(`limit.${name}`), h("input", { "data-limit": name, inputmode: "decimal", autocomplete: "off", maxlength: "20", value: seen.limits[name] ?? units(table[`${name}_minor`], table.exponent) }));
  return [h("div", { class: "limits" }, ["min", "max"].map(field), h("a", { class: "btn", href: `/limits/${encodeURIComponent(code)}/` }, say("floor.versions"))), ...pad(seen.pin)];
}

/** The limits that were typed and are others than before, as the table log writes them; null where one cannot be read. */
function changed(table) {
  const typed = Object.entries(seen.limits).map(([name, text]) => [name, read(text, table.exponent)]);
  if (typed.some(([, minor]) => minor === null)) return null;
  return Object.fromEntries(typed.filter(([name, minor]) => minor !== table[`${name}_minor`]).map(([name, minor]) => [name, units(minor, table.exponent)]));
}

async function askLimits({ table }, pin) {
  const { id } = seen;
  const change = changed(table);
  if (change === null) throw Object.assign(new Error(), { code: "bad_amount" });
  if (!Object.keys(change).length) throw Object.assign(new Error(say("floor.same_limits")), { code: "" });
  await post(rulesUrl, { id, ask: true, change, signatures: [{ staff: person, pin }] });
  return say("floor.limits_asked", { limits: Object.entries(change).map(([name, text]) => `${say(`limit.${name}`)} ${text}`).join(", ") });
}

async function act() {
  const { asked, pin, pit, id } = seen;
  seen.pin = "";
  try {
    const told = asked === "limits" ? await askLimits(seen.view, pin) : null;
    if (asked !== "limits") await post(`${deedsUrl}/${asked}`, asked === "move" ? { pin, id, pit: Number(pit) } : { pin, id });
    Object.assign(seen, { asked: null, pit: null, refusal: null, limits: {}, told, moved: true });
  } catch (failure) {
    seen.refusal = refused(failure);
  }
  draw();
}

function digit(pressed) {
  if (seen.asked === null) return;
  if (pressed === "leave") Object.assign(seen, { asked: null, pit: null, refusal: null, limits: {} });
  seen.pin = pinOf(seen.pin, pressed);
  draw();
  if (seen.pin.length === 6) void act();
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.deed) Object.assign(seen, { asked: button.dataset.deed, pit: null, pin: "", refusal: null, limits: {}, told: null, id: newId() });
  else if (button?.dataset.to) seen.pit = button.dataset.to;
  else if (button?.dataset.pin) digit(button.dataset.pin);
  else return;
  draw();
});
document.addEventListener("input", ({ target }) => {
  if (target.dataset.limit) seen.limits[target.dataset.limit] = target.value;
});
document.addEventListener("keydown", (event) => {
  const pressed = pressedOf(event);
  if (event.target.dataset?.limit) return; // a sum is typed, not a PIN
  if (seen.asked !== null && pressed && !event.repeat) { event.preventDefault(); digit(pressed); }
});

function result(table) {
  const rare = table.one_in === null ? "" : ` · ${say("pit.one_in", { n: sum(table.one_in, { exponent: 0 }) })}`;
  return [h("b", { class: `word ${table.word}` }, sum(table.game_win_minor, table, { signed: true })),
    h("span", { class: "dim" }, ` ${say("pit.expected")} ${sum(whole(table.expected_minor, table), table, { signed: true })} ± ${sum(whole(table.deviation_minor, table), table)} `),
    h("b", {}, say(`pit.word.${table.word}`)), h("span", { class: "dim" }, table.z === null ? "" : ` z ${ratio(table.z)}${rare}`)];
}

const backed = (each) => (each.kind === "rank" ? rankText(each.what) : each.kind === "suit" ? h("span", { class: isRed(each.what) ? "red" : "" }, SIGNS[each.what]) : say("sealed"));

/** The deal as it runs: the open turn, the turns before it, what stands. */
function now({ deal }, table) {
  if (!deal) return h("p", { class: "dim" }, say("pit.no_deal"));
  const head = h("p", {}, `${say("pit.deal")} `, h("b", {}, deal.deal), ` ${say("pit.turn")} `, h("b", {}, String(deal.turn)), deal.finished && ` · ${say("casekeep.over")}`);
  const open = deal.turn_open ? [[String(deal.turn), "", cardCell(deal.odd), "", "", ""]] : [];
  const turns = [...open, ...[...deal.last_turns].sort((a, b) => b.turn - a.turn).map((turn) => [turn.split ? `${turn.turn} ${say("split")}` : String(turn.turn), cardCell(turn.even), cardCell(turn.odd), sum(turn.taken_minor, table), sum(turn.paid_minor, table), sum(turn.bank_minor, table, { signed: true })])];
  const standing = deal.bets.map((bet) => h("span", { class: "bet" }, `${bet.seat}·`, bet.suit && bet.kind === "suit" ? h("span", { class: isRed(bet.suit) ? "red" : "" }, SIGNS[bet.suit]) : bet.sealed ? say("sealed") : rankText(bet.rank), ` ${sum(bet.standing_minor, table)}`));
  return [head, list([["view.turn"], ["even", true], ["odd", true], ["view.taken", true], ["view.paid", true], ["view.bank", true]], turns),
    h("p", { class: "standing" }, h("span", { class: "dim" }, `${say("pit.cloth")} ${sum(table.standing_minor, table)}: `), standing)];
}

/** An entry of the journal in a line. */
function entryText({ type, event, late }) {
  const name = has(`entry.${type}`) ? say(`entry.${type}`) : type;
  const rest = Object.fromEntries(Object.entries(event).filter(([key]) => !["type", "at", "by", "position"].includes(key)));
  const bet = () => [event.seat && say("seat_n", { n: event.seat }), event.rank && rankText(event.rank), event.card && cardText(event.card), event.suit && SIGNS[event.suit], event.amount].filter(Boolean).join(" · ");
  const texts = { card: () => cardCell(event.card), bet, pocket: () => event.cards.map(cardText).join(" "), deal: () => event.deal, reveal: () => cardText(event.card), correct: () => describe(event) };
  const more = texts[type] ? texts[type]() : Object.keys(rest).length ? Object.entries(rest).map(([, value]) => (typeof value === "object" ? "" : String(value))).filter(Boolean).join(" · ") : "";
  return h("span", {}, name, " ", more, late && ` (${say("view.late")})`);
}

await load(words, document.documentElement.lang);
draw();
follow(new URL(liveUrl, location.href).href, liveWorker, person, {
  heard({ tables }) {
    seen.heardAt = seen.view ? moment() : seen.heardAt;
    const told = tables.find((each) => each.table === code);
    if (told && JSON.stringify(told) !== JSON.stringify(seen.view?.table)) seen.moved = true;
  },
  open(is) {
    seen.streams = is;
  },
});
void askLuck();
setInterval(() => void askLuck(), LUCK_EVERY_MS);
setInterval(keepUp, 200);
document.addEventListener("visibilitychange", draw);
setInterval(draw, DRAW_EVERY_MS);
