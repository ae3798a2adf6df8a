// A static server with the strictest content security policy that memplan
// promises to run under. For `npm start` and for the tests in Chromium.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

/** No `unsafe-eval`, nothing from other hosts. `blob:` is for pictures and files the page itself makes. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".csv": "text/csv; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves folders on 127.0.0.1: `roots` maps a URL prefix ("/" or "/data/") to
 * a folder, the longest prefix wins. `port` 0 takes any free one.
 * Resolves to { url, close }.
 */
export async function serve(roots, { port = 0, csp = CONTENT_SECURITY_POLICY, routes = {} } = {}) {
  const prefixes = Object.keys(roots).sort((a, b) => b.length - a.length);
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const headers = {
      "content-security-policy": csp,
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    };
    if (routes[path]) {
      response.writeHead(200, { ...headers, "content-type": routes[path].type });
      response.end(routes[path].body);
      return;
    }
    const prefix = prefixes.find((candidate) => path.startsWith(candidate));
    let file = prefix && normalize(join(roots[prefix], path.slice(prefix.length)));
    let info = file && (await stat(file).catch(() => undefined));
    if (info?.isDirectory()) {
      file = join(file, "index.html");
      info = await stat(file).catch(() => undefined);
    }
    const inside = file?.startsWith(normalize(roots[prefix] + sep));
    if (!info?.isFile() || !inside) {
      response.writeHead(404, { ...headers, "content-type": "text/plain" });
      response.end(`Not found: ${path}\n`);
      return;
    }
    response.writeHead(200, {
      ...headers,
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-length": info.size,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
