// From the service's state of a table to what the console works with: one place that knows the API's names.

export function readState(body) {
  const { deal, table } = body;
  return {
    ...body,
    table: { ...table, name: table.name || table.code },
    kinds: body.bet_kinds,
    deal: readDeal(deal),
  };
}

/** A deal as the service's state has it, and as the interpreter of the rules gives it. */
export function readDeal(deal) {
  return deal && {
    ...deal,
    bets: deal.bets.map((bet) => ({ ...bet, corners: bet.bends })),
    last_turns: deal.last_turns.map((turn) => ({ ...turn, split: turn.odd[0] === turn.even[0] })),
    known_bets: knownBets(deal),
  };
}

/** The bets that a correction may name: those that stand, and those that the last turn settled. */
function knownBets(deal) {
  const known = new Map();
  for (const bet of [...deal.settlements, ...deal.bets]) known.set(bet.bet, bet);
  return [...known.values()].sort((a, b) => a.seat - b.seat);
}
