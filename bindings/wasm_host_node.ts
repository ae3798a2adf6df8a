import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WasmHost } from "./wasm_source.js";

/**
 * Reads and compiles at once: that is five milliseconds, since V8 compiles a function when it is first called. The
 * thread pool takes ten times as long where the machine is busy.
 */
export const NODE_HOST: WasmHost = {
  /** Node's `fetch` takes no `file:` URLs, and a text without a scheme is a path. */
  async readUrl(url) {
    const text = String(url);
    if (/^(https?|data|blob):/.test(text)) return fetch(text);
    return readFileSync(text.startsWith("file:") ? fileURLToPath(text) : text);
  },
  compile: (bytes) => new WebAssembly.Module(bytes),
};
