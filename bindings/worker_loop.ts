import { MemplanError } from "./error.js";
import { Core, type Job } from "./instance.js";
import type { GraphColumns, PlanColumns } from "./plan_columns.js";
import type { Answer, Request } from "./worker_messages.js";

/** What the two kinds of worker differ in. */
export interface WorkerPort {
  post(answer: Answer, transfer: ArrayBuffer[]): void;
  /** Lets messages in; resolves at once where none wait. */
  breathe(): Promise<void>;
}

/** Milliseconds between two looks at the messages. */
const SLICE_MS = 10;
/** Milliseconds between two reports of progress, at least. */
const PROGRESS_MS = 50;

type PlanRequest = Extract<Request, { type: "plan" }>;

/** The worker's side: plans are made one after the other, in slices; everything else is answered between two. */
export class WorkerLoop {
  readonly #port: WorkerPort;
  #core: Core | undefined;
  readonly #waiting: PlanRequest[] = [];
  readonly #stopped = new Set<number>();
  #running = false;
  #current: number | undefined;
  #isCurrentGivenUp = false;

  constructor(port: WorkerPort) {
    this.#port = port;
  }

  receive(request: Request): void {
    switch (request.type) {
      case "cancel":
        this.#cancel(request.id);
        return;
      case "stop":
        // For a plan that waits too: it stops as soon as it has begun.
        if (this.#knows(request.id)) this.#stopped.add(request.id);
        return;
      case "plan":
        this.#waiting.push(request);
        if (!this.#running) void this.#work();
        return;
      case "open":
        this.#answer(request.id, () => {
          this.#core = new Core(request.module);
          return { type: "opened", id: request.id, algorithms: this.#core.algorithms };
        });
        return;
      case "verify":
        this.#answer(request.id, () => {
          const report = this.#open().verify(request.input, request.plan, request.options);
          return { type: "verified", id: request.id, report };
        });
    }
  }

  /** False for a plan that was answered while the message was on its way. */
  #knows(id: number): boolean {
    return id === this.#current || this.#waiting.some((request) => request.id === id);
  }

  #cancel(id: number): void {
    if (id === this.#current) {
      this.#isCurrentGivenUp = true;
      return;
    }
    const place = this.#waiting.findIndex((request) => request.id === id);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    this.#stopped.delete(id);
    this.#port.post({ type: "cancelled", id }, []);
  }

  #open(): Core {
    if (!this.#core) throw new MemplanError("INTERNAL", "the worker was not opened");
    return this.#core;
  }

  #answer(id: number, work: () => Answer): void {
    try {
      this.#port.post(work(), []);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    const known =
      error instanceof MemplanError
        ? error
        : new MemplanError("INTERNAL", `memplan's worker failed: ${error}`);
    const { code, message, path, details } = known;
    this.#port.post(
      {
        type: "failed",
        id,
        code,
        message,
        ...(path === undefined ? {} : { path }),
        ...(details ? { details } : {}),
      },
      [],
    );
  }

  async #work(): Promise<void> {
    this.#running = true;
    // A cancel that came right behind its plan is heard first.
    await this.#port.breathe();
    for (let request = this.#waiting.shift(); request; request = this.#waiting.shift()) {
      this.#current = request.id;
      this.#isCurrentGivenUp = false;
      try {
        await this.#plan(request);
      } catch (error) {
        this.#fail(request.id, error);
      }
      this.#current = undefined;
      this.#stopped.delete(request.id);
    }
    this.#running = false;
  }

  async #plan({ id, input, options, wantsProgress }: PlanRequest): Promise<void> {
    const job = this.#open().start(input, options);
    let reportAt = 0;
    while (job.step(SLICE_MS)) {
      if (wantsProgress && performance.now() >= reportAt) {
        this.#report(id, job);
        reportAt = performance.now() + PROGRESS_MS;
      }
      await this.#port.breathe();
      if (this.#isCurrentGivenUp) {
        job.cancel();
        this.#port.post({ type: "cancelled", id }, []);
        return;
      }
      if (this.#stopped.has(id)) break;
    }
    if (wantsProgress) this.#report(id, job);
    job.finish((views) => {
      const { columns, buffers } = copy(views);
      this.#port.post({ type: "planned", id, columns }, buffers);
    });
  }

  #report(id: number, job: Job): void {
    this.#port.post({ type: "progress", id, progress: job.progress() }, []);
  }
}

/** The columns out of wasm memory, and their buffers, to be handed over. */
function copy(views: PlanColumns): { columns: PlanColumns; buffers: ArrayBuffer[] } {
  const rows = views.graphs.reduce((sum, graph) => sum + graph.count, 0);
  const smallRows = views.graphs.reduce((sum, graph) => sum + (graph.isSmall ? graph.count : 0), 0);
  const whole = new Int32Array(4 * rows + 2 * smallRows + views.idCount);
  const doubles = new Float64Array(4 * rows - 2 * smallRows);
  let wholeSize = 0;
  let doublesSize = 0;
  const ownWhole = (from: number, count: number) => {
    whole.set(views.whole.subarray(from, from + count), wholeSize);
    wholeSize += count;
    return wholeSize - count;
  };
  const ownDoubles = (from: number, count: number) => {
    doubles.set(views.doubles.subarray(from, from + count), doublesSize);
    doublesSize += count;
    return doublesSize - count;
  };
  const columns = {
    ...views,
    idLengths: ownWhole(views.idLengths, views.idCount),
    graphs: views.graphs.map(
      ({ count, lifetimes, times, isSmall, allocated, memIds, objects, offsets }): GraphColumns => ({
        count,
        isSmall,
        lifetimes: lifetimes < 0 ? -1 : ownWhole(lifetimes, 2 * count),
        times: times < 0 ? -1 : ownDoubles(times, 2 * count),
        allocated: (isSmall ? ownWhole : ownDoubles)(allocated, count),
        memIds: ownWhole(memIds, count),
        objects: ownWhole(objects, count),
        offsets: (isSmall ? ownWhole : ownDoubles)(offsets, count),
      }),
    ),
    whole,
    doubles,
  };
  return { columns, buffers: [whole.buffer, doubles.buffer] };
}
