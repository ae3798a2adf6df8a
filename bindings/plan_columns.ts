import type { GraphPlan, Plan, PlannedTensor } from "./types.js";

/** The tensors of one graph, a column each. */
export interface GraphColumns {
  count: number;
  /** First and last node index of each, -1 where nothing refers to it; null for an interval problem. */
  lifetimes: Int32Array | null;
  /** Of an interval problem: all `lower`, then all `upper`. */
  times: Float64Array | null;
  /** Bytes. */
  allocated: Float64Array;
  /** -1 where not planned. */
  memIds: Int32Array;
  /** -1 where there is none. */
  objects: Int32Array;
  /** Bytes; -1 where not planned. */
  offsets: Float64Array;
}

/** A plan as it crosses from wasm, or from a worker: few strings, and columns. */
export interface PlanColumns {
  /** Plan JSON, with the place in `graphs` where each graph's `tensors` belong. */
  head: string;
  /** The ids of all tensors, graph by graph, one after the other. */
  ids: string;
  /** In UTF-16 units. */
  idLengths: Uint32Array;
  graphs: GraphColumns[];
}

type Head = Omit<GraphPlan, "tensors" | "submodules"> & {
  tensors: number | PlannedTensor[];
  submodules?: Record<string, Head>;
};

/** The plan object, its keys in the order of plan JSON. */
export function buildPlan(columns: PlanColumns): Plan {
  const plan = JSON.parse(columns.head) as Head & { methods?: Record<string, Head> };
  const tensors = columns.graphs.length === 1 ? [buildTensors(columns, 0, 0, 0)] : buildEach(columns);
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
  let at = 0;
  return columns.graphs.map((graph, place) => {
    const tensors = buildTensors(columns, place, first, at);
    for (let t = 0; t < graph.count; t++) at += columns.idLengths[first + t] as number;
    first += graph.count;
    return tensors;
  });
}

/** `first`: the graph's first entry in `idLengths`; `at`: where its ids begin. */
function buildTensors(columns: PlanColumns, place: number, first: number, at: number): PlannedTensor[] {
  const { ids, idLengths } = columns;
  const { count, lifetimes, times, allocated, memIds, objects, offsets } = columns.graphs[
    place
  ] as GraphColumns;
  const tensors = new Array<PlannedTensor>(count);
  for (let t = 0; t < count; t++) {
    const from = at;
    at += idLengths[first + t] as number;
    const memId = memIds[t] as number;
    const object = objects[t] as number;
    const offset = offsets[t] as number;
    tensors[t] = {
      id: ids.substring(from, at),
      lifetime: lifetimes ? nodes(lifetimes, t) : ticks(times as Float64Array, t, count),
      allocated_memory: allocated[t] as number,
      mem_id: memId < 0 ? null : memId,
      mem_obj_id: object < 0 ? null : object,
      mem_offset: offset < 0 ? null : offset,
    };
  }
  return tensors;
}

function nodes(lifetimes: Int32Array, t: number): [number, number] | null {
  const first = lifetimes[2 * t] as number;
  return first < 0 ? null : [first, lifetimes[2 * t + 1] as number];
}

function ticks(times: Float64Array, t: number, count: number): [number, number] | null {
  const lower = times[t] as number;
  const upper = times[count + t] as number;
  return lower < upper ? [lower, upper - 1] : null;
}
