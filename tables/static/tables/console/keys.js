// The keyboard by place: what a key means follows from where it lies (event.code), never from its letter, so that
// Caps Lock, Shift and a Russian layout change nothing. The second key decides what the first one was.

const RANK_KEYS = { KeyT: "T", KeyJ: "J", KeyQ: "Q", KeyK: "K", KeyA: "A" };
const SUIT_KEYS = { KeyS: "S", KeyH: "H", KeyD: "D", KeyC: "C" };
const CHIP_KEYS = ["KeyZ", "KeyX", "KeyV", "KeyB", "KeyN", "KeyM"];

// Wherever a layout has its decimal sign: on the Russian one it is by the right Shift, alone a point, shifted a comma.
const POINTS = new Set(["Period", "Comma", "Slash", "NumpadDecimal", "NumpadComma"]);

const digitOf = (code) => /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? null;
const rankOf = (code) => {
  const digit = digitOf(code);
  if (digit !== null) return digit === "0" ? "T" : digit === "1" ? null : digit;
  return RANK_KEYS[code] ?? null;
};
const seatOf = (code) => {
  const digit = digitOf(code);
  return digit === null ? null : digit === "0" ? 10 : Number(digit);
};

/**
 * One key onto a draft. The draft is a plain value: {first, seat, targets, open, verb, typed, chips}.
 * Answers {draft} with the next draft, and beside it at most one deed: `card`, `enter`, `escape`, `back`.
 *  first    a key that may still become a rank or a seat
 *  targets  [{rank, suit?}] or [{suit}]; open: another rank is awaited (after Space)
 *  verb     "bet", "withdraw", "paroli", "sealed", "suit"
 * `withSuits`: a bet may name its card with its suit; `opening`: a sealed bet is being opened, a suit ends it.
 *  typed    digits of an amount; chips: how many plaques of each were added, smallest first
 */
export function press(draft, code, { withSuits = false, opening = false } = {}) {
  if (code === "Enter" || code === "NumpadEnter") return { draft, deed: "enter" };
  if (code === "Escape") return draft ? { draft: null } : { draft, deed: "escape" };
  if (code === "Backspace") return draft ? { draft: shorten(draft) } : { draft, deed: "back" };

  if (!draft || draft.byTouch) {
    const seat = seatOf(code);
    const rank = rankOf(code);
    if (seat === null && rank === null) return { draft };
    return { draft: { first: { seat, rank }, seat: null, targets: [], open: false, verb: "bet", typed: "", chips: [] } };
  }

  if (draft.first) {
    const { seat, rank } = draft.first;
    if (SUIT_KEYS[code]) return rank ? { draft: null, deed: "card", card: rank + SUIT_KEYS[code] } : { draft };
    const next = rankOf(code);
    if (next && seat) return { draft: { ...draft, first: null, seat, targets: [{ rank: next }] } };
    if (next) return { draft: { ...draft, first: { seat: seatOf(code), rank: next } } };
    if (POINTS.has(code) && seat) return { draft: { ...draft, first: null, seat, verb: "suit" } };
    if (code === "KeyM" && seat) return { draft: { ...draft, first: null, seat, verb: "sealed" } };
    return { draft };
  }

  if (draft.open) {
    const next = rankOf(code);
    if (next) return { draft: { ...draft, open: false, targets: [...draft.targets, { rank: next }] } };
    return { draft };
  }
  if (draft.verb === "suit" && !draft.targets.length) {
    return SUIT_KEYS[code] ? { draft: { ...draft, targets: [{ suit: SUIT_KEYS[code] }] } } : { draft };
  }
  if (SUIT_KEYS[code] && draft.verb === "bet" && !draft.typed && !draft.chips.length) {
    const last = draft.targets.at(-1);
    if (opening) return { draft: null, deed: "card", card: last.rank + SUIT_KEYS[code], seat: draft.seat };
    if (!withSuits) return { draft };
    return { draft: { ...draft, targets: [...draft.targets.slice(0, -1), { ...last, suit: SUIT_KEYS[code] }] } };
  }
  const digit = digitOf(code);
  if (digit !== null) return { draft: { ...draft, typed: draft.typed + digit, chips: [] } };
  if (POINTS.has(code)) return { draft: draft.typed ? { ...draft, typed: draft.typed + "." } : draft };
  // After digits it stands between thousands: what follows is read with them whole, or refused, and never a rank.
  if (code === "Space" && draft.typed) return { draft: { ...draft, typed: draft.typed + " " } };
  if (RANK_KEYS[code] && draft.typed.endsWith(" ") && draft.verb === "bet") return { draft: { ...draft, typed: draft.typed.trimEnd(), targets: [...draft.targets, { rank: RANK_KEYS[code] }] } };
  if (code === "Space" && draft.verb === "bet") return { draft: { ...draft, open: true } };
  if (code === "Minus" || code === "NumpadSubtract") return { draft: { ...draft, verb: "withdraw" } };
  if (code === "KeyP") return { draft: { ...draft, verb: "paroli" } };
  const chip = CHIP_KEYS.indexOf(code);
  if (chip >= 0) {
    const chips = [...draft.chips];
    chips[chip] = (chips[chip] ?? 0) + 1;
    return { draft: { ...draft, typed: "", chips } };
  }
  return { draft };
}

/** Take the last key away again. */
function shorten(draft) {
  if (draft.first) return null;
  if (draft.verb === "withdraw" || draft.verb === "paroli") return { ...draft, verb: "bet" };
  if (draft.typed) return { ...draft, typed: draft.typed.slice(0, -1) };
  if (draft.chips.length) return { ...draft, chips: [] };
  if (draft.open) return { ...draft, open: false };
  const last = draft.targets.at(-1);
  if (last?.suit && last.rank) return { ...draft, targets: [...draft.targets.slice(0, -1), { rank: last.rank }] };
  if (draft.targets.length > 1) return { ...draft, targets: draft.targets.slice(0, -1) };
  const seat = draft.seat;
  if (!draft.targets.length) return null;
  return draft.verb === "suit" ? { ...draft, targets: [] }
    : { first: { seat, rank: seat === 10 ? "T" : seat > 1 ? String(seat) : null }, seat: null, targets: [], open: false, verb: "bet", typed: "", chips: [] };
}
