/**
 * memplan in browsers, workers and bundlers; the WebAssembly is the file `memplan.wasm` beside this module.
 *
 * @packageDocumentation
 */
import { type LoadOptions, type Memplan, makeLoader } from "./memplan.js";
import { WEB_HOST } from "./wasm_source.js";

export { type ErrorCode, type FitDetails, MemplanError, type NamedBytes } from "./error.js";
export type { LoadOptions, Memplan } from "./memplan.js";
export type * from "./types.js";
export type { WasmSource } from "./wasm_source.js";

const loader = makeLoader(() => new URL("./memplan.wasm", import.meta.url), WEB_HOST);

/**
 * Loads the planner: at the first call, then the same again. With `wasm`, from there (and from then on).
 *
 * @throws {@link MemplanError} `WASM_LOAD`, with the URL and what to do about it. The next call tries again.
 */
export function load(options?: LoadOptions): Promise<Memplan> {
  return loader.load(options);
}

/** Loads a planner of its own, with its own memory. For those who need two at once; others want {@link load}. */
export function createInstance(options?: LoadOptions): Promise<Memplan> {
  return loader.createInstance(options);
}
