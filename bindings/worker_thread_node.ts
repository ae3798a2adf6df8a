/** Runs in a worker thread of Node; bindings/worker_node.ts starts it. */
import { parentPort } from "node:worker_threads";
import { WorkerLoop } from "./worker_loop.js";
import type { Request } from "./worker_messages.js";

const loop = new WorkerLoop({
  post: (answer, transfer) => parentPort?.postMessage(answer, transfer),
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
});
parentPort?.on("message", (request: Request) => loop.receive(request));
