// The live floor: is told what moved, asks where it is told nothing, and says honestly how old it all is. No figure is
// made here.

import { newId } from "./console/outbox.js";
import { fill, h, svg } from "./dom.js";
import { describe, fetchJson, post, ratio, refused, short, sum, whole } from "./floor-figures.js";
import { follow } from "./live.js";
import { pad, pinOf, pressedOf } from "./pin-pad.js";
import * as money from "./money.js";
import { moment, since } from "./since.js";
import { clock, count, load, say, spoken } from "./words.js";

const { floor: floorUrl, approvals: approvalsUrl, slips: slipsUrl, alerts: alertsUrl, words, live: liveUrl, liveWorker, person } = document.body.dataset;
const at = (id) => document.getElementById(id);
// The stream says every three seconds that it is there. Where it does not, the floor is asked for; nothing heard at all
// for eight seconds is not live.
const SILENT_AFTER_MS = 4500;
const LOST_AFTER_MS = 8000;
const ASK_EVERY_MS = 2000;
const APPROVALS_EVERY_MS = 30000;
const DRAW_EVERY_MS = 500; // what is heard is drawn at once; this is for the ages

const wall = { floor: null, approvals: [], steps: [], heardAt: null, aheadMs: 0, streams: false, alertsKnown: false, alerts: [], seen: null, sounds: localStorage.getItem("pit-sound") === "on", order: localStorage.getItem("pit-order") ?? "attention", asked: null, pin: "", dealerPin: null, verdict: "approve", refusal: null };

/** Who may see the floor but decides nothing has an empty list, not a broken one. */
function nothingToDecide(failure) {
  if (failure.status === 403) return [];
  throw failure;
}

let heardTimes = 0;
/** Take over what was heard: the whole floor, or the tables that moved. What is older than what is shown is not. */
function hear({ at: read, tables, totals }, complete) {
  const waited = waitingKey();
  const alerted = alertKey();
  const known = new Map((wall.floor?.tables ?? []).map((table) => [table.id, table]));
  const newer = (table) => {
    const before = known.get(table.id);
    if (before?.sequence > table.sequence) return before;
    const text = JSON.stringify(table);
    return before?.text === text ? before : { ...table, name_: table.name || table.table, text, heard: ++heardTimes };
  };
  const heard = new Map(tables.map((table) => [table.id, newer(table)]));
  if (complete || wall.floor) {
    const all = complete ? heard : new Map([...known, ...heard]);
    wall.floor = { at: read, totals: totals ?? wall.floor.totals, tables: [...all.values()].sort((a, b) => (a.table < b.table ? -1 : 1)) };
  }
  wall.heardAt = moment();
  wall.aheadMs = Date.parse(read) - Date.now(); // the server's clock less this one's: ages are the server's
  if (waitingKey() !== waited) void askApprovals();
  if (alertKey() !== alerted) void askAlerts();
  drawSoon();
}

const waitingKey = () => (wall.floor?.tables ?? []).map((table) => `${table.id}:${table.waiting}:${table.slips}`).join();

const alertKey = () => JSON.stringify((wall.floor?.tables ?? []).map((table) => [table.id, table.attention.map((each) => each.code)]));

/**
 * Let one question of a kind be under way at a time, however slow the answers are: asked meanwhile it is asked once more
 * after it, unless it only is asked because it is time (`due`). `tried`: when it was asked last.
 */
function oneAtATime(question) {
  let again = false;
  const ask = async ({ due = false } = {}) => {
    again ||= !due;
    if (ask.underWay) return;
    ask.underWay = true;
    do {
      again = false;
      ask.tried = moment();
      try {
        await question();
        ask.answered = true;
      } catch {
        ask.answered = false; // the age of what is shown says it: nothing is hidden and nothing is made up
      }
    } while (again);
    ask.underWay = false;
    drawSoon();
  };
  return Object.assign(ask, { underWay: false, tried: null, answered: false });
}

/** Ask for the floor where the stream is silent. */
const ask = oneAtATime(async () => hear(await fetchJson(floorUrl), true));

const askApprovals = oneAtATime(async () => {
  const [approvals, steps] = await Promise.all([approvalsUrl, slipsUrl].map((url) => fetchJson(url).catch(nothingToDecide)));
  wall.approvals = approvals;
  wall.steps = steps.map((each) => ({ ...each, id: `${each.slip} ${each.step}` }));
  if (wall.asked && ![...wall.approvals, ...wall.steps].some((each) => each.id === wall.asked)) leave();
});

/** Alerts that nobody has seen; a new red one is heard, where somebody wants that. */
const askAlerts = oneAtATime(async () => {
  const alerts = await fetchJson(alertsUrl);
  const known = new Set(wall.alerts.map((each) => each.id));
  if (wall.sounds && wall.alertsKnown && alerts.some((each) => each.level === "red" && !known.has(each.id))) beep();
  Object.assign(wall, { alerts, alertsKnown: true });
});

let audio = null;
/** A page that nobody has touched since it was loaded may not sound: the button says so, and any tap mends it. */
const mayNotSound = () => wall.sounds && audio?.state === "suspended";

function beep() {
  audio ??= new AudioContext();
  void audio.resume();
  const tone = new OscillatorNode(audio, { frequency: 880 });
  tone.connect(new GainNode(audio, { gain: 0.1 })).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.25);
}

function keepUp() {
  const silence = wall.heardAt === null ? Infinity : since(wall.heardAt);
  const old = (question, every) => question.tried === null || since(question.tried) > (question.answered ? every : ASK_EVERY_MS);
  if ((silence > SILENT_AFTER_MS || (!wall.streams && silence > ASK_EVERY_MS)) && old(ask, 0)) void ask({ due: true });
  for (const question of [askApprovals, askAlerts]) if (old(question, APPROVALS_EVERY_MS)) void question({ due: true });
}

const lost = () => wall.heardAt !== null && since(wall.heardAt) > LOST_AFTER_MS;

function ageText(at_) {
  const seconds = Math.max(0, Math.round((Date.now() + wall.aheadMs - Date.parse(at_)) / 1000));
  if (seconds < 90) return say("pit.seconds", { n: seconds });
  if (seconds < 5400) return say("pit.minutes", { n: Math.round(seconds / 60) });
  return say("pit.hours", { n: Math.round(seconds / 3600) });
}

let drawing = null;
/** Draw with the next frame, once, whatever is heard until then: a busy floor's messages never queue up behind its drawing. */
function drawSoon() {
  drawing ??= requestAnimationFrame(() => {
    drawing = null;
    draw();
  });
}

function draw() {
  if (document.hidden) return; // of ten tabs one is looked at
  document.body.classList.toggle("stale", lost());
  const live = at("live");
  live.className = lost() ? "live lost" : "live";
  live.textContent = wall.heardAt === null ? say("connecting") : lost() ? say("pit.not_live", { at: clock(Date.now() - since(wall.heardAt)) })
    : `● ${say("pit.live", { n: (since(wall.heardAt) / 1000).toFixed(1).replace(".", spoken() === "ru" ? "," : ".") })}`;
  at("clock").textContent = clock(Date.now(), { seconds: true });
  if (!wall.floor || held()) return;
  drawTotals();
  drawTiles();
  drawAlerts();
  drawApprovals();
}

// Nothing changes under a finger: what it rests on would be gone when it is lifted, and another tile in its place.
const LONGEST_TOUCH_MS = 2000;
let touchedAt = null;
const held = () => touchedAt !== null && performance.now() - touchedAt < LONGEST_TOUCH_MS;
document.addEventListener("pointerdown", () => { touchedAt = performance.now(); });
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => { touchedAt = null; })); // its click comes first

function drawTotals() {
  const { totals } = wall.floor;
  fill(at("totals"), JSON.stringify([spoken(), totals]), () => [
    h("span", {}, `${say("pit.open_of", { open: totals.open, all: totals.tables })} · ${count("seats", totals.seats_in_play)}`),
    ...totals.wins.map((win) => h("span", {}, `${say("pit.win")} `, h("b", {}, sum(win.game_win_minor, win, { signed: true })), h("small", {}, ` ${win.currency}`))),
  ]);
}

const GRAVITY = { red: 0, amber: 1 };
const gravity = (table) => GRAVITY[table.attention[0]?.level] ?? 2;
const byName = (a, b) => a.name_.localeCompare(b.name_, spoken(), { numeric: true });
const byPit = (a, b) => (a.pit ?? "").localeCompare(b.pit ?? "", spoken(), { numeric: true });
const ORDERS = {
  attention: (a, b) => gravity(a) - gravity(b) || byName(a, b),
  pit: (a, b) => byPit(a, b) || byName(a, b),
  name: byName,
};
/** How much of a tile there is room for: with more than 40 tables the lines below the band go, with 100 all but the word. */
const density = (count) => (count <= 6 ? "few" : count > 100 ? "many most" : count > 40 ? "many" : "");

function drawTiles() {
  const tables = [...wall.floor.tables].sort(ORDERS[wall.order]);
  const grid = at("tiles");
  grid.className = ["tiles", density(tables.length)].filter(Boolean).join(" ");
  // Tiles keep their elements; they change place only in or out of the attention group, or when the order is chosen.
  const there = new Map([...grid.children].map((child) => [child.dataset.key, child]));
  const kept = (key, make) => there.get(key) ?? make();
  const wanted = [];
  const tiles = tables.map((table, index) => {
    if (wall.order === "pit" && (index === 0 || byPit(table, tables[index - 1]))) {
      const key = `pit ${table.pit ?? ""}`;
      wanted.push(kept(key, () => h("h2", { class: "pit", "data-key": key })));
      wanted.at(-1).textContent = table.pit ?? say("pit.no_pit");
    }
    wanted.push(kept(table.table, () => h("article", { "data-key": table.table, "data-table": table.table })));
    return wanted.at(-1);
  });
  if (wanted.length !== grid.childElementCount || wanted.some((child, index) => grid.children[index] !== child)) grid.replaceChildren(...wanted);
  tables.forEach((table, index) => {
    const tone = { red: "bad", amber: "warn" }[table.attention[0]?.level];
    tiles[index].className = ["t", table.state === "closed" && "shut", tone, table.console === "silent" && "old"].filter(Boolean).join(" ");
    const age = say("pit.data_age", { age: table.last_recorded_at ? ageText(table.last_recorded_at) : "–" });
    fill(tiles[index], `${spoken()} ${table.heard}`, () => tile(table, age));
    const ago = tiles[index].querySelector(".ago"); // it alone changes every second
    if (ago && ago.textContent !== age) ago.textContent = age;
  });
  for (const button of document.querySelectorAll("[data-order]")) button.setAttribute("aria-pressed", String(button.dataset.order === wall.order));
}

const MONEY = new Set(["float_low", "over_limit", "big_win", "count", "check", "mispaid", "differs"]);

/** Why a table wants a look, in one line. */
function reason({ code, value, limit, since }, table) {
  const money_ = MONEY.has(code);
  return say(`pit.notice.${code}`, {
    value: money_ ? short(value, table) : value, limit: money_ ? short(limit, table) : limit, since: since ? clock(since) : "",
  });
}

/** Where a win is between four deviations below what is expected and four above; beyond, it rests at the edge. */
function band(table) {
  const word_ = say(`pit.word.${table.word}`);
  const z = table.z === null ? null : Number(table.z);
  const x = (value) => 100 + 25 * Math.max(-4, Math.min(4, value));
  return svg("svg", { class: "band", viewBox: "0 0 200 24", preserveAspectRatio: "none", role: "img", "aria-label": z === null ? word_ : `${word_}, z ${ratio(table.z)}` },
    svg("path", { class: "axis", d: "M0 12h200" }), svg("rect", { class: "two", x: 50, y: 5, width: 100, height: 14 }),
    svg("rect", { class: "one", x: 75, y: 5, width: 50, height: 14 }), svg("path", { class: "expected", d: "M100 2v20" }),
    z !== null && svg("path", { class: `mark ${table.word}`, d: `M${x(z)} 5l4 7l-4 7l-4 -7z` }));
}

const pair = (left, right) => h("div", { class: "kv" }, h("span", {}, left), h("span", {}, right));
const said = (key, value) => [`${say(key)} `, h("b", {}, value)];
const counted = (table) => (table.residual_minor === null ? say("pit.not_counted") : said("pit.residual", sum(table.residual_minor, table, { signed: true })));

function tile(table, age) {
  const head = h("div", { class: "h" }, h("h3", {}, h("a", { href: `/pit/${encodeURIComponent(table.table)}/` }, table.name_)),
    h("span", { class: "dim" }, `${say(`game.${table.game}`)} ${short(table.min_minor, table)}–${short(table.max_minor, table)}`));
  if (table.state === "closed") {
    return [head, h("div", {}, table.opened_at && table.closed_at ? say("pit.closed_at", { at: clock(table.closed_at) }) : say("pit.never_opened")),
      table.residual_minor !== null && h("div", {}, counted(table)),
      h("div", { class: "age" }, h("span", {}, `${say("pit.win")} ${sum(table.game_win_minor, table, { signed: true })}`), table.opened_at ? h("span", {}, say(`pit.word.${table.word}`)) : h("span", { class: "ago" }, age))];
  }
  const [first, ...others] = table.attention;
  const word_ = table.state === "paused" ? say("pit.paused") : say(`pit.word.${table.word}`);
  const stands = (name, from) => (name ? [h("b", {}, name), ` ${clock(from)}`] : null);
  const rare = table.one_in === null ? "" : ` · ${say("pit.one_in", { n: money.sum(table.one_in, 0, spoken()) })}`;
  const low = table.attention.some((each) => each.code === "float_low");
  const pace = table.turns_an_hour === null ? say("pit.no_pace") : say("pit.pace", { n: table.turns_an_hour, target: table.target_turns });
  return [
    head, first && h("div", { class: "why" }, reason(first, table), others.length > 0 && ` +${others.length}`),
    h("div", { class: "win" }, h("b", {}, sum(table.game_win_minor, table, { signed: true })), h("span", { class: `word ${table.word}` }, word_)),
    band(table),
    pair(`${say("pit.expected")} ${sum(whole(table.expected_minor, table), table, { signed: true })}`, table.z === null ? "" : `z ${ratio(table.z)}${rare}`),
    pair(stands(table.dealer, table.dealer_since) ?? say("pit.no_dealer"), count("seats", table.seats_in_play)),
    pair(table.private_bank ? say("pit.private_bank") : table.float_minor === null ? say("pit.float_unknown") : [`${say("pit.float")} `, low && h("em", {}, `${say("pit.low")} `), h("b", {}, short(table.float_minor, table))],
      said("pit.cloth", sum(table.standing_minor, table))),
    pair([...said("pit.splits", String(table.splits)), h("small", {}, ` ${say("pit.expected")} ${ratio(table.splits_expected, { signed: false })}`)],
      table.deal ? [`${say("pit.deal")} `, h("b", {}, table.deal), ` ${say("pit.turn")} `, h("b", {}, String(table.turn))] : say("pit.no_deal")),
    pair(table.inspector ? `${say("pit.inspector")}` : say("pit.no_inspector"), stands(table.inspector, table.inspector_since)),
    pair([...said("pit.turns", String(table.turns)), ` · ${say("pit.handle")} `, h("b", {}, sum(table.handle_minor, table))], ""),
    pair(pace, counted(table)),
    h("div", { class: "age" }, h("span", {}, table.console === "silent" ? `○ ${say("pit.silent", { at: clock(table.console_since) })}` : table.console === "live" ? `● ${say("pit.on_line")}` : `– ${say("pit.no_console")}`), h("span", { class: "ago" }, age)),
  ];
}

// --- what nobody has seen yet ---------------------------------------------------------------------------------------

function drawAlerts() {
  const { alerts, seen, sounds } = wall;
  fill(at("alert-count"), String(alerts.length), () => document.createTextNode(String(alerts.length)));
  const sound = at("sound");
  sound.setAttribute("aria-pressed", String(sounds));
  sound.textContent = say(mayNotSound() ? "pit.sound_waits" : "pit.sound");
  // A note that is being typed outlives whatever the floor tells meanwhile.
  const before = document.getElementById("note");
  const typing = before !== null && before === document.activeElement;
  const typed = before?.dataset.of === String(seen?.id) ? before.value : "";
  fill(at("alerts"), JSON.stringify([spoken(), alerts, seen]), () => [
    seen && h("div", { class: "al seen" }, h("div", {}, say("pit.alert_seen", { at: clock(seen.at) }), ` ${seen.name}`), h("input", { id: "note", "data-of": String(seen.id), value: typed, "aria-label": say("pit.note"), placeholder: say("pit.note"), maxlength: "500" }),
      h("button", { type: "button", class: "btn", "data-note": String(seen.id) }, say("pit.keep_note"))),
    ...alerts.map((each) => h("div", { class: `al ${each.level === "red" ? "bad" : ""}` }, h("div", {}, h("b", {}, each.level === "red" ? "‼ " : "! ", each.name || each.table || say("pit.house")), h("br"), reason({ ...each, code: each.kind }, each), h("br"),
      h("small", {}, clock(each.raised_at), each.over_at && each.over_at !== each.raised_at && ` · ${say("pit.over", { at: clock(each.over_at) })}`)), document.body.dataset.sees && h("button", { type: "button", class: "btn", "data-see": String(each.id) }, say("pit.seen")))),
    !alerts.length && !seen && h("p", { class: "dim" }, say("pit.no_alerts")),
  ]);
  if (typing) document.getElementById("note")?.focus();
}

/** One tap: who and when is kept. A note may follow in the same place. */
async function see(id) {
  const alert = wall.alerts.find((each) => each.id === id);
  try {
    await post(`${alertsUrl}/${id}/seen`, {});
    wall.seen = { id, name: alert.name || alert.table || say("pit.house"), at: Date.now() };
  } catch (failure) {
    if (failure.code !== "already_done") wall.seen = null;
  }
  await askAlerts();
}

async function note(id) {
  const text = at("note").value.trim();
  wall.seen = null;
  if (text) await post(`${alertsUrl}/${id}/seen`, { note: text }).catch(() => {});
  draw();
}

// --- what waits for this person ----------------------------------------------------------------------------------

function drawApprovals() {
  const { approvals, steps, asked, pin, dealerPin, verdict, refusal } = wall;
  const all = approvals.length + steps.length;
  fill(at("waiting-count"), String(all), () => document.createTextNode(String(all)));
  fill(at("waiting"), JSON.stringify([spoken(), approvals, steps, asked, pin.length, dealerPin === null, verdict, refusal]),
    () => (all ? [...approvals.map(approval), ...steps.map(slipStep)] : h("p", { class: "dim" }, say("pit.nothing_waiting"))));
}

/** What a movement of a float says: seat, cash, chips in, out or counted. */
function moved({ cash_minor, seat, came, left, counted }, asked) {
  const pieces = (of, sign) => of.map(([chip, number]) => `${sign}${number} × ${chip}`);
  return [seat && say("seat_n", { n: seat }), cash_minor && sum(cash_minor, asked), ...pieces(came, "+"), ...pieces(left, "−"), ...pieces(counted, "")].filter(Boolean).join(", ") || "0";
}

/** What somebody asked for, in a line to decide by. */
function askedFor(asked) {
  const money_ = (minor) => sum(minor, asked);
  const from = asked.expected_minor === null || asked.expected_minor === asked.amount_minor ? "" : ` (${say(asked.what === "slip_correction" ? "pit.slip_said" : "pit.should_be", { sum: money_(asked.expected_minor) })})`;
  const parts = [
    asked.event && describe(asked.event),
    asked.kind && `${say(`movement.${asked.kind}`)} ${asked.what === "movement" ? "№ " : ""}${asked.slip}`,
    asked.to_be && `${moved(asked.holds, asked)} → ${moved(asked.to_be, asked)}`,
    asked.amount_minor !== null && [h("b", {}, money_(asked.amount_minor)), ` ${asked.currency}${from}`],
    ...asked.limits.map(([name, now, to]) => `${say(`limit.${name}`)} ${money_(now)} → ${money_(to)}`),
    ...asked.others.map((name) => say(`limit.${name}`)),
  ].filter(Boolean);
  return [...parts.flatMap((part, index) => (index ? [" · ", part] : [part])).flat(), asked.reason && ` (${asked.reason})`];
}

function approval(each) {
  const { asked, pin, verdict, refusal } = wall;
  const what = h("div", {}, h("b", {}, `${each.asked ? say(`asked.${each.asked.what}`) : each.deed} ${each.table}`), h("br"), each.asked && askedFor(each.asked), h("br"),
    h("small", {}, say("pit.asked_by", { name: each.asked_by_name, at: clock(each.asked_at) })));
  if (asked !== each.id) {
    return h("div", { class: "ap" }, what, h("button", { type: "button", class: "btn", "data-decide": each.id, "data-verdict": "refuse" }, say("refuse")),
      h("button", { type: "button", class: "btn yes", "data-decide": each.id, "data-verdict": "approve" }, say("approve")));
  }
  return h("div", { class: "ap asked" }, h("div", {}, what, h("small", {}, say(verdict === "approve" ? "pit.your_pin" : "pit.your_pin_refuse"))),
    pad(pin),
    refusal && refusedLine(refusal));
}

/** A step of a slip that this person may take: alone, or with the table's dealer, whose PIN comes first. */
function slipStep(each) {
  const { asked, pin, dealerPin, refusal } = wall;
  const what = h("div", {}, h("b", {}, `${say(`movement.${each.kind}`)} ${each.number} ${each.table}`), h("br"), h("b", {}, sum(each.amount_minor, each)), ` ${each.currency} · ${each.chips.map(([chip, pieces]) => `${pieces} × ${chip}`).join(", ")}`, h("br"),
    h("small", {}, `${say(`slip.${each.state}`)}: ${each.by}, ${clock(each.since)}`));
  if (asked !== each.id) return h("div", { class: "ap" }, what, h("button", { type: "button", class: "btn yes", "data-decide": each.id }, say(`step.${each.step}`)));
  return h("div", { class: "ap asked" }, h("div", {}, what, h("small", {}, each.dealer && dealerPin === null ? say("pit.dealer_pin", { name: each.dealer_name }) : say("pit.your_pin_step"))),
    pad(pin), refusal && refusedLine(refusal));
}

const refusedLine = (refusal) => h("p", { class: "say", role: "alert" }, h("b", {}, say("not_recorded", { what: say("that") })), ` ${refusal.sentence} `, h("small", {}, refusal.code));

const leave = () => Object.assign(wall, { asked: null, pin: "", dealerPin: null, refusal: null });

async function decide() {
  const { asked, pin, dealerPin, verdict, id } = wall;
  const step = wall.steps.find((each) => each.id === asked);
  wall.pin = "";
  if (step?.dealer && dealerPin === null) {
    wall.dealerPin = pin;
    draw();
    return;
  }
  wall.dealerPin = null;
  const mine = { staff: person, pin };
  try {
    if (step) await post(`/api/slips/${step.slip}/${step.step}`, { id, signatures: step.dealer ? [{ staff: step.dealer, pin: dealerPin }, mine] : [mine] });
    else await post(`${approvalsUrl}/${asked}`, { decision: verdict, pin });
    leave();
    await askApprovals();
  } catch (failure) {
    wall.refusal = refused(failure);
    draw();
  }
}

function digit(pressed) {
  if (!wall.asked) return;
  if (pressed === "leave") leave();
  wall.pin = pinOf(wall.pin, pressed);
  draw();
  if (wall.pin.length === 6) void decide(); // the sixth digit sends
}

document.addEventListener("click", ({ target }) => {
  const waited = mayNotSound();
  void audio?.resume().then(draw);
  const button = target.closest("button");
  if (!button || (waited && button.id === "sound")) return;
  if (button.dataset.order) {
    wall.order = button.dataset.order;
    localStorage.setItem("pit-order", wall.order);
    draw();
  } else if (button.dataset.see) void see(Number(button.dataset.see));
  else if (button.dataset.note) void note(Number(button.dataset.note));
  else if (button.id === "sound") {
    wall.sounds = !wall.sounds;
    localStorage.setItem("pit-sound", wall.sounds ? "on" : "off");
    if (wall.sounds) beep();
    draw();
  } else if (button.dataset.decide) {
    Object.assign(wall, { asked: button.dataset.decide, verdict: button.dataset.verdict, pin: "", dealerPin: null, refusal: null, id: newId() });
    draw();
  } else if (button.dataset.pin) digit(button.dataset.pin);
});
document.addEventListener("keydown", (event) => {
  const pressed = pressedOf(event);
  if (wall.asked && pressed && !event.repeat) { event.preventDefault(); digit(pressed); }
});

await load(words, document.documentElement.lang);
draw();
follow(new URL(liveUrl, location.href).href, liveWorker, person, {
  heard: hear,
  open(is) {
    wall.streams = is;
  },
});
setTimeout(() => setInterval(keepUp, 500), 1000 * Math.random());
void askApprovals();
void askAlerts();
if (wall.sounds) audio = new AudioContext();
document.addEventListener("visibilitychange", draw);
setInterval(draw, DRAW_EVERY_MS);
