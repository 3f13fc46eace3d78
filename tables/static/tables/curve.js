// The win of a shift as a curve of steps, one a turn, inside the band that the exact odds expect. Drawn, never computed:
// every point comes from the API with its expectation and deviation.

import { svg } from "./dom.js";

const WIDTH = 860;
const HEIGHT = 300;
const LEFT = 78; // room for the sums
const RIGHT = 760; // labels stand behind it
const TOP = 10;
const BOTTOM = 272;
const MINUTE = 60000;
const TICKS = [5, 10, 15, 30, 60, 120, 240, 480];
const LEAST_APART = 13; // two labels at the right, in px

/** Round steps of a scale: 1, 2 or 5 times a power of ten, about five of them. */
function step(span) {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
}

/** Draw it. `write` writes a sum, `clock` a moment, `words` names the band's edges and the picture. */
export function curve({ since, at: until, curve: points }, { write, clock, words }) {
  const from = Date.parse(since);
  const to = Math.max(Date.parse(until), from + MINUTE);
  const last = points.at(-1) ?? { win_minor: 0, expected_minor: 0, deviation_minor: 0 };
  const edges = points.flatMap((each) => [each.win_minor, each.expected_minor + 2 * each.deviation_minor, each.expected_minor - 2 * each.deviation_minor]);
  const most = Math.max(0, ...edges);
  const least = Math.min(0, ...edges);
  const span = Math.max(most - least, 1);
  const x = (moment) => LEFT + ((RIGHT - LEFT) * Math.min(Math.max(Date.parse(moment) - from, 0), to - from)) / (to - from);
  const y = (minor) => BOTTOM - ((BOTTOM - TOP) * (minor - least)) / span;
  const n = (value) => value.toFixed(1);

  /** Steps from the left edge through all points to now. */
  const steps = (of, begin = `M${LEFT} ${n(y(0))}`) => points.reduce((path, each) => `${path}H${n(x(each.at))}V${n(y(of(each)))}`, begin) + `H${RIGHT}`;
  const area = (times) => {
    const back = [...points].reverse().reduce((path, each, index, all) => {
      const before = all[index + 1];
      const low = before ? before.expected_minor - times * before.deviation_minor : 0;
      return `${path}H${n(x(each.at))}V${n(y(low))}`;
    }, `V${n(y(last.expected_minor - times * last.deviation_minor))}`);
    return `${steps((each) => each.expected_minor + times * each.deviation_minor)}${back}H${LEFT}Z`;
  };

  const size = step(span);
  const sums = [];
  for (let value = Math.ceil(least / size) * size; value <= most; value += size) sums.push(value);
  const minutes = TICKS.find((each) => (to - from) / MINUTE / each <= 7) ?? TICKS.at(-1);
  const times = [];
  for (let moment = Math.ceil(from / (minutes * MINUTE)) * minutes * MINUTE; moment <= to; moment += minutes * MINUTE) times.push(moment);
  const text = (content, attributes) => svg("text", attributes, document.createTextNode(content));

  const labels = [
    [last.expected_minor + 2 * last.deviation_minor, words.sd("+2"), "edge"], [last.expected_minor + last.deviation_minor, words.sd("+1"), "edge"],
    [last.expected_minor, `${words.expected} ${write(last.expected_minor)}`, "edge"], [last.expected_minor - last.deviation_minor, words.sd("−1"), "edge"],
    [last.expected_minor - 2 * last.deviation_minor, words.sd("−2"), "edge"], [last.win_minor, write(last.win_minor), "end"],
  ];
  const end = labels.at(-1);
  const shown = points.length ? labels.filter((each) => each === end || Math.abs(y(each[0]) - y(end[0])) >= LEAST_APART)
    .filter((each, index, all) => each === end || !all.slice(0, index).some((other) => other !== end && Math.abs(y(other[0]) - y(each[0])) < LEAST_APART)) : [end];

  return svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words.picture },
    svg("path", { class: "two", d: area(2) }), svg("path", { class: "one", d: area(1) }),
    sums.map((value) => [svg("path", { class: value === 0 ? "zero" : "grid", d: `M${LEFT} ${n(y(value))}H${RIGHT}` }), text(write(value), { class: "label", x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" })]).flat(),
    times.map((moment) => [svg("path", { class: "tick", d: `M${n(x(new Date(moment).toISOString()))} ${BOTTOM}v6` }), text(clock(moment), { class: "label", x: x(new Date(moment).toISOString()), y: BOTTOM + 20, "text-anchor": "middle" })]).flat(),
    svg("path", { class: "expectation", d: steps((each) => each.expected_minor) }),
    svg("path", { class: "halo", d: steps((each) => each.win_minor) }), svg("path", { class: "line", d: steps((each) => each.win_minor) }),
    svg("circle", { class: "dot", cx: RIGHT, cy: y(last.win_minor), r: 4.5 }),
    shown.map(([value, label, name]) => text(label, { class: `label ${name}`, x: RIGHT + 9, y: y(value) + 4 })));
}
