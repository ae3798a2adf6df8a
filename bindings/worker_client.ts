import { MemplanError } from "./error.js";
import { inputBytes } from "./input_bytes.js";
import type { LoadOptions } from "./memplan.js";
import { checkOptions, copyOptions } from "./options.js";
import { buildPlan } from "./plan_columns.js";
import type {
  Algorithm,
  Input,
  Options,
  Plan,
  PlanToVerify,
  Progress,
  Report,
  VerifyOptions,
} from "./types.js";
import { compileWasm, type WasmHost, type WasmSource } from "./wasm_source.js";
import type { Answer, Request } from "./worker_messages.js";

/** Options of {@link MemplanWorker.plan}. */
export interface WorkerPlanOptions extends Options {
  /** Gives the plan up: the promise rejects with `ABORTED`, the signal's reason as `cause`. */
  signal?: AbortSignal;
  /** Ends a search early: the promise resolves with the best plan so far. */
  stopSignal?: AbortSignal;
  /** Called at most every 50 ms while a search runs, and once at its end. */
  onProgress?: (progress: Progress) => void;
}

/** The planner in a worker: the same interface, with promises. */
export interface MemplanWorker {
  /**
   * Plans where every tensor lives. Plans asked for at once are made one after the other.
   *
   * @throws {@link MemplanError} (as a rejection) with the codes of the formats' error table, and `ABORTED`.
   */
  plan(input: Input, options?: WorkerPlanOptions): Promise<Plan>;
  /** Whether a plan is right; see {@link Memplan.verify}. */
  verify(
    input: Input,
    plan: PlanToVerify | string | Uint8Array,
    options?: VerifyOptions & { signal?: AbortSignal },
  ): Promise<Report>;
  /** All algorithms of the rules `sound`, in the order to show them. */
  readonly algorithms: readonly Algorithm[];
  /** Ends the worker at once, and with `ABORTED` every call that waits. A later call starts it again. */
  terminate(): void;
}

/** How to load; all optional. */
export interface WorkerLoadOptions extends LoadOptions {
  /** URL of the package's `worker_thread.js`, for tools that do not find it by themselves. */
  worker?: string | URL;
}

/** A worker as the client needs it: a page's or Node's. */
export interface WorkerHandle {
  post(request: Request, transfer: ArrayBuffer[]): void;
  terminate(): void;
  /** Whether calls wait for it; Node need not stay for one that idles. */
  busy(busy: boolean): void;
}

/** Starts a worker. `lost` is called once, if it cannot be loaded or dies. */
export type StartWorker = (
  url: string | URL | undefined,
  receive: (answer: Answer) => void,
  lost: (why: string) => void,
) => WorkerHandle;

/** Milliseconds that a worker has to hear of an abort before it is ended. */
const PATIENCE_MS = 1000;

interface Call {
  request: Request;
  resolve(answer: Answer): void;
  reject(error: MemplanError): void;
  onProgress: ((progress: Progress) => void) | undefined;
}

export async function openWorker(
  start: StartWorker,
  defaultWasm: () => WasmSource,
  host: WasmHost,
  options: WorkerLoadOptions | undefined,
): Promise<MemplanWorker> {
  const { wasm, worker } = options ?? {};
  const client = new WorkerClient(start, worker, await compileWasm(wasm ?? defaultWasm(), host));
  const algorithms = await client.open();
  return {
    algorithms,
    async plan(input, given) {
      const { signal, stopSignal, onProgress, ...options } = copyOptions(given);
      const checked = checkOptions(options);
      checkSignal("signal", signal);
      checkSignal("stopSignal", stopSignal);
      if (onProgress !== undefined && typeof onProgress !== "function") {
        throw new MemplanError("INVALID_OPTION", "onProgress must be a function", { path: "onProgress" });
      }
      const answer = await client.call(
        (id) => ({
          type: "plan",
          id,
          input: inputBytes(input, "input"),
          options: checked,
          wantsProgress: onProgress !== undefined,
        }),
        { signal, stopSignal, onProgress },
      );
      return buildPlan((answer as Extract<Answer, { type: "planned" }>).columns);
    },
    async verify(input, plan, given) {
      const { signal, ...options } = copyOptions(given);
      const checked = checkOptions(options);
      checkSignal("signal", signal);
      const answer = await client.call(
        (id) => ({
          type: "verify",
          id,
          input: inputBytes(input, "input"),
          plan: inputBytes(plan, "plan"),
          options: checked,
        }),
        { signal },
      );
      return (answer as Extract<Answer, { type: "verified" }>).report;
    },
    terminate: () => client.terminate(),
  };
}

function checkSignal(name: string, signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new MemplanError("INVALID_OPTION", `${name} must be an AbortSignal`, { path: name });
  }
}

function aborted(signal: AbortSignal): MemplanError {
  return new MemplanError("ABORTED", "the signal aborted the call", { cause: signal.reason });
}

class WorkerClient {
  readonly #start: StartWorker;
  readonly #url: string | URL | undefined;
  readonly #module: WebAssembly.Module;
  #worker: WorkerHandle | undefined;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;

  constructor(start: StartWorker, url: string | URL | undefined, module: WebAssembly.Module) {
    this.#start = start;
    this.#url = url;
    this.#module = module;
  }

  async open(): Promise<Algorithm[]> {
    const answer = await this.call((id) => ({ type: "open", id, module: this.#module }), {});
    return (answer as Extract<Answer, { type: "opened" }>).algorithms;
  }

  call(
    makeRequest: (id: number) => Request,
    { signal, stopSignal, onProgress }: Pick<WorkerPlanOptions, "signal" | "stopSignal" | "onProgress">,
  ): Promise<Answer> {
    if (signal?.aborted) return Promise.reject(aborted(signal));
    const id = ++this.#lastId;
    const request = makeRequest(id);
    return new Promise<Answer>((resolve, reject) => {
      const onAbort = () => {
        this.#giveUp(id);
        settle();
        reject(aborted(signal as AbortSignal));
      };
      const onStop = () => this.#worker?.post({ type: "stop", id }, []);
      const settle = () => {
        signal?.removeEventListener("abort", onAbort);
        stopSignal?.removeEventListener("abort", onStop);
      };
      this.#send(request);
      this.#calls.set(id, {
        request,
        onProgress,
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener("abort", onAbort);
      stopSignal?.addEventListener("abort", onStop);
      if (stopSignal?.aborted) onStop();
    });
  }

  terminate(): void {
    this.#end();
    for (const call of [...this.#calls.values()]) {
      call.reject(new MemplanError("ABORTED", "the worker was terminated"));
    }
    this.#calls.clear();
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #send(request: Request): void {
    if (!this.#worker) {
      this.#worker = this.#startWorker();
      if (request.type !== "open") this.#worker.post({ type: "open", id: 0, module: this.#module }, []);
    }
    this.#worker.busy(true);
    this.#worker.post(request, []);
  }

  #startWorker(): WorkerHandle {
    try {
      const worker = this.#start(
        this.#url,
        (answer) => {
          if (this.#worker === worker) this.#receive(answer);
        },
        (why) => {
          if (this.#worker === worker) this.#lose(why);
        },
      );
      return worker;
    } catch (cause) {
      // A URL that is none, or of another origin.
      const what = this.#url === undefined ? "" : ` from ${this.#url}`;
      throw new MemplanError("WASM_LOAD", `memplan's worker cannot start${what}: ${cause}`, { cause });
    }
  }

  #receive(answer: Answer): void {
    const call = this.#calls.get(answer.id);
    if (answer.type === "progress") {
      call?.onProgress?.(answer.progress);
      return;
    }
    this.#calls.delete(answer.id);
    if (this.#calls.size === 0) this.#worker?.busy(false);
    if (answer.type === "failed") {
      call?.reject(new MemplanError(answer.code, answer.message, answer));
    } else {
      call?.resolve(answer);
    }
  }

  /** The caller has been told already; the worker is asked, and ended where it does not hear. */
  #giveUp(id: number): void {
    const worker = this.#worker;
    worker?.post({ type: "cancel", id }, []);
    setTimeout(() => {
      if (worker !== this.#worker || !this.#calls.has(id)) return;
      this.#calls.delete(id);
      this.#end();
      for (const call of this.#calls.values()) this.#send(call.request);
    }, PATIENCE_MS);
  }

  #lose(why: string): void {
    this.#end();
    for (const call of [...this.#calls.values()]) call.reject(new MemplanError("WASM_LOAD", why));
    this.#calls.clear();
  }
}
