/** Runs in the worker of a page; bindings/worker.ts starts it. */
import { WorkerLoop } from "./worker_loop.js";
import type { Request } from "./worker_messages.js";

interface WorkerScope {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;
// A message to oneself comes behind those that wait; a timer would sleep for milliseconds.
const { port1, port2 } = new MessageChannel();
const loop = new WorkerLoop({
  post: (answer, transfer) => scope.postMessage(answer, transfer),
  breathe: () =>
    new Promise((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(null);
    }),
});
scope.onmessage = (event) => loop.receive(event.data);
