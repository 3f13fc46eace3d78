// Talking to the service: the device's token, the table's address, nothing else.

/** An answer that is not a success. `status` is the HTTP status; `code` and `message` as the service gave them. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? body?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.code ?? null;
    this.facts = body?.facts ?? {};
    this.kept = true; // the service was reached: this is an answer, not a broken link
  }
}

export function makeApi(base, token) {
  async function call(method, path, body) {
    const headers = { Accept: "application/json", Authorization: `Device ${token()}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const controller = new AbortController();
    const patience = setTimeout(() => controller.abort(), 8000);
    try {
      const answer = await fetch(base + path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: controller.signal,
        credentials: "omit", cache: "no-store",
      });
      if (answer.status === 204) return null;
      const text = await answer.text();
      let read = null;
      try { read = JSON.parse(text); } catch { read = null; }
      if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`); // as good as no answer: ask again
      if (!answer.ok) throw new Refused(answer.status, read);
      return read;
    } finally {
      clearTimeout(patience);
    }
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    remove: (path, body) => call("DELETE", path, body),
  };
}
