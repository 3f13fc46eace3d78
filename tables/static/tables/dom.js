// Small tools to build and change the page without a framework and without markup in strings.

const SVG = "http://www.w3.org/2000/svg";

/** Build an element: h("p", {class: "note"}, "text", child). Null and false children are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  element.append(...children.flat().filter(Boolean));
  return element;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, deed] of Object.entries(value)) element.addEventListener(event, deed);
    else element.setAttribute(key, value === true ? "" : value);
  }
}

const marks = new WeakMap();

/** Does this part show what `mark` says already? If not, it is taken to show it from now on. */
export function shows(part, mark) {
  if (marks.get(part) === mark) return true;
  marks.set(part, mark);
  return false;
}

/** Replace the children of `parent` only if `mark` (what they show) has changed: nothing moves under a finger. */
export function fill(parent, mark, build) {
  if (shows(parent, mark)) return;
  parent.replaceChildren(...[build()].flat().filter(Boolean));
}

/** A seat chip: number, edge, colour; one folded corner for each bent corner, three at most, then ×n. */
export function seatChip(seat, label, { large = false, corners = 0 } = {}) {
  const folds = Array.from({ length: Math.min(corners, 3) }, (_, at) =>
    svg("path", { d: `M${29 - at * 7} -2h-9l9 10z`, fill: "var(--warn)", stroke: "var(--ink)", "stroke-width": "1" }));
  const body = seat <= 10
    ? svg("use", { href: `#seat-${seat}` })
    : [svg("circle", { cx: 14, cy: 14, r: 13.6, fill: "var(--s6)" }),
       svg("text", { x: 14, y: 19, "text-anchor": "middle", "font-size": 13, "font-weight": 700, fill: "var(--ink)" },
         document.createTextNode(String(seat)))];
  const times = corners > 3
    && svg("text", { x: 30, y: 8, "font-size": 11, "font-weight": 700, fill: "var(--warn)" }, document.createTextNode(`×${corners}`));
  return svg("svg", { class: large ? "chip l" : "chip", viewBox: "0 0 28 28", role: "img", "aria-label": label }, body, folds, times);
}

/** One suit's pegs of a shoe of several decks: tall is undealt, short is gone; the order says nothing. */
export function pegs(left, full) {
  const step = 24 / full;
  return svg("svg", { viewBox: "0 0 24 9", preserveAspectRatio: "none", "aria-hidden": "true" },
    Array.from({ length: full }, (_, at) => at < left
      ? svg("rect", { x: (at * step + 0.4).toFixed(2), y: 0, width: (step * 0.7).toFixed(2), height: 9, fill: "currentColor" })
      : svg("rect", { x: (at * step + 0.4).toFixed(2), y: 3.5, width: (step * 0.7).toFixed(2), height: 2, fill: "var(--gone-mark)" })));
}
