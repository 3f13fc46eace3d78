// The console's outbox: every deed is kept on this device under an id of its own before it is sent, goes to the
// server in order, and leaves only when the server has answered for it. A lost answer is asked for again with
// the same id, so nothing is lost and nothing doubled.

/** A version 4 UUID; crypto.randomUUID is missing where the page is served without TLS. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Where the sender believes the table stands once its own waiting deeds are recorded. */
export function afterQueue(deal, queue) {
  let after = { ...deal };
  for (const { event } of queue) {
    if (event.type === "deal") after = { deal: event.deal, position: 0, take_backs: 0 };
    else if (event.type === "card") after = { ...after, position: after.position + 1 };
    else if (event.type === "pocket") after = { ...after, position: after.position + 4 };
    else if (event.type === "correct" && event.cards && Object.values(event.cards).includes(null)) {
      after = { ...after, position: after.position - 1, take_backs: after.take_backs + 1 };
    }
  }
  return after;
}

/** A refused one of these changes nothing that was entered after it; after any other the table stops. */
const LIGHT = new Set(["bet", "withdraw", "refuse", "paroli"]);
/** Words of the desk: they move no chip, and nothing that is entered depends on them. */
const WORDS = new Set(["bets_down", "confirm", "mispay"]);
export const isWord = ({ type }) => WORDS.has(type);
export const stops = ({ type }) => !LIGHT.has(type) && !WORDS.has(type);

const RECORDED = new Set(["recorded", "repeated", "waiting"]);

/** Codes after which a card is not wrong: it waits, and all behind it, until somebody has said his word. */
const WAITS = new Set(["bet_unseen", "bets_open", "not_confirmed", "check_needed"]);

/**
 * Where deeds wait: IndexedDB, written through to the disk before a deed counts as kept. Numbers of this device are
 * given in the same transaction, so that two tabs never give the same one. A deed with an `answer` is parked: it is
 * not sent any more and lies here until the dealer has seen it.
 */
async function openStore() {
  const db = await new Promise((done, failed) => {
    const asked = indexedDB.open("console", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("deeds", { keyPath: ["table", "number"] });
      asked.result.createObjectStore("numbers");
      asked.result.createObjectStore("known");
    };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
  db.onversionchange = () => db.close(); // a newer page may change the store
  void navigator.storage?.persist?.().catch(() => false);

  /** Run one transaction; resolves to what `work` put into `answer.value` once it is on the disk. */
  const transaction = (mode, work, { stores = ["deeds", "numbers"], durability = "strict" } = {}) => new Promise((done, failed) => {
    const running = db.transaction(stores, mode, mode === "readwrite" ? { durability } : {});
    const answer = { value: null };
    running.oncomplete = () => done(answer.value);
    running.onerror = running.onabort = () => failed(running.error);
    work((name) => running.objectStore(name), answer);
  });

  return {
    number: () => transaction("readonly", (store, answer) => {
      store("numbers").get("device_seq").onsuccess = ({ target }) => { answer.value = target.result ?? 0; };
    }),
    all: (table) => transaction("readonly", (store, answer) => {
      store("deeds").getAll(IDBKeyRange.bound([table], [table, []])).onsuccess = ({ target }) => { answer.value = target.result; };
    }),
    /** What waits keeps its place and its id; only what was seen of the table is another. */
    see: (table, envelopes) => transaction("readwrite", (store) => {
      for (const envelope of envelopes) store("deeds").put({ table, number: envelope.device_seq, envelope });
    }),
    put: (table, envelope) => transaction("readwrite", (store) => {
      store("numbers").get("device_seq").onsuccess = ({ target }) => {
        const number = (target.result ?? 0) + 1;
        store("numbers").put(number, "device_seq");
        store("deeds").put({ table, number, envelope: { ...envelope, device_seq: number } });
      };
    }),
    /**
     * What was answered leaves, what is parked stays with its answer: both or neither. Nobody waits for the disk where a
     * deed only leaves: if that is lost it is sent again and answered as before.
     */
    settle: (table, gone, parked) => transaction("readwrite", (store) => {
      for (const { device_seq: number } of gone) store("deeds").delete([table, number]);
      for (const { envelope, answer } of parked) store("deeds").put({ table, number: envelope.device_seq, envelope, answer });
    }, { durability: parked.length ? "strict" : "relaxed" }),
    /** Bring in, with their numbers, what an older console kept. */
    bring: (table, envelopes, last) => transaction("readwrite", (store) => {
      store("numbers").get("device_seq").onsuccess = ({ target }) => store("numbers").put(Math.max(target.result ?? 0, last), "device_seq");
      for (const envelope of envelopes) store("deeds").put({ table, number: envelope.device_seq, envelope });
    }),
    /** The table as the server said last, for a reload without it: whatever is lost of it is asked for again. And who deals. */
    know: (name, value, durability) => transaction("readwrite", (store) => { store("known").put(value, name); }, { stores: ["known"], durability }),
    known: (name) => transaction("readonly", (store, answer) => {
      store("known").get(name).onsuccess = ({ target }) => { answer.value = target.result ?? null; };
    }, { stores: ["known"] }),
  };
}

/** A browser that keeps nothing (a private window): the same in memory. The console says so and does not work off line. */
function memoryStore(deeds = [], number = 0) {
  const less = (gone) => deeds.filter(({ envelope }) => !gone.some(({ id }) => id === envelope.id));
  return {
    all: async () => deeds,
    see: async (_table, envelopes) => { deeds = deeds.map((deed) => ({ ...deed, envelope: envelopes.find(({ id }) => id === deed.envelope.id) ?? deed.envelope })); },
    put: async (_table, envelope) => { deeds = [...deeds, { envelope: { ...envelope, device_seq: (number += 1) } }]; },
    settle: async (_table, gone, parked) => { deeds = [...parked, ...less([...gone, ...parked.map(({ envelope }) => envelope)])]; },
    bring: async (_table, envelopes) => { deeds = [...deeds, ...envelopes.map((envelope) => ({ envelope }))]; },
    know: async () => {},
    known: async () => null,
  };
}

/**
 * A disk may be full: while the server answers (`online`) the memory then goes on from what lies there, and `full` is
 * called. Off line what the disk refuses stays refused, for nothing else would keep it.
 */
function untilFull(disk, code, { online, full }) {
  let memory = null;
  let onDisk = new Set(); // a number given in memory may be another tab's on the disk
  async function turn() {
    const [deeds, number] = await Promise.all([disk.all(code), disk.number()]);
    onDisk = new Set(deeds.map(({ envelope }) => envelope.id));
    full();
    return memoryStore(deeds, number);
  }
  const write = (name) => async (...given) => {
    if (!memory) {
      try {
        return await disk[name](...given);
      } catch (failure) {
        if (!online()) throw failure;
        memory ??= turn();
      }
    }
    return (await memory)[name](...given);
  };
  return {
    ...disk,
    all: async (table) => (memory ? (await memory).all(table) : disk.all(table)),
    see: write("see"),
    put: write("put"),
    settle: async (table, gone, parked) => {
      await write("settle")(table, gone, parked);
      const left = [...gone, ...parked.map(({ envelope }) => envelope)].filter(({ id }) => onDisk.has(id));
      if (memory && left.length) await disk.settle(table, left, []).catch(() => {}); // else it is sent again, and is the same deed
    },
  };
}

const leftBehind = (code) => Object.keys(localStorage).filter((key) => key.startsWith(`outbox:${code}:`)).sort();

/** What an older console left in localStorage, one entry an envelope; it is taken out only once it is on the disk. */
async function bringOver(store, code) {
  const keys = leftBehind(code);
  if (!keys.length) return; // another tab was first
  const envelopes = keys.map((key) => JSON.parse(localStorage.getItem(key)));
  await store.bring(code, envelopes, Math.max(Number(localStorage.getItem("device_seq") ?? 0), ...envelopes.map((each) => each.device_seq)));
  for (const key of keys) localStorage.removeItem(key);
}

/**
 * Make the outbox of one table. `post(envelopes)` sends and resolves to the server's body or rejects;
 * `heard(answer, envelope)` is called for each answer, `changed(state)` whenever what waits or the link has changed.
 * `differs(answer, envelope)` gives what is to be parked of a recorded deed, or null. `mayGo(envelope)`: false where it, and
 * all behind it, waits for a PIN.
 */
export async function makeOutbox({ code, post, heard, changed, differs, mayGo = () => true }) {
  const name = `outbox:${code}`;
  const link = { offlineSince: null, savedAt: null, sending: false, lacks: null };
  const store = await openStore().then((disk) => untilFull(disk, code, {
    online: () => !link.offlineSince,
    full: () => { link.lacks = "store_full"; },
  }), () => {
    link.lacks = "no_store";
    return memoryStore();
  });
  const others = new BroadcastChannel(name); // the other tabs of this device at this table
  /** One at a time, also across tabs where the browser can promise that. */
  const inTurn = (work) => (navigator.locks ? navigator.locks.request(name, work) : work());
  if (leftBehind(code).length) await inTurn(() => bringOver(store, code));
  let stored = await store.all(code);
  let unwritten = []; // on their way to the disk: they are shown, and sent only from there
  let unkept = []; // what the disk refused
  let asked = false;
  let timer = null;
  let held = null; // the answer to a card that waits for somebody's word

  others.onmessage = async ({ data }) => {
    await read();
    changed(data);
  };

  const waiting = () => stored.filter(({ answer }) => !answer).map(({ envelope }) => envelope);
  const queue = () => [...waiting(), ...unwritten];
  const parked = () => [...stored.filter(({ answer }) => answer), ...unkept];

  async function read() {
    stored = await store.all(code);
    unwritten = unwritten.filter(({ id }) => !stored.some(({ envelope }) => envelope.id === id));
  }

  function add(event, { device, signon, after, shown, expected, seen }) {
    const provisional = Boolean(link.offlineSince);
    const envelope = { id: newId(), device, device_seq: null, signon, at: new Date().toISOString(), after, event, shown, expected, provisional, seen };
    unwritten = [...unwritten, envelope];
    changed();
    const written = () => { unwritten = unwritten.filter((each) => each !== envelope); };
    void store.put(code, envelope).then(async () => {
      await read();
      written(); // also where another tab has sent it meanwhile and it is gone from the disk
      others.postMessage(null);
      return flush();
    }, () => {
      // Nothing is sent that this device has not kept: a lost answer could not be asked for again.
      written();
      const answer = { id: envelope.id, status: "refused", code: "not_kept" };
      unkept = [...unkept, { envelope, answer }];
      heard(answer, envelope);
      changed();
    });
    return envelope.id;
  }

  /** Somebody has said his word: what waited goes on, of a table that was seen up to `seen`. */
  async function goOn(seen) {
    await store.see(code, waiting().map((envelope) => ({ ...envelope, seen })));
    held = null;
    await read();
    return flush();
  }

  /** Send one parked deed again, of the table as it is now. */
  async function again(envelope, more) {
    await store.settle(code, [envelope], []);
    await read();
    changed();
    return add(envelope.event, { device: envelope.device, shown: envelope.shown, ...more });
  }

  /** What waits was told the server in another way, by a PIN; with an `answer` it was refused and lies parked. */
  async function done(envelope, answer = null) {
    await store.settle(code, answer ? [] : [envelope], answer ? [{ envelope, answer }] : []);
    await read();
    others.postMessage(null);
    changed();
    return flush();
  }

  /** The dealer has seen one of what lies parked. */
  async function clearOne(envelope) {
    unkept = unkept.filter((each) => each.envelope !== envelope);
    await store.settle(code, [envelope], []);
    await read();
    others.postMessage(null);
    changed();
  }

  /** The dealer has seen what lies parked. */
  async function clear() {
    unkept = [];
    await store.settle(code, parked().map(({ envelope }) => envelope), []);
    await read();
    others.postMessage(null);
    changed();
  }

  /** One flusher at a time; who comes second waits his turn. */
  async function flush() {
    if (asked) return;
    asked = true;
    await inTurn(() => {
      asked = false;
      return drain();
    });
  }

  async function drain() {
    if (link.sending || held) return;
    link.sending = true;
    clearTimeout(timer);
    let oneByOne = false;
    // A batch that the service cannot read is sent again one by one, and the one it cannot read is parked.
    const unreadable = (batch) => (failure) => {
      if (failure.status !== 400 && failure.status !== 413) throw failure;
      oneByOne = true;
      const { code: refusal, message } = failure;
      return { answers: batch.length > 1 ? [] : [{ id: batch[0].id, status: "refused", code: refusal, message }], again: batch.length > 1 };
    };
    try {
      await read();
      while (waiting().length) {
        const all = waiting();
        const first = all.findIndex((envelope) => !mayGo(envelope));
        const batch = all.slice(0, Math.min(oneByOne ? 1 : 200, first < 0 ? all.length : first));
        if (!batch.length) break;
        const sentAt = new Date().toISOString();
        const body = await post(batch.map((envelope) => ({ ...envelope, sent_at: sentAt }))).catch(unreadable(batch));
        const byId = new Map(batch.map((envelope) => [envelope.id, envelope]));
        const answered = body.answers.filter(({ id, status }) => byId.has(id) && status !== "not_tried").map((answer) => ({ answer, envelope: byId.get(answer.id) }));
        held = answered.find(({ answer, envelope }) => answer.status === "refused" && WAITS.has(answer.code) && stops(envelope.event)) ?? null;
        const settled = answered.filter((each) => each !== held);
        await settle(settled);
        link.offlineSince = null;
        if (answered.some(({ answer }) => RECORDED.has(answer.status))) link.savedAt = new Date(); // the tick's time is a commit's
        for (const { answer, envelope } of settled) heard(answer, envelope);
        changed(body.state);
        others.postMessage(body.state ?? null);
        if (held || (!settled.length && !body.again)) break; // the server tried nothing: do not ask in a tight circle
      }
    } catch (failure) {
      if (failure.kept !== true) link.offlineSince ??= new Date();
      timer = setTimeout(() => void flush(), 1000);
    } finally {
      link.sending = false;
      changed();
    }
  }

  /**
   * Take what was answered out of what waits. A refused bet is parked and stops nothing; with a refused card all that
   * was entered after it is parked too: it was entered of a table that is not so.
   */
  async function settle(answered) {
    const parked_ = answered.flatMap(({ answer, envelope }) => {
      const kept = answer.status === "refused" ? answer : differs(answer, envelope);
      return kept ? [{ envelope, answer: kept }] : [];
    });
    const stop = answered.find(({ answer, envelope }) => answer.status === "refused" && stops(envelope.event));
    const ids = new Set(answered.map(({ envelope }) => envelope.id));
    const unsent = stop ? waiting().filter(({ id }) => !ids.has(id)).map((envelope) => ({ envelope, answer: { id: envelope.id, status: "held" } })) : [];
    await store.settle(code, answered.map(({ envelope }) => envelope), [...parked_, ...unsent]);
    // At once with what follows: nothing may be entered of a table whose last card still waits and is recorded too.
    const gone = new Set([...ids, ...unsent.map(({ envelope }) => envelope.id)]);
    stored = [...stored.filter(({ envelope }) => !gone.has(envelope.id)), ...parked_, ...unsent];
  }

  return {
    add, again, clear, clearOne, done, flush, goOn, held: () => held, queue, parked, read, link,
    know: (value) => store.know(code, value, "relaxed").catch(() => {}), known: () => store.known(code).catch(() => null),
    remember: (name, value) => store.know(`${name}:${code}`, value, "strict").catch(() => {}), remembered: (name) => store.known(`${name}:${code}`).catch(() => null),
  };
}
