/**
 * memplan in a worker thread of Node: the same interface made asynchronous, with abort and progress.
 *
 * @packageDocumentation
 */
import { Worker } from "node:worker_threads";
import { NODE_HOST } from "./wasm_host_node.js";
import { type MemplanWorker, openWorker, type StartWorker, type WorkerLoadOptions } from "./worker_client.js";

export { type ErrorCode, type FitDetails, MemplanError, type NamedBytes } from "./error.js";
export type { LoadOptions, Memplan } from "./memplan.js";
export type * from "./types.js";
export type { WasmSource } from "./wasm_source.js";
export type { MemplanWorker, WorkerLoadOptions, WorkerPlanOptions } from "./worker_client.js";

const start: StartWorker = (url, receive, lost) => {
  const worker = new Worker(url ?? new URL("./worker_thread_node.js", import.meta.url), {
    name: "memplan",
    // The process may have been started with flags that a thread refuses (--input-type).
    execArgv: [],
  });
  worker.on("message", receive);
  worker.on("error", (error) => lost(`memplan's worker cannot run: ${error}`));
  worker.unref();
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    terminate: () => void worker.terminate(),
    busy: (busy) => (busy ? worker.ref() : worker.unref()),
  };
};

/**
 * Starts a worker thread and loads the planner in it. Each call makes a thread of its own; one that idles does
 * not keep the process alive.
 *
 * @throws {@link MemplanError} (as a rejection) `WASM_LOAD`, with the URL and what to do about it.
 */
export function load(options?: WorkerLoadOptions): Promise<MemplanWorker> {
  return openWorker(start, () => new URL("./memplan.wasm", import.meta.url), NODE_HOST, options);
}
