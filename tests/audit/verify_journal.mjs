// Verifies exports, seals and proofs of the journal in Node.js, with its standard library alone. Written from
// docs/journal-format.md and nothing else, to prove that the page is enough; it shares no line with verify_journal.py.
//
//   node verify_journal.mjs FILE [--receipts FILE] [--seals FILE ...] [--key HEX ...] [--until N] [--journal NAME]
//
// Prints one JSON object: for each journal and each casino's seals the first place that is bad (null: none).

import { createHash, createPublicKey, verify as verifySignature } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs, TextDecoder } from "node:util";

const START = "0".repeat(64);
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const sha256Hex = (text) => sha256(Buffer.from(text, "utf8")).toString("hex");
const bytes = (hex) => {
  if (typeof hex !== "string" || !/^([0-9a-f]{2})*$/.test(hex)) throw new Error(`no hexadecimal: ${hex}`);
  return Buffer.from(hex, "hex");
};

// Canonical JSON

const SHORT = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

function quoted(text) {
  let written = '"';
  for (const sign of text) {
    const code = sign.codePointAt(0);
    if (code >= 0xd800 && code <= 0xdfff) throw new Error("a surrogate alone");
    written += SHORT[sign] ?? (code < 0x20 ? `\\u00${code.toString(16).padStart(2, "0")}` : sign);
  }
  return `${written}"`;
}

function canonical(value) {
  if (value === null || value === true || value === false) return String(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new Error(`no number of a journal: ${value}`);
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value);
  if (keys.some((key) => /[^\0-\x7f]/.test(key))) throw new Error("a key is not ASCII");
  return `{${keys.sort().map((key) => `${quoted(key)}:${canonical(value[key])}`).join(",")}}`;
}

// The object that a canonical text says, or null.
function readCanonical(text) {
  try {
    const said = JSON.parse(text);
    return isObject(said) && canonical(said) === text ? said : null;
  } catch {
    return null;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function readText(text, format) {
  const said = readCanonical(text);
  if (said === null || (format !== null && said.format !== format)) throw new Error(`no ${format ?? "head"}: ${text}`);
  return said;
}

// Trees of RFC 9162: by the recursive definition of 2.1.1, not by a stack

const leafHash = (leaf) => sha256(Buffer.of(0), leaf);
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

function split(size) {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function treeRoot(leaves, from = 0, to = leaves.length) {
  if (to === from) return sha256();
  if (to - from === 1) return leafHash(leaves[from]);
  const middle = from + split(to - from);
  return nodeHash(treeRoot(leaves, from, middle), treeRoot(leaves, middle, to));
}

// The root to which a path leads from a leaf (it is read backwards, from the root down), null where it does not fit.
function rootByInclusion(leaf, index, size, path) {
  if (!(index >= 0 && index < size)) return null;
  if (size === 1) return path.length ? null : leafHash(leaf);
  if (!path.length) return null;
  const sibling = path[path.length - 1];
  const left = split(size);
  const below =
    index < left
      ? rootByInclusion(leaf, index, left, path.slice(0, -1))
      : rootByInclusion(leaf, index - left, size - left, path.slice(0, -1));
  if (below === null) return null;
  return index < left ? nodeHash(below, sibling) : nodeHash(sibling, below);
}

// Old and new root to which a consistency proof leads (2.1.4.1 read backwards), null where it does not fit.
function rootsByConsistency(first, second, path, isWhole, oldRoot) {
  if (first === second) {
    if (isWhole) return path.length ? null : [oldRoot, oldRoot];
    return path.length === 1 ? [path[0], path[0]] : null;
  }
  if (!path.length) return null;
  const sibling = path[path.length - 1];
  const rest = path.slice(0, -1);
  const left = split(second);
  if (first <= left) {
    const below = rootsByConsistency(first, left, rest, isWhole, oldRoot);
    return below && [below[0], nodeHash(below[1], sibling)];
  }
  const below = rootsByConsistency(first - left, second - left, rest, false, oldRoot);
  return below && [nodeHash(sibling, below[0]), nodeHash(sibling, below[1])];
}

function isConsistent(first, second, firstRoot, secondRoot, path) {
  if (!(first > 0 && first <= second)) return false;
  const roots = rootsByConsistency(first, second, path, true, firstRoot);
  return roots !== null && roots[0].equals(firstRoot) && roots[1].equals(secondRoot);
}

// Signatures

function isSigned(key, text, signature) {
  try {
    const jwk = { kty: "OKP", crv: "Ed25519", x: bytes(key).toString("base64url") };
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    return verifySignature(null, Buffer.from(text, "utf8"), publicKey, bytes(signature));
  } catch {
    return false;
  }
}

function goodKeys(casino, rows, published) {
  const announced = rows
    .filter((row) => row.kind === "key")
    .map((row) => ({ row, said: readText(row.text, "casino-key/1") }))
    .filter(({ said }) => said.casino === casino);
  const good = new Set(published);
  let onTrust = null;
  if (!good.size) {
    const isFirst = ({ row, said }) => said.previous === "" && isSigned(said.key, row.text, row.signature);
    onTrust = announced.find(isFirst)?.said.key ?? null;
    if (onTrust !== null) good.add(onTrust);
  }
  for (let before = -1; before !== good.size; ) {
    before = good.size;
    for (const { row, said } of announced)
      if (good.has(said.previous) && isSigned(said.previous, row.text, row.signature)) good.add(said.key);
  }
  return { good, onTrust };
}

// Places that are bad

class Places {
  #bad = new Map();

  add(name, place) {
    const first = this.#bad.get(name);
    if (first === undefined || place < first) this.#bad.set(name, place);
  }

  first(name) {
    return this.#bad.get(name) ?? null;
  }

  get names() {
    return [...this.#bad.keys()];
  }
}

// Journals

class Journal {
  constructor(since) {
    this.since = since;
    this.last = null;
    this.hashes = new Map();
  }
}

function readEntry(row, journal, places) {
  const bad = (place) => places.add(row.journal, place);
  const expected = journal.last ? journal.last.sequence + 1 : journal.since;
  if (row.sequence !== expected) bad(expected);
  if (sha256Hex(row.text) !== row.hash) bad(row.sequence);
  const said = readCanonical(row.text);
  if (said === null) bad(row.sequence);
  else {
    if (said.sequence !== row.sequence || said.journal !== row.journal) bad(row.sequence);
    const before = journal.last ? journal.last.hash : row.sequence === 1 ? START : null;
    if (before !== null && said.previous !== before) bad(row.sequence);
  }
  const body = said?.event ?? said?.body ?? {};
  for (const [name, { salt, text }] of Object.entries(row.texts ?? {})) {
    const leftOut = Object.hasOwn(body, name) ? body[name] : null;
    const isHash = isObject(leftOut) && Object.keys(leftOut).join() === "sha256";
    const isErased = salt === null && text === null;
    const isWhole = typeof salt === "string" && typeof text === "string";
    if (!isHash || !(isErased || isWhole)) bad(row.sequence);
    else if (isWhole && sha256(bytes(salt), Buffer.from(text, "utf8")).toString("hex") !== leftOut.sha256)
      bad(row.sequence);
  }
  const kept = new Set(Object.keys(row.texts ?? {}));
  for (const [name, value] of Object.entries(isObject(body) ? body : {}))
    if (isObject(value) && Object.keys(value).join() === "sha256" && !kept.has(name)) bad(row.sequence);
  journal.last = { sequence: row.sequence, hash: row.hash };
  journal.hashes.set(row.sequence, row.hash);
}

function readExport(rows, places) {
  const journals = new Map();
  const own = [];
  const since = rows[0].since ?? 1;
  for (const row of rows.slice(1)) {
    if (row.kind === "seal" || row.kind === "key") {
      own.push(row);
      continue;
    }
    if (row.kind !== "entry" && row.kind !== "head") throw new Error(`a line of the kind ${row.kind}`);
    if (!journals.has(row.journal)) journals.set(row.journal, new Journal(since));
    const journal = journals.get(row.journal);
    if (row.kind === "entry") readEntry(row, journal, places);
    else if (journal.last !== null || row.sequence >= since) {
      const { sequence, hash } = journal.last ?? { sequence: 0, hash: START };
      if (row.sequence !== sequence || row.hash !== hash) places.add(row.journal, Math.min(row.sequence, sequence) + 1);
    }
  }
  return { journals, own };
}

// Seals

function checkHead(head, journals, asked, roots) {
  if ((asked.until !== null && head.sequence > asked.until) || !asked.isOf(head.journal))
    return true;
  const journal = journals.get(head.journal);
  if (!journal) return false;
  if (head.sequence < journal.since) return true;
  if (journal.hashes.get(head.sequence) !== head.hash) return false;
  if (journal.since !== 1) return true;
  const leaves = [];
  for (let number = 1; number <= head.sequence; number += 1)
    leaves.push(bytes(journal.hashes.get(number) ?? START));
  const key = `${head.sequence} ${head.journal}`;
  if (!roots.has(key)) roots.set(key, treeRoot(leaves).toString("hex"));
  return roots.get(key) === head.root;
}

// `read` is null where seals are checked without an export.
function checkSeals(outside, read, asked, published) {
  const rows = [...(read?.own ?? []).map((row) => ({ ...row, isOwn: true })), ...outside];
  const places = new Places();
  const casinos = new Map();
  for (const row of rows.filter(({ kind }) => kind === "seal")) {
    const said = readText(row.text, "casino-seal/1");
    if (!casinos.has(said.casino)) casinos.set(said.casino, []);
    casinos.get(said.casino).push({ row, said });
  }
  const answer = {};
  const roots = new Map();
  for (const [casino, seals] of casinos) {
    const bad = (number) => places.add(casino, number);
    const { good, onTrust } = goodKeys(casino, rows, published);
    const numbers = [...new Set(seals.map(({ said }) => said.number))].sort((a, b) => a - b);
    const longest = new Map();
    let before = null;
    for (const number of numbers) {
      const copies = seals.filter(({ said }) => said.number === number);
      if (new Set(copies.map(({ row }) => row.text)).size > 1) bad(number);
      if (read) {
        if (!copies.some(({ row }) => row.isOwn)) bad(number);
        const expected = before ? before.number + 1 : 1;
        if (number !== expected) bad(before ? number - 1 : 1);
      }
      for (const { row, said } of copies) {
        if (!good.has(said.key) || !isSigned(said.key, row.text, row.signature)) bad(number);
        if (number === 1 && said.previous !== START) bad(number);
        if (before?.number === number - 1 && said.previous !== before.hash) bad(number);
        if (!row.heads) continue;
        const heads = row.heads.map((text) => readText(text, null));
        const root = treeRoot(row.heads.map((text) => Buffer.from(text, "utf8"))).toString("hex");
        const reached = new Map(heads.map((head) => [head.journal, head.sequence]));
        if (heads.length !== said.size || root !== said.root || reached.size !== heads.length) bad(number);
        for (const [journal, sequence] of longest) if ((reached.get(journal) ?? 0) < sequence) bad(number);
        for (const [journal, sequence] of reached) longest.set(journal, sequence);
        if (read && !heads.every((head) => checkHead(head, read.journals, asked, roots))) bad(number);
      }
      before = { number, hash: sha256Hex(copies.at(-1).row.text) };
    }
    answer[casino] = { bad: places.first(casino), last: numbers.at(-1), on_trust: onTrust };
  }
  return answer;
}

// Proofs

function isProven(proof) {
  const seals = new Map();
  for (const row of proof.seals) {
    if (row.kind !== "seal") continue;
    const said = readText(row.text, "casino-seal/1");
    seals.set(said.number, { said, row });
  }
  if (proof.kind === "inclusion") {
    const { said } = seals.get(proof.seal);
    const { journal, sequence, text } = proof.entry;
    const head = readText(proof.head, null);
    const about = JSON.parse(text);
    const ofEntry = rootByInclusion(bytes(sha256Hex(text)), sequence - 1, head.sequence, proof.journal_path.map(bytes));
    const leaf = Buffer.from(proof.head, "utf8");
    const ofHead = rootByInclusion(leaf, proof.head_index, said.size, proof.seal_path.map(bytes));
    return (
      about.journal === journal &&
      about.sequence === sequence &&
      head.journal === journal &&
      ofEntry?.toString("hex") === head.root &&
      ofHead?.toString("hex") === said.root
    );
  }
  if (proof.kind !== "consistency") throw new Error(`a proof of the kind ${proof.kind}`);
  if (!(proof.first < proof.second)) return false;
  for (let number = proof.first; number <= proof.second; number += 1) if (!seals.has(number)) return false;
  const headsOf = (number) =>
    new Map(seals.get(number).row.heads.map((text) => readText(text, null)).map((head) => [head.journal, head]));
  const later = headsOf(proof.second);
  return [...headsOf(proof.first)].every(([journal, head]) => {
    const now = later.get(journal);
    const path = (proof.journals[journal] ?? []).map(bytes);
    return now && isConsistent(head.sequence, now.sequence, bytes(head.root), bytes(now.root), path);
  });
}

// Files

function readLines(file) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  return text
    .split("\n")
    .filter((line) => line.trim())
    .map((line) => {
      const row = JSON.parse(line);
      if (!isObject(row)) throw new Error("a line is no object");
      return row;
    });
}

function readSeals(file) {
  const [first, ...rows] = readLines(file);
  if (first?.format !== "casino-seals/1") throw new Error(`no file of seals: ${file}`);
  return rows;
}

function main() {
  const { values, positionals } = parseArgs({
    options: {
      receipts: { type: "string" },
      seals: { type: "string", multiple: true, default: [] },
      key: { type: "string", multiple: true, default: [] },
      until: { type: "string" },
      journal: { type: "string", multiple: true },
    },
    allowPositionals: true,
  });
  const asked = { until: values.until === undefined ? null : Number(values.until), isOf: (name) => values.journal?.includes(name) ?? true };
  const outside = values.seals.flatMap(readSeals);
  if (positionals.length === 1) {
    const [status, answer] = verify(positionals[0], values, asked, outside);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return status;
  }
  // Of several files each has a line of its own, with the status that it would have had alone.
  for (const file of positionals) {
    let said = [1, {}];
    try {
      said = verify(file, values, asked, outside);
    } catch {}
    process.stdout.write(`${JSON.stringify(said)}\n`);
  }
  return 0;
}

function verify(file, values, asked, outside) {
  const rows = readLines(file);
  const say = (answer) => {
    const isBad =
      answer.proven === false || [...Object.values(answer.journals ?? {}), ...Object.values(answer.seals)].some((each) => each.bad !== null);
    return [isBad ? 2 : 0, answer];
  };
  if (rows[0]?.format === "casino-proof/1") {
    const seals = checkSeals([...rows[0].seals, ...outside], null, asked, values.key);
    return say({ proven: isProven(rows[0]), seals });
  }
  if (rows[0]?.format === "casino-seals/1")
    return say({ seals: checkSeals([...rows.slice(1), ...outside], null, asked, values.key) });
  if (rows[0]?.format !== "casino-journal/1") throw new Error("no export of a journal");
  const places = new Places();
  const read = readExport(rows, places);
  for (const { journal, sequence, hash } of values.receipts ? readLines(values.receipts) : []) {
    if ((asked.until !== null && sequence > asked.until) || !asked.isOf(journal)) continue;
    const held = read.journals.get(journal);
    if (held && sequence < held.since) continue;
    if (held?.hashes.get(sequence) !== hash) places.add(journal, sequence);
  }
  const seals = checkSeals(outside, read, asked, values.key);
  const journals = {};
  for (const name of new Set([...read.journals.keys(), ...places.names]))
    journals[name] = { bad: places.first(name), last: read.journals.get(name)?.last ?? null };
  const [status, answer] = say({ journals, seals });
  const isEmpty = [...read.journals.values()].every((journal) => journal.last === null);
  return [status === 0 && isEmpty ? 1 : status, answer];
}

try {
  process.exitCode = main();
} catch (error) {
  process.stderr.write(`could not verify: ${error.message}\n`);
  process.exitCode = 1;
}
