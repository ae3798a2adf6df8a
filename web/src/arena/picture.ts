import { batch, type Signal, signal } from "@preact/signals";
import { answering } from "../answers";
import { formatBytes } from "../bytes";
import type { Model } from "./model";
import { type AnyPlan, packedBuffers, packPlan } from "./packed_plan";
import { type ColourBy, inksOf, kDim, type Legend, legendOf, type Theme } from "./palette";
import type { PictureAnswer, PictureRequest } from "./picture_protocol";
import type { LaneView } from "./raster";
import { fitView, type Range, type View } from "./view";

/** A place where a plan is wrong, to be marked on its lane. */
export interface FaultMark {
  lane: number;
  t0: number;
  t1: number;
  b0: number;
  b1: number;
  message: string;
}

export type Drawn = PictureAnswer & { kind: "picture" };

export interface PictureInput {
  title: string;
  /** UTF-8 of graph, interval JSON or CSV. */
  bytes: Uint8Array;
  plan: AnyPlan;
  /** A plan of ours for the same graph: lifetimes and sizes that a foreign plan does not hold. */
  reference?: AnyPlan | null;
  /** Bytes per mem_id, index 0 unused. */
  capacity?: readonly (number | null)[];
}

/** A planned model on show: its columns, the worker that draws it, and what the reader looks at. */
export class Picture {
  readonly view: Signal<View>;
  readonly hovered = signal(-1);
  readonly pinned = signal(-1);
  /** The node under the scrubber, in its scope. */
  readonly scrub = signal<{ scope: number; time: number } | null>(null);
  /** Lane that keys and the strip below work on. */
  readonly lane = signal(0);
  readonly legend: Signal<Legend>;
  /** Rows that the search found; null without a search. */
  readonly found = signal<Uint32Array | null>(null);
  readonly faults = signal<readonly FaultMark[]>([]);
  /** The live bytes as the worker last drew them: views and, for each, the most per pixel column. */
  readonly curves = signal<Pick<Drawn, "views" | "curves"> | null>(null);
  /** Goes up whenever colours changed and the picture must be drawn anew. */
  readonly paints = signal(0);

  #serial = 0;
  #isClosed = false;
  /** Those who wait for an answer; they get null where the picture is closed before. */
  readonly #waiting = new Map<number, (answer: PictureAnswer | null) => void>();
  #theme: Theme = "light";

  private constructor(
    readonly model: Model,
    readonly worker: Worker,
  ) {
    this.view = signal(fitView(model));
    this.legend = signal(legendOf(model, "size", formatBytes));
    worker.onmessage = ({ data }: MessageEvent<PictureAnswer>) => {
      const done = this.#waiting.get(data.serial);
      this.#waiting.delete(data.serial);
      done?.(data);
    };
  }

  /** Builds the columns in a worker of its own. Rejects with the worker's message. */
  static open(input: PictureInput): Promise<Picture> {
    const worker = new Worker(new URL("./picture.worker.ts", import.meta.url), { type: "module" });
    const plan = packPlan(input.plan);
    const reference = input.reference ? packPlan(input.reference) : null;
    return new Promise((resolve, reject) => {
      worker.onerror = (event) =>
        reject(new Error(event.message || "The drawing worker could not be loaded."));
      worker.onmessage = ({ data }: MessageEvent<PictureAnswer>) => {
        if (data.kind === "model") resolve(new Picture(data.model, worker));
        else if (data.kind === "failed") {
          worker.terminate();
          reject(new Error(data.message));
        }
      };
      const request: PictureRequest = { kind: "open", serial: 0, input: { ...input, plan, reference } };
      worker.postMessage(request, [...packedBuffers(plan), ...(reference ? packedBuffers(reference) : [])]);
    });
  }

  close(): void {
    this.worker.terminate();
    this.#isClosed = true;
    for (const done of this.#waiting.values()) done(null);
    this.#waiting.clear();
  }

  #ask(
    serial: number,
    message: PictureRequest,
    transfer: Transferable[] = [],
  ): Promise<PictureAnswer | null> {
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting.set(serial, resolve);
      this.#send(message, transfer);
    });
  }

  /** Draws the lanes; `ids` is an earlier picture's buffer to be used again. null where the picture is closed. */
  async draw(
    width: number,
    height: number,
    views: LaneView[],
    ids: Uint32Array<ArrayBuffer> | null,
  ): Promise<Drawn | null> {
    const serial = ++this.#serial;
    const request: PictureRequest = { kind: "draw", serial, width, height, views, ids };
    const drawn = (await this.#ask(serial, request, ids ? [ids.buffer] : [])) as Drawn | null;
    if (drawn) this.curves.value = { views: drawn.views, curves: drawn.curves };
    return drawn;
  }

  search(text: string): Promise<void> {
    return answering(this.#find(text, ++this.#serial));
  }

  async #find(text: string, serial: number): Promise<void> {
    if (text === "") {
      this.found.value = null;
    } else {
      const answer = await this.#ask(serial, { kind: "find", serial, text });
      if (answer?.kind === "found" && serial >= this.#searched) this.found.value = answer.rows;
    }
    this.#searched = Math.max(this.#searched, serial);
    this.#paint();
  }
  #searched = 0;
  #highlighted: Uint32Array | null = null;

  /** Intervals have neither operators nor modules; they are coloured by size then. */
  colourBy(by: ColourBy): void {
    const known = this.model.kind === "graph" || (by !== "operator" && by !== "module");
    this.legend.value = legendOf(this.model, known ? by : "size", formatBytes);
    this.#paint();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#paint();
  }

  /** Marks some rows and fades the rest, whatever the search found; null ends it. */
  highlight(rows: Uint32Array | null): void {
    this.#highlighted = rows;
    this.#paint();
  }

  /** Bytes that each whole lane shows at least, to be at one scale with another picture; null for its own. */
  setScale(scale: readonly Range[] | null): void {
    this.scale = scale;
    this.reset();
  }
  scale: readonly Range[] | null = null;

  reset(): void {
    this.view.value = fitView(this.model, this.scale);
  }

  /** Takes over view, selection and scrubber of a picture of the same tensors under another plan. */
  follow(old: Picture): void {
    const a = old.model;
    const b = this.model;
    if (a.title !== b.title || a.tensorCount !== b.tensorCount || a.scopes.length !== b.scopes.length) return;
    batch(() => {
      this.pinned.value = old.pinned.value;
      this.scrub.value = old.scrub.value;
      if (a.lanes.length !== b.lanes.length) return;
      this.lane.value = old.lane.value;
      // Bytes stay as they were chosen; where all was seen, all is seen again.
      const was = fitView(a);
      const y = old.view.value.y.map((range, i) =>
        same(range, was.y[i]) ? (this.view.value.y[i] ?? range) : range,
      );
      this.view.value = { x: old.view.value.x, y };
    });
  }

  select(tensor: number): void {
    batch(() => {
      this.pinned.value = tensor;
      if (tensor < 0) return;
      const scope = this.model.scope[tensor] as number;
      const lane = this.model.lanes.findIndex((l) => l.scope === scope && l.pool === this.model.pool[tensor]);
      if (lane >= 0) this.lane.value = lane;
    });
  }

  #paint(): void {
    // Looked at without subscribing: this runs inside effects.
    const legend = this.legend.peek();
    const found = this.#highlighted ?? this.found.peek();
    let colours = legend.colours;
    if (found) {
      colours = legend.colours.map((ink) => ink + kDim);
      for (const row of found) colours[row] = legend.colours[row] as number;
    }
    this.#send({ kind: "colours", colours });
    this.#send({ kind: "inks", inks: inksOf(this.#theme, legend.scale) });
    this.paints.value = this.paints.peek() + 1;
  }

  #send(message: PictureRequest, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }
}

function same(a: Range | undefined, b: Range | undefined): boolean {
  return !!a && !!b && a.from === b.from && a.to === b.to;
}
