import type { Graph, Methods, Node, PlanToVerify, Tensor } from "memplan";
import { Flag, type Lane, type Model, type Pool, type Rects, type Scope } from "./model";
import { packNames } from "./names";
import { stepsOf } from "./steps";

/** A graph (or null for interval problems), its plan, and gaps of interval problems by tensor id. */
export interface BuildInput {
  title: string;
  graph: Graph | Methods | null;
  plan: PlanToVerify & { lower_bound?: number[] };
  /** A plan of ours for the same graph: lifetimes and sizes that a foreign plan does not hold. */
  reference?: PlanToVerify | null;
  gaps?: Map<string, [number, number][]> | null;
  /** Bytes per mem_id, index 0 unused. */
  capacity?: readonly (number | null)[];
}

/** A tensor of a plan, ours or a foreign one that may say less. */
type Placed = PlanToVerify["tensors"][number];

/** Rows gathered while walking the scopes; turned into columns at the end. */
class Columns {
  readonly scopes: Scope[] = [];
  readonly names: string[] = [];
  readonly scope: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly bytes: number[] = [];
  readonly offset: number[] = [];
  readonly pool: number[] = [];
  readonly object: number[] = [];
  readonly flags: number[] = [];
  readonly producer: number[] = [];
  readonly type: number[] = [];
  readonly nodeNames: string[] = [];
  readonly nodeTarget: number[] = [];
  readonly nodeSource: number[] = [];
  readonly nodeModule: number[] = [];
  readonly texts: string[] = [""];
  readonly #textIndex = new Map<string, number>([["", 0]]);

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
  const columns = new Columns();
  const pools = readPools(input);
  const poolOf = new Map(pools.map((p, i) => [p.memId, i]));
  for (const top of topScopes(input)) addScope(columns, poolOf, top, -1);
  const { lanes, rects } = layRects(columns, pools.length, input.gaps ?? null);
  return {
    title: input.title,
    kind: input.graph ? "graph" : "intervals",
    scopes: columns.scopes,
    pools,
    lanes,
    rects,
    tensorCount: columns.names.length,
    names: packNames(columns.names),
    scope: Uint16Array.from(columns.scope),
    first: Float64Array.from(columns.first),
    last: Float64Array.from(columns.last),
    bytes: Float64Array.from(columns.bytes),
    offset: Float64Array.from(columns.offset),
    pool: Int16Array.from(columns.pool),
    object: Int32Array.from(columns.object),
    flags: Uint8Array.from(columns.flags),
    producer: Int32Array.from(columns.producer),
    type: Uint32Array.from(columns.type),
    nodeNames: packNames(columns.nodeNames),
    nodeTarget: Uint32Array.from(columns.nodeTarget),
    nodeSource: Uint32Array.from(columns.nodeSource),
    nodeModule: Uint32Array.from(columns.nodeModule),
    texts: columns.texts,
  };
}

function readPools(input: BuildInput): Pool[] {
  const sizes = input.plan.buffer_sizes ?? [0];
  const bounds = input.plan.lower_bound;
  const named = new Map(poolSpecs(input.graph).map((p) => [p.mem_id, p]));
  const pools: Pool[] = [];
  for (let memId = 1; memId < sizes.length; memId++) {
    const spec = named.get(memId);
    pools.push({
      memId,
      name: spec?.name ?? (sizes.length > 2 ? `pool ${memId}` : "arena"),
      size: sizes[memId] ?? 0,
      bound: bounds?.[memId] ?? null,
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
  plan: PlanToVerify;
  reference: PlanToVerify | null;
  calledAt: number[];
}

function topScopes(input: BuildInput): ScopeInput[] {
  const { graph, plan } = input;
  if (!graph || !("methods" in graph))
    return [{ path: "", graph, plan, reference: input.reference ?? null, calledAt: [] }];
  return Object.entries(graph.methods).flatMap(([path, graph]) => {
    const own = plan.methods?.[path];
    return own
      ? [
          {
            path,
            graph,
            plan: own,
            reference: input.reference?.methods?.[path] ?? null,
            calledAt: [] as number[],
          },
        ]
      : [];
  });
}

function addScope(columns: Columns, poolOf: Map<number, number>, input: ScopeInput, parent: number): void {
  const { graph, plan } = input;
  const nodes = graph?.nodes ?? [];
  const index = columns.scopes.length;
  const firstNode = columns.nodeNames.length;
  const scope: Scope = {
    path: input.path,
    parent,
    calledAt: input.calledAt,
    firstNode,
    nodeCount: nodes.length,
    foldStart: 0,
    end: nodes.length,
  };
  columns.scopes.push(scope);
  const firstComputing = nodes.findIndex((n) => n.op !== "placeholder" && n.op !== "get_attr");
  scope.foldStart = Math.max(0, firstComputing);
  const producers = addNodes(columns, nodes, firstNode);
  const roles = graph ? rolesOf(graph) : new Map<string, number>();
  const specs = new Map((graph?.tensors ?? []).map((t) => [t.id, t]));
  const known = new Map((input.reference?.tensors ?? []).map((t) => [t.id, t]));
  for (const t of plan.tensors ?? []) {
    addTensor(columns, poolOf, index, t, specs.get(t.id), known.get(t.id), roles.get(t.id) ?? 0);
    columns.producer.push(producers.get(t.id) ?? -1);
    scope.end = Math.max(scope.end, (columns.last[columns.last.length - 1] as number) + 1);
  }
  for (const [name, inner] of Object.entries(plan.submodules ?? {})) {
    const calledAt = nodes.flatMap((n, i) => (n.submodules?.includes(name) ? [i] : []));
    addScope(
      columns,
      poolOf,
      {
        path: input.path ? `${input.path}/${name}` : name,
        graph: graph?.submodules?.[name] ?? null,
        plan: inner,
        reference: input.reference?.submodules?.[name] ?? null,
        calledAt,
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
    columns.nodeTarget.push(columns.text(node.target ?? node.op));
    columns.nodeSource.push(columns.text(node.source));
    columns.nodeModule.push(columns.text(node.module));
    for (const spec of node.specs ?? []) {
      // memory.alloc only names the tensor; the operator that writes it says more.
      const known = spec === null ? undefined : producers.get(spec);
      if (spec === null) continue;
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
  const views = new Set<string>();
  for (const node of graph.nodes) {
    const state = node.op === "placeholder" && mutated.has(buffers[node.target ?? ""] ?? "");
    for (const spec of node.specs ?? []) {
      if (node.op === "placeholder") mark(spec, state ? Flag.kInput | Flag.kState : Flag.kInput);
      if (node.op === "output") mark(spec, Flag.kOutput);
      if (node.variant === "inplace") views.add(spec ?? "");
    }
  }
  for (const t of graph.tensors) {
    if (t.inplace_base || t.storage_base || views.has(t.id)) mark(t.id, Flag.kAlias);
  }
  return roles;
}

function addTensor(
  columns: Columns,
  poolOf: Map<number, number>,
  scope: number,
  planned: Placed,
  spec: Tensor | undefined,
  known: Placed | undefined,
  roles: number,
): void {
  const lifetime = planned.lifetime ?? known?.lifetime ?? null;
  let flags = roles;
  if (spec?.const) flags |= Flag.kConst;
  if (spec?.dynamism === "dynamic_unbound") flags |= Flag.kUnbound;
  if (!lifetime) flags |= Flag.kUnused;
  const placed = planned.mem_offset !== null && planned.mem_offset !== undefined;
  columns.names.push(planned.id);
  columns.scope.push(scope);
  columns.first.push(lifetime ? (lifetime[0] ?? -1) : -1);
  columns.last.push(lifetime ? (lifetime[1] ?? -1) : -1);
  columns.bytes.push(planned.allocated_memory ?? known?.allocated_memory ?? spec?.nbytes ?? 0);
  columns.offset.push(placed ? (planned.mem_offset as number) : -1);
  columns.pool.push(placed ? (poolOf.get(planned.mem_id ?? 1) ?? -1) : -1);
  columns.object.push(planned.mem_obj_id ?? -1);
  columns.flags.push(flags);
  columns.type.push(
    columns.text(spec?.dtype ? `${spec.dtype} [${(spec.shape ?? []).join(", ")}]` : undefined),
  );
}

/** Rectangles of every planned storage, grouped by (scope, pool). */
function layRects(
  columns: Columns,
  poolCount: number,
  gaps: BuildInput["gaps"],
): { lanes: Lane[]; rects: Rects } {
  const rows: { tensor: number; t0: number; t1: number }[][] = [];
  for (let i = 0; i < columns.names.length; i++) {
    const pool = columns.pool[i] as number;
    const first = columns.first[i] as number;
    if (pool < 0 || first < 0 || columns.bytes[i] === 0 || (columns.flags[i] as number) & Flag.kAlias)
      continue;
    const key = (columns.scope[i] as number) * poolCount + pool;
    rows[key] ??= [];
    const own = gaps?.get(columns.names[i] as string);
    let from = first;
    const end = (columns.last[i] as number) + 1;
    for (const [gapStart, gapEnd] of own ?? []) {
      if (gapStart > from) rows[key].push({ tensor: i, t0: from, t1: gapStart });
      from = gapEnd;
    }
    if (end > from) rows[key].push({ tensor: i, t0: from, t1: end });
  }
  const count = rows.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  const rects: Rects = {
    tensor: new Uint32Array(count),
    t0: new Float64Array(count),
    t1: new Float64Array(count),
    b0: new Float64Array(count),
    b1: new Float64Array(count),
  };
  const lanes: Lane[] = [];
  let next = 0;
  rows.forEach((list, key) => {
    const firstRect = next;
    let top = 0;
    let bottom = Number.POSITIVE_INFINITY;
    for (const { tensor, t0, t1 } of list) {
      const offset = columns.offset[tensor] as number;
      const end = offset + (columns.bytes[tensor] as number);
      rects.tensor[next] = tensor;
      rects.t0[next] = t0;
      rects.t1[next] = t1;
      rects.b0[next] = offset;
      rects.b1[next] = end;
      top = Math.max(top, end);
      bottom = Math.min(bottom, offset);
      next++;
    }
    const scope = Math.floor(key / poolCount);
    lanes.push(laneOf(rects, firstRect, next - firstRect, scope, key % poolCount, bottom, top));
  });
  return { lanes, rects };
}

function laneOf(
  rects: Rects,
  firstRect: number,
  rectCount: number,
  scope: number,
  pool: number,
  bottom: number,
  top: number,
): Lane {
  const steps = stepsOf(rects, firstRect, rectCount);
  let peak = 0;
  let peakAt = 0;
  for (let i = 0; i < steps.at.length; i++) {
    if ((steps.live[i] as number) > peak) {
      peak = steps.live[i] as number;
      peakAt = steps.at[i] as number;
    }
  }
  return { scope, pool, top, bottom, firstRect, rectCount, steps, peak, peakAt };
}
