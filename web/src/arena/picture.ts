import { batch, type Signal, signal } from "@preact/signals";
import { formatBytes } from "../bytes";
import type { BuildInput } from "./build";
import type { Model } from "./model";
import { type ColourBy, inksOf, kDim, type Legend, legendOf, type Theme } from "./palette";
import type { PictureAnswer, PictureRequest } from "./picture_protocol";
import type { LaneView } from "./raster";
import { fitView, type View } from "./view";

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
  /** Goes up whenever colours changed and the picture must be drawn anew. */
  readonly paints = signal(0);

  #serial = 0;
  readonly #waiting = new Map<number, (answer: PictureAnswer) => void>();
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
  static open(input: Omit<BuildInput, "graph" | "gaps"> & { bytes: Uint8Array }): Promise<Picture> {
    const worker = new Worker(new URL("./picture.worker.ts", import.meta.url), { type: "module" });
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
      worker.postMessage({ kind: "open", serial: 0, input } satisfies PictureRequest);
    });
  }

  close(): void {
    this.worker.terminate();
    this.#waiting.clear();
  }

  /** Draws the lanes; `ids` is an earlier picture's buffer to be used again. */
  draw(
    width: number,
    height: number,
    views: LaneView[],
    ids: Uint32Array<ArrayBuffer> | null,
  ): Promise<Drawn> {
    const serial = ++this.#serial;
    return new Promise((resolve) => {
      this.#waiting.set(serial, (answer) => resolve(answer as Drawn));
      this.#send({ kind: "draw", serial, width, height, views, ids }, ids ? [ids.buffer] : []);
    });
  }

  async search(text: string): Promise<void> {
    const serial = ++this.#serial;
    if (text === "") {
      this.found.value = null;
    } else {
      const answer = await new Promise<PictureAnswer>((resolve) => {
        this.#waiting.set(serial, resolve);
        this.#send({ kind: "find", serial, text });
      });
      if (answer.kind === "found" && serial >= this.#searched) this.found.value = answer.rows;
    }
    this.#searched = serial;
    this.#paint();
  }
  #searched = 0;

  colourBy(by: ColourBy): void {
    this.legend.value = legendOf(this.model, by, formatBytes);
    this.#paint();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#paint();
  }

  reset(): void {
    this.view.value = fitView(this.model);
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
    const legend = this.legend.value;
    const found = this.found.value;
    let colours = legend.colours;
    if (found) {
      colours = legend.colours.map((ink) => ink + kDim);
      for (const row of found) colours[row] = legend.colours[row] as number;
    }
    this.#send({ kind: "colours", colours });
    this.#send({ kind: "inks", inks: inksOf(this.#theme, legend.scale) });
    this.paints.value++;
  }

  #send(message: PictureRequest, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }
}
