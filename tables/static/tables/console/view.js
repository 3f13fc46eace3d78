// Draws the console. Each part is redrawn only when what it shows has changed, so nothing moves under a finger and
// no key is lost between press and release. Reads the screen's facts, writes the page, decides nothing.

import { CLOTH, cardText, GRID_RANKS, GRID_SUITS, isRed, RANKS, rankText, SIGNS } from "../cards.js";
import { fill, h, pegs, seatChip, shows } from "../dom.js";
import * as money from "../money.js";
import { clock, count, say, spoken } from "../words.js";
import * as model from "./model.js";

const at = (id) => document.getElementById(id);
const suitNode = (suit, name = "b") => h(name, { class: isRed(suit) ? "red" : "black" }, SIGNS[suit]);
const cardNode = (card, name = "b") => h(name, { class: isRed(card[1]) ? "red" : "black" }, cardText(card));
const chip = (seat, options) => seatChip(seat, say("seat_n", { n: seat }), options);

// The list of what to pay is never pushed out of sight by what else there is to say.
const PROPOSED = 3;
const OTHERS = 6;
// Suit bets of the widest kind that have room in their line; what has none is summed and said, and stands with its seat.
const SUITS = 6;
const SUITS_BESIDE_KEYS = 4;

export function makeView() {
  let screen = null;
  const sum = (minor, options) => money.sum(minor, screen.state.table.digits, spoken(), options);
  /** A sum to take or to pay, marked while the server has not said it. */
  const saidSum = (minor, options) => (screen.provisional ? "≈ " : "") + sum(minor, options);

  function draw(next) {
    screen = next;
    drawTop();
    drawLink();
    const { state } = screen;
    document.body.classList.toggle("off", Boolean(screen.link.offlineSince));
    document.body.classList.toggle("controls", Boolean(state && screen.controls));
    if (!state) {
      for (const id of ["cloth", "suits", "turn", "grid", "bar"]) fill(at(id), "", () => []);
      drawAct();
      drawConf();
      return;
    }
    drawCloth();
    drawSuits();
    drawTurn();
    drawAct();
    drawConf();
    drawGrid();
    drawBar();
    noteButtons();
  }

  const places = { act: [], conf: [] }; // whose buttons come and go: {button, does, since}, in their order

  /** Note since when each place has had a button that does this. */
  function noteButtons() {
    const drawn = performance.now();
    for (const [id, before] of Object.entries(places)) {
      places[id] = [...at(id).querySelectorAll("[data-deed]")].map((button, place) => {
        const does = JSON.stringify(button.dataset);
        return { button, does, since: before[place]?.does === does ? before[place].since : drawn };
      });
    }
  }

  const standsSince = (button) => [...places.act, ...places.conf].find((place) => place.button === button)?.since ?? -Infinity;

  // --- the bar above -------------------------------------------------------------------------------------------

  function drawTop() {
    const { state, signon } = screen;
    if (state) {
      const { table, deal } = state;
      if (at("name").textContent !== table.name) at("name").textContent = table.name;
      const decks = table.game === "stos" ? say("n_decks", { n: table.rules.decks ?? 6 }) : say(`game.${table.game}`);
      const mark = JSON.stringify([spoken(), table, deal?.deal, deal?.turn, deal?.finished, deal?.undealt]);
      fill(at("facts"), mark, () => [
        h("span", {}, `${sum(table.min_minor)}–${sum(table.max_minor)}, ${decks}`),
        deal && h("span", {}, `${say("deal")} `, h("b", {}, deal.deal)),
        deal && h("span", {}, `${say("turn")} `, h("b", {}, turnText(state))),
        deal && h("span", {}, h("b", {}, String(model.undealtCount(deal))), ` ${say("undealt")}`),
      ]);
    }
    fill(at("dealer"), JSON.stringify([spoken(), signon]), () => signon
      ? [h("span", {}, `${signon.name} `), h("small", {}, clock(signon.since), signon.claimed && ` ${say("pin_open")}`)] : []);
    at("relief").hidden = !signon;
  }

  function turnText({ table, deal }) {
    const pocket = model.pocketAfter(table);
    return pocket && deal.turn >= 24 ? say("n_of_n", { n: deal.turn, all: 24 }) : String(deal.turn);
  }

  function drawLink() {
    const { link, queue, token } = screen;
    const off = Boolean(link.offlineSince);
    at("link").classList.toggle("off", off);
    at("link").hidden = !token;
    const waiting = queue.length;
    const words = off
      ? [h("span", {}, say("off_line", { at: clock(link.offlineSince, { seconds: true }) })), waiting > 0 && h("span", {}, say("n_waiting", { n: waiting }))]
      : waiting
        ? [h("i", { class: "ring" }), h("span", {}, say("sending"))]
        : [h("span", {}, `✓ ${say("saved")} `), link.savedAt && h("span", {}, clock(link.savedAt, { seconds: true }))];
    const skew = Math.abs(screen.clockOff) >= 30000 && !off && h("b", { class: "skew" }, say(screen.clockOff > 0 ? "clock_ahead" : "clock_behind", { by: span(Math.abs(screen.clockOff)) }));
    if (skew) words.push(skew);
    fill(at("link"), JSON.stringify([spoken(), skew && Math.round(screen.clockOff / 30000), off, off ? waiting : waiting > 0, link.offlineSince, !off && !waiting && link.savedAt]), () => words);
  }

  const span = (milliseconds) => {
    const minutes = Math.floor(milliseconds / 60000);
    if (minutes >= 60) return say("hours_minutes", { h: Math.floor(minutes / 60), m: minutes % 60 });
    return minutes ? say("n_minutes", { n: minutes }) : say("n_seconds", { n: Math.round(milliseconds / 1000) });
  };

  // --- the cloth -----------------------------------------------------------------------------------------------

  function drawCloth() {
    const { state, cloth: lying, draft, now } = screen;
    const { table, deal } = state;
    const keep = model.casekeep(table, deal);
    const touched = touchedRanks();
    const cloth = at("cloth");
    if (shows(cloth, JSON.stringify([spoken(), table, deal?.undealt, lying, [...touched.take], [...touched.pay], draft, screen.amount, screen.open, now]))) return;
    if (!cloth.childElementCount) {
      for (const rank of CLOTH) cloth.append(h("button", { type: "button", class: "rank", "data-rank": rank, "data-deed": "rank" }));
    }
    for (const cell of cloth.children) {
      const rank = cell.dataset.rank;
      const mine = keep[rank];
      const bets = model.onRank(lying, rank);
      const way = touched.take.has(rank) ? "take" : touched.pay.has(rank) ? "pay" : "";
      const aimed = aim(draft, rank);
      const dead = mine.full > 0 && mine.left === 0;
      cell.className = ["rank", rank === "7" ? "r7" : "", way, dead ? "dead" : "", mine.full ? "" : "absent", aimed ? "sel" : "",
        screen.open === rank ? "open" : ""].filter(Boolean).join(" ");
      cell.disabled = mine.full === 0;
      fill(cell, JSON.stringify([spoken(), mine, bets, way, aimed, screen.open === rank, table.min_minor, now]), () => [
        h("span", { class: "head" }, h("b", {}, rankText(rank)), way && h("i", {}, way === "take" ? "↓" : "↑"),
          dead ? h("small", {}, say("dead")) : mine.full === 0 ? h("small", {}, say("not_in_deck"))
            : h("span", {}, String(mine.left), h("small", {}, `/${mine.full}`))),
        mine.full ? beads(mine) : h("span", { class: "keep" }),
        h("span", { class: "bets" }, betLines(bets, aimed, rank)),
      ]);
    }
  }

  function beads({ suits, full }) {
    if (full <= 4) {
      return h("span", { class: "keep big" }, [...GRID_SUITS].map((suit) => suits[suit].left
        ? h("span", { class: isRed(suit) ? "red" : "black" }, SIGNS[suit]) : h("span", { class: "gone" }, "·")));
    }
    return h("span", { class: "keep" }, [...GRID_SUITS].map((suit) => h("span", { class: isRed(suit) ? "red" : "black" },
      pegs(suits[suit].left, suits[suit].full), `${SIGNS[suit]}${suits[suit].left}`)));
  }

  function betLines(bets, aimed, rank) {
    const room = rank === "7" ? 9 : 4;
    const lines = bets.map((bet) => h("span", { class: bet.waiting ? "bet wait" : "bet" }, chip(bet.seat, { corners: bet.corners }),
      h("span", {}, sum(bet.standing_minor)), bet.card && suitNode(bet.card[1], "i")));
    if (aimed) lines.push(h("span", { class: "bet ghost" }, chip(aimed.seat), h("span", {}, aimed.amount === null ? "…" : sum(aimed.amount)),
      aimed.suit && suitNode(aimed.suit, "i")));
    if (lines.length <= room || screen.open === rank) return lines;
    const kept = aimed ? [...lines.slice(0, room - 2), lines.at(-1)] : lines.slice(0, room - 1);
    const hidden = bets.slice(aimed ? room - 2 : room - 1);
    const rest = hidden.reduce((all, bet) => all + bet.standing_minor, 0);
    return [...kept, h("span", { class: "bet more" }, `+${hidden.length} · ${sum(rest)}`)];
  }

  function aim(draft, rank) {
    if (!draft?.seat || draft.verb !== "bet") return null;
    const target = draft.targets.find((each) => each.rank === rank);
    return target ? { seat: draft.seat, amount: screen.amount, suit: target.suit ?? null } : null;
  }

  /** The ranks that are being taken or paid now. */
  function touchedRanks() {
    const { now, takes, pays, state } = screen;
    const ranks = (rows) => new Set(rows.map((row) => row.what.rank ?? row.what.card?.[0]).filter(Boolean));
    if (now === "pocket") return { take: ranks(takes), pay: new Set() };
    if (now === "even") return { take: new Set([state.deal.odd[0]]), pay: new Set() };
    if (now === "pay") return { take: ranks(screen.lateTakes), pay: ranks(pays.filter((row) => !row.back)) };
    return { take: new Set(), pay: new Set() };
  }

  // --- suit bets, or what there is to say about the other games --------------------------------------------------

  function drawSuits() {
    const { state, standing, cloth: lying, draft, now, betting } = screen;
    const { kinds } = state;
    const bets = model.suitBets(lying);
    const sealed = model.sealedBets(standing);
    const touched = new Map([...(now === "even" ? screen.takes.map((row) => [row.bet, "take"]) : []),
      ...(now === "pay" ? screen.pays.map((row) => [row.bet, "pay"]) : [])]);
    const drafted = draft?.verb === "suit" && draft.targets.length ? draft : null;
    const canSuit = betting && draft?.seat && (kinds.suit || (kinds.card && draft.targets.some((target) => target.rank)));
    const canSeal = betting && draft?.seat && kinds.sealed;
    const most = (canSuit ? SUITS_BESIDE_KEYS : SUITS) - (drafted ? 1 : 0);
    const room = bets.length > most ? most - 1 : most;
    const mark = JSON.stringify([spoken(), bets, sealed, [...touched], drafted, screen.amount, canSuit, canSeal, now, kinds, state.deal, standing.length]);
    fill(at("suits"), mark, () => [
      kinds.suit && h("small", {}, say("suit_bets")),
      ...bets.slice(0, room).map((bet) => h("span", { class: ["bet", touched.get(bet.bet) ?? "", bet.dormant ? "sleep" : "", bet.waiting ? "wait" : ""].filter(Boolean).join(" ") },
        chip(bet.seat), suitNode(bet.suit, "i"), h("span", {}, sum(bet.standing_minor),
          bet.dormant ? h("small", {}, say("asleep")) : bet.standing_minor !== bet.amount_minor && h("small", {}, say("of_sum", { sum: sum(bet.amount_minor) }))))),
      bets.length > room && h("b", { class: "note" }, `+${bets.length - room} · ${sum(bets.slice(room).reduce((all, bet) => all + bet.standing_minor, 0))}`),
      ...sealed.map((bet) => h("span", { class: "bet closed" }, chip(bet.seat, { corners: bet.corners }), h("span", {}, sum(bet.standing_minor), h("small", {}, say("sealed"))))),
      drafted && h("span", { class: "bet ghost" }, chip(drafted.seat), suitNode(drafted.targets[0].suit, "i"), h("span", {}, screen.amount === null ? "…" : sum(screen.amount))),
      !kinds.suit && h("span", { class: "word" }, remark()),
      (canSuit || canSeal) && h("span", { class: "keys" },
        canSuit && [...GRID_SUITS].map((suit) => h("button", { type: "button", class: "btn", "data-deed": "suit", "data-suit": suit, "aria-label": `${say("suit_bet")} ${SIGNS[suit]}` }, "+", suitNode(suit, "i"))),
        canSeal && h("button", { type: "button", class: "btn", "data-deed": "sealed" }, `+ ${say("sealed")}`)),
    ]);
  }

  function remark() {
    const { state, now } = screen;
    const { table, deal } = state;
    if (!deal || deal.finished) return "";
    if (now === "pocket" || (deal.position >= 48 && model.pocketAfter(table))) return say("pocket_remark", { splits: deal.splits });
    if (deal.cut || (deal.position > 0 && (table.game === "private" || table.game === "pharaon"))) {
      return say("cut_remark", { bank: table.bank_minor === null ? say("bank_house") : sum(table.bank_minor) });
    }
    return clothLine();
  }

  // --- the turn and the ones before it ---------------------------------------------------------------------------

  function drawTurn() {
    const { state, now } = screen;
    const { deal } = state;
    const live = deal && (deal.turn_open || now === "pay" || now === "reveal" || now === "pocket" || deal.finished);
    const odd = live ? deal.odd : null;
    const even = live && !deal.turn_open ? deal.even : null;
    const before = (deal?.last_turns ?? []).filter((turn) => !(live && turn.turn === deal.turn && now !== "pocket")).slice(0, 3);
    const unsaved = (turn) => screen.provisional && turn.turn > (screen.savedTurn ?? 0);
    fill(at("turn"), JSON.stringify([spoken(), odd, even, before, before.map(unsaved), state.table.digits]), () => [
      slot(even, say("even"), "↑"), slot(odd, say("odd"), "↓"),
      h("table", { class: "last" }, h("caption", {}, say("last_turns")), h("tbody", {}, before.map((turn) => h("tr", {},
        h("td", {}, String(turn.turn)), h("td", {}, turn.even ? cardNode(turn.even) : "–"), h("td", {}, turn.odd ? cardNode(turn.odd) : "–"),
        h("td", {}, turn.split && h("small", {}, `${say("split")} `), unsaved(turn) && "≈ ", sum(turn.bank_minor, { signed: true })))))),
    ]);
  }

  const slot = (card, name, arrow) => h("div", { class: "slot" },
    h("div", { class: card ? `card ${isRed(card[1]) ? "red" : "black"}` : "card none" }, card ? cardText(card) : "…"), `${name} ${arrow}`);

  // --- what to do now --------------------------------------------------------------------------------------------

  function drawAct() {
    const { question, now, refusal } = screen;
    const way = question || !screen.signon ? "" : now === "even" || now === "pocket" ? "take" : now !== "pay" ? "" : screen.pays.length ? "pay" : "take";
    const rows = now === "pay" ? [...screen.pays, ...screen.lateTakes] : screen.takes;
    // What is said below the list takes the room of some rows of it.
    const lines = (rows?.length ?? 0) + (refusal || screen.held || screen.notice || screen.proposals.length ? 4 : 0);
    const lists = way && (lines >= 13 ? "many two" : lines >= 8 ? "many" : "");
    const done = !way && screen.pays?.length > 3 && "many";
    at("act").className = ["act", way, lists, done].filter(Boolean).join(" ");
    const mark = JSON.stringify([spoken(), screen.actMark, refusal, screen.aside, screen.offLineWork, screen.held, screen.notice, screen.proposals, screen.betting]);
    keepEntered(at("act"), () => fill(at("act"), mark, () => [unkeptLine(), ...body(), screen.notice && !question && h("p", { class: "note", role: "status" }, screen.notice), refusal && refusalLine(refusal), screen.aside && refusalLine(screen.aside), screen.held && heldLine(screen.held), ...proposed()]));
  }

  /** What is being typed outlives a redraw of the same form: the table does not wait until somebody has finished. */
  function keepEntered(place, redraw) {
    const before = place.querySelector("[data-form]");
    const entered = before ? [...before.elements].filter((each) => each.name && each.value && ["text", "password", "select-one"].includes(each.type)).map(({ name, value }) => [name, value]) : [];
    const focused = before?.contains(document.activeElement) ? document.activeElement.name : null;
    redraw();
    const after = place.querySelector("[data-form]");
    if (!before || !after || before === after || before.dataset.form !== after.dataset.form) return;
    for (const [name, value] of entered) {
      const field_ = after.elements[name];
      if (field_?.tagName === "INPUT" || [...(field_?.options ?? [])].some((option) => option.value === value)) field_.value = value;
    }
    if (focused) after.elements[focused]?.focus();
  }

  function body() {
    const { token, signon, question, state, now } = screen;
    if (!token) return tokenForm();
    if (screen.refusedToken) return [...tokenForm(), h("p", { class: "say stop" }, h("b", {}, say("token_refused")))];
    if (!state) return [h("h2", {}, h("b", {}, say("connecting")))];
    if (screen.claim) return screen.claim.check ? checkedForm(screen.claim) : claimForm(screen.claim);
    if (question?.kind === "relief" && screen.link.offlineSince && !question.pen) return reliefOffLine();
    if (question?.kind === "relief" || !signon) return signOnForm(Boolean(signon) || question?.kind === "relief");
    if (question) return QUESTIONS[question.kind](question);
    if (screen.controls && !["closed", "paused", "idle"].includes(now)) return controllerBody();
    const free = !screen.draft?.seat && ["odd", "last", "idle"].includes(now);
    if (screen.link.offlineSince && screen.queue.length && (free || !state.played)) return offLine();
    return PHASES[now]();
  }

  /** The bet controller's own list: every bet that stands, by seat; what a card takes and pays is the dealer's. */
  function controllerBody() {
    const { state, standing, draft } = screen;
    const { deal } = state;
    const mine = draft?.seat ? standing.filter((bet) => bet.seat === draft.seat) : standing;
    return [title(draft?.seat ? say("seat_title", { n: draft.seat }) : deal.turn_open ? say("turn_open_short") : say("place_bets"), draft?.seat ? seatNote(draft.seat) : clothLine()),
      ...betList(mine, draft?.seat), ...waitingList(), actions(["correction", "dispute"])];
  }

  /** Bets one a line; many of them close together in two columns, and what has no room is summed and said. */
  function betList(bets, seat) {
    const roomy = screen.refusal || screen.state.waiting.length ? 4 : 6;
    const close = bets.length > roomy;
    const most = !close ? roomy : seat ? 2 * roomy + 4 : 2 * roomy + 8;
    const rest = bets.slice(most);
    return [h("div", { class: ["all", close ? "close" : "", seat ? "of" : ""].filter(Boolean).join(" ") }, bets.slice(0, most).map(betRow)),
      rest.length > 0 && h("p", { class: "note" }, `+${rest.length} · ${sum(rest.reduce((all, bet) => all + bet.standing_minor, 0))}`)];
  }

  const title = (word, note) => h("h2", {}, h("b", {}, word), note && h("span", { class: "note" }, note));

  const PHASES = {
    closed: () => [title(say("table_closed")), h("p", { class: "note" }, say("table_closed_note")), ...waitingList()],
    paused: () => [title(say("table_paused")), actions(["close"]), ...waitingList()],
    idle: () => {
      const { deal } = screen.state;
      return [title(deal ? say("deal_over", { deal: deal.deal }) : say("no_deal")), deal && bankLine(say("last_result")), ...(deal ? doneRows() : []),
        ...waitingList(), actions([...(deal ? ["dispute", "correction"] : []), "pause", "close"])];
    },
    even: () => {
      const { takes, state } = screen;
      return [title(takes.length ? `↓ ${say("TAKE")}${takes.length >= 8 ? ` ${takes.length}` : ""}` : say("nothing_to_take"), say("card_loses", { card: cardText(state.deal.odd) })),
        ...list(takes), totals(say("others_unchanged"), say("take"), takes)];
    },
    pay: () => {
      const { pays, lateTakes, state } = screen;
      const { deal } = state;
      const won = pays.filter((row) => !row.back);
      const word = won.length ? `↑ ${say("PAY")}` : pays.length ? say("STAKES_BACK") : `↓ ${say("TAKE")}`;
      const main = won.length ? won : pays.length ? pays : lateTakes;
      return [title(`${word}${main.length >= 8 ? ` ${main.length}` : ""}`, deal.even && won.length ? say("card_wins", { card: cardText(deal.even) }) : null),
        ...list(pays), pays.length > 0 && lateTakes.length > 0 && h("h3", { class: "also" }, `↓ ${say("also_take")}`), ...list(lateTakes),
        totals(taken(deal) > 0 ? say("taken_in_turn", { sum: sum(taken(deal)) }) : say("nothing_taken"), say(won.length ? "pay" : pays.length ? "back" : "take"), main), bankLine(say("bank_this_turn"))];
    },
    reveal: () => {
      const { state, standing } = screen;
      const { deal } = state;
      const sealed = model.sealedBets(standing);
      const simple = state.table.game === "private" && deal.odd && deal.even; // P-5: all or nothing, one to one
      return [h("h2", { class: "info" }, h("b", {}, say("OPEN_CARD")), h("span", { class: "note" }, say("before_third"))),
        h("div", { class: "opening" }, h("div", { class: "card sealed" }, say("sealed")), h("div", {},
          sealed.map((bet) => h("button", { type: "button", class: `btn seat${screen.opening === bet.bet ? " on" : ""}`, "data-deed": "opening", "data-bet": bet.bet, "aria-pressed": String(screen.opening === bet.bet) },
            chip(bet.seat, { large: true }), h("span", {}, sum(bet.standing_minor)))),
          h("p", { class: "note" }, say("only_rank")))),
        h("p", { class: "note" }, say("open_note")),
        ...(simple ? [
          h("div", { class: "row plain" }, h("span", {}, say("opened_as", { rank: rankText(deal.odd[0]) }), " ", say("bank_takes")), h("b", {}, sum(sealed[0].standing_minor))),
          deal.even[0] !== deal.odd[0] && h("div", { class: "row plain" }, h("span", {}, say("opened_as", { rank: rankText(deal.even[0]) }), " ", say("bank_pays")), h("b", {}, sum(sealed[0].standing_minor))),
          h("div", { class: "row plain" }, h("span", {}, say("any_other")), h("b", {}, say("stands")))] : []), ...(state.kinds.paroli ? doneRows({ most: 2 }) : [])];
    },
    pocket: () => {
      const { takes, state } = screen;
      return [title(say("POCKET"), say("by_casekeep")),
        h("div", { class: "four" }, model.pocketCards(state.deal).map((card) => h("div", { class: `card ${isRed(card[1]) ? "red" : "black"}` }, cardText(card)))),
        h("p", { class: "say" }, `${say("turn_four")} `, h("b", {}, say("same_four"))), ...list(takes), totals(say("nothing_to_pay"), say("take"), takes)];
    },
    odd: () => between(["end", "cut", "bets_down", "differs", "dispute", "correction", "misdeal", "pause"]),
    last: () => between(["end", "differs", "dispute", "correction", "misdeal"]),
  };

  /** Off line: what waits here, in order. Where the rules are known here the game goes on. */
  function offLine() {
    const { queue, link, now, state } = screen;
    return [h("h2", { class: "off" }, h("b", {}, say("n_waiting", { n: queue.length })), h("span", { class: "note" }, say("kept_here"))),
      h("p", { class: "say" }, say(state.played ? "off_line_play" : "off_line_note", { n: queue.length })),
      h("ol", { class: "q" }, queue.slice(-9).map(({ event, device_seq: number, at: when, shown }) => h("li", {}, h("span", {}, String(number ?? "")), h("span", {}, deedText(event, shown)), clock(when, { seconds: true })))),
      link.savedAt && h("p", { class: "note" }, say("last_saved", { at: clock(link.savedAt, { seconds: true }) })),
      state.played && now !== "idle" && actions(offered(["end", "cut"]))];
  }

  function deedText(event, shown) {
    if (event.type === "bet") return [say("seat_n", { n: event.seat }), event.rank ? rankText(event.rank) : event.card ? cardText(event.card) : event.suit ? SIGNS[event.suit] : say("sealed"), sum(shown)].join(" · ");
    if (event.card) return cardText(event.card);
    return say(`deed.${event.type}`).replace("…", "");
  }

  /** Of these deeds those that this moment allows. */
  function offered(deeds) {
    const { state: { deal, kinds, table }, standing } = screen;
    const { bets_down: asked } = screen.state.desk.options ?? {};
    return deeds.filter((deed) => (deed !== "end" || !screen.elsewhere) && (!["differs", "dispute"].includes(deed) || deal.position > 1) && (deed !== "bets_down" || (asked && screen.betsOpen)) && (deed !== "cut" || (kinds.cut && !deal.cut && deal.position === 0)) && (deed !== "end" || table.game === "stos" || (table.game !== "stuss" && deal.position > 0 && !standing.length)));
  }

  function between(deeds) {
    const { state, draft, standing } = screen;
    const { deal } = state;
    const seat = draft?.seat;
    const kept = offered(deeds);
    const head = seat ? title(say("seat_title", { n: seat }), seatNote(seat)) : title(deal.position ? say("turn_done", { turn: deal.turn }) : say("place_bets"), null);
    const rows = seat
      ? [...betList(standing.filter((bet) => bet.seat === seat), seat), ...doneRows({ rows: screen.pays.filter((row) => row.seat === seat && (bendable(row) || rideable(row))), most: 2 })]
      : doneRows();
    return [head, !seat && deal.position > 0 && bankLine(say("bank_this_turn")), ...rows, !seat && state.kinds.suit && h("p", { class: "note" }, clothLine()), ...waitingList(), actions(kept)];
  }

  function clothLine() {
    const { standing } = screen;
    const all = standing.reduce((sumSoFar, bet) => sumSoFar + bet.standing_minor, 0);
    return `${count("bets_of_seats", standing.length).replace("{seats}", String(new Set(standing.map((bet) => bet.seat)).size))} ${say("on_cloth", { sum: sum(all) })}`;
  }

  function seatNote(seat) {
    const { standing } = screen;
    const mine = standing.filter((bet) => bet.seat === seat);
    return say("on_cloth", { sum: sum(mine.reduce((all, bet) => all + bet.standing_minor, 0)) });
  }

  /**
   * What was paid in the turn before, still in sight, with paroli where the rules offer it; what has no room is summed and
   * said, and stands with its buttons where its seat is looked at.
   */
  function doneRows({ rows = screen.pays, most = screen.state.kinds.suit ? 3 : 4 } = {}) {
    const { state: { waiting }, refusal, aside, held, notice, proposals } = screen;
    const told = [...waiting, refusal, aside, held, notice, ...proposals.slice(0, PROPOSED)].filter(Boolean).length;
    const room = Math.max(1, most - 2 * told);
    const rest = rows.slice(room);
    return [...rows.slice(0, room).map(doneRow),
      rest.length > 0 && h("p", { class: "note" }, `+${rest.length} · ${sum(rest.reduce((all, row) => all + row.amount, 0))}`)];
  }

  function doneRow(row) {
    return h("div", { class: "row done" }, chip(row.seat, { large: true }), whatNode(row.what),
      h("div", { class: "how" }, row.back ? row.how.map(words).join("; ") : say("paid_back")),
      h("div", { class: "sum" }, sum(row.amount)),
      bendable(row) && h("button", { type: "button", class: "btn", "data-deed": "paroli", "data-bet": row.bet, "data-seat": row.seat }, say("paroli")),
      rideable(row) && h("button", { type: "button", class: "btn", "data-deed": "ride", "data-bet": row.bet }, say("ride")));
  }

  function bendable(row) {
    const { state, standing, queue } = screen;
    return state.kinds.paroli && row.won && !state.deal.finished && ![...standing, ...queue.map(({ event }) => event)].some(({ of }) => of === row.bet);
  }

  /** A won stake may stay with its winnings where the game has no paroli, the rank lives and no bet of the seat is on it. */
  function rideable(row) {
    const { state, standing, betting } = screen;
    const { rank } = row.what;
    return betting && row.won && rank && row.kind === "rank" && !state.kinds.paroli && model.casekeep(state.table, state.deal)[rank].left > 0
      && !standing.some((bet) => bet.seat === row.seat && bet.rank === rank && bet.kind !== "suit");
  }

  function betRow(bet) {
    const { state, now } = screen;
    const { table, deal } = state;
    const open = now === "odd" && !bet.waiting;
    const early = table.game === "private" || table.game === "pharaon";
    const withdrawable = open && (table.game === "stuss" || (table.game === "stos" ? bet.kind === "suit" && bet.dormant : !deal.cut && deal.position === 0));
    const refusable = open && early && deal.position === 0;
    const movable = withdrawable && bet.kind === "rank" && !bet.sealed && state.kinds.rank && screen.question?.kind !== "move";
    return h("div", { class: "row bet" }, chip(bet.seat, { large: true, corners: bet.corners }),
      h("div", {}, whatNode(bet.sealed ? { sealed: true } : bet.kind === "suit" ? { suit: bet.suit } : { rank: bet.rank, card: bet.card }), h("div", { class: "sum" }, sum(bet.standing_minor))),
      h("span", { class: "keys" },
        withdrawable && h("button", { type: "button", class: "btn", "data-deed": "withdraw", "data-bet": bet.bet }, say("withdraw")),
        movable && h("button", { type: "button", class: "btn", "data-deed": "move", "data-bet": bet.bet }, say("move")),
        refusable && h("button", { type: "button", class: "btn", "data-deed": "refuse", "data-bet": bet.bet }, say("refuse_stake"))));
  }

  const taken = (deal) => deal.settlements.reduce((all, row) => all + row.taken_minor, 0);

  function whatNode(what) {
    if (what.suit) return h("div", { class: "what" }, suitNode(what.suit));
    if (what.card) return h("div", { class: "what" }, cardNode(what.card));
    return h("div", { class: "what" }, what.rank ? rankText(what.rank) : say("sealed"));
  }

  const words = ({ key, of }) => say(key, { sum: of === undefined ? "" : sum(of) });

  function list(rows) {
    let seat = null;
    return rows.map((row) => {
      const first = row.seat !== seat;
      seat = row.seat;
      const how = Array.isArray(row.how) ? row.how.map(words).join("; ") : words(row.how);
      const stack = Array.isArray(row.how) ? money.stack(row.amount, screen.set) : null;
      return h("div", { class: first ? "row" : "row same" }, first ? chip(row.seat, { large: true }) : h("span", { class: "unseen" }, say("seat_n", { n: row.seat })), whatNode(row.what),
        h("div", { class: "how" }, stack && h("span", { class: "stack" }, plaques(stack)), stack && how && h("br"), how && h("span", {}, how),
          row.stays && [h("br"), h("b", {}, words(row.stays))], row.corrected && [" ", h("small", {}, say("corrected"))]),
        h("div", { class: "sum" }, saidSum(row.amount)));
    });
  }

  function plaques({ pieces, rest }) {
    return [...pieces.map(({ count: times, value }) => h("span", { class: "pl" }, `${times} ×`, h("i", {}, sum(value)))),
      rest > 0 && h("span", { class: "pl" }, say("and_rest", { sum: sum(rest) }))];
  }

  function totals(note, word, rows) {
    return h("div", { class: "total" }, h("span", { class: "note" }, note), rows.length > 0 && h("span", {}, `${word} `, h("b", { class: "sum" }, saidSum(model.total(rows)))));
  }

  const bankLine = (word) => h("p", { class: "note bank" }, `${word} `, h("b", {}, saidSum(model.bankResult(screen.state.deal), { signed: true })));

  function actions(deeds) {
    return h("div", { class: "deeds" }, deeds.map((deed) => h("button", { type: "button", class: "btn", "data-deed": deed }, say(`deed.${deed}`))));
  }

  /** What others sent while this console was silent: the dealer enters it between two turns, or declines it. */
  function proposed() {
    const { proposals, betting, question } = screen;
    if (question || !screen.signon || !proposals.length) return [];
    if (!betting) return [h("p", { class: "note" }, say("proposals_wait", { n: proposals.length }))];
    const button = (deed, word, id) => h("button", { type: "button", class: "btn", "data-deed": deed, "data-id": id }, say(word));
    const lines = proposals.slice(0, PROPOSED).map(({ id, event, author, author_name: name, proposed_at: at_ }) => h("div", { class: "say proposed" },
      h("span", {}, h("b", {}, say("proposed")), ` ${proposalText(event)} `, h("small", {}, `${name || author} ${clock(at_)}`)),
      button("decline_proposal", "decline", id), button("enter_proposal", "enter_proposal", id)));
    return proposals.length > PROPOSED ? [...lines, h("p", { class: "note" }, say("proposals_more", { n: proposals.length - PROPOSED }))] : lines;
  }

  function proposalText(event) {
    if (event.type === "bet") return deedText(event, event.amount ? money.read(event.amount, screen.state.table.digits) : screen.state.table.min_minor);
    const bet = screen.state.deal.known_bets.find((each) => each.bet === (event.of ?? event.bet));
    return [say(`deed.${event.type}`), bet && say("seat_n", { n: bet.seat }), bet && (bet.kind === "suit" ? SIGNS[bet.suit] : bet.rank ? rankText(bet.rank) : say("sealed"))].filter(Boolean).join(" · ");
  }

  function waitingList() {
    const { waiting } = screen.state;
    return waiting.map((each) => h("div", { class: "say" }, h("b", {}, say("waits_inspector")), ` ${describe(each.event)} `, h("small", {}, `${each.author_name || each.author} ${clock(each.asked_at)}`),
      h("button", { type: "button", class: "btn", "data-deed": "approve", "data-id": each.id }, say("approve_here"))));
  }

  /** A correction in one line. */
  function describe(event) {
    if (event.cards) return Object.entries(event.cards).map(([position, card]) => say(card ? "correct_card_line" : "take_back_line", { position, card: card ? cardText(card) : "" })).join("; ");
    if (event.made === false) return say("correct_unmade_line", { bet: event.bet });
    const parts = [event.seat && say("seat_n", { n: event.seat }), event.rank && rankText(event.rank), event.card && cardText(event.card), event.suit && SIGNS[event.suit], event.amount].filter(Boolean);
    return `${say(event.made ? "correct_made_line" : "correct_bet_line", { bet: event.bet })} ${parts.join(" · ")}`;
  }

  // --- questions, opened where they were asked --------------------------------------------------------------------

  const field = (label, input) => h("label", {}, label, input);

  const tokenForm = () => [title(say("token_title")), h("p", { class: "note" }, say("token_note")),
    h("form", { class: "form", "data-form": "token" }, field(say("token_label"), h("input", { name: "token", autocomplete: "off", spellcheck: "false", required: true })),
      h("button", { class: "btn" }, say("token_keep")))];

  function pinPad(name) {
    return h("div", { class: "pad", role: "group", "aria-label": say("pin") }, [..."1234567890"].map((digit) => h("button", { type: "button", class: "btn", "data-deed": "pin", "data-digit": digit }, digit)),
      h("button", { type: "button", class: "btn", "data-deed": "pin", "data-digit": "back", "aria-label": say("last_digit") }, "⌫"), name);
  }

  function staffField(list_) {
    // Who may be both is named twice: the bets alone are a post of their own.
    const posts = list_.flatMap(({ staff, name, roles }) => [{ value: staff, label: `${name} · ${staff}${roles[0] === "bet_controller" ? ` · ${say("bet_controller")}` : ""}` },
      ...(roles[0] !== "bet_controller" && roles.includes("bet_controller") ? [{ value: `${staff}|bet_controller`, label: `${name} · ${staff} · ${say("bet_controller")}` }] : [])]);
    return posts.length
      ? field(say("who"), h("select", { name: "staff", required: true }, h("option", { value: "" }, "…"), posts.map(({ value, label }) => h("option", { value }, label))))
      : field(say("staff_number"), h("input", { name: "staff", autocomplete: "off", required: true }));
  }

  const pinField = () => field(say("pin_label"), h("input", { name: "pin", type: "password", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: "6", autocomplete: "off", required: true }));

  /** Off line: a name is enough for now. */
  const reliefOffLine = () => [title(say("relief")), h("p", { class: "note" }, say("claim_note")),
    h("form", { class: "form", "data-form": "claim" }, staffField(screen.staff.filter(({ roles }) => roles[0] === "dealer").map((each) => ({ ...each, roles: ["dealer"] }))),
      h("div", { class: "deeds" }, h("button", { class: "btn" }, say("take_over")), h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))];

  /** An inspector's check off line; another inspector may sign where the first has gone. */
  const checkedForm = ({ name, at: when, staff }) => [title(say("claim_title", { name })), h("p", { class: "say" }, say("check_pin_note", { name, at: clock(when) })),
    h("form", { class: "form", "data-form": "checked" }, field(say("staff_number"), h("input", { name: "staff", value: staff, autocomplete: "off", required: true })), pinField(), pinPad(),
      h("div", { class: "deeds" }, h("button", { class: "btn" }, say("check_do"))))];

  const claimForm = ({ name, at: when }) => [title(say("claim_title", { name })), h("p", { class: "say" }, say("claim_pin_note", { name, at: clock(when) })),
    h("form", { class: "form", "data-form": "claimed" }, pinField(), pinPad(), h("div", { class: "deeds" }, h("button", { class: "btn" }, say("sign_on"))))];

  function signOnForm(relief) {
    const pen = screen.question?.pen;
    return [title(say(pen ? "take_pen" : relief ? "relief" : "sign_on")), h("p", { class: "note" }, say(pen ? "take_pen_note" : relief ? "relief_note" : "sign_on_note")),
      h("form", { class: "form", "data-form": "signon" }, staffField(screen.staff), pinField(), pinPad(),
        h("div", { class: "deeds" }, h("button", { class: "btn" }, say(pen ? "take_pen" : relief ? "take_over" : "sign_on")),
          screen.signon && !pen && h("button", { type: "button", class: "btn", "data-deed": "sign_off" }, say("sign_off")),
          relief && h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))];
  }

  const QUESTIONS = {
    check: () => [title(say("check_title")), h("p", { class: "say" }, say("check_note", { sum: sum(screen.check ?? 0), limit: sum(screen.state.desk.options?.check_minor ?? 0) })),
      screen.link.offlineSince && h("p", { class: "note" }, say("check_claim_note")),
      h("form", { class: "form", "data-form": screen.link.offlineSince ? "check_claim" : "check" }, field(say("staff_number"), h("input", { name: "staff", autocomplete: "off", required: true })), !screen.link.offlineSince && [pinField(), pinPad()],
        h("div", { class: "deeds" }, h("button", { class: "btn" }, say("check_do")), h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))],
    differs: () => [title(say("differs_title")), h("p", { class: "note" }, say("differs_note")),
      h("form", { class: "form two", "data-form": "differs" }, h("label", { class: "wide" }, say("correction_bet"), h("select", { name: "row", required: true }, model.moved(screen.state.deal).map((row, place) => h("option", { value: place },
        [say("seat_n", { n: row.seat }), row.what.suit ? SIGNS[row.what.suit] : row.what.card ? cardText(row.what.card) : row.what.rank ? rankText(row.what.rank) : say("sealed"), say(row.way), sum(row.amount)].join(" · "))))),
        field(say("differs_done"), h("input", { name: "done", inputmode: "decimal", required: true, autocomplete: "off" })),
        field(say("differs_recovered"), h("select", { name: "recovered" }, h("option", { value: "0" }, say("no")), h("option", { value: "1" }, say("yes")))),
        h("div", { class: "deeds wide" }, h("button", { class: "btn" }, say("differs_do")), h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))],
    move: ({ bet }) => {
      const moved = screen.standing.find((each) => each.bet === bet);
      return [title(say("move")), moved && betRow(moved), h("p", { class: "say" }, say("move_note")), actions(["never_mind"])];
    },
    approve: ({ id }) => [title(say("approval")), h("p", {}, describe(screen.state.waiting.find((each) => each.id === id)?.event ?? {})),
      h("form", { class: "form", "data-form": "approve" }, staffField([]), pinField(), pinPad(), h("input", { type: "hidden", name: "id", value: id }),
        h("div", { class: "deeds" }, h("button", { class: "btn", name: "decision", value: "approve" }, say("approve")), h("button", { class: "btn", name: "decision", value: "refuse" }, say("refuse")),
          h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))],
    misdeal: () => [title(say("misdeal")), h("p", { class: "note" }, say("misdeal_note")),
      h("form", { class: "form", "data-form": "misdeal" }, field(say("reason"), h("input", { name: "reason", required: true, maxlength: "200", autocomplete: "off" })),
        h("div", { class: "deeds" }, h("button", { class: "btn" }, say("misdeal_do")), h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind"))))],
    take_back: () => [title(say("take_back_q", { card: cardText(screen.state.deal.odd) })), h("p", { class: "note" }, say("take_back_note"))],
    change: () => [title(say("change_q", { card: cardText(screen.state.deal.odd) })), h("p", { class: "note" }, say("change_note"))],
    two: ({ card }) => [title(say("two_of", { card: cardText(card) })), h("p", { class: "note" }, say("two_note"))],
    map: () => [title(say("keys_title")), h("dl", { class: "map" }, ["card", "bet", "amount", "more", "suit", "withdraw", "sealed", "confirm", "back", "named"].flatMap((each) =>
      [h("dt", {}, say(`keys.${each}.k`)), h("dd", {}, say(`keys.${each}.d`))])), h("div", { class: "deeds" }, h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("close_map")))],
    correction: (question) => correctionForm(question),
  };

  function correctionForm(question) {
    const { state } = screen;
    const { deal } = state;
    const { bets, cards } = screen.record ?? { bets: deal.known_bets, cards: [...deal.cards].reverse() };
    const placed = (bet) => (bet.after === undefined ? null : say(bet.after ? "after_card" : "before_first_card", { n: bet.after }));
    const choose = h("div", { class: "keys tabs", role: "group", "aria-label": say("correction_what") }, ["card", "bet", "unmade", "made"].map((what) =>
      h("button", { type: "button", class: `btn${question.what === what ? " on" : ""}`, "aria-pressed": String(question.what === what), "data-deed": "correction_what", "data-what": what }, say(`correction.${what}`))));
    const betChoice = () => h("label", { class: "wide" }, say("correction_bet"), h("select", { name: "bet", required: true }, bets.map((bet) => h("option", { value: bet.bet },
      [say("seat_n", { n: bet.seat }), bet.kind === "suit" ? SIGNS[bet.suit] : bet.card ? cardText(bet.card) : bet.rank ? rankText(bet.rank) : say("sealed"), sum(bet.amount_minor), placed(bet)].filter(Boolean).join(" · ")))));
    const seatInput = (required) => field(say("seat"), h("input", { name: "seat", inputmode: "numeric", pattern: "[0-9]{1,2}", required, autocomplete: "off" }));
    const amountInput = (required) => field(say("amount"), h("input", { name: "amount", inputmode: "decimal", required, autocomplete: "off" }));
    const one = (value, label) => h("option", { value }, label);
    const onInput = (required) => field(say("on_what"), h("select", { name: "on", required }, one("", "–"), [...GRID_RANKS].map((rank) => one(`rank ${rank}`, rankText(rank))),
      state.kinds.suit && [...GRID_SUITS].map((suit) => one(`suit ${suit}`, SIGNS[suit])),
      state.kinds.card && [...GRID_SUITS].flatMap((suit) => [...GRID_RANKS].map((rank) => one(`card ${rank}${suit}`, cardText(rank + suit))))));
    const parts = {
      card: () => [field(say("position"), h("select", { name: "position" }, cards.map((each) => h("option", { value: each.position }, `${each.position}: ${cardText(each.card)}`)))),
        field(say("right_card"), h("select", { name: "card", required: true }, [...GRID_SUITS].flatMap((suit) => [...GRID_RANKS].map((rank) => h("option", { value: rank + suit }, cardText(rank + suit))))))],
      bet: () => [betChoice(), seatInput(false), onInput(false), amountInput(false)],
      unmade: () => [betChoice()],
      made: () => [seatInput(true), onInput(!state.kinds.sealed), amountInput(true), field(say("after_position"), h("input", { name: "after", inputmode: "numeric", required: true, value: String(deal.position - (deal.position % 2)), autocomplete: "off" }))],
    };
    return [title(say("correction_title")), choose, h("form", { class: "form two", "data-form": "correction" }, parts[question.what](),
      h("label", { class: "wide" }, say("reason"), h("input", { name: "reason", required: true, maxlength: "200", autocomplete: "off" })),
      h("div", { class: "deeds wide" }, h("button", { class: "btn" }, say("ask_correction")), h("button", { type: "button", class: "btn", "data-deed": "never_mind" }, say("never_mind")))),
      h("p", { class: "note" }, say("correction_note"))];
  }

  function refusalLine({ what, sentence, code, stop, others, differs, more, offer }) {
    if (differs) {
      return h("p", { class: "say stop", role: "alert" }, h("b", {}, say("differs", { what })), " ", say("differs_shown", differs.shown), " ", say("differs_counted", differs.counted), " ",
        h("small", {}, code), more > 0 && ` ${say("differs_more", { n: more })}`);
    }
    return h("p", { class: stop ? "say stop" : "say", role: "alert" }, h("b", {}, say(code === "pen_silent" ? "proposal" : "not_recorded", { what })), ` ${sentence} `, h("small", {}, code), offer && [" ", h("button", { type: "button", class: "btn", "data-deed": offer }, say(offer === "made" ? "ask_correction" : "send_again"))],
      others.length > 0 && [" ", h("b", {}, say("not_recorded_either", { what: others.length > OTHERS ? `${others.slice(0, OTHERS).join(", ")}, +${others.length - OTHERS}` : others.join(", ") }))]);
  }

  /** A card that waits for somebody's word, with what may be said. */
  function heldLine({ code, what, bets }) {
    const seat = (bet) => [say("seat_n", { n: bet.seat }), bet.kind === "suit" ? SIGNS[bet.suit] : bet.rank ? rankText(bet.rank) : say("sealed"), sum(bet.standing_minor)].join(" · ");
    const button = (deed, word) => h("button", { type: "button", class: "btn", "data-deed": deed }, say(word));
    const deeds = { bet_unseen: [button("accept", "accept"), button("strike", "strike")], check_needed: [button("check", "check_do")], not_confirmed: [button("confirm_late", "confirm")], bets_open: [] }[code];
    return h("div", { class: "say stop", role: "alert" }, h("b", {}, say("held", { what })), ` ${say(`refused.${code}`)} `, bets.map(seat).join("; "), " ", h("small", {}, code), h("div", { class: "deeds" }, deeds));
  }

  /** What this browser cannot promise, said before anybody relies on it. */
  function unkeptLine() {
    const { link, offLineWork, signon } = screen;
    if (offLineWork || !signon) return null;
    return h("p", { class: "say stop", role: "alert" }, h("b", {}, say("off_line_off")), " ", say(link.lacks ?? "no_https"));
  }

  // --- the one thing to press --------------------------------------------------------------------------------------

  function drawConf() {
    const { now, question, draft, refusal, state, signon, amount } = screen;
    const main = (deed, word, kind) => h("button", { type: "button", class: `btn ${kind}`, "data-deed": deed }, word, h("kbd", {}, "Enter"));
    const plain = (deed, word) => h("button", { type: "button", class: "btn", "data-deed": deed }, word);
    const ask = (word, note, own, more = "") => h("p", { class: ["ask", own ? "own" : "", more].filter(Boolean).join(" ") }, h("b", {}, word), note);
    let parts = [];
    if (!state || !signon || screen.claim || question?.kind === "relief" || question?.kind === "approve" || question?.kind === "misdeal" || ["correction", "map", "check", "differs", "move"].includes(question?.kind)) parts = [];
    else if (question?.kind === "take_back") parts = [main("yes", say("take_back_do", { card: cardText(state.deal.odd) }), "go take"), plain("never_mind", say("never_mind"))];
    else if (question?.kind === "two") parts = [main("yes", say("two_yes"), "go"), plain("never_mind", say("two_no"))];
    else if (question?.kind === "change") parts = [ask(say("right_card"), say("tap_or_keys"), true), plain("never_mind", say("never_mind"))];
    else if (refusal && (refusal.stop || !draft) && now !== "pay" && now !== "pocket") parts = [ask(say(refusal.differs ? "check_needed" : refusal.code === "pen_silent" ? "proposal_short" : "not_recorded_short"), refusal.what, false), plain("clear_refusal", say(refusal.differs ? "seen" : "clear"))];
    else if (draft && (draft.first || draft.targets.length || draft.verb === "sealed" || draft.verb === "suit") && (now === "odd" || now === "reveal")) {
      const words_ = draftWords(draft, amount);
      parts = [model.draftReady(draft, amount, state.kinds) ? main("place", words_, "echo") : ask(words_, say("go_on"), true), plain("clear", say("clear"))];
    } else if (draft?.first || draft?.open) parts = [ask(draftWords(draft, amount), say("go_on"), true), plain("clear", say("clear"))];
    else if (screen.held) parts = [ask(say("held", { what: screen.held.what }), say("held_note"), false)];
    else if (screen.controls && !["closed", "paused", "idle"].includes(now)) {
      parts = now === "odd" && screen.betting ? screen.state.desk.down ? [ask(say("bets_are_down"), say("bets_down_note"), true)]
        : [h("button", { type: "button", class: "btn go", "data-deed": "bets_down" }, say("deed.bets_down"), h("kbd", {}, "F2"))] : [ask(say("bets_closed"), say("dealer_deals"), false)];
    } else if (screen.elsewhere) parts = [ask(say("pen_at", { device: screen.elsewhere }), say("pen_note"), false, "names"), !screen.controls && plain("take_pen", say("take_pen"))].filter(Boolean);
    else if (now === "pay") parts = [main("confirm", screen.check === null ? say("confirm") : say("check_do"), screen.pays.length ? "go" : "go take")];
    else if (now === "pocket") parts = [main("pocket", say("same_taken"), "go take"), plain("correction", say("card_differs"))];
    else if (now === "closed") parts = [main("open", say("deed.open"), "go")];
    else if (now === "paused") parts = [main("resume", say("deed.resume"), "go")];
    else if (now === "idle") parts = [main("new_deal", say("new_deal"), "go")];
    else if (now === "even") parts = [ask(say("even_next"), say("even_note"), false)];
    else if (now === "odd" && screen.betsOpen) parts = [ask(say("bets_open"), say("bets_open_note"), false)];
    else if (now === "odd") parts = [ask(say("odd_next"), say("tap_or_keys"), true)];
    else if (now === "reveal") parts = [ask(say("punters_card"), say("tap_or_keys"), true)];
    else if (now === "last") parts = [ask(say("no_card_left"), say("end_note"), true)];
    const mark = JSON.stringify([spoken(), screen.claim, screen.held?.what, now, question, draft, refusal, amount, signon, state?.deal?.odd, screen.pays?.length, screen.elsewhere, state?.desk, screen.check, screen.betsOpen, screen.betting]);
    fill(at("conf"), mark, () => parts);
  }

  function draftWords(draft, amount) {
    const seat = draft.first ? draft.first.seat : draft.seat;
    const targets = draft.verb === "sealed" ? [say("sealed")] : draft.targets.map((target) => (target.rank ? rankText(target.rank) : "") + (target.suit ? SIGNS[target.suit] : ""));
    if (draft.first && !seat) return `${rankText(draft.first.rank)} …`;
    if (draft.first) return draft.first.rank ? `${rankText(draft.first.rank)} …` : `${seat} · …`;
    const verb = { withdraw: say("withdraw"), paroli: say("paroli") }[draft.verb] ?? say("place");
    const size = draft.verb === "withdraw" || draft.verb === "paroli" ? null : amount === null ? draft.typed : sum(amount);
    return [`${verb} ${seat}`, targets.join(" ") + (draft.open ? " …" : "") || "…", size].filter(Boolean).join(" · ");
  }

  // --- the cards ----------------------------------------------------------------------------------------------------

  function drawGrid() {
    const { state, now, question } = screen;
    const { table, deal } = state;
    const own = now === "reveal" && !question;
    const right = question?.kind === "change";
    const pocket = now === "pocket";
    const entry = (!question && !screen.refusal?.stop && (now === "odd" || now === "even")) || right;
    const shut = screen.elsewhere || screen.controls || screen.held || (now === "odd" && screen.betsOpen);
    const grid = at("grid");
    const locked = !(entry || own) || !screen.signon || screen.busy || shut;
    if (shows(grid, JSON.stringify([spoken(), own, pocket, right, locked, now, table, deal?.odd, deal?.even, deal?.turn_open, deal?.undealt]))) return;
    grid.className = ["grid", own ? "own" : "", locked && !pocket ? "lock" : ""].filter(Boolean).join(" ");
    if (!grid.childElementCount) {
      grid.append(h("p", {}));
      for (const suit of GRID_SUITS) for (const rank of GRID_RANKS) grid.append(h("button", { type: "button", class: "c", "data-deed": "card", "data-card": rank + suit }));
    }
    const [head, ...keys] = grid.children;
    const words_ = own ? [say("punters_card_deck", { n: table.rules.deck ?? 52 }), say("any_card")]
      : [pocket ? say("undealt_pocket") : right ? say("right_card") : now === "even" ? say("even_card") : now === "pay" ? say("after_confirming") : say("card"),
        deal ? say("n_undealt", { n: model.undealtCount(deal) }) : ""];
    fill(head, JSON.stringify(words_), () => [h("b", {}, words_[0]), h("span", {}, words_[1])]);
    const full = model.casekeep(table, null);
    const several = table.game === "stos";
    for (const key of keys) {
      const card = key.dataset.card;
      const most = full[card[0]].suits[card[1]].full;
      const left = own ? most : deal ? deal.undealt[RANKS.indexOf(card[0]) * 4 + "CDHS".indexOf(card[1])] : most;
      const lies = deal && (deal.turn_open || now === "pay" || now === "reveal") && !own;
      const mark = lies && card === deal.odd ? "odd" : lies && !deal.turn_open && card === deal.even ? "even" : "";
      key.className = ["c", isRed(card[1]) ? "red" : "black", left ? "" : "z", mark, pocket && left ? "pk" : ""].filter(Boolean).join(" ");
      // Nothing left: not a possible card, unless a recorded one is being changed, which the door judges.
      key.disabled = locked || (left === 0 && !right);
      fill(key, JSON.stringify([spoken(), left, several, own]), () => [h("b", {}, card[0] === "T" ? h("u", {}, "10") : card[0], SIGNS[card[1]]), several && !own && h("span", {}, String(left))]);
    }
  }

  // --- bets below ------------------------------------------------------------------------------------------------------

  function drawBar() {
    const { state, now, betting, draft, signon, question } = screen;
    const { table, deal } = state;
    const bar = at("bar");
    const open = betting && signon && !question;
    bar.className = open ? "bar" : "bar shut";
    document.getElementById("console").classList.toggle("short", !open);
    if (!open) {
      const reasons = { even: "closed_turn", pay: "closed_turn", reveal: "closed_cut", pocket: "closed_pocket", odd: "closed_cut", last: "closed_last" };
      const shut = deal && !deal.finished && signon;
      const deeds = !shut || question ? [] : now === "even" ? screen.elsewhere || screen.controls ? ["dispute"] : ["change", "take_back", "dispute", "misdeal"] : now === "odd" || now === "last" ? [] : [...(now === "pay" ? ["differs"] : []), "dispute", "correction", "misdeal"];
      const names = { change: deal?.odd && say("change_card", { card: cardText(deal.odd) }), take_back: deal?.odd && say("take_back_do", { card: cardText(deal.odd) }) };
      fill(bar, JSON.stringify([spoken(), now, deeds, deal?.odd, Boolean(shut), Boolean(question)]), () => [
        h("span", { class: "st" }, shut && !question && reasons[now] ? say(reasons[now]) : ""),
        h("span", { class: "keys" }, deeds.map((deed) => h("button", { type: "button", class: "btn", "data-deed": deed }, names[deed] ?? say(`deed.${deed}`)))),
      ]);
      return;
    }
    const seats = model.SOLO.has(table.game) ? 1 : Math.min(table.seats, 10);
    fill(bar, JSON.stringify([spoken(), "open", seats, draft?.seat, screen.set]), () => [
      h("div", { class: "keys seats" }, Array.from({ length: seats }, (_, index) => h("button", { type: "button", class: `btn${draft?.seat === index + 1 ? " on" : ""}`, "aria-pressed": String(draft?.seat === index + 1), "data-deed": "seat", "data-seat": index + 1 },
        chip(index + 1, { large: true })))),
      h("div", { class: "keys chips" }, screen.set.map((value, index) => h("button", { type: "button", class: "btn", "data-deed": "chip", "data-chip": index, disabled: !draft?.seat }, h("span", { class: "pl" }, h("i", {}, sum(value)))))),
    ]);
  }

  return { draw, standsSince };
}
