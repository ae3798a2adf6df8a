import createModule, { type Glue } from "memplan-glue";
import { type FitDetails, MemplanError } from "./error.js";
import type { GraphRows } from "./graph_rows.js";
import { encodeText } from "./input_bytes.js";
import type { CheckedOptions } from "./options.js";
import type { GraphColumns, PlanColumns } from "./plan_columns.js";
import type { Algorithm, Progress, Report } from "./types.js";
import { notMemplan } from "./wasm_source.js";

/** The core's `Output` in bindings/memplan.cpp: places of 32-bit words, and of its doubles. */
const OUTPUT = {
  text: 0,
  textSize: 1,
  ids: 2,
  idsSize: 3,
  idLengths: 4,
  idCount: 5,
  graphs: 6,
  graphCount: 7,
  outOfMemory: 8,
  idsAt: 9,
  doubles: 10,
};
const GRAPH_WORDS = 8;

const ANSWER = { columns: 0, json: 1, csv: 2, columnsWithoutIds: 3 };

/** Steps of the first slice; about a millisecond of work. */
const FIRST_SLICE = 1024;

/** A memory this large is given back after the call: wasm cannot shrink it, only drop it. */
const LARGE_MEMORY = 256 * 2 ** 20;

/** The largest input that one allocation of 32-bit wasm can hold. */
const LARGEST_INPUT = 2 ** 31 - 2 ** 16;

/** Bytes behind JSON and behind lines, kJsonPadding in src/json_walker.h. */
const PADDING = 17;

/** The layout of rows in the input, for an input that is text. */
const NO_ROWS = { numbers: 0, jsonBytes: 0, lines: 0 };

const encoder = new TextEncoder();
// An id that begins with a byte order mark keeps it.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function instantiate(module: WebAssembly.Module): Glue {
  const glue = {
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      receive(instance);
      return instance.exports;
    },
    printErr() {},
  };
  createModule(glue);
  if (!("outputTable" in glue)) throw new TypeError("the module has none of memplan's functions");
  return glue as unknown as Glue;
}

/** How a plan is written as text. */
export type PlanTextForm = "json" | "csv";

/** One planning job; steps until `timeLimitMs` or `stepBudget` is over are the caller's affair. */
export interface Job {
  /** False when nothing is left to do, or the limits of the options are reached. */
  step(sliceMs: number): boolean;
  progress(): Progress;
  /** Ends the job. Calls `use` with columns that are good only within it. */
  finish<T>(use: (columns: PlanColumns) => T): T;
  finishAsText(form: PlanTextForm): string;
  cancel(): void;
}

/**
 * The core, in one WebAssembly instance at a time: after a trap, or a job that made its memory very large, the
 * next call gets a fresh one.
 */
export class Core {
  readonly #module: WebAssembly.Module;
  #glue: Glue | undefined;
  #table = 0;
  /** What of the options' names the instance has. */
  #names = "";

  constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#alive();
  }

  get algorithms(): Algorithm[] {
    return this.#call((glue) => {
      glue.algorithms();
      return JSON.parse(this.#text(glue)) as Algorithm[];
    });
  }

  verify(input: Uint8Array, plan: Uint8Array, options: CheckedOptions): Report {
    return this.#call((glue) => {
      this.#put(glue, input, "reserveInput");
      this.#put(glue, plan, "reservePlan");
      this.#putOptions(glue, options);
      const done = glue.verify(options.rules, options.flags, options.alignment);
      const text = this.#text(glue);
      this.#keepSmall(glue);
      if (!done) throw asError(text, input, plan);
      return JSON.parse(text) as Report;
    });
  }

  /** Throws where rows cannot be read; then the JSON of the same graph says why. */
  start(input: Uint8Array | string | GraphRows, options: CheckedOptions): Job {
    let glue = this.#alive();
    let left = options.stepBudget;
    const firstBudget = Math.min(FIRST_SLICE, left);
    const started = this.#call((current) => {
      glue = current;
      let layout = NO_ROWS;
      if (typeof input === "string") this.#putText(glue, input);
      else if (input instanceof Uint8Array) this.#put(glue, input, "reserveInput");
      else layout = this.#putRows(glue, input);
      this.#putOptions(glue, options);
      const result = glue.start(
        options.rules,
        options.flags,
        options.alignment,
        options.seed,
        options.stopAt,
        layout.numbers,
        layout.jsonBytes,
        layout.lines,
        firstBudget,
      );
      if (result < 0) throw this.#takeError(glue, input);
      return result;
    });
    left -= firstBudget;
    const handle = started >> 1;
    let more = (started & 1) !== 0 && left > 0 && options.timeLimitMs > 0;
    const call = <T>(work: () => T): T => {
      if (glue !== this.#glue) throw new MemplanError("INTERNAL", "the job ended when another call failed");
      return this.#call(work);
    };
    const ids = typeof input === "string" || input instanceof Uint8Array ? null : input.ids;
    let slice = FIRST_SLICE;
    const end = performance.now() + options.timeLimitMs;
    return {
      step: (sliceMs) =>
        more &&
        call(() => {
          const before = performance.now();
          const budget = Math.min(slice, left);
          const isRunning = glue.step(handle, budget) !== 0;
          left -= budget;
          const after = performance.now();
          if (after - before < sliceMs / 2) slice *= 2;
          else if (after - before > sliceMs) slice = Math.max(FIRST_SLICE, Math.floor(slice / 2));
          more = isRunning && left > 0 && after < end;
          return more;
        }),
      progress: () => call(() => this.#progress(glue, handle)),
      finish: (use) =>
        call(() => {
          const answer = ids ? ANSWER.columnsWithoutIds : ANSWER.columns;
          if (!glue.finish(handle, answer)) throw this.#takeError(glue);
          const result = use(this.#columns(glue, ids));
          this.#keepSmall(glue);
          return result;
        }),
      finishAsText: (form) =>
        call(() => {
          if (!glue.finish(handle, ANSWER[form])) throw this.#takeError(glue);
          const text = this.#text(glue);
          this.#keepSmall(glue);
          return text;
        }),
      cancel: () => call(() => glue.cancel(handle)),
    };
  }

  /** Length of the wasm memory in bytes; it never shrinks while the instance lives. */
  get memoryBytes(): number {
    return this.#glue?.HEAPU8.length ?? 0;
  }

  #alive(): Glue {
    if (!this.#glue) {
      try {
        this.#glue = instantiate(this.#module);
      } catch (cause) {
        if (cause instanceof WebAssembly.LinkError || cause instanceof TypeError) throw notMemplan(cause);
        throw new MemplanError("OUT_OF_MEMORY", "no memory for a WebAssembly instance", { cause });
      }
      this.#table = this.#glue.outputTable() / 4;
      this.#names = "";
    }
    return this.#glue;
  }

  /** Runs one call; anything but an error of ours means that the instance cannot be trusted any more. */
  #call<T>(work: (glue: Glue) => T): T {
    const glue = this.#alive();
    try {
      return work(glue);
    } catch (error) {
      if (error instanceof MemplanError) throw error;
      this.#glue = undefined;
      if (glue.HEAPU32[this.#table + OUTPUT.outOfMemory] !== 0 || isOutOfMemory(error)) {
        throw new MemplanError("OUT_OF_MEMORY", "the input needs more memory than WebAssembly has", {
          cause: error,
        });
      }
      throw new MemplanError("INTERNAL", "memplan failed; please report this with its input", {
        cause: error,
      });
    }
  }

  #put(glue: Glue, bytes: Uint8Array, reserve: "reserveInput" | "reservePlan"): void {
    const at = this.#reserve(glue, bytes.length, reserve);
    glue.HEAPU8.set(bytes, at);
  }

  /** ASCII, as nearly all is, goes straight to where it is read. */
  #putText(glue: Glue, text: string): void {
    const at = this.#reserve(glue, text.length);
    const written = encoder.encodeInto(text, glue.HEAPU8.subarray(at, at + text.length));
    if (written.read < text.length) this.#put(glue, encodeText(text), "reserveInput");
  }

  #putRows(glue: Glue, rows: GraphRows): typeof NO_ROWS {
    const json = encoder.encode(rows.rest);
    const jsonAt = 8 * rows.numbers.length;
    const linesAt = jsonAt + json.length + PADDING;
    const at = this.#reserve(glue, linesAt + rows.lines.length + PADDING);
    glue.HEAPF64.set(rows.numbers, at / 8);
    glue.HEAPU8.set(json, at + jsonAt);
    glue.HEAPU8.set(rows.lines, at + linesAt);
    return { numbers: rows.numbers.length, jsonBytes: json.length, lines: rows.lineCount };
  }

  #reserve(glue: Glue, bytes: number, reserve: "reserveInput" | "reservePlan" = "reserveInput"): number {
    if (bytes > LARGEST_INPUT) {
      throw new MemplanError("OUT_OF_MEMORY", `${bytes} bytes of input are more than WebAssembly can hold`);
    }
    return glue[reserve](bytes) >>> 0;
  }

  /** What of the options is no single number. */
  #putOptions(glue: Glue, { algorithm, operators, capacity }: CheckedOptions): void {
    if (capacity) {
      const at = glue.reserveCapacity(capacity.length) >>> 0;
      glue.HEAPF64.set(capacity, at / 8);
    }
    const names = operators ? `${algorithm}\n${operators}` : algorithm;
    if (names !== this.#names) {
      const bytes = encoder.encode(names);
      const at = glue.reserveNames(bytes.length) >>> 0;
      glue.HEAPU8.set(bytes, at);
      this.#names = names;
    }
  }

  #word(glue: Glue, name: Exclude<keyof typeof OUTPUT, "doubles">): number {
    return glue.HEAPU32[this.#table + OUTPUT[name]] as number;
  }

  #text(glue: Glue): string {
    const at = this.#word(glue, "text");
    return decoder.decode(glue.HEAPU8.subarray(at, at + this.#word(glue, "textSize")));
  }

  #takeError(glue: Glue, input?: Uint8Array | string | GraphRows): MemplanError {
    const text = typeof input === "string" || input instanceof Uint8Array ? input : undefined;
    const error = asError(this.#text(glue), text);
    this.#keepSmall(glue);
    return error;
  }

  /** After a call; what its answer lies in is used again by the next one. */
  #keepSmall(glue: Glue): void {
    if (glue.HEAPU8.length > LARGE_MEMORY) this.#glue = undefined;
  }

  #progress(glue: Glue, handle: number): Progress {
    glue.progress(handle);
    const at = (this.#table + OUTPUT.doubles) / 2;
    const bestPeak = glue.HEAPF64[at] as number;
    return {
      phase: this.#text(glue),
      bestPeak: bestPeak < 0 ? null : bestPeak,
      lowerBound: glue.HEAPF64[at + 1] as number,
      steps: glue.HEAPF64[at + 2] as number,
    };
  }

  #columns(glue: Glue, topIds: string[] | null): PlanColumns {
    const textAt = this.#word(glue, "text");
    const graphs = new Array<GraphColumns>(this.#word(glue, "graphCount"));
    let at = this.#word(glue, "graphs") / 4;
    for (let g = 0; g < graphs.length; g++, at += GRAPH_WORDS) graphs[g] = graphColumns(glue.HEAPU32, at);
    return {
      // The ids lie behind the text.
      text: decoder.decode(
        glue.HEAPU8.subarray(textAt, this.#word(glue, "ids") + this.#word(glue, "idsSize")),
      ),
      idsAt: this.#word(glue, "idsAt"),
      idLengths: this.#word(glue, "idLengths") / 4,
      idCount: this.#word(glue, "idCount"),
      topIds,
      graphs,
      whole: glue.HEAP32,
      doubles: glue.HEAPF64,
    };
  }
}

function graphColumns(words: Uint32Array, at: number): GraphColumns {
  const lifetimes = words[at + 1] as number;
  const times = words[at + 2] as number;
  const isSmall = words[at + 7] !== 0;
  const size = isSmall ? 4 : 8;
  return {
    count: words[at] as number,
    lifetimes: lifetimes ? lifetimes / 4 : -1,
    times: times ? times / 8 : -1,
    isSmall,
    allocated: (words[at + 3] as number) / size,
    memIds: (words[at + 4] as number) / 4,
    objects: (words[at + 5] as number) / 4,
    offsets: (words[at + 6] as number) / size,
  };
}

function asError(text: string, input?: Uint8Array | string, plan?: Uint8Array): MemplanError {
  const error = JSON.parse(text) as { code: string; message: string; path?: string; details?: FitDetails };
  // The core unescapes strings where they stand and cannot count lines after that.
  const stopped = /^(plan )?byte (\d+)$/.exec(error.path ?? "");
  const read = stopped?.[1] ? plan : input;
  if (read && stopped) {
    const bytes = typeof read === "string" ? encodeText(read) : read;
    error.path = lineAndColumn(bytes, Number(stopped[2]));
  }
  return new MemplanError(error.code, error.message, error);
}

/** Of a byte, both from 1; the column counts bytes, as the core's does. */
function lineAndColumn(input: Uint8Array, byte: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = input.indexOf(10); at >= 0 && at < byte; at = input.indexOf(10, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return `line ${line}, column ${byte - lineStart + 1}`;
}

/** A failed allocation that JavaScript saw: of a typed array, a string, or the memory itself. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && !/call stack/i.test(error.message);
}
