import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Node's `fetch` takes no `file:` URLs, and a text without a scheme is a path. */
export function readUrl(url: string | URL): Promise<Uint8Array | Response> {
  const text = String(url);
  if (/^(https?|data|blob):/.test(text)) return fetch(text);
  return readFile(text.startsWith("file:") ? fileURLToPath(text) : text);
}
