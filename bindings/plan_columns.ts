import type { GraphPlan, Plan, PlannedTensor } from "./types.js";

/** The tensors of one graph, a column each: where it begins in {@link PlanColumns}' numbers. */
export interface GraphColumns {
  count: number;
  /** In `whole`: first and last node index of each, -1 where nothing refers to it. -1 for an interval problem. */
  lifetimes: number;
  /** Of an interval problem, in `doubles`: all `lower`, then all `upper`. -1 for a graph. */
  times: number;
  /** Whether `allocated` and `offsets` are in `whole`, and not in `doubles`: no number of them is a large one. */
  isSmall: boolean;
  /** Bytes. */
  allocated: number;
  /** In `whole`: -1 where not planned. */
  memIds: number;
  /** In `whole`: -1 where there is none. */
  objects: number;
  /** Bytes; -1 where not planned. */
  offsets: number;
}

/**
 * A plan as it crosses from wasm, or from a worker: one string, and columns in few arrays. Those of wasm are its
 * whole memory: a view for each column takes longer to make than a small plan.
 */
export interface PlanColumns {
  /** Plan JSON, with the place in `graphs` where each graph's `tensors` belong; then all tensors' ids. */
  text: string;
  /** Where the ids begin: graph by graph, one after the other. */
  idsAt: number;
  /** In `whole`: their lengths in UTF-16 units. */
  idLengths: number;
  idCount: number;
  /** The ids of the first graph's tensors, where the caller has them: they are not in `text` then. */
  topIds: string[] | null;
  graphs: GraphColumns[];
  whole: Int32Array;
  doubles: Float64Array;
}

type Head = Omit<GraphPlan, "tensors" | "submodules"> & {
  tensors: number | PlannedTensor[];
  submodules?: Record<string, Head>;
};

/** The plan object, its keys in the order of plan JSON. */
export function buildPlan(columns: PlanColumns): Plan {
  const plan = JSON.parse(columns.text.slice(0, columns.idsAt)) as Head & { methods?: Record<string, Head> };
  const tensors =
    columns.graphs.length === 1 ? [buildTensors(columns, 0, 0, columns.idsAt)] : buildEach(columns);
  // JSON.parse moves keys that look like numbers to the front, hence places and not order.
  const fill = (graph: Head) => {
    graph.tensors = tensors[graph.tensors as number] ?? [];
    for (const submodule of Object.values(graph.submodules ?? {})) fill(submodule);
  };
  if (plan.methods) for (const method of Object.values(plan.methods)) fill(method);
  else fill(plan);
  return plan as unknown as Plan;
}

function buildEach(columns: PlanColumns): PlannedTensor[][] {
  let first = 0;
  let at = columns.idsAt;
  return columns.graphs.map((graph, place) => {
    const tensors = buildTensors(columns, place, first, at);
    if (place === 0 && columns.topIds) return tensors;
    for (let t = 0; t < graph.count; t++) {
      at += columns.whole[columns.idLengths + first + t] as number;
    }
    first += graph.count;
    return tensors;
  });
}

/** `first`: the place of the graph's first id among all; `at`: where its ids begin. */
function buildTensors(columns: PlanColumns, place: number, first: number, at: number): PlannedTensor[] {
  const { text, whole, doubles } = columns;
  const graph = columns.graphs[place] as GraphColumns;
  const { count, lifetimes, times, allocated, memIds, objects, offsets } = graph;
  // Numbers that come out of doubles take an object each.
  const sizes: ArrayLike<number> = graph.isSmall ? whole : doubles;
  const lengths = columns.idLengths + first;
  const tensors = new Array<PlannedTensor>(count);
  const ids = place === 0 ? columns.topIds : null;
  for (let t = 0; t < count; t++) {
    const from = at;
    if (!ids) at += whole[lengths + t] as number;
    const memId = whole[memIds + t] as number;
    const object = whole[objects + t] as number;
    const offset = sizes[offsets + t] as number;
    tensors[t] = {
      id: ids ? (ids[t] as string) : text.slice(from, at),
      lifetime: lifetimes >= 0 ? nodes(whole, lifetimes + 2 * t) : ticks(doubles, times + t, count),
      allocated_memory: sizes[allocated + t] as number,
      mem_id: memId < 0 ? null : memId,
      mem_obj_id: object < 0 ? null : object,
      mem_offset: offset < 0 ? null : offset,
    };
  }
  return tensors;
}

function nodes(lifetimes: Int32Array, at: number): [number, number] | null {
  const first = lifetimes[at] as number;
  return first < 0 ? null : [first, lifetimes[at + 1] as number];
}

function ticks(times: Float64Array, at: number, count: number): [number, number] | null {
  const lower = times[at] as number;
  const upper = times[at + count] as number;
  return lower < upper ? [lower, upper - 1] : null;
}
