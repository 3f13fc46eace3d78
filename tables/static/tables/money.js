// Sums as people read and type them. Inside, money is a whole number of minor units; no floats.

const THIN = "\u202f"; // narrow no-break space: a sum never breaks at the end of a line
const MINUS = "\u2212";

/** Write minor units for a person: `12 500`, `−700`, `12.50` (`12,50` in Russian). */
export function sum(minor, digits, language, { signed = false } = {}) {
  const size = Math.abs(minor);
  const unit = 10 ** digits;
  const whole = Math.floor(size / unit).toString().replace(/\B(?=(\d{3})+$)/g, THIN);
  const rest = size % unit;
  const tail = rest ? (language === "ru" ? "," : ".") + rest.toString().padStart(digits, "0") : "";
  const sign = minor < 0 ? MINUS : signed && minor > 0 ? "+" : "";
  return sign + whole + tail;
}

/**
 * Read a typed sum: any kind of space between thousands, comma or point before the rest. Null if it cannot be read
 * whole: never cut short. So `1 0` is no sum, and `1,000` none where the currency has no third digit.
 */
export function read(text, digits) {
  const bare = text.trim().replace(/[\u00a0\u202f\u2009]/g, " ").replace(",", ".");
  const parts = /^(\d+|\d{1,3}(?: \d{3})+)(?:\.(\d+))?$/.exec(bare)?.map((part) => part?.replaceAll(" ", ""));
  if (!parts || (parts[2] ?? "").length > digits) return null;
  const tail = (parts[2] ?? "").replace(/0+$/, "");
  const minor = Number(parts[1]) * 10 ** digits + Number(tail.padEnd(digits, "0") || 0);
  return Number.isSafeInteger(minor) ? minor : null;
}

/** Write minor units as the table log does: `500`, `12.5`. */
export function units(minor, digits) {
  const unit = 10 ** digits;
  const rest = minor % unit;
  const whole = Math.floor(minor / unit).toString();
  return rest ? `${whole}.${rest.toString().padStart(digits, "0").replace(/0+$/, "")}` : whole;
}

/** The plaques of a table: 1, 2, 10, 20 and 100 times its chip, as far as its largest bet needs them. */
export function plaques(table) {
  const most = Math.max(table.max_minor, table.chip_minor);
  return [1, 2, 10, 20, 100].map((times) => times * table.chip_minor).filter((value) => value <= most);
}

/** Break a sum into plaques, the largest first; what the set cannot make up stays as `rest`. */
export function stack(minor, set) {
  const pieces = [];
  let rest = minor;
  for (const value of [...set].sort((a, b) => b - a)) {
    const count = Math.floor(rest / value);
    if (count) pieces.push({ count, value });
    rest -= count * value;
  }
  return { pieces, rest };
}
