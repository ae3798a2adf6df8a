/**
 * memplan with the WebAssembly inside the module: for tools that do not copy files. A third larger to transfer.
 *
 * @packageDocumentation
 */
import base64 from "memplan-bytes";
import { type LoadOptions, type Memplan, makeLoader } from "./memplan.js";
import { WEB_HOST } from "./wasm_source.js";

export { type ErrorCode, type FitDetails, MemplanError, type NamedBytes } from "./error.js";
export type { LoadOptions, Memplan } from "./memplan.js";
export type * from "./types.js";
export type { WasmSource } from "./wasm_source.js";

const loader = makeLoader(
  () => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
  WEB_HOST,
);

/** Loads the planner: at the first call, then the same again. */
export function load(options?: LoadOptions): Promise<Memplan> {
  return loader.load(options);
}

/** Loads a planner of its own, with its own memory. For those who need two at once; others want {@link load}. */
export function createInstance(options?: LoadOptions): Promise<Memplan> {
  return loader.createInstance(options);
}
