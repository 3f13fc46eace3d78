/**
 * Plays sessions with the browser's interpreter: one session a line on standard input, one line of answers for each.
 *
 * A session is a list of steps: { terms, game, bank } (a `table` or `rules` line; `bank` only where one is named),
 * { resume } (the server's answer to GET …/rules) or { event, kept }. An answer is what came of the step, or
 * { code, facts } where it was refused, or { beyond }. With `kept` the state goes through JSON and `copy` first, as it
 * does in the console's store, and the answer shows the deal. The last answer holds the settlements of all deals as
 * `settle` prints them.
 */

import { createInterface } from "node:readline";
import * as rules from "../../tables/static/tables/rules.mjs";

function printed(state) {
  if (!state?.deal) return [];
  const { settlements, terms } = state.deal;
  const text = (minor) => rules.amountText(minor, terms.digits);
  return settlements.map((each) => ({
    deal: each.deal,
    turn: each.turn,
    position: each.position,
    bet: each.bet,
    seat: each.seat,
    outcome: each.outcome,
    stake: text(each.stake_minor),
    paid: text(each.paid_minor),
    taken: text(each.taken_minor),
    returned: text(each.returned_minor),
    standing: text(each.standing_minor),
    ...(each.corrected ? { corrected: true } : {}),
  }));
}

/** Apply an event to a state that comes out of the console's store: a copy of it must stay as it was. */
function applyToKept(stored, event) {
  const kept = JSON.stringify(stored);
  const state = JSON.parse(kept);
  const before = rules.copy(state);
  try {
    return { state, ...rules.apply(state, event) };
  } catch (error) {
    if (JSON.stringify(state) !== kept) throw new Error("a refused event changed the state");
    throw error;
  } finally {
    if (JSON.stringify(before) !== kept) throw new Error("a copy changed with what it was copied from");
  }
}

function play(steps) {
  let state = null;
  const lines = [];
  const answers = steps.map((step) => {
    try {
      if (step.resume) {
        state = rules.resume(step.resume);
        return { deal: rules.view(state), bank: state.bank, after: rules.after(state) };
      }
      if (!step.event) {
        if (state) rules.changeTerms(state, step.terms, step.game, step.bank);
        else state = rules.newTable(step.terms, step.game);
        return { settlements: [], takes: [] };
      }
      const ended = printed(state);
      const answer = step.kept ? applyToKept(state, step.event) : { state, ...rules.apply(state, step.event) };
      state = answer.state;
      if (step.event.type === "deal") lines.push(...ended);
      const { settlements, takes } = answer;
      return { settlements, takes, bank: state.bank, after: rules.after(state), ...(step.kept ? { deal: rules.view(state) } : {}) };
    } catch (error) {
      if (error instanceof rules.Refused) return { code: error.code, facts: error.facts };
      if (error instanceof rules.Beyond) return { beyond: error.what };
      throw error;
    }
  });
  return [...answers, { lines: [...lines, ...printed(state)] }];
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(play(JSON.parse(line)))}\n`);
}
