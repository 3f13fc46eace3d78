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

/**
 * Where deeds wait: IndexedDB, written through to the disk before a deed counts as kept. Numbers of this device are
 * given in the same transaction, so that two tabs never give the same one.
 */
async function openStore() {
  const db = await new Promise((done, failed) => {
    const asked = indexedDB.open("console", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("deeds", { keyPath: ["table", "number"] });
      asked.result.createObjectStore("numbers");
    };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
  db.onversionchange = () => db.close(); // a newer page may change the store
  void navigator.storage?.persist?.().catch(() => false);

  /** Run one transaction; resolves to what `work` put into `answer.value` once it is on the disk. */
  const transaction = (mode, work) => new Promise((done, failed) => {
    const running = db.transaction(["deeds", "numbers"], mode, mode === "readwrite" ? { durability: "strict" } : {});
    const answer = { value: null };
    running.oncomplete = () => done(answer.value);
    running.onerror = running.onabort = () => failed(running.error);
    work(running.objectStore("deeds"), running.objectStore("numbers"), answer);
  });

  return {
    all: (table) => transaction("readonly", (deeds, _numbers, answer) => {
      deeds.getAll(IDBKeyRange.bound([table], [table, []])).onsuccess = ({ target }) => { answer.value = target.result.map(({ envelope }) => envelope); };
    }),
    put: (table, envelope) => transaction("readwrite", (deeds, numbers) => {
      numbers.get("device_seq").onsuccess = ({ target }) => {
        const number = (target.result ?? 0) + 1;
        numbers.put(number, "device_seq");
        deeds.put({ table, number, envelope: { ...envelope, device_seq: number } });
      };
    }),
    erase: (table, envelopes) => transaction("readwrite", (deeds) => {
      for (const { device_seq: number } of envelopes) deeds.delete([table, number]);
    }),
  };
}

/**
 * Make the outbox of one table. `post(envelopes)` sends and resolves to the server's body or rejects;
 * `heard(answer, envelope)` is called for each answer, `changed(state)` whenever what waits or the link has changed.
 */
export async function makeOutbox({ code, post, heard, changed }) {
  const name = `outbox:${code}`;
  const store = await openStore();
  const link = { offlineSince: null, savedAt: null, sending: false };
  const others = new BroadcastChannel(name); // the other tabs of this device at this table
  let stored = await store.all(code);
  let unwritten = []; // on their way to the disk: they are shown, and sent only from there
  let asked = false;
  let timer = null;

  others.onmessage = async ({ data }) => {
    await read();
    changed(data);
  };

  const queue = () => [...stored, ...unwritten];

  async function read() {
    stored = await store.all(code);
    unwritten = unwritten.filter(({ id }) => !stored.some((each) => each.id === id));
  }

  function add(event, { device, signon, after, shown }) {
    const envelope = { id: newId(), device, device_seq: null, signon, at: new Date().toISOString(), after, event, shown };
    unwritten = [...unwritten, envelope];
    changed();
    void store.put(code, envelope).then(() => {
      others.postMessage(null);
      return flush();
    }, () => {
      // Nothing is sent that this device has not kept: a lost answer could not be asked for again.
      unwritten = unwritten.filter((each) => each !== envelope);
      heard({ id: envelope.id, status: "refused", code: "not_kept" }, envelope);
      changed();
    });
    return envelope.id;
  }

  /** One flusher at a time, also across tabs where the browser can promise that; who comes second waits his turn. */
  async function flush() {
    if (asked) return;
    asked = true;
    const turn = () => {
      asked = false;
      return drain();
    };
    await (navigator.locks ? navigator.locks.request(name, turn) : turn());
  }

  async function drain() {
    if (link.sending) return;
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
      while (stored.length) {
        const batch = stored.slice(0, oneByOne ? 1 : 200);
        const sentAt = new Date().toISOString();
        const body = await post(batch.map((envelope) => ({ ...envelope, sent_at: sentAt }))).catch(unreadable(batch));
        const byId = new Map(batch.map((envelope) => [envelope.id, envelope]));
        const settled = body.answers.filter(({ id, status }) => byId.has(id) && status !== "not_tried");
        await store.erase(code, settled.map(({ id }) => byId.get(id)));
        await read();
        link.offlineSince = null;
        link.savedAt = new Date();
        for (const answer of settled) heard(answer, byId.get(answer.id));
        changed(body.state);
        others.postMessage(body.state ?? null);
        if (!settled.length && !body.again) break; // the server tried nothing: do not ask in a tight circle
      }
    } catch (failure) {
      if (failure.kept !== true) link.offlineSince ??= new Date();
      timer = setTimeout(() => void flush(), 1000);
    } finally {
      link.sending = false;
      changed();
    }
  }

  return { add, flush, queue, link };
}
