import type { Graph, Methods, Node } from "memplan";
import { Flag, type Lane, type Model, type Pool, type Rects, type Scope } from "./model";
import { packNames } from "./names";
import type { PackedGraph, PackedPlan } from "./packed_plan";
import { stepsOf } from "./steps";

/** A graph (or null for interval problems), its plan, and gaps of interval problems by tensor id. */
export interface BuildInput {
  title: string;
  graph: Graph | Methods | null;
  plan: PackedPlan;
  /** A plan of ours for the same graph: lifetimes and sizes that a foreign plan does not hold. */
  reference?: PackedPlan | null;
  gaps?: Map<string, [number, number][]> | null;
  /** Bytes per mem_id, index 0 unused. */
  capacity?: readonly (number | null)[];
}

/** Rows gathered while walking the scopes; the tensors' columns are as long as all graphs together. */
class Columns {
  readonly scopes: Scope[] = [];
  readonly names: string[] = [];
  readonly scope: Uint16Array<ArrayBuffer>;
  readonly first: Float64Array<ArrayBuffer>;
  readonly last: Float64Array<ArrayBuffer>;
  readonly bytes: Float64Array<ArrayBuffer>;
  readonly offset: Float64Array<ArrayBuffer>;
  readonly pool: Int16Array<ArrayBuffer>;
  readonly object: Int32Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  readonly producer: Int32Array<ArrayBuffer>;
  readonly type: Uint32Array<ArrayBuffer>;
  readonly nodeNames: string[] = [];
  readonly nodeTarget: number[] = [];
  readonly nodeSource: number[] = [];
  readonly nodeModule: number[] = [];
  readonly texts: string[] = [""];
  readonly #textIndex = new Map<string, number>([["", 0]]);

  constructor(count: number) {
    this.scope = new Uint16Array(count);
    this.first = new Float64Array(count);
    this.last = new Float64Array(count);
    this.bytes = new Float64Array(count);
    this.offset = new Float64Array(count);
    this.pool = new Int16Array(count);
    this.object = new Int32Array(count);
    this.flags = new Uint8Array(count);
    this.producer = new Int32Array(count);
    this.type = new Uint32Array(count);
  }

  text(value: string | undefined): number {
    if (!value) return 0;
    const known = this.#textIndex.get(value);
    if (known !== undefined) return known;
    this.#textIndex.set(value, this.texts.length);
    return this.texts.push(value) - 1;
  }
}

/** Joins a graph and a plan into columns. Missing graph parts only make the picture plainer. */
export function buildModel(input: BuildInput): Model {
  const tops = topScopes(input);
  const columns = new Columns(tops.reduce((sum, top) => sum + tensorsIn(top.plan), 0));
  const pools = readPools(input);
  const poolOf = new Map(pools.map((p, i) => [p.memId, i]));
  for (const top of tops) addScope(columns, poolOf, top, -1);
  const { lanes, rects } = layRects(columns, pools.length, input.gaps ?? null);
  const { scopes, scope, first, last, bytes, offset, pool, object, flags, producer, type, texts } = columns;
  return {
    title: input.title,
    kind: input.graph ? "graph" : "intervals",
    scopes,
    pools,
    lanes,
    rects,
    tensorCount: columns.names.length,
    names: packNames(columns.names),
    scope,
    first,
    last,
    bytes,
    offset,
    pool,
    object,
    flags,
    producer,
    type,
    nodeNames: packNames(columns.nodeNames),
    nodeTarget: Uint32Array.from(columns.nodeTarget),
    nodeSource: Uint32Array.from(columns.nodeSource),
    nodeModule: Uint32Array.from(columns.nodeModule),
    texts,
  };
}

function tensorsIn(plan: PackedGraph): number {
  return Object.values(plan.submodules).reduce((sum, inner) => sum + tensorsIn(inner), plan.ids.length);
}

function readPools(input: BuildInput): Pool[] {
  const sizes = input.plan.bufferSizes;
  const named = new Map(poolSpecs(input.graph).map((p) => [p.mem_id, p]));
  const pools: Pool[] = [];
  for (let memId = 1; memId < sizes.length; memId++) {
    const spec = named.get(memId);
    pools.push({
      memId,
      name: spec?.name ?? (sizes.length > 2 ? `pool ${memId}` : "arena"),
      size: sizes[memId] ?? 0,
      bound: input.plan.lowerBound?.[memId] ?? null,
      capacity: input.capacity?.[memId] ?? spec?.capacity ?? null,
    });
  }
  return pools;
}

function poolSpecs(graph: BuildInput["graph"]) {
  if (!graph) return [];
  return "methods" in graph
    ? Object.values(graph.methods).flatMap((g) => g.pools ?? [])
    : (graph.pools ?? []);
}

interface ScopeInput {
  path: string;
  graph: Graph | null;
  plan: PackedGraph;
  reference: PackedGraph | null;
  calledAt: number[];
}

function topScopes(input: BuildInput): ScopeInput[] {
  const { graph, plan, reference } = input;
  if (!graph || !("methods" in graph))
    return [{ path: "", graph, plan: plan.graph, reference: reference?.graph ?? null, calledAt: [] }];
  return Object.entries(graph.methods).flatMap(([path, own]) => {
    const planned = plan.methods?.[path];
    return planned
      ? [{ path, graph: own, plan: planned, reference: reference?.methods?.[path] ?? null, calledAt: [] }]
      : [];
  });
}

function addScope(columns: Columns, poolOf: Map<number, number>, input: ScopeInput, parent: number): void {
  const { graph, plan } = input;
  const nodes = graph?.nodes ?? [];
  const index = columns.scopes.length;
  const scope: Scope = {
    path: input.path,
    parent,
    calledAt: input.calledAt,
    firstNode: columns.nodeNames.length,
    nodeCount: nodes.length,
    foldStart: Math.max(
      0,
      nodes.findIndex((n) => n.op !== "placeholder" && n.op !== "get_attr"),
    ),
    end: nodes.length,
  };
  columns.scopes.push(scope);
  const producers = addNodes(columns, nodes, scope.firstNode);
  addTensors(columns, poolOf, index, input, producers);
  for (const [name, inner] of Object.entries(plan.submodules)) {
    addScope(
      columns,
      poolOf,
      {
        path: input.path ? `${input.path}/${name}` : name,
        graph: graph?.submodules?.[name] ?? null,
        plan: inner,
        reference: input.reference?.submodules[name] ?? null,
        calledAt: nodes.flatMap((n, i) => (n.submodules?.includes(name) ? [i] : [])),
      },
      index,
    );
  }
}

/** Adds the node columns; gives the row of the first node that yields each tensor. */
function addNodes(columns: Columns, nodes: readonly Node[], firstNode: number): Map<string, number> {
  const producers = new Map<string, number>();
  nodes.forEach((node, i) => {
    columns.nodeNames.push(node.name);
    const isCall = node.op.startsWith("call_");
    columns.nodeTarget.push(columns.text(isCall ? (node.target ?? node.op) : node.op));
    columns.nodeSource.push(columns.text(node.source));
    columns.nodeModule.push(columns.text(node.module));
    for (const spec of node.specs ?? []) {
      if (spec === null) continue;
      // memory.alloc only names the tensor; the operator that writes it says more.
      const known = producers.get(spec);
      if (known === undefined || nodes[known - firstNode]?.target === "memory.alloc")
        producers.set(spec, firstNode + i);
    }
  });
  return producers;
}

/** Flags that come from the nodes: who is input, output, state, alias. */
function rolesOf(graph: Graph): Map<string, number> {
  const roles = new Map<string, number>();
  const mark = (id: string | null | undefined, flag: number) => {
    if (id) roles.set(id, (roles.get(id) ?? 0) | flag);
  };
  const mutated = new Set(Object.values(graph.signature?.buffers_to_mutate ?? {}));
  const buffers = graph.signature?.inputs_to_buffers ?? {};
  for (const node of graph.nodes) {
    const state = node.op === "placeholder" && mutated.has(buffers[node.target ?? ""] ?? "");
    for (const spec of node.specs ?? []) {
      if (node.op === "placeholder") mark(spec, state ? Flag.kInput | Flag.kState : Flag.kInput);
      if (node.op === "output") mark(spec, Flag.kOutput);
      if (node.variant === "inplace") mark(spec, Flag.kAlias);
    }
  }
  for (const t of graph.tensors) {
    if (t.inplace_base || t.storage_base) mark(t.id, Flag.kAlias);
    if (t.const) mark(t.id, Flag.kConst);
    if (t.dynamism === "dynamic_unbound") mark(t.id, Flag.kUnbound);
  }
  return roles;
}

function addTensors(
  columns: Columns,
  poolOf: Map<number, number>,
  scopeIndex: number,
  input: ScopeInput,
  producers: Map<string, number>,
): void {
  const { graph, plan, reference } = input;
  const roles = graph ? rolesOf(graph) : null;
  const specs = graph ? new Map(graph.tensors.map((t) => [t.id, t])) : null;
  const known = reference ? new Map(reference.ids.map((id, i) => [id, i])) : null;
  const scope = columns.scopes[scopeIndex] as Scope;
  for (let i = 0; i < plan.ids.length; i++) {
    const id = plan.ids[i] as string;
    const row = columns.names.push(id) - 1;
    const other = known?.get(id);
    const from = (column: "first" | "last" | "bytes") => {
      const own = plan[column][i] as number;
      return own < 0 && other !== undefined && reference ? (reference[column][other] as number) : own;
    };
    const spec = specs?.get(id);
    const last = from("last");
    const placed = (plan.offset[i] as number) >= 0;
    columns.scope[row] = scopeIndex;
    columns.first[row] = from("first");
    columns.last[row] = last;
    columns.bytes[row] = Math.max(
      0,
      from("bytes"),
      spec?.nbytes !== undefined && from("bytes") < 0 ? spec.nbytes : 0,
    );
    columns.offset[row] = plan.offset[i] as number;
    columns.pool[row] = placed ? (poolOf.get(plan.memId[i] as number) ?? -1) : -1;
    columns.object[row] = plan.object[i] as number;
    columns.flags[row] = (roles?.get(id) ?? 0) | (last < 0 ? Flag.kUnused : 0);
    columns.producer[row] = producers.get(id) ?? -1;
    columns.type[row] = spec?.dtype ? columns.text(`${spec.dtype} [${(spec.shape ?? []).join(", ")}]`) : 0;
    if (last + 1 > scope.end) scope.end = last + 1;
  }
}

/** A tensor of one lane; several entries where its life has gaps. */
interface Span {
  tensor: number;
  t0: number;
  t1: number;
}

/** Rectangles of every planned storage, grouped by (scope, pool). */
function layRects(
  columns: Columns,
  poolCount: number,
  gaps: Map<string, [number, number][]> | null,
): { lanes: Lane[]; rects: Rects } {
  const spans: Span[][] = [];
  for (let i = 0; i < columns.names.length; i++) {
    const pool = columns.pool[i] as number;
    const first = columns.first[i] as number;
    const isAlias = (columns.flags[i] as number) & Flag.kAlias;
    if (pool < 0 || first < 0 || columns.bytes[i] === 0 || isAlias) continue;
    const key = (columns.scope[i] as number) * poolCount + pool;
    spans[key] ??= [];
    let from = first;
    const end = (columns.last[i] as number) + 1;
    for (const [gapStart, gapEnd] of gaps?.get(columns.names[i] as string) ?? []) {
      if (gapStart > from) spans[key].push({ tensor: i, t0: from, t1: gapStart });
      from = gapEnd;
    }
    if (end > from) spans[key].push({ tensor: i, t0: from, t1: end });
  }
  const count = spans.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  const rects: Rects = {
    tensor: new Uint32Array(count),
    t0: new Float64Array(count),
    t1: new Float64Array(count),
    b0: new Float64Array(count),
    b1: new Float64Array(count),
  };
  const lanes: Lane[] = [];
  let next = 0;
  // Holes of a sparse array are passed over.
  spans.forEach((list, key) => {
    lanes.push(layLane(columns, rects, list, next, Math.floor(key / poolCount), key % poolCount));
    next += list.length;
  });
  return { lanes, rects };
}

/** Of the times in [from, to) the first that computes: a memory.alloc before it holds the same bytes. */
function peakNode(columns: Columns, scope: number, from: number, to: number): number {
  const { firstNode, nodeCount } = columns.scopes[scope] as Scope;
  for (let time = from; time < Math.min(to, nodeCount); time++) {
    if (columns.texts[columns.nodeTarget[firstNode + time] as number] !== "memory.alloc") return time;
  }
  return from;
}

function layLane(
  columns: Columns,
  rects: Rects,
  spans: Span[],
  firstRect: number,
  scope: number,
  pool: number,
): Lane {
  let top = 0;
  let bottom = Number.POSITIVE_INFINITY;
  spans.forEach(({ tensor, t0, t1 }, i) => {
    const at = firstRect + i;
    const offset = columns.offset[tensor] as number;
    const end = offset + (columns.bytes[tensor] as number);
    rects.tensor[at] = tensor;
    rects.t0[at] = t0;
    rects.t1[at] = t1;
    rects.b0[at] = offset;
    rects.b1[at] = end;
    if (end > top) top = end;
    if (offset < bottom) bottom = offset;
  });
  const steps = stepsOf(rects, firstRect, spans.length);
  let peak = 0;
  let peakAt = 0;
  for (let i = 0; i < steps.at.length; i++) {
    if ((steps.live[i] as number) > peak) {
      peak = steps.live[i] as number;
      peakAt = peakNode(columns, scope, steps.at[i] as number, steps.at[i + 1] ?? Number.POSITIVE_INFINITY);
    }
  }
  return { scope, pool, top, bottom, firstRect, rectCount: spans.length, steps, peak, peakAt };
}
