// Keeps the console's own files on the device, so that a reload without the server still opens it. What the server
// sends is always preferred: a new version of the page is never held back. It touches no deed and no answer of the API.

const CACHE = "console-1";
const PATIENCE = 4000; // milliseconds; a dead Wi-Fi does not say that it is dead

const ours = (url) => url.origin === location.origin
  && (url.pathname.startsWith("/console/") || url.pathname.startsWith("/static/tables/") || url.pathname === "/words.json");

addEventListener("install", (event) => {
  // Deeds and answers go past this worker, where the browser can be told so.
  event.addRoutes?.([{ condition: { urlPattern: "/api/*" }, source: "network" }]).catch(() => {});
  event.waitUntil(skipWaiting());
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("console-") && name !== CACHE) await caches.delete(name);
    await clients.claim();
  })());
});

/** The page names what it was made of: it was loaded before this worker could see it. */
addEventListener("message", ({ data }) => {
  void caches.open(CACHE).then((cache) => Promise.all(data.filter((each) => ours(new URL(each)))
    .map((each) => cache.match(each).then((found) => found ?? cache.add(each)).catch(() => {}))));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && ours(new URL(request.url))) event.respondWith(answer(event));
});

async function answer(event) {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, which would hold a file of the version before back; unchanged, it costs a 304.
  const fresh = fetch(event.request.mode === "navigate" ? event.request : new Request(event.request, { cache: "no-cache" })).then(async (response) => {
    if (response.ok) await cache.put(event.request, response.clone());
    return response;
  });
  event.waitUntil(fresh.catch(() => {}));
  const kept = await cache.match(event.request, { ignoreSearch: event.request.mode === "navigate" });
  if (!kept) return fresh;
  const late = new Promise((done) => { setTimeout(() => done(kept), PATIENCE); });
  return Promise.race([fresh.catch(() => kept), late]);
}
