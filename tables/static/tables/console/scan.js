// Tells a scanner from a hand. A scanner types like a keyboard and ends with Enter, but faster than fingers can: such
// a burst is one scan, never keys, whatever has the focus. Keys of a hand go through as they come.

const FASTER_THAN_A_HAND = 35; // milliseconds between two keys, by the events' own clock
const LONGEST_BY_HAND = 3; // a roll of this many keys may still be a hand's; a longer one that names no card is ignored
const SUITS = { "♠": "S", "♥": "H", "♦": "D", "♣": "C" };

/** What was scanned as a card: `QS`, `10H`, `Q♥`; null if it is none. */
export function readCard(text) {
  const parts = /^(10|[2-9TJQKA])([SHDC♠♥♦♣])$/.exec(text.toUpperCase());
  return parts && (parts[1] === "10" ? "T" : parts[1]) + (SUITS[parts[2]] ?? parts[2]);
}

/** The character of a key, by its place where it has one, so that the layout changes nothing here either. */
export function charOf({ code, key }) {
  return /^(?:Key([A-Z])|(?:Digit|Numpad)(\d))$/.exec(code)?.slice(1).find(Boolean) ?? (key?.length === 1 ? key : null);
}

/**
 * A card's scan that goes into a field, where a hand types at its own speed: its Enter ends no form, and the field has
 * again what it had. `scanned(card, at)` takes it. Answers whether the browser must leave the key alone.
 */
export function makeFieldScanner({ scanned }) {
  let text = "";
  let before = null; // {field, value}: as it was before the first key of what may be a scan
  let lastAt = -Infinity;

  return ({ code, char, at }, field) => {
    const fast = at - lastAt < FASTER_THAN_A_HAND && before?.field === field;
    lastAt = at;
    if (code === "Enter" || code === "NumpadEnter") {
      const card = fast ? readCard(text) : null;
      text = "";
      if (!card) return false;
      field.value = before.value;
      scanned(card, at);
      return true;
    }
    if (char === null) return false;
    if (!fast) {
      text = "";
      before = { field, value: field.value };
    }
    text += char;
    return false;
  };
}

/**
 * `hand(key)` takes one key of a hand, `scanned(card, text, at)` a scan (`card` null: not a card). `keep()` gives what a
 * hand has entered so far, `restore(it)` brings it back: the first key of a scan looks like one of a hand.
 * `press(key)` with key `{code, char, at}` says whether the browser must leave the key alone.
 */
export function makeScanner({ hand, scanned, keep, restore }) {
  let keys = [];
  let before = null;
  let lastAt = -Infinity;
  let timer = null;

  /** It was a hand after all: the keys that were held back go through, in their order. */
  function release() {
    clearTimeout(timer);
    const heldBack = keys.slice(1);
    keys = [];
    for (const key of heldBack) hand(key);
  }

  function press(key) {
    const fast = key.at - lastAt < FASTER_THAN_A_HAND;
    lastAt = key.at;
    if (key.code === "Enter" || key.code === "NumpadEnter") {
      const text = keys.map(({ char }) => char).join("");
      const card = readCard(text);
      if (fast && keys.length > 1 && (card || keys.length > LONGEST_BY_HAND)) {
        clearTimeout(timer);
        keys = [];
        restore(before);
        scanned(card, text, key.at);
        return true;
      }
    } else if (key.char !== null && fast && keys.length) {
      keys.push(key);
      clearTimeout(timer);
      timer = setTimeout(release, FASTER_THAN_A_HAND + 5);
      return true;
    }
    release();
    if (key.char !== null) {
      keys = [key];
      before = keep();
    }
    return hand(key);
  }

  return { press };
}
