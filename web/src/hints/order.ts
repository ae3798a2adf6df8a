import type { Graph, Node } from "memplan";

/** Nodes beyond which trying orders costs more than a hint is worth. */
const kMostNodes = 3000;

/**
 * An order of the same nodes that keeps every data dependency and, by a greedy choice, few bytes alive: among the
 * nodes that can run next, the one that frees most against what it makes (list scheduling after the idea of
 * Ahn et al., "Ordering Chaos", MLSys 2020, without its search). Null where there is nothing to gain or the graph
 * has parts whose order is not only a matter of data: control flow, state, writing over inputs.
 */
export function lighterOrder(graph: Graph, bytesOf: (tensor: string) => number): Graph | null {
  if (graph.nodes.length > kMostNodes || graph.signature?.buffers_to_mutate) return null;
  if (graph.nodes.some((n) => n.submodules?.length || n.variant === "inplace" || n.target === "memory.free"))
    return null;
  if (graph.tensors.some((t) => t.inplace_base || t.storage_base)) return null;
  const units = unitsOf(graph);
  if (!units) return null;
  const order = schedule(units, bytesOf);
  const nodes = order.flatMap((u) => u.nodes);
  if (nodes.length !== graph.nodes.length || nodes.every((n, i) => n === graph.nodes[i])) return null;
  return { ...graph, nodes };
}

/** Nodes that stay together: an operator with the memory.alloc nodes that only it reads. */
interface Unit {
  nodes: Node[];
  /** Indexes of units that must run before. */
  needs: Set<number>;
  reads: Set<string>;
  makes: Set<string>;
  fixed: "first" | "last" | null;
}

function unitsOf(graph: Graph): Unit[] | null {
  const unitOf = new Map<string, number>();
  const units: Unit[] = [];
  const held = new Map<string, Node>();
  const byName = new Map(graph.nodes.map((n) => [n.name, n]));
  for (const node of graph.nodes) {
    if (node.target === "memory.alloc") {
      held.set(node.name, node);
      continue;
    }
    const allocs = (node.args ?? []).flatMap((a) => {
      const alloc = held.get(a);
      held.delete(a);
      return alloc ? [alloc] : [];
    });
    const unit: Unit = {
      nodes: [...allocs, node],
      needs: new Set(),
      reads: new Set(),
      makes: new Set((node.specs ?? []).filter((s) => s !== null)),
      fixed:
        node.op === "placeholder" || node.op === "get_attr" ? "first" : node.op === "output" ? "last" : null,
    };
    for (const arg of node.args ?? []) {
      const from = unitOf.get(arg);
      if (from !== undefined) unit.needs.add(from);
      for (const spec of byName.get(arg)?.specs ?? [])
        if (spec && !unit.makes.has(spec)) unit.reads.add(spec);
    }
    for (const n of unit.nodes) unitOf.set(n.name, units.length);
    units.push(unit);
  }
  return held.size === 0 ? units : null;
}

function schedule(units: Unit[], bytesOf: (tensor: string) => number): Unit[] {
  const readersLeft = new Map<string, number>();
  for (const u of units) for (const t of u.reads) readersLeft.set(t, (readersLeft.get(t) ?? 0) + 1);
  const waiting = units.map((u) => u.needs.size);
  const followers = units.map((): number[] => []);
  units.forEach((u, i) => {
    for (const n of u.needs) followers[n]?.push(i);
  });
  const kept = new Set(units.filter((u) => u.fixed === "last").flatMap((u) => [...u.reads]));
  const order: Unit[] = [];
  const ready: number[] = [];
  const run = (i: number) => {
    const unit = units[i] as Unit;
    order.push(unit);
    for (const t of unit.reads) readersLeft.set(t, (readersLeft.get(t) ?? 1) - 1);
    for (const f of followers[i] ?? []) {
      waiting[f] = (waiting[f] ?? 1) - 1;
      if (waiting[f] === 0 && units[f]?.fixed === null) ready.push(f);
    }
  };
  units.forEach((u, i) => {
    if (u.fixed === "first") run(i);
  });
  units.forEach((u, i) => {
    if (u.fixed === null && u.needs.size === 0 && !ready.includes(i)) ready.push(i);
  });
  while (ready.length > 0) {
    let best = 0;
    let bestGrowth = Number.POSITIVE_INFINITY;
    ready.forEach((i, at) => {
      const growth = growthOf(units[i] as Unit, readersLeft, kept, bytesOf);
      const better = growth < bestGrowth || (growth === bestGrowth && i < (ready[best] as number));
      if (better) {
        best = at;
        bestGrowth = growth;
      }
    });
    run(ready.splice(best, 1)[0] as number);
  }
  units.forEach((u, i) => {
    if (u.fixed === "last") run(i);
  });
  return order;
}

/** Bytes alive after a unit has run, over those before. */
function growthOf(
  unit: Unit,
  readersLeft: Map<string, number>,
  kept: Set<string>,
  bytesOf: (tensor: string) => number,
): number {
  let growth = 0;
  for (const t of unit.makes) if (kept.has(t) || (readersLeft.get(t) ?? 0) > 0) growth += bytesOf(t);
  for (const t of unit.reads) if (readersLeft.get(t) === 1 && !kept.has(t)) growth -= bytesOf(t);
  return growth;
}
