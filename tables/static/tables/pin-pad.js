// Six digits in the place where they are asked for; the sixth sends. Nothing of a PIN is kept or shown.

import { h } from "./dom.js";
import { say } from "./words.js";

const key = (digit) => h("button", { type: "button", class: "btn", "data-pin": digit }, digit);

/** How many digits there are, and the keys. */
export const pad = (pin) => [
  h("span", { class: "dots", role: "status", "aria-label": say("pit.digits", { n: pin.length }) }, "●".repeat(pin.length) + "○".repeat(6 - pin.length)),
  h("div", { class: "pad", role: "group", "aria-label": say("pin") }, [..."12345"].map(key), h("button", { type: "button", class: "btn", "data-pin": "back", "aria-label": say("last_digit") }, "⌫"),
    [..."67890"].map(key), h("button", { type: "button", class: "btn", "data-pin": "leave", "aria-label": say("never_mind") }, "✕")),
];

/** The PIN after a key. */
export const pinOf = (pin, pressed) => (pressed === "back" ? pin.slice(0, -1) : pressed === "leave" ? "" : (pin + pressed).slice(0, 6));

/** The key of the keyboard that does what a key of the pad does. */
export const pressedOf = (event) => /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? { Backspace: "back", Escape: "leave" }[event.code];
