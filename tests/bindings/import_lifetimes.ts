/**
 * Lifetimes and the lower bound of a flat graph, written apart from the planner and from the importers: each
 * tensor lives from the first node that names it to the last, inputs from node 0, outputs to the last node, state
 * through all of it. Only what the tests of the importers need: no submodules, no pools.
 */
import type { Graph, Node, Tensor } from "../../bindings/types.js";

export interface Live {
  /** Bytes. */
  size: number;
  first: number;
  last: number;
}

const kBytes: Record<string, number> = {
  int8: 1,
  uint8: 1,
  bool: 1,
  int16: 2,
  float16: 2,
  bfloat16: 2,
  int32: 4,
  float32: 4,
  uint32: 4,
  int64: 8,
  float64: 8,
  uint64: 8,
};

export function sizeOf(tensor: Tensor): number {
  if (tensor.nbytes !== undefined) return tensor.nbytes;
  const element = kBytes[tensor.dtype ?? ""];
  if (element === undefined || tensor.shape === undefined)
    throw new Error(`no size: ${JSON.stringify(tensor)}`);
  return tensor.shape.reduce((product, extent) => product * extent, element);
}

/** By tensor id; constants and tensors that nothing names are left out. */
export function lifetimesOf(graph: Graph): Map<string, Live> {
  const tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
  const nodes = new Map(graph.nodes.map((node) => [node.name, node]));
  const lives = new Map<string, Live>();
  const mention = (node: Node | undefined, time: number) => {
    for (const id of node?.specs ?? []) {
      const tensor = id === null ? undefined : tensors.get(id);
      if (tensor === undefined || tensor.const || tensor.dynamism === "dynamic_unbound") continue;
      const live = lives.get(tensor.id) ?? { size: sizeOf(tensor), first: time, last: time };
      live.first = Math.min(live.first, time);
      live.last = Math.max(live.last, time);
      lives.set(tensor.id, live);
    }
  };
  for (const [time, node] of graph.nodes.entries()) {
    if (node.op === "placeholder") mention(node, 0);
    if (node.op === "output") mention(node, graph.nodes.length - 1);
    mention(node, time);
    for (const arg of node.args ?? []) mention(nodes.get(arg), time);
  }
  const buffers = new Set(Object.keys(graph.signature?.inputs_to_buffers ?? {}));
  for (const node of graph.nodes) {
    if (!buffers.has(node.target ?? "")) continue;
    mention(node, 0);
    mention(node, graph.nodes.length - 1);
  }
  return lives;
}

/** Most bytes live at one node, each size rounded up to `alignment`. */
export function maxLive(lives: Iterable<Live>, nodes: number, alignment = 16): number {
  const change = new Array<number>(nodes + 1).fill(0);
  for (const { size, first, last } of lives) {
    const bytes = Math.ceil(size / alignment) * alignment;
    change[first] = (change[first] ?? 0) + bytes;
    change[last + 1] = (change[last + 1] ?? 0) - bytes;
  }
  let live = 0;
  let most = 0;
  for (const step of change) {
    live += step;
    most = Math.max(most, live);
  }
  return most;
}
