/**
 * memplan in a Web Worker: the same interface made asynchronous, with abort and progress.
 *
 * @packageDocumentation
 */

import { WEB_HOST } from "./wasm_source.js";
import { type MemplanWorker, openWorker, type StartWorker, type WorkerLoadOptions } from "./worker_client.js";

export { type ErrorCode, type FitDetails, MemplanError, type NamedBytes } from "./error.js";
export type { LoadOptions, Memplan } from "./memplan.js";
export type * from "./types.js";
export type { WasmSource } from "./wasm_source.js";
export type { MemplanWorker, WorkerLoadOptions, WorkerPlanOptions } from "./worker_client.js";

const start: StartWorker = (url, receive, lost) => {
  // Bundlers look for this very form.
  const worker = url
    ? new Worker(url, { type: "module", name: "memplan" })
    : new Worker(new URL("./worker_thread.js", import.meta.url), { type: "module", name: "memplan" });
  worker.onmessage = (event) => receive(event.data);
  worker.onerror = (event) => {
    event.preventDefault?.();
    lost(
      `memplan's worker cannot run${event.message ? ` (${event.message})` : ""}: serve the package's worker_thread.js, or give its URL to load({ worker })`,
    );
  };
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    terminate: () => worker.terminate(),
    busy() {},
  };
};

/**
 * Starts a worker and loads the planner in it. Each call makes a worker of its own.
 *
 * @throws {@link MemplanError} (as a rejection) `WASM_LOAD`, with the URL and what to do about it.
 */
export function load(options?: WorkerLoadOptions): Promise<MemplanWorker> {
  return openWorker(start, () => new URL("./memplan.wasm", import.meta.url), WEB_HOST, options);
}
