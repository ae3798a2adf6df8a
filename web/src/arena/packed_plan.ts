import type { PlanToVerify } from "memplan";

/** The plan of one graph as columns, in which it crosses to a worker at little cost. */
export interface PackedGraph {
  ids: string[];
  /** Node indexes, inclusive; -1 where the plan gives none. */
  first: Float64Array<ArrayBuffer>;
  last: Float64Array<ArrayBuffer>;
  /** Allocated bytes; -1 where the plan gives none. */
  bytes: Float64Array<ArrayBuffer>;
  /** -1 where not planned. */
  offset: Float64Array<ArrayBuffer>;
  memId: Int32Array<ArrayBuffer>;
  /** -1 where none. */
  object: Int32Array<ArrayBuffer>;
  submodules: Record<string, PackedGraph>;
}

export interface PackedPlan {
  graph: PackedGraph;
  methods: Record<string, PackedGraph> | null;
  bufferSizes: number[];
  lowerBound: number[] | null;
}

/** A plan, ours or a foreign one that may say less. */
export type AnyPlan = PlanToVerify & { lower_bound?: number[] };

export function packPlan(plan: AnyPlan): PackedPlan {
  const methods = plan.methods
    ? Object.fromEntries(Object.entries(plan.methods).map(([name, m]) => [name, packGraph(m)]))
    : null;
  return {
    graph: packGraph(plan),
    methods,
    bufferSizes: plan.buffer_sizes ?? [0],
    lowerBound: plan.lower_bound ?? null,
  };
}

function packGraph(plan: PlanToVerify): PackedGraph {
  const tensors = plan.tensors ?? [];
  const count = tensors.length;
  const packed: PackedGraph = {
    ids: new Array<string>(count),
    first: new Float64Array(count),
    last: new Float64Array(count),
    bytes: new Float64Array(count),
    offset: new Float64Array(count),
    memId: new Int32Array(count),
    object: new Int32Array(count),
    submodules: {},
  };
  for (let i = 0; i < count; i++) {
    const t = tensors[i] as (typeof tensors)[number];
    const placed = t.mem_offset !== null && t.mem_offset !== undefined;
    packed.ids[i] = t.id;
    packed.first[i] = t.lifetime?.[0] ?? -1;
    packed.last[i] = t.lifetime?.[1] ?? -1;
    packed.bytes[i] = t.allocated_memory ?? -1;
    packed.offset[i] = placed ? (t.mem_offset as number) : -1;
    packed.memId[i] = placed ? (t.mem_id ?? 1) : -1;
    packed.object[i] = t.mem_obj_id ?? -1;
  }
  for (const [name, inner] of Object.entries(plan.submodules ?? {}))
    packed.submodules[name] = packGraph(inner);
  return packed;
}

/** The buffers of a packed plan, to be handed over. */
export function packedBuffers(plan: PackedPlan): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  const add = (g: PackedGraph): void => {
    for (const column of [g.first, g.last, g.bytes, g.offset, g.memId, g.object]) buffers.push(column.buffer);
    Object.values(g.submodules).forEach(add);
  };
  add(plan.graph);
  Object.values(plan.methods ?? {}).forEach(add);
  return buffers;
}
