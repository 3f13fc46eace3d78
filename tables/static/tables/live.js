// Follows the live floor's stream. All tabs of a browser share one, in a worker: HTTP/1.1 has six connections a host.

import { stream } from "./stream.js";

/** Follow `url` for this person; `on.heard(floor, whole)` for every message, `on.open(is)` when the stream comes or goes. */
export function follow(url, workerUrl, person, on) {
  const take = ({ name, data }) => {
    if (name === "open") on.open(data);
    else on.heard(data, name === "floor");
  };
  if (typeof SharedWorker === "undefined") {
    stream(url, take); // some browsers of telephones
    return;
  }
  const join = () => {
    // Named by person: who logs in after another is not handed what the other may see.
    const worker = new SharedWorker(workerUrl, { name: `${person} ${url}`, type: "module" });
    worker.port.onmessage = ({ data }) => take(data);
    worker.port.postMessage({ url });
    window.addEventListener("pagehide", () => worker.port.postMessage({ leaves: true }), { once: true });
  };
  join();
  window.addEventListener("pageshow", ({ persisted }) => persisted && join());
}
