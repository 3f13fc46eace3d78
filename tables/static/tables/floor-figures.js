// What the floor and its tables' pages share: asking the API, and writing its figures and events for a person.

import { cardText, rankText, SIGNS } from "./cards.js";
import * as money from "./money.js";
import { say, spoken } from "./words.js";

const PATIENCE_MS = 8000;

/** Ask the API; who is logged out is sent to log in again. Throws what it refuses with: status, code, facts. */
export async function fetchJson(url, options = {}) {
  const controller = new AbortController();
  const patience = setTimeout(() => controller.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(url, { cache: "no-store", signal: controller.signal, ...options });
    if (answer.redirected || answer.status === 401) location.assign(`/login/?next=${encodeURIComponent(location.pathname)}`);
    const body = answer.status === 204 ? null : await answer.json();
    if (!answer.ok) throw Object.assign(new Error(body?.message ?? body?.detail ?? ""), { status: answer.status, code: body?.code ?? "", facts: body?.facts ?? {} });
    return body;
  } finally {
    clearTimeout(patience);
  }
}

export const post = (url, body) => fetchJson(url, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value } });

/** Why something was not done: the code small, and a sentence in this person's language. */
export function refused(failure) {
  const sentence = say(`refused.${failure.code}`);
  return { code: failure.code ?? "", sentence: sentence.startsWith("refused.") ? failure.message || say("no_connection") : sentence };
}

/** Minor units of a table's currency. */
export const sum = (minor, table, options) => money.sum(minor, table.exponent, spoken(), options);

/** A sum where there is little room and it only says how much there is: whole thousands as `38k`. */
export const short = (minor, table) => sum(minor, table).replace(/\u202f000$/, "k");

/** A ratio as the server rounded it, with a true minus, a sign, and the language's point. */
export function ratio(text, { signed = true } = {}) {
  const bare = text.replace("-", "");
  const sign = text.startsWith("-") ? "−" : signed && Number(bare) ? "+" : "";
  return sign + (spoken() === "ru" ? bare.replace(".", ",") : bare);
}

/** An expectation is no sum of chips: written in whole units. */
export const whole = (minor, table) => Math.round(minor / 10 ** table.exponent) * 10 ** table.exponent;

/** What an event is about, in a few words: a correction by what it puts right, any other by its fields. */
export function describe(event) {
  if (event.cards) return Object.entries(event.cards).map(([position, card]) => say(card ? "correct_card_line" : "take_back_line", { position, card: card ? cardText(card) : "" })).join("; ");
  if (event.made === false) return say("correct_unmade_line", { bet: event.bet });
  if (event.type !== "correct") return Object.entries(event).filter(([name]) => name !== "type").map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(" · ");
  const parts = [event.seat && say("seat_n", { n: event.seat }), event.rank && rankText(event.rank), event.card && cardText(event.card), event.suit && SIGNS[event.suit], event.amount].filter(Boolean);
  return `${say(event.made ? "correct_made_line" : "correct_bet_line", { bet: event.bet })} ${parts.join(" · ")}`;
}
