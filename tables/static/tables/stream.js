// One stream of server-sent events, begun again whenever it ends: by the browser, or here where it gave up.

import { moment, since } from "./since.js";

const AGAIN_AFTER_MS = 3000;
// The server says every three seconds that it is there. A cut network ends no connection by itself.
const DEAD_AFTER_MS = 7000;

/** Read the stream at `url`; `take({name, data})` gets `open` (true, false), `floor`, `tiles` and `beat`. Returns its end. */
export function stream(url, take) {
  let source = null;
  let heardAt = moment();
  let again = 0;
  const begin = () => {
    clearTimeout(again);
    source?.close();
    heardAt = moment();
    source = new EventSource(url, { withCredentials: true });
    source.onerror = lose;
    for (const name of ["floor", "tiles", "beat"]) {
      source.addEventListener(name, ({ data }) => {
        heardAt = moment();
        if (name === "floor") take({ name: "open", data: true });
        take({ name, data: JSON.parse(data) });
      });
    }
  };
  const lose = () => {
    source?.close();
    take({ name: "open", data: false });
    clearTimeout(again);
    again = setTimeout(begin, AGAIN_AFTER_MS * (0.5 + Math.random())); // not all of two hundred at once
  };
  const watch = setInterval(() => source?.readyState !== EventSource.CLOSED && since(heardAt) > DEAD_AFTER_MS && lose(), 1000);
  begin();
  return () => {
    clearInterval(watch);
    clearTimeout(again);
    source.close();
  };
}
