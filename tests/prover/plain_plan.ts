/**
 * Plans for testing the tests: one that shares nothing, and ones as dense as the checker lets them be. They follow
 * from the checker's own idea of what conflicts, so that the interpreter can put that idea to the test.
 */
import type { Graph, Options } from "../../bindings/types.ts";
import { GraphModel, keptUntil } from "./graph_model.ts";
import { misread } from "./interpreter.ts";
import { type Item, instantiate, itemsOf, overlapInTime } from "./live_items.ts";
import { type CheckedPlan, isPlaced } from "./plan_checker.ts";
import type { Random } from "./random.ts";

/** Ways that branches go which are tried. */
const RUNS = 6;

type Starts = Map<string, number>;

const keyOf = (model: GraphModel, storage: number) => `${model.path}:${storage}`;

function modelsOf(model: GraphModel): GraphModel[] {
  return [model, ...[...model.submodules.values()].flatMap(modelsOf)];
}

function poolOf(model: GraphModel, storage: number, top: GraphModel): number {
  return model.storages[storage]?.pools[0] ?? top.graph.pools?.at(-1)?.mem_id ?? 1;
}

function alignmentIn(top: GraphModel, pool: number, options: Options): number {
  const own = top.graph.pools?.find(({ mem_id }) => mem_id === pool)?.alignment ?? 1;
  return Math.max(options.alignment ?? 16, own);
}

const alignUp = (at: number, alignment: number) => Math.ceil(at / alignment) * alignment;

/** A plan in which no two storages share bytes. */
export function apartPlan(graph: Graph, options: Options): CheckedPlan {
  const top = new GraphModel(graph);
  const ends: number[] = [...(graph.input_mem_buffer_sizes ?? [0, 0])];
  const starts: Starts = new Map();
  for (const model of modelsOf(top)) {
    model.storages.forEach((storage, index) => {
      if (!isPlaced(model, storage, options)) return;
      const pool = poolOf(model, index, top);
      const start = alignUp(ends[pool] ?? 0, alignmentIn(top, pool, options));
      starts.set(keyOf(model, index), start);
      ends[pool] = start + storage.size;
    });
  }
  return writePlan(top, starts, options);
}

/** A plan whose storages are placed in a random order, each at the lowest place where it conflicts with none. */
export function densePlan(graph: Graph, options: Options, random: Random): CheckedPlan {
  const top = new GraphModel(graph);
  const items = itemsOf(instantiate(top, apartPlan(graph, options), options));
  const follows = followers(top);
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    const { model, storage } = ownerOf(item);
    const key = follows.get(keyOf(model, storage)) ?? keyOf(model, storage);
    byKey.set(key, [...(byKey.get(key) ?? []), item]);
  }
  const starts: Starts = new Map();
  const placed: { key: string; pool: number; from: number; to: number }[] = [];
  for (const key of random.shuffled([...byKey.keys()])) {
    const mine = byKey.get(key) as Item[];
    const { model, storage } = ownerOf(mine[0] as Item);
    const pool = poolOf(model, storage, top);
    const size = model.storages[storage]?.size ?? 0;
    const alignment = alignmentIn(top, pool, options);
    const blockers = placed
      .filter((other) => other.pool === pool && conflict(mine, byKey.get(other.key) as Item[]))
      .sort((a, b) => a.from - b.from);
    let at = alignUp(graph.input_mem_buffer_sizes?.[pool] ?? 0, alignment);
    for (const { from, to } of blockers) if (from < at + size && to > at) at = alignUp(to, alignment);
    placed.push({ key, pool, from: at, to: at + size });
    starts.set(key, at);
  }
  return writePlan(top, starts, options);
}

/** The storage whose bytes an item is: where a branch left its output, that output's. */
function ownerOf(item: Item): Item["owner"] {
  return (item.origin ?? item).owner;
}

/** Carried values beyond the results lie in one place for condition and body: the condition's follow the body's. */
function followers(top: GraphModel): Map<string, string> {
  const follows = new Map<string, string>();
  for (const model of modelsOf(top)) {
    for (const { kind, bodies, results, carried } of model.calls.values()) {
      if (kind !== "while") continue;
      const [condition, body] = bodies as [GraphModel, GraphModel];
      for (let position = results.length; position < carried; position++) {
        const key = (of: GraphModel) =>
          keyOf(of, of.storageOf[of.placeholders[position] as number] as number);
        follows.set(key(condition), key(body));
      }
    }
  }
  return follows;
}

function conflict(a: Item[], b: Item[]): boolean {
  return a.some((one) => b.some((other) => overlapInTime(one, other)));
}

function writePlan(top: GraphModel, starts: Starts, options: Options): CheckedPlan {
  const follows = followers(top);
  const sizes: number[] = [...(top.graph.input_mem_buffer_sizes ?? [0, 0])];
  const write = (model: GraphModel): CheckedPlan => {
    const until = keptUntil(model, options);
    const own: number[] = [0, 0];
    const tensors = model.names.map((id, tensor) => {
      const storage = model.storageOf[tensor] as number;
      const key = keyOf(model, storage);
      const start = starts.get(follows.get(key) ?? key);
      if (start === undefined) return { id, mem_id: null, mem_offset: null };
      const pool = poolOf(model, storage, top);
      const end = start + (model.storages[storage]?.size ?? 0);
      for (const list of [own, sizes]) list[pool] = Math.max(list[pool] ?? 0, end);
      return { id, mem_id: pool, mem_offset: start + (model.offsetIn[tensor] as number) };
    });
    const frees = model.storages.flatMap(({ isUnbound, isInput, isOutput, last, members }, index) => {
      const after = model.graph.nodes[until[index] as number]?.name;
      if (!isUnbound || isInput || isOutput || last < 0 || after === undefined) return [];
      return [{ after, tensor: model.names[members[0] as number] as string }];
    });
    const submodules: Record<string, CheckedPlan> = {};
    for (const [name, submodule] of model.submodules) submodules[name] = write(submodule);
    for (const list of [own, sizes]) for (let i = 0; i < list.length; i++) list[i] ??= 0;
    return { buffer_sizes: own, tensors, frees, submodules };
  };
  const plan = write(top);
  for (let pool = 1; pool < sizes.length; pool++) sizes[pool] = (sizes[pool] as number) + 64;
  return { ...plan, buffer_sizes: sizes };
}

/**
 * Whether any placement can be right under `"move"`. A submodule called twice has one placement, so what its first
 * call handed out is lost at the second where it is still read then; and a branch may hand an operand through that is
 * written over later, which only a copy would survive: then even a plan that shares nothing is misread.
 */
export function canMove(graph: Graph, options: Options): boolean {
  const moved: Options = { ...options, controlFlowResults: "move" };
  // In one pool: results that lie in another than the branch's output are copied, but a planner need not keep them so.
  const { pools: _, ...inOne } = withoutPools(graph);
  const top = new GraphModel(inOne);
  const items = itemsOf(instantiate(top, apartPlan(inOne, moved), moved));
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    const { model, storage } = ownerOf(item);
    const key = keyOf(model, storage);
    byKey.set(key, [...(byKey.get(key) ?? []), item]);
  }
  const isOnePlace = [...byKey.values()].every((same) =>
    same.every((one, i) => !conflict([one], same.slice(i + 1))),
  );
  if (!isOnePlace || !graph.submodules) return isOnePlace;
  const apart = apartPlan(inOne, moved);
  const runs = Array.from({ length: RUNS }, (_, run) => run + 1);
  return runs.every((runSeed) => misread(inOne, apart, { ...moved, runSeed }) === null);
}

function withoutPools(graph: Graph): Graph {
  const tensors = graph.tensors.map(({ mem_id: _, ...tensor }) => tensor);
  const submodules = Object.entries(graph.submodules ?? {}).map(([name, submodule]) => [
    name,
    withoutPools(submodule),
  ]);
  return { ...graph, tensors, submodules: Object.fromEntries(submodules) };
}
