// The dealer console: listens to hands and keys, keeps the screen's facts, sends deeds through the outbox.

import { cardText, rankText, SIGNS } from "../cards.js";
import * as money from "../money.js";
import { has, load, say, speak, spoken } from "../words.js";
import { differs, makeAhead } from "./ahead.js";
import { makeApi, Refused } from "./api.js";
import { press } from "./keys.js";
import * as model from "./model.js";
import { afterQueue, isWord, makeOutbox, newId, stops } from "./outbox.js";
import { readDeal, readState } from "./read.js";
import { charOf, makeFieldScanner, makeScanner } from "./scan.js";
import { makeView } from "./view.js";

const { table: code, api: base, words, worker } = document.body.dataset;
const kept = {
  get: (key) => JSON.parse(localStorage.getItem(key) ?? "null"),
  set: (key, value) => (value === null ? localStorage.removeItem(key) : localStorage.setItem(key, JSON.stringify(value))),
};
const KEYS = { token: `device:${code}`, signon: `signon:${code}`, claims: `claims:${code}`, people: `people:${code}`, staff: `staff:${code}`, confirmed: `confirmed:${code}`, language: "language", languages: "languages" };

const view = makeView();
const desk = {
  state: null, staff: [], question: null, draft: null, refusal: null, opening: null, open: null,
  refusedToken: false, notice: null, clockOff: 0, sums: new Map(), lastCard: null, handAt: 0, pressedAt: -Infinity, body: null,
  chosenLanguage: null, read: null, lastClick: null, submitted: null, disputing: false, attempts: new Map(),
};
const path = `tables/${encodeURIComponent(code)}/`;
const SAME_FORM = 2000; // milliseconds
const WAITED = 3000; // milliseconds; the server's own measure of what is no race any more
const ahead = makeAhead();

/** Whose PIN is asked for now that the server can hear it: what waits first. */
function claimDue() {
  if (outbox.link.offlineSince) return null;
  const first = outbox.queue().find((envelope) => claimed(envelope) || checks(envelope));
  if (!first || claimed(first)) return claims()[0] ?? null;
  const { inspector } = first.event;
  return { check: first, staff: inspector, name: desk.staff.find(({ staff }) => staff === inspector)?.name ?? inspector, at: first.at };
}

/** Who took over while nobody could check a PIN, oldest first. What was entered under a claim waits for its PIN. */
const claims = () => kept.get(KEYS.claims) ?? [];
const claimed = ({ signon }) => claims().some(({ token }) => token === signon);
/** An inspector's check off line: it goes with his PIN, and all behind it waits for that. */
const checks = ({ event }) => event.type === "confirm" && Boolean(event.inspector);
const api = makeApi(base, () => kept.get(KEYS.token)?.token ?? "");
const outbox = await makeOutbox({
  code, heard, changed, differs, mayGo: (envelope) => !claimed(envelope) && !checks(envelope),
  post: (envelopes) => api.post(`${path}events?state=1`, envelopes.map(sendable)).catch(told),
});

/** As the server takes it. By what was shown of a deed that waited chips may have moved: it is told, and judges it. */
function sendable({ shown: _, expected, provisional, ...envelope }) {
  const waited = Date.parse(envelope.sent_at) - Date.parse(envelope.at);
  return expected && (provisional || waited > WAITED) ? { ...envelope, expected } : envelope;
}

/**
 * Who deals here, and who has claimed to. A killed browser forgets what it wrote to localStorage last, and must not bring
 * back the dealer before: this is on the disk before anything is entered under it.
 */
async function remember(changes) {
  for (const [name, value] of Object.entries(changes)) kept.set(KEYS[name], value);
  const number = (kept.get(KEYS.people) ?? 0) + 1;
  kept.set(KEYS.people, number);
  await outbox.remember("people", { number, signon: kept.get(KEYS.signon), claims: claims() });
}

async function recallPeople() {
  const { number, signon, claims: claimed_ } = await outbox.remembered("people") ?? { number: 0 };
  if (number <= (kept.get(KEYS.people) ?? 0)) return;
  for (const [name, value] of Object.entries({ people: number, signon, claims: claimed_ })) kept.set(KEYS[name], value);
}

/** A refused device or batch keeps the outbox: nothing is thrown away because a token has run out. */
function told(failure) {
  if (failure instanceof Refused && (failure.status === 401 || failure.status === 403)) desk.refusedToken = true;
  throw failure;
}

// --- what the screen shows ---------------------------------------------------------------------------------------

let seen = { state: null, over: null, shown: null };
let onScreen = null; // the deal as it was drawn last: what hands and eyes go by

/** The table as the screen shows it: the server's state, with what waits on this device played on it. */
function shown() {
  const { state } = desk;
  const over = state && outbox.queue().length ? ahead.over(outbox.queue(), state.sequence) : null;
  if (!over) return state;
  if (seen.state !== state || seen.over !== over) {
    const { bank, deal, number } = over;
    const next = number === state.deal?.number || !number ? state.next_deal : String(number + 1);
    seen = { state, over, shown: { ...state, deal: readDeal(deal), table: { ...state.table, bank_minor: bank }, next_deal: next, played: true } };
  }
  return seen.shown;
}

/** A card may not follow while something waits that only the server can judge. */
function busy() {
  const queue = outbox.queue();
  const over = desk.state && ahead.over(queue, desk.state.sequence);
  return over ? over.stuck : waitingCard(queue);
}

/** Does another device of this table enter the cards? */
function elsewhere() {
  const { pen } = desk.state?.desk ?? {};
  const signon = kept.get(KEYS.signon);
  return signon && pen && pen !== signon.device ? pen : null;
}

const controls = () => kept.get(KEYS.signon)?.role === "bet_controller";

/** Must the card wait for the bet controller's word? Nobody's word reaches a console that is off line. */
function betsOpen() {
  const { options, controller, down } = desk.state.desk;
  return Boolean(options?.bets_down && controller && !down && !outbox.link.offlineSince && !outbox.queue().length && model.bettingOpen(shown(), now()));
}

/** What the turn pays at most, if it is above what the house lets pass without an inspector. */
function checkNeeded() {
  const limit = desk.state.desk.options?.check_minor ?? null;
  const { deal } = shown();
  const most = deal && !deal.turn_open ? Math.max(0, ...deal.settlements.map((row) => row.paid_minor)) : 0;
  return limit !== null && most > limit ? most : null;
}

function screen() {
  const { draft } = desk;
  const state = shown();
  const queue = outbox.queue();
  const refusal = refused();
  noteRead(refusal);
  const common = { ...desk, state, refusal, aside: desk.refusal === refusal ? null : desk.refusal, token: kept.get(KEYS.token), signon: kept.get(KEYS.signon), queue, link: outbox.link, offLineWork: worksOffLine(), elsewhere: elsewhere(), controls: controls(), held: held(), proposals: proposals(), claim: claimDue(), now: null };
  if (!state) return { ...common, actMark: [desk.refusedToken, Boolean(common.token), common.signon, desk.question, desk.staff] };
  onScreen = state.deal;
  const now = phaseOf(state);
  const standing = model.standing(state.deal, queue, state.played);
  const provisional = Boolean(outbox.link.offlineSince && state.played && queue.some(({ event }) => stops(event)));
  const { pays: owed, lateTakes } = model.pending(state.deal, kept.get(KEYS.confirmed));
  const cloth = now === "pay" ? [...standing, ...model.stillLying(owed)].sort(model.bySeat) : standing;
  const takes = now === "even" ? model.takeRows(state.deal.takes) : now === "pocket" ? model.pocketTakes(standing) : [];
  const pays = now === "pay" ? owed : state.deal && !state.deal.turn_open ? model.payRows(state.deal) : [];
  const amount = draft ? model.draftAmount(draft, state.table, desk.sums.get(sumKey(draft))) : null;
  return {
    ...common, now, standing, cloth, lateTakes, takes, pays, amount, set: money.plaques(state.table), betting: model.bettingOpen(state, now), busy: busy(), provisional, betsOpen: betsOpen(), check: now === "pay" ? checkNeeded() : null, record: desk.question?.kind === "correction" ? ahead.recordOf(queue, desk.state.sequence) : null,
    savedTurn: desk.state.deal?.deal === state.deal?.deal ? desk.state.deal?.turn : 0,
    actMark: [now, provisional, desk.question, common.signon, common.token, desk.refusedToken, desk.staff, desk.opening, draft?.seat ?? null, standing, takes, pays, lateTakes, state.sequence, state.waiting, state.table.state, state.desk, common.held?.code, common.elsewhere, common.claim, outbox.link.offlineSince && queue],
  };
}

/** Off-line work needs a store that keeps and a lock between tabs, which a browser gives over HTTPS alone. */
const worksOffLine = () => !outbox.link.lacks && window.isSecureContext;

/** A card that waits for somebody's word, and whose: the bets that nobody here had seen. */
function held() {
  const found = outbox.held();
  if (!found || !desk.state) return null;
  const names = (found.answer.facts?.bets ?? "").split(",");
  return { code: found.answer.code, what: nameOf(found.envelope.event, found.envelope.shown), bets: desk.state.deal?.bets.filter(({ bet }) => names.includes(bet)) ?? [] };
}

/** What others sent while this device was silent, for the dealer who holds the pen to enter or to decline. */
function proposals() {
  if (!desk.state || elsewhere() || controls() || !kept.get(KEYS.signon)) return [];
  const entered = new Set(outbox.queue().map(({ event }) => `${event.type} ${event.bet}`));
  return desk.state.desk.proposals.filter(({ declined, event }) => !declined && !entered.has(`${event.type} ${event.bet}`));
}

/** A proposal of this device that the dealer has entered is no longer to be read here. */
function forgetEntered() {
  const { deal, desk: { proposals: open } } = desk.state;
  for (const { envelope, answer } of outbox.parked()) {
    if (answer.code !== "pen_silent" || envelope.after?.deal !== deal?.deal || open.some(({ id }) => id === envelope.id)) continue;
    const { type, bet } = envelope.event;
    const entered = ["withdraw", "refuse"].includes(type) ? !deal.bets.some((each) => each.bet === bet) : ahead.knows(bet);
    if (!entered) continue; // not as far as is known here yet
    desk.notice = say("entered_by_dealer", { what: nameOf(envelope.event, envelope.shown) });
    void outbox.clearOne(envelope);
  }
}

/** Since when it stands there to be read, where it took another's place; what comes to an empty place moves nothing. */
function noteRead(refusal) {
  const mark = refusal && `${refusal.what} ${refusal.code}`;
  if (desk.read?.mark !== mark) desk.read = { mark, since: desk.read?.mark && mark ? performance.now() : -Infinity };
}

/** What is to be read and cleared: a sentence of this screen, or else what lies parked. */
function refused() {
  const parked = outbox.parked();
  const stopped = parked.find(({ answer, envelope }) => answer.status === "refused" && stops(envelope.event));
  if (!parked.length || (desk.refusal && !stopped)) return desk.refusal;
  const first = stopped ?? parked.find(({ answer }) => answer.status === "differs") ?? parked[0];
  if (first.answer.status === "differs") return difference(first, parked.length - 1);
  const others = parked.filter((each) => each !== first).map(({ envelope }) => nameOf(envelope.event, envelope.shown));
  return {
    what: nameOf(first.envelope.event, first.envelope.shown), ...wordsOf(first),
    stop: Boolean(stopped), others, offer: offerOf(first),
  };
}

/** Why it was not recorded: what was only proposed may have been declined since. */
function wordsOf({ envelope, answer }) {
  const declined = answer.code === "pen_silent" && desk.state?.desk.proposals.some(({ id, declined: no }) => no && id === envelope.id);
  return declined ? { code: "declined", sentence: say("refused.declined") } : { code: answer.code ?? "", sentence: sentenceOf(answer, envelope.event) };
}

/** What may be done with one tap about a bet that was not recorded: `made`, it stood all the same; `again`. */
function offerOf(parked) {
  const { envelope: { event, after } } = parked;
  const { code: refusal } = wordsOf(parked);
  if (event.type !== "bet") return null;
  if (refusal === "pen_silent") return desk.state?.desk.silent ? null : "again";
  const { deal } = desk.state ?? {};
  const overtaken = ["wrong_position", "turn_open", "betting_closed"].includes(refusal);
  return overtaken && deal && after?.deal === deal.deal && after.position % 2 === 0 && after.position < deal.position ? "made" : null;
}

/** The id of a deed that no queue keeps: the same until it is answered, so that it is done once though an answer is lost. */
function attemptOf(deed) {
  const about = JSON.stringify([deed, desk.state.after, kept.get(KEYS.signon).signon]);
  if (!desk.attempts.has(about)) desk.attempts.set(about, newId());
  return { id: desk.attempts.get(about), done: () => desk.attempts.delete(about) };
}

/** What the dealer was shown and what the server counts, both as sums taken and paid. */
function difference({ envelope: { event, shown: amount, expected }, answer: { counted } }, more) {
  const { digits } = desk.state?.table ?? { digits: 2 };
  const sumOf = (rows, name) => sumText(rows.reduce((all, row) => all + (money.read(row[name], digits) ?? 0), 0));
  const both = ({ settlements, takes }) => ({ taken: sumOf([...settlements, ...takes], "taken"), paid: sumOf(settlements, "paid") });
  return { differs: { shown: both(expected), counted: both(counted) }, what: nameOf(event, amount), code: "check_needed", stop: false, others: [], more };
}

const sumKey = (draft) => `${draft.seat}/${draft.verb === "suit" ? "suit" : "rank"}`;
const waitingCard = (queue) => queue.some(({ event }) => !isWord(event) && !["bet", "withdraw", "refuse"].includes(event.type));

/** Only the hands that pay have something to confirm: elsewhere the turn is over. */
const phaseOf = (state) => model.phase(state, kept.get(KEYS.confirmed), { pays: !elsewhere() && !controls() });
const now = () => (desk.state ? phaseOf(shown()) : null);

let undrawn = false;

/** Draw once for all that has changed, as soon as the key, tap or answer is dealt with and before the next frame. */
function draw() {
  if (undrawn) return;
  undrawn = true;
  queueMicrotask(() => {
    undrawn = false;
    view.draw(screen());
  });
}

// --- from the server ------------------------------------------------------------------------------------------------

function changed(body) {
  if (body) take(body);
  draw();
}

/** Take over the server's state; `fresh`: it was said just now. */
function take(body, fresh = true) {
  const state = readState(body);
  if (desk.state && state.sequence < desk.state.sequence) return; // an older answer that came late
  const before = onScreen;
  desk.state = state;
  if (fresh) desk.clockOff = Date.now() - Date.parse(state.server_at);
  desk.body = body;
  if (ahead.sequence !== state.sequence) void catchUp();
  else keepForReload();
  forgetEntered();
  const { deal } = shown();
  const same = before && deal && before.deal === deal.deal && before.position === deal.position;
  if (!same) {
    desk.opening = null;
    desk.notice = null;
    if (desk.question && ["change", "take_back"].includes(desk.question.kind)) desk.question = null;
    // The first key of a card stays: an answer that arrives between two keys must not eat one.
    if (desk.draft && !desk.draft.first && !model.bettingOpen(shown(), now())) desk.draft = null;
    if (desk.question?.kind === "two" && now() === "pay") desk.question = null; // no card can follow before that is paid
  }
}

let catching = false;

/** Learn what others recorded, so that this device can play on from there. */
async function catchUp() {
  if (catching) return;
  catching = true;
  try {
    const since = ahead.sequence;
    const body = await api.get(`${path}rules${since === null ? "" : `?since=${since}`}`);
    if (body) ahead.load(body, since);
    forgetEntered();
    keepForReload();
    draw();
  } catch { /* the link is down or the token gone: refresh() says so, and asks again */ } finally {
    catching = false;
  }
}

let keeping = null;

/** Keep what is known of the table for a reload without the server; a moment later, with the hands free. */
function keepForReload() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    if (desk.body && ahead.sequence === desk.state.sequence) void outbox.know({ body: desk.body, base: ahead.kept() });
  }, 300);
}

/** After a reload without the server: the table as it was known last. */
async function recall() {
  const known = await outbox.known();
  if (!known || desk.state) return;
  ahead.restore(known.base);
  take(known.body, false);
}

async function refresh() {
  const token = kept.get(KEYS.token);
  if (!token) return draw();
  try {
    const body = await api.get(`${path}state${desk.state ? `?since=${desk.state.sequence}&desk=${encodeURIComponent(desk.state.desk.mark)}` : ""}`);
    outbox.link.offlineSince = null;
    outbox.link.savedAt ??= new Date();
    desk.refusedToken = false;
    // What is on its way brings the state with its answer: this one may count it already, and the queue still does.
    if (body && !(desk.state && outbox.link.sending)) {
      await outbox.read(); // another tab may have sent what this one still counts as waiting
      take(body);
    } else if (desk.state && ahead.sequence !== desk.state.sequence) void catchUp();
    if (!desk.staff.length) await askStaff();
    if (outbox.held()?.answer.code === "bets_open" && desk.state.desk.down) void outbox.goOn(desk.state.sequence);
    else if (outbox.queue().length) void outbox.flush();
  } catch (failure) {
    if (failure instanceof Refused && (failure.status === 401 || failure.status === 403)) desk.refusedToken = true;
    else if (!(failure instanceof Refused)) outbox.link.offlineSince ??= new Date();
    if (!desk.state) await recall();
  }
  draw();
}

/** Who may sign on here; kept for a relief without the server. */
async function askStaff() {
  const staff = await api.get(`${path}staff`).catch(() => null);
  if (staff) kept.set(KEYS.staff, staff);
  desk.staff = staff ?? kept.get(KEYS.staff) ?? [];
  draw();
}

function heard(answer, { event, signon }) {
  if (answer.sequence) ahead.recorded(answer, event);
  if (answer.status === "refused") {
    if (answer.code === "not_signed_on" && signon === kept.get(KEYS.signon)?.signon) void remember({ signon: null });
    desk.lastCard = null;
    if (desk.question?.kind === "two") desk.question = null;
  } else if (answer.status === "waiting") {
    desk.question = null;
  } else {
    if (["correct", "misdeal"].includes(event.type)) desk.question = null;
    // What was not taken while this one was on its way stays to be read.
    if (event.type !== "bet" && desk.refusal?.code !== "busy") desk.refusal = null;
  }
}

/** What was refused, in the words of the table: `3 · Q · 50`. */
function nameOf(event, shown) {
  if (event.type === "card") return cardText(event.card);
  if (event.type === "reveal") return cardText(event.card);
  if (event.type === "bet") {
    const on = event.rank ? rankText(event.rank) : event.card ? cardText(event.card) : event.suit ? SIGNS[event.suit] : say("sealed");
    return `${event.seat} · ${on} · ${sumText(shown)}`;
  }
  return has(`deed.${event.type}`) ? say(`deed.${event.type}`).replace("…", "") : event.type;
}

const sumText = (minor) => money.sum(minor, desk.state?.table.digits ?? 2, spoken());

/** A refusal in the language of the dealer, with its limit; the service's own sentence where we have none. */
function sentenceOf({ code: refusal, message }, event) {
  const key = `refused.${refusal}`;
  if (!has(key) || !desk.state) return message ?? "";
  const { table } = desk.state;
  return say(key, {
    min: sumText(table.min_minor), max: sumText(table.max_minor), chip: sumText(table.chip_minor), seats: table.seats,
    ratio: table.rules.ratio ?? 10, rank: event.rank ? rankText(event.rank) : event.card ? cardText(event.card) : "", seat: event.seat ?? "",
    card: event.card ? cardText(event.card) : "", bank: table.bank_minor === null ? "" : sumText(table.bank_minor),
  });
}

/** What a correction moves, bet by bet, against what was shown before: `↓ TAKE 1 · 9 · 400`. */
function movedBy(adjustments) {
  const { deal, table: { digits } } = desk.state;
  const minor = (text) => (text.startsWith("-") ? -money.read(text.slice(1), digits) : money.read(text, digits));
  const known = [...deal.bets, ...deal.settlements, ...deal.last_turns.flatMap(({ settlements }) => settlements)];
  const moves = adjustments.map((row) => ({ row: known.find(({ bet }) => bet === row.bet), bet: row.bet, amount: minor(row.paid) - minor(row.taken) }));
  const nameOfMove = ({ row, bet, amount }) => (row ? nameOf({ ...row, type: "bet" }, Math.abs(amount)) : `${bet} · ${sumText(Math.abs(amount))}`);
  const list = (word, found) => (found.length ? `${word} ${found.map(nameOfMove).join("; ")}` : "");
  const lists = [list(`↓ ${say("TAKE")}`, moves.filter(({ amount }) => amount < 0)), list(`↑ ${say("PAY")}`, moves.filter(({ amount }) => amount > 0))];
  return `${say("moved_by_correction")} ${lists.filter(Boolean).join(". ") || say("nothing_to_take")}`;
}

// --- deeds ------------------------------------------------------------------------------------------------------------

function send(event, shown) {
  const signon = kept.get(KEYS.signon);
  if (!signon || !desk.state) return false;
  if (outbox.link.offlineSince && !worksOffLine()) return refuseHere(event, shown, { code: "off_line_off" });
  const queue = outbox.queue();
  const tried = ahead.attempt(queue, desk.state.sequence, event);
  if (outbox.link.offlineSince && tried?.refused) return refuseHere(event, shown, { code: tried.refused });
  desk.refusal = null;
  outbox.add(event, { device: signon.device, signon: signon.signon, after: afterQueue(desk.state.after, queue), shown, expected: tried?.expected, seen: desk.state.sequence });
  return true;
}

/** Say here and now that a deed was not taken. */
function refuseHere(event, shown, answer) {
  desk.refusal = { what: nameOf(event, shown), code: answer.code, sentence: sentenceOf(answer, event), stop: false, others: [] };
  return false;
}

/** A deed of the whole table: a second tap while the first is on its way is the same deed. */
function once(event) {
  if (outbox.queue().some((each) => each.event.type === event.type)) return;
  if (busy()) refuseHere(event, null, { code: "busy" });
  else send(event);
}

/** Why no card is taken now, where it is not for the rules to say. */
const NO_CARD = { pay: "not_confirmed", closed: "table_closed", paused: "paused" };

/** One card. A second tap on the same card within 0.3 s is a question, since in six decks it may be true. C-5 */
function card(dealt, { sure = false } = {}) {
  const phase = now();
  const question = desk.question?.kind;
  if (!sure && !question && desk.lastCard?.card === dealt && desk.handAt - desk.lastCard.at < 300 && phase !== "reveal") {
    // Also while the first is still on its way.
    if (desk.state.table.game === "stos" && phase !== "pay") desk.question = { kind: "two", card: dealt };
    return;
  }
  if (busy() || outbox.held()) {
    refuseHere({ type: "card", card: dealt }, null, { code: "busy" }); // never without a word: the eyes are on the game
    return;
  }
  if (elsewhere() || controls()) {
    refuseHere({ type: "card", card: dealt }, null, { code: "pen_elsewhere" });
    return;
  }
  if (question === "change") {
    const { deal } = shown();
    desk.question = null;
    send({ type: "correct", reason: say("reason_change"), cards: { [deal.position]: dealt } });
    return;
  }
  if (refused()?.stop) return; // it stands there in red
  if (question && !sure) {
    refuseHere({ type: "card", card: dealt }, null, { code: "asked_first" });
    return;
  }
  if (phase === "reveal") return reveal(dealt);
  if (phase !== "odd" && phase !== "even") {
    refuseHere({ type: "card", card: dealt }, null, { code: NO_CARD[phase] ?? "deal_finished" });
    return;
  }
  if (betsOpen()) {
    refuseHere({ type: "card", card: dealt }, null, { code: "bets_open" });
    return;
  }
  desk.lastCard = { card: dealt, at: desk.handAt };
  desk.draft = null;
  desk.question = null;
  send({ type: "card", card: dealt });
}

function reveal(dealt, seat = null) {
  const sealed = model.sealedBets(shown().deal.bets);
  const bet = sealed.find((each) => each.bet === desk.opening) ?? (seat ? sealed.find((each) => each.seat === seat) : sealed.length === 1 ? sealed[0] : null);
  if (!bet) {
    refuseHere({ type: "reveal", card: dealt }, null, { code: "whose_card" });
    return;
  }
  desk.opening = null;
  send({ type: "reveal", bet: bet.bet, card: dealt });
}

function place() {
  const { draft } = desk;
  if (!draft?.seat || draft.open || now() === null) return;
  const state = shown();
  const { table } = state;
  const standing = model.standing(state.deal, outbox.queue(), state.played);
  if (draft.verb === "withdraw" || draft.verb === "paroli") {
    for (const target of draft.targets) {
      if (draft.verb === "paroli") paroliOn(draft.seat, (row) => (row.what.rank ?? row.what.card?.[0]) === target.rank);
      else {
        const bet = standing.findLast((each) => each.seat === draft.seat && (target.rank ? each.rank === target.rank && each.kind !== "suit" : each.kind === "suit"));
        if (bet) send({ type: "withdraw", bet: bet.bet });
        else desk.refusal = { what: `${draft.seat} · ${target.rank ? rankText(target.rank) : SIGNS[target.suit]}`, code: "unknown_bet", sentence: say("refused.unknown_bet"), stop: false, others: [] };
      }
    }
  } else {
    const minor = model.draftAmount(draft, table, desk.sums.get(sumKey(draft)));
    if (minor === null) {
      const on = draft.targets.map(({ rank, suit }) => (rank ? rankText(rank) : "") + (suit ? SIGNS[suit] : "")).join(" ");
      desk.refusal = { what: [draft.seat, on, draft.typed].filter(Boolean).join(" · "), code: "bad_amount", sentence: say("refused.unread_amount"), stop: false, others: [] };
    }
    if (!model.draftReady(draft, minor, state.kinds)) return;
    const targets = draft.verb === "sealed" ? [{}] : draft.targets;
    for (const { rank, suit } of targets) {
      const on = rank && suit ? { card: rank + suit } : rank ? { rank } : suit ? { suit } : {};
      send({ type: "bet", bet: model.betName(draft.seat), seat: draft.seat, amount: money.units(minor, table.digits), ...on }, minor);
    }
    desk.sums.set(sumKey(draft), minor);
  }
  // By touch the seat and the sum stay selected; by keys the next entry starts with its seat again.
  desk.draft = draft.byTouch ? touchDraft(draft.seat) : null;
}

function paroliOn(seat, matches) {
  const row = model.payRows(shown().deal).find((each) => each.seat === seat && each.won && matches(each));
  if (row) send({ type: "paroli", bet: model.betName(seat), of: row.bet });
}

const touchDraft = (seat) => ({ byTouch: true, first: null, seat, targets: [], open: false, verb: "bet", typed: "", chips: [] });

function confirm() {
  desk.pressedAt = desk.handAt;
  if (now() !== "pay") return;
  const { options } = desk.state.desk;
  // On line what the turn pays is the server's word; off line it is ours, and the inspector's PIN comes later.
  if (checkNeeded() !== null && (outbox.link.offlineSince || !outbox.queue().length)) return ask({ kind: "check" });
  confirmed();
  if (options?.confirm && checkNeeded() === null) send({ type: "confirm" });
}

/** What is to be paid and collected has been, as far as this device shows it. */
function confirmed() {
  const { names } = model.pending(shown().deal, kept.get(KEYS.confirmed));
  kept.set(KEYS.confirmed, [...(kept.get(KEYS.confirmed) ?? []), ...names].slice(-200));
}

/** The device that enters the cards closes betting, where somebody else calls for the bets. */
function betsAreDown() {
  const { deal } = shown();
  if (desk.state.kinds.cut && deal && !deal.cut && deal.position === 0) return DEEDS.cut();
  if (now() === "odd") once({ type: "bets_down" });
}

/** Move a bet: withdraw it and place another of the same sum (C-9). Where that one may not stand, this one stays. */
function move(bet, rank) {
  const withdraw = { type: "withdraw", bet: bet.bet };
  const placed = { type: "bet", bet: model.betName(bet.seat), seat: bet.seat, rank, amount: money.units(bet.standing_minor, desk.state.table.digits) };
  const refusedThere = ahead.attempt([...outbox.queue(), { id: bet.bet, event: withdraw }], desk.state.sequence, placed)?.refused;
  if (refusedThere) {
    refuseHere(placed, bet.standing_minor, { code: refusedThere });
    return;
  }
  send(withdraw);
  send(placed, bet.standing_minor);
}

/** What follows so fast was meant for the button that stood here before. */
const pressedTwice = () => desk.handAt - desk.pressedAt < 300;

const DEEDS = {
  rank({ rank }) {
    const moved = desk.question?.kind === "move" && shown().deal.bets.find(({ bet }) => bet === desk.question.bet);
    if (moved) {
      desk.question = null;
      desk.draft = touchDraft(moved.seat);
      if (moved.rank !== rank) move(moved, rank);
      return;
    }
    if (!model.bettingOpen(shown(), now()) || !desk.draft?.seat) {
      desk.open = desk.open === rank ? null : rank;
      return;
    }
    const { draft } = desk;
    const [target] = draft.targets;
    const base_ = draft.verb === "bet" && draft.byTouch ? draft : { ...touchDraft(draft.seat), typed: draft.typed, chips: draft.chips };
    desk.draft = { ...base_, targets: target?.rank === rank && !target.suit ? [] : [{ rank }] };
  },
  suit({ suit }) {
    const { draft } = desk;
    const target = draft.targets[0];
    if (desk.state.kinds.suit) desk.draft = { ...draft, byTouch: true, verb: "suit", targets: [{ suit }] };
    else if (target?.rank) desk.draft = { ...draft, targets: [{ rank: target.rank, suit }] };
  },
  sealed() { desk.draft = { ...desk.draft, byTouch: true, verb: "sealed", targets: [] }; },
  seat({ seat }) { desk.draft = desk.draft?.seat === Number(seat) && !desk.draft.targets.length ? null : touchDraft(Number(seat)); },
  chip({ chip }) {
    const chips = [...(desk.draft?.chips ?? [])];
    chips[Number(chip)] = (chips[Number(chip)] ?? 0) + 1;
    if (desk.draft) desk.draft = { ...desk.draft, chips, typed: "" };
  },
  card({ card: dealt }) { card(dealt); },
  place,
  clear() { desk.draft = desk.draft?.byTouch && desk.draft.targets.length ? touchDraft(desk.draft.seat) : null; },
  clear_refusal() {
    if (desk.handAt - desk.read.since < 300) return; // it came under the finger, unread
    if (refused() !== desk.refusal) void outbox.clear();
    desk.refusal = null;
  },
  confirm,
  bets_down: betsAreDown,
  move({ bet }) { ask({ kind: "move", bet }); },
  differs() { if (shown().deal?.settlements.length && !shown().deal.turn_open) ask({ kind: "differs" }); },
  check() { ask({ kind: "check" }); },
  /** The turn was confirmed where nobody heard it: said now, before the card that waits for it. */
  async confirm_late() {
    const { device, signon } = kept.get(KEYS.signon);
    const at = new Date().toISOString();
    await api.post(`${path}events`, [{ id: newId(), device, device_seq: null, signon, at, sent_at: at, after: desk.state.after, event: { type: "confirm" } }]).catch(() => {});
    await outbox.goOn(desk.state.sequence);
  },
  /** Freeze what is known of the last turn: one tap, no form. */
  dispute() {
    const { signon } = kept.get(KEYS.signon);
    if (desk.disputing) return;
    desk.disputing = true;
    const { id, done } = attemptOf("dispute");
    void api.post(`${path}disputes`, { id, signon }).then(({ number, turn }) => {
      done();
      desk.notice = say("dispute_frozen", { n: number, turn });
    }, () => {
      desk.refusal = { what: say("deed.dispute"), code: "", sentence: say("no_connection"), stop: false, others: [] };
    }).finally(() => {
      desk.disputing = false;
      draw();
    });
  },
  accept() { void outbox.goOn(desk.state.sequence); },
  strike() {
    for (const { bet } of held().bets) send({ type: "correct", reason: say("reason_strike"), bet, made: false });
    void outbox.goOn(desk.state.sequence);
  },
  /** The dealer enters what was proposed, under his own name; it keeps its bet's name. */
  enter_proposal({ id }) {
    const { event } = proposals().find((each) => each.id === id);
    send(event, event.amount ? money.read(event.amount, desk.state.table.digits) : undefined);
  },
  decline_proposal({ id }) {
    const { signon } = kept.get(KEYS.signon);
    void api.post(`${path}proposals/${id}/decline`, { signon }).then(refresh, () => {
      desk.refusal = { what: say("decline"), code: "", sentence: say("no_connection"), stop: false, others: [] };
      draw();
    });
  },
  again() {
    const { envelope } = parkedOffer();
    void outbox.again(envelope, { signon: kept.get(KEYS.signon).signon, after: afterQueue(desk.state.after, outbox.queue()), seen: desk.state.sequence });
  },
  made() {
    const { envelope } = parkedOffer();
    const { type: _, ...bet } = envelope.event;
    if (send({ type: "correct", reason: say("reason_overtaken"), ...bet, made: true, after: envelope.after.position })) void outbox.clearOne(envelope);
  },
  take_pen() {
    ask({ kind: "relief", pen: true });
    void askStaff();
  },
  opening({ bet }) { desk.opening = bet; },
  pocket() {
    if (now() !== "pocket" || busy() || pressedTwice()) return;
    desk.pressedAt = desk.handAt;
    send({ type: "pocket", cards: model.pocketCards(shown().deal) });
  },
  new_deal() {
    if (now() !== "idle" || busy() || pressedTwice()) return;
    desk.sums.clear();
    send({ type: "deal", deal: shown().next_deal });
  },
  end() { once({ type: "end" }); },
  cut() { once({ type: "cut" }); },
  open() {
    desk.pressedAt = desk.handAt;
    once({ type: "open" });
  },
  close() { once({ type: "close" }); },
  pause() { once({ type: "pause" }); },
  resume() {
    desk.pressedAt = desk.handAt;
    once({ type: "resume" });
  },
  withdraw({ bet }) { send({ type: "withdraw", bet }); },
  refuse({ bet }) { send({ type: "refuse", bet }); },
  /** All that a win returned stays on the rank, as a bet of its own. */
  ride({ bet }) {
    const row = model.payRows(shown().deal).find((each) => each.bet === bet);
    const rank = row?.what.rank;
    if (rank) send({ type: "bet", bet: model.betName(row.seat), seat: row.seat, rank, amount: money.units(row.returned, desk.state.table.digits) }, row.returned);
  },
  paroli({ bet, seat }) { paroliOn(Number(seat), (row) => row.bet === bet); },
  misdeal() { ask({ kind: "misdeal" }); },
  correction() { ask({ kind: "correction", what: "card" }); },
  correction_what({ what }) { ask({ kind: "correction", what }); },
  change() { ask({ kind: "change" }); },
  take_back() { ask({ kind: "take_back" }); },
  approve({ id }) { ask({ kind: "approve", id }); },
  never_mind() { desk.question = null; },
  yes() {
    const { kind, card: dealt } = desk.question ?? {};
    if (kind === "two" && busy()) return; // the question stands until the first is recorded
    desk.question = null;
    if (kind === "two") card(dealt, { sure: true });
    const { deal } = shown();
    if (kind === "take_back" && deal.turn_open) send({ type: "correct", reason: say("reason_take_back"), cards: { [deal.position]: null } });
  },
  relief() {
    ask({ kind: "relief" });
    void askStaff();
  },
  sign_off() {
    const signon = kept.get(KEYS.signon);
    void remember({ signon: null });
    desk.question = null;
    void api.remove(`${path}signons`, { signon: signon.signon }).catch(() => {});
  },
  /** Each person's own: at the next sign-on the tablet speaks that person's. */
  language() {
    const wanted = spoken() === "ru" ? "en" : "ru";
    const { staff } = desk.question?.kind === "relief" ? {} : kept.get(KEYS.signon) ?? {};
    if (staff) kept.set(KEYS.languages, { ...kept.get(KEYS.languages), [staff]: wanted });
    else desk.chosenLanguage = wanted; // of whoever signs on now
    kept.set(KEYS.language, wanted);
    speak(wanted);
  },
  pin({ digit }, button) {
    const input = button.closest("form").elements.pin;
    input.value = digit === "back" ? input.value.slice(0, -1) : (input.value + digit).slice(0, 6);
    if (input.value.length === 6 && ["signon", "claimed"].includes(button.closest("form").dataset.form)) button.closest("form").requestSubmit();
  },
};

/** The language of whoever deals now: chosen at this tablet before, or else as the house knows it. */
function speakWith({ staff, language }) {
  const wanted = desk.chosenLanguage ?? kept.get(KEYS.languages)?.[staff] ?? language;
  if (desk.chosenLanguage) kept.set(KEYS.languages, { ...kept.get(KEYS.languages), [staff]: wanted });
  desk.chosenLanguage = null;
  if (!wanted) return;
  kept.set(KEYS.language, wanted);
  speak(wanted);
}

const parkedOffer = () => outbox.parked().find((each) => offerOf(each));

function ask(question) {
  desk.question = question;
  desk.refusal = null;
  desk.draft = null;
}

const FORMS = {
  async token(fields) {
    kept.set(KEYS.token, { token: fields.token.trim() });
    desk.refusedToken = false;
    await refresh();
  },
  async signon({ staff, pin }) {
    const relieve = desk.question?.kind === "relief";
    const [number, role] = staff.split("|");
    const answer = await api.post(`${path}signons`, { staff: number, pin, ...(role ? { role } : {}), ...(relieve ? { relieve: true } : {}), ...(desk.question?.pen ? { pen: true } : {}) });
    // The envelopes name the device as the service knows it.
    const device = answer.device ?? (await api.get(`${path}signons`)).find((duty) => duty.staff === answer.staff).device;
    await remember({ signon: { ...answer, device } });
    speakWith(answer);
    desk.question = null;
    desk.refusal = null;
    await refresh(); // the pen may have come along
  },
  /** Nobody can check a PIN now: who takes over says so here, and by his PIN once the server is back. */
  async claim({ staff }) {
    const before = kept.get(KEYS.signon);
    const { name } = desk.staff.find((each) => each.staff === staff);
    const token = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const at = new Date().toISOString();
    await remember({ claims: [...claims(), { token, staff, name, at }], signon: { ...before, signon: token, staff, name, since: at, claimed: true } });
    speakWith({ staff });
    desk.question = null;
  },
  async claimed({ pin }) {
    const [{ token, staff, at }] = claims();
    const answer = await api.post(`${path}signons`, { staff, pin, role: "dealer", relieve: true, claim: token, claimed_at: at, sent_at: new Date().toISOString() })
      .catch((failure) => { if (failure.code !== "already_done") throw failure; }); // the answer was lost, not the deed
    const now_ = kept.get(KEYS.signon);
    await remember({ claims: claims().slice(1), ...(now_?.signon === token ? { signon: { ...now_, ...answer, claimed: false } } : {}) });
    await outbox.flush();
    await refresh();
  },
  /** Nobody can check a PIN now: who has seen it paid says so here, and by his PIN once the server is back. */
  async check_claim({ staff }) {
    if (send({ type: "confirm", inspector: staff.trim() }, model.paidInTurn(shown().deal))) confirmed();
    desk.question = null;
  },
  async checked({ staff, pin }) {
    const { check: envelope } = claimDue();
    const { id, signon, after, at, shown: paid } = envelope;
    const seen_ = paid === undefined ? {} : { paid_minor: paid };
    const answer = await api.post(`${path}check`, { id, signon, after, at, ...seen_, sent_at: new Date().toISOString(), signatures: [{ staff, pin }] }).catch((failure) => {
      // Another inspector may sign; what the server knows better about the turn is to be read, and asked for again there.
      if (!failure.code || ["wrong_pin", "not_allowed"].includes(failure.code)) throw failure;
      return { id, status: "refused", code: failure.code, message: failure.message };
    });
    await outbox.done(envelope, answer.status === "refused" ? answer : null);
    await refresh();
  },
  async check({ staff, pin }) {
    const { signon } = kept.get(KEYS.signon);
    const { id, done } = attemptOf("check");
    await api.post(`${path}check`, { id, signon, after: desk.state.after, signatures: [{ staff, pin }] }).catch((failure) => {
      if (failure.code === "id_reused") done(); // it was signed by another, whose answer was lost
      throw failure;
    });
    done();
    if (!outbox.held()) confirmed();
    desk.question = null;
    await refresh();
    if (outbox.held()) await outbox.goOn(desk.state.sequence);
  },
  async differs({ row, done, recovered }) {
    const { digits } = desk.state.table;
    const found = model.moved(shown().deal)[Number(row)];
    const minor = money.read(done, digits);
    if (minor === null || minor === found.amount) throw Object.assign(new Error(say("refused.bad_amount")), { code: "bad_amount" });
    send({ type: "mispay", bet: found.bet, way: found.way, shown: money.units(found.amount, digits), done: money.units(minor, digits), recovered: recovered === "1" });
    desk.question = null;
  },
  async approve({ id, staff, pin, decision }) {
    const { answer } = await api.post(`approvals/${id}`, { decision, staff, pin });
    desk.question = null;
    await refresh();
    if (answer?.adjustments?.length) desk.notice = movedBy(answer.adjustments);
    draw();
  },
  async misdeal({ reason }) { send({ type: "misdeal", reason }); },
  async correction({ reason, ...fields }) {
    const { table } = desk.state;
    const { what } = desk.question;
    const changed_ = {};
    if (fields.seat) changed_.seat = Number(fields.seat);
    if (fields.on) {
      const [name, value] = fields.on.split(" ");
      changed_[name] = value;
    }
    if (fields.amount) {
      const minor = money.read(fields.amount, table.digits);
      if (minor === null) throw Object.assign(new Error(say("refused.bad_amount")), { code: "bad_amount" });
      changed_.amount = money.units(minor, table.digits);
    }
    const event = { type: "correct", reason };
    if (what === "card") event.cards = { [fields.position]: fields.card };
    if (what === "bet") Object.assign(event, { bet: fields.bet }, changed_);
    if (what === "unmade") Object.assign(event, { bet: fields.bet, made: false });
    if (what === "made") Object.assign(event, { bet: model.betName(changed_.seat), made: true, after: Number(fields.after) }, changed_);
    send(event);
  },
};

// --- hands and keys ------------------------------------------------------------------------------------------------------

// When a hand did what is being dealt with (`desk.handAt`) is said by the event itself: a tablet that is busy hears two
// deeds late and in one burst, and they are as far apart as the hand made them.

// Of a second tap at once these alone mean something; `card` asks by itself whether it does.
const AGAIN = new Set(["chip", "pin", "card", "seat", "rank"]);

/** The second tap of a finger that slipped: it hits what has come to stand where the first one was, or the same once more. */
function slipped(button, { clientX: x, clientY: y, timeStamp: at, detail }) {
  const { deed } = button.dataset;
  const before = desk.lastClick;
  desk.lastClick = { x, y, at, deed };
  if (detail && at < view.standsSince(button)) return true; // a busy tablet had not drawn it yet when the finger came down
  if (!detail || !before || at - before.at >= 300 || Math.hypot(x - before.x, y - before.y) > 24) return false; // detail 0: by a key
  return !(AGAIN.has(deed) && deed === before.deed);
}

document.addEventListener("click", (event) => {
  // A click that a key makes is made when the key is dealt with: that key has said its time already.
  desk.handAt = event.detail ? event.timeStamp : Math.max(desk.handAt, event.timeStamp);
  const button = event.target.closest("[data-deed]");
  if (!button || button.disabled || slipped(button, event)) return;
  DEEDS[button.dataset.deed](button.dataset, button, event);
  draw();
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-form]");
  if (!form) return;
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form, event.submitter ?? undefined));
  const mark = form.elements.pin ? null : JSON.stringify([form.dataset.form, fields]);
  // Sent twice by a finger that slipped it is one deed, also where its form still stands.
  if (mark && desk.submitted?.mark === mark && desk.handAt - desk.submitted.at < SAME_FORM) return;
  desk.submitted = { mark, at: desk.handAt };
  if (form.elements.pin) form.elements.pin.value = ""; // a PIN is entered once
  FORMS[form.dataset.form](fields).catch((failure) => {
    desk.submitted = null; // it was not done: the same again is meant
    const wait = failure.facts?.wait_seconds;
    // Somebody is on duty here whom this browser does not remember: who comes now relieves him.
    const onDuty = form.dataset.form === "signon" && failure.facts?.on_duty;
    if (onDuty) desk.question = { kind: "relief" };
    desk.refusal = {
      what: say("that"), code: failure.code ?? "", stop: false, others: [],
      sentence: onDuty ? say("on_duty", { who: onDuty.split(",").map((number) => desk.staff.find(({ staff }) => staff === number)?.name ?? number).join(", ") })
        : has(`refused.${failure.code}`) ? say(`refused.${failure.code}`, { seconds: wait ?? "" }) : failure.status ? failure.message : say("no_connection"),
    };
  }).finally(draw);
});

/** The scanner's card while a field is typed in: it ends no form, and is answered as anywhere else. */
const fieldScanner = makeFieldScanner({
  scanned: (dealt, at) => { if (desk.state && kept.get(KEYS.signon)) scanned(dealt, dealt, at); },
});

const scanner = makeScanner({
  hand, scanned,
  keep: () => desk.draft,
  restore: (draft) => { desk.draft = draft; },
});

document.addEventListener("keydown", (event) => {
  desk.handAt = event.timeStamp;
  if (event.code === "F1") {
    event.preventDefault();
    desk.question = desk.question?.kind === "map" ? null : { kind: "map" };
    return draw();
  }
  const field = event.target.closest?.("input, select, textarea");
  if (field) {
    if (fieldScanner({ code: event.code, char: charOf(event), at: event.timeStamp }, field)) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || ["Tab", "ShiftLeft", "ShiftRight"].includes(event.code) || !desk.state || !kept.get(KEYS.signon)) return;
  if (event.repeat) return event.preventDefault(); // a held key counts once
  const onButton = Boolean(event.target.closest?.("button, a"));
  if (scanner.press({ code: event.code, char: charOf(event), at: event.timeStamp, onButton })) event.preventDefault();
});

/** One key of a hand. Says whether it was one of ours; Enter and Space press the button that has the focus. */
function hand({ code: place_, at, onButton }) {
  if (onButton && !desk.draft && !desk.question && ["Enter", "Space"].includes(place_)) return false;
  desk.handAt = at;
  const named = { F2: "bets_down", F4: "relief", F8: "correction", F9: "differs" }[place_];
  if (named) {
    DEEDS[named]();
    draw();
    return true;
  }
  const phase = now();
  const before = desk.draft;
  const { draft, deed, card: dealt, seat } = press(before, place_, { withSuits: desk.state.kinds.card, opening: phase === "reveal" });
  // Inside a turn only a card can be keyed; between turns the door says what is closed.
  desk.draft = draft && !draft.first && phase !== "odd" && phase !== "reveal" ? before : draft;
  if (deed === "card") phase === "reveal" ? reveal(dealt, seat) : card(dealt);
  // A slow scanner's Enter still follows its card faster than a hand means anything by it.
  if (deed === "enter" && !(desk.lastCard && at - desk.lastCard.at < 50)) enter();
  if (deed === "escape") DEEDS[refused() && !desk.question ? "clear_refusal" : "never_mind"]();
  if (deed === "back" && phase === "even") DEEDS.take_back();
  draw();
  return draft !== before || Boolean(deed);
}

/** A whole scan: one card, and nothing else that its keys might mean. */
function scanned(dealt, text, at) {
  desk.handAt = at;
  if (!dealt) desk.refusal = { what: text.slice(0, 16), code: "not_a_card", sentence: say("refused.not_a_card"), stop: false, others: [] };
  else if (now() === "reveal") reveal(dealt);
  else card(dealt);
  draw();
}

/** Enter ends an entry, also one that was not whole: what is keyed next is no part of it. */
function unfinished() {
  const { first, seat } = desk.draft;
  desk.draft = null;
  desk.refusal = { what: `${first?.seat ?? first?.rank ?? seat}`, code: "unfinished", sentence: say("refused.unfinished"), stop: false, others: [] };
}

/** Enter does what the one main button says. */
function enter() {
  if (["take_back", "two"].includes(desk.question?.kind)) return DEEDS.yes();
  if (desk.question) return undefined;
  if (!desk.draft?.open && (desk.draft?.targets.length || desk.draft?.verb === "sealed")) return place();
  if (desk.draft && !desk.draft.byTouch) return unfinished();
  if (outbox.held()?.answer.code === "check_needed") return DEEDS.check();
  if (elsewhere() || controls()) return undefined;
  return { pay: DEEDS.confirm, pocket: DEEDS.pocket, idle: DEEDS.new_deal, closed: DEEDS.open, paused: DEEDS.resume }[now()]?.();
}

// A pointer's click leaves no focus behind on the console: the next Enter is the table's, not the button's.
document.addEventListener("pointerup", () => {
  const { activeElement } = document;
  if (activeElement?.tagName === "BUTTON") activeElement.blur();
});
window.addEventListener("storage", draw);

/** Keep this page and what it is made of for a reload without the server. */
async function keepPage() {
  if (!window.isSecureContext || !navigator.serviceWorker) return;
  const made = () => [location.href, new URL(words, location.href).href, ...performance.getEntriesByType("resource").map(({ name }) => name)];
  // A new version's worker takes the page over, and throws away what the one before kept.
  navigator.serviceWorker.addEventListener("controllerchange", () => navigator.serviceWorker.controller?.postMessage(made()));
  await navigator.serviceWorker.register(worker).catch(() => null);
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage(made());
}
window.addEventListener("online", () => void refresh());

await load(words, kept.get(KEYS.language) ?? document.documentElement.lang);
await recallPeople();
draw();
await refresh();
void keepPage();
// Two tablets of one table agree within a second, the way there and back and the drawing included.
setInterval(() => { if (!outbox.link.sending) void refresh(); }, 750);
