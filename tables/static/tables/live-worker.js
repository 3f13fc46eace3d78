// The one stream that all tabs of a browser share. It keeps the floor as it was told last, for tabs that come later.

import { stream } from "./stream.js";

const ports = new Set();
const tables = new Map();
let at = null;
let totals = null;
let open = false;
let end = null;

function take(message) {
  const { name, data } = message;
  if (name === "open") open = data;
  else {
    at = data.at;
    totals = data.totals ?? totals;
    if (name === "floor") tables.clear();
    for (const table of data.tables) tables.set(table.id, table);
  }
  for (const port of ports) port.postMessage(message);
}

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: { url, leaves } }) => {
    if (leaves) {
      ports.delete(port);
      if (ports.size === 0) {
        end?.();
        end = null;
        open = false;
      }
      return;
    }
    ports.add(port);
    if (end === null) end = stream(url, take);
    else if (open) {
      port.postMessage({ name: "open", data: true });
      port.postMessage({ name: "floor", data: { at, totals, tables: [...tables.values()] } });
    }
  };
};
