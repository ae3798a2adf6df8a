import type { Names } from "./names";

/** What a tensor is, beside its place; bits of `Model.flags`. */
export const Flag = {
  kConst: 1,
  kInput: 2,
  kOutput: 4,
  kState: 8,
  kUnbound: 16,
  /** Shares the bytes of another tensor: a view, an in-place result or a slice. */
  kAlias: 32,
  kUnused: 64,
} as const;

/** One graph of the input: the top graph, a submodule, or one of several methods. */
export interface Scope {
  /** "" for the top graph, "body", "body/inner" for submodules. */
  path: string;
  /** Index of the calling scope, or -1. */
  parent: number;
  /** Node indexes in the parent that run this scope. */
  calledAt: number[];
  /** Range of its nodes in the node columns. */
  firstNode: number;
  nodeCount: number;
  /** First node index that computes something: where the default view starts. */
  foldStart: number;
  /** One past its last node index (or time, for interval problems). */
  end: number;
}

export interface Pool {
  memId: number;
  name: string;
  /** Bytes the plan uses. */
  size: number;
  /** Bytes no plan can do without, where known. */
  bound: number | null;
  capacity: number | null;
}

/** A step function over time: `live[i]` and `high[i]` hold from `at[i]` until `at[i + 1]`. */
export interface Steps {
  at: Float64Array<ArrayBuffer>;
  /** Sum of the bytes live. */
  live: Float64Array<ArrayBuffer>;
  /** Highest end of a live tensor. */
  high: Float64Array<ArrayBuffer>;
}

/** One scope's part of one pool: the unit that is drawn. */
export interface Lane {
  scope: number;
  pool: number;
  /** Highest byte used by this scope. */
  top: number;
  /** Lowest byte used: a nested scope often sits above its caller's tensors. */
  bottom: number;
  /** Range in the rectangle columns. */
  firstRect: number;
  rectCount: number;
  steps: Steps;
  /** Most bytes live at one time in this lane, and when. */
  peak: number;
  peakAt: number;
}

/** Rectangles as columns, sorted by lane. Times are [t0, t1), bytes [b0, b1). */
export interface Rects {
  tensor: Uint32Array<ArrayBuffer>;
  t0: Float64Array<ArrayBuffer>;
  t1: Float64Array<ArrayBuffer>;
  b0: Float64Array<ArrayBuffer>;
  b1: Float64Array<ArrayBuffer>;
}

/** A planned graph as columns: everything the page shows, ready to be drawn, listed or searched. */
export interface Model {
  title: string;
  /** "graph" has nodes with names, "intervals" has only times. */
  kind: "graph" | "intervals";
  scopes: Scope[];
  pools: Pool[];
  lanes: Lane[];
  rects: Rects;

  tensorCount: number;
  names: Names;
  scope: Uint16Array<ArrayBuffer>;
  /** First and last node index, inclusive; -1 where nothing refers to the tensor. */
  first: Float64Array<ArrayBuffer>;
  last: Float64Array<ArrayBuffer>;
  /** Allocated bytes. */
  bytes: Float64Array<ArrayBuffer>;
  /** Byte offset in the pool; -1 where not planned. */
  offset: Float64Array<ArrayBuffer>;
  /** Index in `pools`; -1 where not planned. */
  pool: Int16Array<ArrayBuffer>;
  /** Shared object; -1 where none. */
  object: Int32Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
  /** Row in the node columns of the node that makes it; -1 where unknown. */
  producer: Int32Array<ArrayBuffer>;
  /** Index in `texts`: "float32 [1, 16, 8, 8]". */
  type: Uint32Array<ArrayBuffer>;

  nodeNames: Names;
  /** Indexes in `texts`. */
  nodeTarget: Uint32Array<ArrayBuffer>;
  nodeSource: Uint32Array<ArrayBuffer>;
  nodeModule: Uint32Array<ArrayBuffer>;
  /** Interned texts; 0 is the empty one. */
  texts: string[];
}

/** Row of the node that runs at `time` in `scope`, or -1. */
export function nodeRow(model: Model, scope: number, time: number): number {
  const s = model.scopes[scope];
  if (!s || time < 0 || time >= s.nodeCount) return -1;
  return s.firstNode + Math.floor(time);
}

/** Index of the step that holds at `time`; -1 before the first. */
export function stepAt(steps: Steps, time: number): number {
  let low = 0;
  let high = steps.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps.at[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Tensors of a scope live at `time`, largest first; aliases are left out. */
export function liveAt(model: Model, scope: number, time: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < model.tensorCount; i++) {
    if (model.scope[i] !== scope || (model.pool[i] as number) < 0) continue;
    if ((model.flags[i] as number) & Flag.kAlias) continue;
    if ((model.first[i] as number) <= time && time <= (model.last[i] as number)) found.push(i);
  }
  return found.sort((a, b) => (model.bytes[b] as number) - (model.bytes[a] as number) || a - b);
}

/** Operator that makes a tensor, or "" for intervals. */
export function operatorOf(model: Model, tensor: number): string {
  const row = model.producer[tensor] as number;
  return row < 0 ? "" : (model.texts[model.nodeTarget[row] as number] as string);
}

/** "tflite::CONV_2D.out" as people say it: "CONV_2D". */
export function shortOperator(target: string): string {
  if (target === "placeholder") return "input";
  return target.replace(/^\w+::/, "").replace(/\.(out|default)$/, "");
}

export function totalBytes(model: Model): number {
  return model.pools.reduce((sum, p) => sum + p.size, 0);
}

/** Lower bound over all pools, or null where one is unknown. */
export function totalBound(model: Model): number | null {
  let sum = 0;
  for (const p of model.pools) {
    if (p.bound === null) return null;
    sum += p.bound;
  }
  return sum;
}

/** What the tensors would take if none shared bytes. */
export function unsharedBytes(model: Model): number {
  let sum = 0;
  for (let i = 0; i < model.tensorCount; i++) {
    if ((model.pool[i] as number) >= 0 && !((model.flags[i] as number) & Flag.kAlias))
      sum += model.bytes[i] as number;
  }
  return sum;
}

/** Every buffer in the model, for a transfer between threads. */
export function transferables(model: Model): ArrayBuffer[] {
  const seen = new Set<ArrayBuffer>();
  const add = (a: ArrayBufferView<ArrayBuffer>) => seen.add(a.buffer);
  for (const key of [
    "scope",
    "first",
    "last",
    "bytes",
    "offset",
    "pool",
    "object",
    "flags",
    "producer",
    "type",
  ] as const)
    add(model[key]);
  for (const key of ["nodeTarget", "nodeSource", "nodeModule"] as const) add(model[key]);
  for (const n of [model.names, model.nodeNames]) {
    add(n.bytes);
    add(n.starts);
  }
  for (const column of Object.values(model.rects)) add(column as Float64Array<ArrayBuffer>);
  for (const lane of model.lanes) for (const column of Object.values(lane.steps)) add(column);
  return [...seen];
}
