import type { Graph, Methods, Node, PlanToVerify } from "../../types.js";
import { invalidInput, unsupported } from "../invalid_input.js";

/** Offsets of one graph, submodule inputs included: those lie where their caller has them. */
export interface PlacedGraph {
  method: string | undefined;
  path: string[];
  /** Bytes in the one pool, by tensor id; what is not placed is absent. */
  offsets: Map<string, number>;
}

/**
 * Takes a plan apart by graph and gives each submodule's placeholders their caller's offsets (the operand's, or
 * for values that a loop carries, the result's). Throws INVALID_INPUT where the plan names what the graph does
 * not have, UNSUPPORTED where it uses a pool other than 1.
 */
export function placedGraphs(graph: Graph | Methods, plan: PlanToVerify): PlacedGraph[] {
  const placed: PlacedGraph[] = [];
  if ("methods" in graph) {
    for (const [method, inner] of Object.entries(graph.methods)) {
      const innerPlan = own(plan.methods, method);
      if (innerPlan === undefined)
        throw invalidInput(`methods.${method}`, "the plan lacks this method of the model");
      place(inner, innerPlan, { method, path: [], offsets: new Map() }, placed);
    }
  } else {
    place(graph, plan, { method: undefined, path: [], offsets: new Map() }, placed);
  }
  return placed;
}

function own<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Adds a graph, whose `offsets` hold those of its placeholders so far, and all in it to `placed`. */
function place(graph: Graph, plan: PlanToVerify, into: PlacedGraph, placed: PlacedGraph[]): void {
  const ids = new Set(graph.tensors.map(({ id }) => id));
  const where = [...into.path.map((name) => `submodules.${name}.`), "tensors"].join("");
  for (const [index, { id, mem_id, mem_offset }] of plan.tensors.entries()) {
    if (!ids.has(id)) throw invalidInput(`${where}[${index}].id`, `the model has no tensor "${id}"`);
    if (mem_offset === null || mem_offset === undefined) continue;
    if (mem_id !== 1) throw unsupported(`${where}[${index}].mem_id`, "TFLite Micro has one arena, mem_id 1");
    if (!Number.isSafeInteger(mem_offset) || mem_offset < 0) {
      throw invalidInput(`${where}[${index}].mem_offset`, `${mem_offset} is no offset`);
    }
    into.offsets.set(id, mem_offset);
  }
  placed.push(into);
  const nodes = new Map(graph.nodes.map((node) => [node.name, node]));
  for (const [name, submodule] of Object.entries(graph.submodules ?? {})) {
    const submodulePlan = own(plan.submodules, name);
    if (submodulePlan === undefined) continue;
    const offsets = new Map<string, number>();
    for (const [id, bound] of boundOffsets(graph, nodes, name, submodule, into.offsets)) {
      if (bound !== undefined) offsets.set(id, bound);
    }
    place(submodule, submodulePlan, { method: into.method, path: [...into.path, name], offsets }, placed);
  }
}

/** Where a submodule's placeholders lie; undefined for those that its callers do not agree on. */
function boundOffsets(
  graph: Graph,
  nodes: Map<string, Node>,
  name: string,
  submodule: Graph,
  outer: Map<string, number>,
): Map<string, number | undefined> {
  const constants = new Set(submodule.tensors.filter((tensor) => tensor.const).map(({ id }) => id));
  const placeholders = submodule.nodes.flatMap(({ op, specs }) =>
    op === "placeholder" ? (specs ?? []) : [],
  );
  const inputs = placeholders.filter((id): id is string => id !== null && !constants.has(id));
  const bound = new Map<string, number | undefined>();
  for (const node of graph.nodes) {
    if (!node.submodules?.includes(name)) continue;
    const args = node.target === "cond" ? node.args?.slice(1) : node.args;
    for (const [index, input] of inputs.entries()) {
      const carried = node.target === "while" && index < (node.carried ?? 0);
      const operand = carried ? node.specs?.[index] : nodes.get(args?.[index] ?? "")?.specs?.[0];
      const offset = outer.get(operand ?? "");
      bound.set(input, bound.has(input) && bound.get(input) !== offset ? undefined : offset);
    }
  }
  return bound;
}
