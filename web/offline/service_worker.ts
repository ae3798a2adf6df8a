/**
 * Keeps the page for times without a network. All files of one build are fetched when it is installed; their
 * names carry a hash, so a cached one is never stale, and the next build brings its own cache.
 */

/** The build's files, and a name for the set; filled in by precache.ts. */
declare const __MEMPLAN_FILES__: string[];
declare const __MEMPLAN_BUILD__: string;

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchingEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface Scope {
  addEventListener(type: "install" | "activate", listen: (event: WorkerEvent) => void): void;
  addEventListener(type: "fetch", listen: (event: FetchingEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  location: Location;
}

const scope = globalThis as unknown as Scope;
const kCache = `memplan-${__MEMPLAN_BUILD__}`;

scope.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(kCache)
      .then((cache) => cache.addAll(__MEMPLAN_FILES__))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(dropOldCaches().then(() => scope.clients.claim()));
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== scope.location.origin) return;
  event.respondWith(request.mode === "navigate" ? newestPage(request) : cachedFirst(request));
});

async function dropOldCaches(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((n) => n.startsWith("memplan-") && n !== kCache).map((n) => caches.delete(n)),
  );
}

/** The page itself from the network, so that a new build shows at once; from the cache without one. */
async function newestPage(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match("./", { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

async function cachedFirst(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
