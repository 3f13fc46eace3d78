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
 * Make the outbox of one table. `post(envelopes)` sends and resolves to the server's body or rejects;
 * `heard(answer, envelope)` is called for each answer, `changed()` whenever what waits or the link has changed.
 */
export function makeOutbox({ code, post, heard, changed }) {
  const prefix = `outbox:${code}:`;
  const link = { offlineSince: null, savedAt: null, sending: false };
  let timer = null;

  // One entry an envelope: two tabs add and drop at the same moment without undoing each other.
  const keyOf = ({ id, device_seq: number }) => `${prefix}${String(number).padStart(12, "0")}:${id}`;
  const queue = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix)).sort().map((key) => JSON.parse(localStorage.getItem(key)));

  function add(event, { device, signon, after, shown }) {
    const deviceSeq = Number(localStorage.getItem("device_seq") ?? 0) + 1;
    localStorage.setItem("device_seq", String(deviceSeq));
    const envelope = { id: newId(), device, device_seq: deviceSeq, signon, at: new Date().toISOString(), after, event, shown };
    localStorage.setItem(keyOf(envelope), JSON.stringify(envelope));
    changed();
    void flush();
    return envelope.id;
  }

  const drop = (envelope) => localStorage.removeItem(keyOf(envelope));

  /** One flusher at a time, also across tabs where the browser can promise that. */
  function flush() {
    if (navigator.locks) return navigator.locks.request(prefix, { ifAvailable: true }, (lock) => lock && drain());
    return drain();
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
      while (queue().length) {
        const batch = queue().slice(0, oneByOne ? 1 : 200);
        const sentAt = new Date().toISOString();
        const body = await post(batch.map((envelope) => ({ ...envelope, sent_at: sentAt }))).catch(unreadable(batch));
        link.offlineSince = null;
        link.savedAt = new Date();
        let settled = 0;
        for (const answer of body.answers) {
          const envelope = batch.find((each) => each.id === answer.id);
          if (!envelope || answer.status === "not_tried") continue;
          drop(envelope);
          settled += 1;
          heard(answer, envelope);
        }
        changed(body.state);
        if (!settled && !body.again) break; // the server tried nothing: do not ask in a tight circle
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
