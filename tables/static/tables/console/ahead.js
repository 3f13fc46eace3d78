// Plays ahead of the server: what waits on this device, on top of what the server has committed, so that take and pay
// are on the screen at once and without the network too. All it says is provisional. It sends and draws nothing.

import { amountText, apply, copy, record, Refused, resume, view } from "../rules.mjs";
import { isWord, stops } from "./outbox.js";

const AMOUNTS = ["stake", "paid", "taken", "returned", "standing"];

/** Settlements as lines of the table log, as far as a dealer acts on them. */
function lines(settled, digits) {
  return settled.map((each) => ({
    bet: each.bet, position: each.position, outcome: each.outcome,
    ...Object.fromEntries(AMOUNTS.map((name) => [name, amountText(each[`${name}_minor`], digits)])),
  }));
}

/** The same of what the server answered. */
const answered = (settled) => settled.map((each) => Object.fromEntries(["bet", "position", "outcome", ...AMOUNTS].map((name) => [name, each[name]])));

/** What is to be parked of a recorded deed whose settlements are not those that were shown; null where they are. */
export function differs(answer, { expected }) {
  if (!expected || answer.sequence === undefined) return null;
  const counted = { settlements: answered(answer.settlements), takes: answered(answer.takes) };
  return JSON.stringify(counted) === JSON.stringify(expected) ? null : { ...answer, status: "differs", counted };
}

export function makeAhead() {
  let base = null; // {sequence, state}: what the server has committed; null: not known here
  let played = null; // the last answer of over(), by what it was worked out from

  /** Take over the server's answer of rules: the whole, or the events after `since`. What came too late is ignored. */
  function load(body, since) {
    if (!body.events) {
      if (!base || base.sequence <= body.sequence) base = { sequence: body.sequence, state: resume(body) };
    } else if (base?.sequence === since) {
      for (const event of body.events) follow(event, since);
      if (base) base = { ...base, sequence: body.sequence };
    }
  }

  function follow(event, sequence) {
    if (!base) return;
    if (isWord(event)) {
      base = { ...base, sequence };
      return;
    }
    const state = copy(base.state);
    try {
      apply(state, event);
      base = { sequence, state };
    } catch {
      base = null; // more than can be followed here: the whole is asked for again
    }
  }

  /** A deed of this device was recorded. */
  function recorded({ sequence }, event) {
    if (base && sequence === base.sequence + 1) follow(event, sequence);
  }

  /**
   * The table with what waits played on it, or null where the server's `sequence` is not the one that is known here.
   * `stuck`: a deed waits that only the server can judge, so that no card may follow it.
   */
  function over(queue, sequence) {
    if (!base || base.sequence !== sequence) return null;
    const mark = queue.map(({ id }) => id).join();
    if (played?.base === base && played.mark === mark) return played;
    const state = copy(base.state);
    let stuck = false;
    for (const { event } of queue) {
      if (isWord(event)) continue;
      try {
        apply(state, event);
      } catch {
        stuck ||= stops(event);
      }
    }
    played = { base, mark, state, stuck, deal: view(state), bank: state.bank, number: state.number };
    return played;
  }

  /** What a deed will settle: {expected}; {refused} with its code; null where only the server can judge. */
  function attempt(queue, sequence, event) {
    const table = over(queue, sequence);
    if (!table || table.stuck || isWord(event)) return null;
    try {
      const state = copy(table.state);
      const { settlements, takes } = apply(state, event);
      const { digits } = state.deal.terms;
      return { expected: { settlements: lines(settlements, digits), takes: lines(takes, digits) } };
    } catch (failure) {
      return failure instanceof Refused && failure.code !== "bad_line" ? { refused: failure.code } : null;
    }
  }

  /** Every bet and card of the last deal, the last first; null where it is not known here. */
  function recordOf(queue, sequence) {
    const { deal } = over(queue, sequence)?.state ?? {};
    return deal ? record(deal) : null;
  }

  return {
    load, recordOf, recorded, over, attempt,
    /** Does the server's record of the last deal have this bet? */
    knows: (name) => Boolean(base?.state.deal?.bets.some((bet) => bet.name === name)),
    get sequence() { return base?.sequence ?? null; },
    kept: () => base,
    restore(value) { base = value; },
  };
}
