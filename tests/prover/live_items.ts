/**
 * A plan unfolded into all that is ever live: each call of a submodule is an instance of its own, each storage of it
 * an item with every place it may have. Under `"move"` the result of a `cond` may lie where either branch left it, so
 * it is several items, each guarded by the way the branch went.
 */
import type { Options } from "../../bindings/types.ts";
import { bindingOf, type Call, type GraphModel } from "./graph_model.ts";
import type { CheckedPlan } from "./plan_checker.ts";

export interface Place {
  pool: number;
  /** Bytes, `to` exclusive. */
  from: number;
  to: number;
}

interface Guard {
  instance: Instance;
  node: number;
  slot: number;
}

export interface Item {
  instance: Instance;
  /** Of the instance's graph; −1 for a carried value that is no result. */
  storage: number;
  members: number[];
  /** The graph and storage whose rows say where it lies. */
  owner: { model: GraphModel; storage: number };
  place: Place;
  /** Node indices of the instance's graph, inclusive. */
  first: number;
  last: number;
  /** The ways that branches must have gone for it to lie there. */
  guards: Guard[];
  /** The item whose very bytes these are, where a branch left its output; else itself. */
  origin: Item | null;
  /** Of a result: the branches that leave their output just here, and whose bytes that is. */
  handed: { branch: Guard; origin: Item }[];
}

/** Where the tensors of one storage are when they are another graph's. */
interface Bound {
  instance: Instance;
  storage: number;
  /** Bytes from the start of that storage to the start of this one. */
  delta: number;
}

export interface Instance {
  model: GraphModel;
  plan: CheckedPlan;
  parent: Instance | null;
  node: number;
  slot: number;
  depth: number;
  bound: Map<number, Bound>;
  items: Map<number, Item[]>;
  carried: Item[];
  inside: Instance[];
}

export function instantiate(model: GraphModel, plan: CheckedPlan, options: Options): Instance {
  return unfold({ model, plan, parent: null, node: -1, slot: 0, bound: new Map() }, options);
}

export function itemsOf(instance: Instance): Item[] {
  return [...instance.items.values(), instance.carried, ...instance.inside.map(itemsOf)].flat();
}

type Seed = Pick<Instance, "model" | "plan" | "parent" | "node" | "slot" | "bound">;

function unfold(seed: Seed, options: Options): Instance {
  const instance: Instance = {
    ...seed,
    depth: seed.parent ? seed.parent.depth + 1 : 0,
    items: new Map(),
    carried: [],
    inside: [],
  };
  const { model, plan } = instance;
  model.storages.forEach((storage, index) => {
    if (instance.bound.has(index)) return;
    const place = placeOf(model, plan, index);
    if (!place || storage.last < 0) return;
    const { members, first, last } = storage;
    const owner = { model, storage: index };
    instance.items.set(index, [
      { instance, storage: index, members, owner, place, first, last, guards: [], origin: null, handed: [] },
    ]);
  });
  for (const call of [...model.calls.values()].sort((a, b) => a.node - b.node))
    enter(instance, call, options);
  return instance;
}

/** Where the rows put a storage; undefined where none of its members has a place. */
function placeOf(model: GraphModel, plan: CheckedPlan, index: number): Place | undefined {
  const storage = model.storages[index];
  for (const member of storage?.members ?? []) {
    const row = plan.tensors[member];
    if (!storage || !row || row.mem_id === null || row.mem_offset === null) continue;
    const from = row.mem_offset - (model.offsetIn[member] as number);
    return { pool: row.mem_id, from, to: from + storage.size };
  }
  return undefined;
}

function enter(instance: Instance, call: Call, options: Options): void {
  const extra = carriedApart(instance, call);
  const inside = call.bodies.map((model, slot) => {
    const bound = new Map<number, Bound>();
    model.placeholders.forEach((placeholder, position) => {
      const target = boundTo(instance, call, position, extra);
      if (!target) return;
      const delta = target.delta - (model.offsetIn[placeholder] as number);
      bound.set(model.storageOf[placeholder] as number, { ...target, delta });
    });
    const plan = instance.plan.submodules?.[call.names[slot] as string] as CheckedPlan;
    return unfold({ model, plan, parent: instance, node: call.node, slot, bound }, options);
  });
  instance.inside.push(...inside);
  if (call.kind !== "cond" || (options.controlFlowResults ?? "move") !== "move") return;
  call.results.forEach((result, position) => {
    for (const branch of inside)
      moveResult(instance, branch, result, branch.model.outputs[position] as number);
  });
}

/** Carried values beyond the results: storage of their own, where the bodies' rows put their placeholders. */
function carriedApart(instance: Instance, call: Call): Map<number, number> {
  const places = new Map<number, number>();
  if (call.kind !== "while" && call.kind !== "scan") return places;
  for (let position = call.results.length; position < call.carried; position++) {
    call.bodies.forEach((model, slot) => {
      const plan = instance.plan.submodules?.[call.names[slot] as string] as CheckedPlan;
      const storage = model.storageOf[model.placeholders[position] as number] as number;
      const place = placeOf(model, plan, storage);
      if (!place) return;
      const known = instance.carried[places.get(position) ?? -1];
      if (known && known.place.from === place.from && known.place.pool === place.pool) return;
      places.set(position, instance.carried.length);
      const { node } = call;
      instance.carried.push({
        instance,
        storage: -1 - instance.carried.length,
        members: [call.operands[position] as number],
        owner: { model, storage },
        place,
        first: node,
        last: node,
        guards: [],
        origin: null,
        handed: [],
      });
    });
  }
  return places;
}

function boundTo(
  instance: Instance,
  call: Call,
  position: number,
  extra: Map<number, number>,
): Bound | undefined {
  const binding = bindingOf(call, position);
  if (binding === "sliced") return undefined;
  const isCarried = binding === "carried";
  if (isCarried && position >= call.results.length) {
    const at = extra.get(position);
    return { instance, storage: at === undefined ? Number.NaN : -1 - at, delta: 0 };
  }
  return resolve(instance, (isCarried ? call.results : call.operands)[position] as number);
}

/** The storage that a tensor of an instance really is, and the tensor's offset in it. */
function resolve(instance: Instance, tensor: number): Bound {
  const storage = instance.model.storageOf[tensor] as number;
  const offset = instance.model.offsetIn[tensor] as number;
  const bound = instance.bound.get(storage);
  return bound ? { ...bound, delta: bound.delta + offset } : { instance, storage, delta: offset };
}

/** Adds the place where a branch leaves its output to those that the node's result may have. */
function moveResult(instance: Instance, branch: Instance, result: number, output: number): void {
  const { model } = instance;
  const index = model.storageOf[result] as number;
  const main = instance.items.get(index)?.[0];
  if (!main) return;
  const source = resolve(branch, output);
  const found = source.storage < 0 ? source.instance.carried[-1 - source.storage] : undefined;
  const items = found ? [found] : (source.instance.items.get(source.storage) ?? []);
  for (const item of items) {
    if (item.place.pool !== main.place.pool) continue;
    const from = item.place.from + source.delta;
    const isAtResult = from === main.place.from + (model.offsetIn[result] as number);
    const guard = { instance, node: branch.node, slot: branch.slot };
    const origin = item.origin ?? item;
    if (isAtResult && item.instance === branch) {
      main.handed.push({ branch: guard, origin });
      continue;
    }
    instance.items.get(index)?.push({
      ...main,
      members: [result],
      place: { pool: item.place.pool, from, to: from + (model.bytes[result] as number) },
      guards: [...item.guards, guard],
      origin,
      handed: [],
    });
  }
}

/** Whether two items are ever live at one time, and are not the same bytes by right. */
export function overlapInTime(a: Item, b: Item): boolean {
  if (a.instance === b.instance && a.storage === b.storage) return false;
  const fromOne = a.origin ?? a;
  const fromOther = b.origin ?? b;
  if (fromOne === fromOther || isHandedOver(fromOne, b) || isHandedOver(fromOther, a)) return false;
  if (excludeEachOther([...a.guards, ...pathOf(a.instance)], [...b.guards, ...pathOf(b.instance)]))
    return false;
  let inA = a.instance;
  let inB = b.instance;
  let fromA: Instance | null = null;
  let fromB: Instance | null = null;
  while (inA !== inB) {
    if (inA.depth >= inB.depth) {
      fromA = inA;
      inA = inA.parent as Instance;
    } else {
      fromB = inB;
      inB = inB.parent as Instance;
    }
  }
  if (fromA && fromB) return fromA === fromB;
  if (fromA) return outerAgainstInner(b, a, fromA);
  if (fromB) return outerAgainstInner(a, b, fromB);
  return a.first <= b.last && b.first <= a.last;
}

/** Whether a branch hands one output over as two results, of which `main` lies where the output does. */
function isHandedOver(main: Item, other: Item): boolean {
  return main.handed.some(({ branch, origin }) => {
    const isSameWay = (guard: Guard) =>
      guard.instance === branch.instance && guard.node === branch.node && guard.slot === branch.slot;
    const way = [...other.guards, ...pathOf(other.instance)];
    return origin === (other.origin ?? other) && way.some(isSameWay);
  });
}

/** `outer` lives in the graph whose node `branch.node` runs `branch`, in which (or deeper) `inner` lives. */
function outerAgainstInner(outer: Item, inner: Item, branch: Instance): boolean {
  if (branch.node < outer.first || branch.node > outer.last) return false;
  const call = outer.instance.model.calls.get(branch.node) as Call;
  const isResult = call.results.some((result) => outer.members.includes(result));
  if (call.kind !== "cond" || !isResult || outer.first !== branch.node) return true;
  // A result of this very cond: it comes to be when the branch ends.
  if (outer.origin) return false;
  if (inner.instance !== branch || inner.last < branch.model.lastNode) return false;
  return !isPlacedAtResult(outer, inner, call, branch);
}

/** Whether a branch's output lies exactly where its result does. */
function isPlacedAtResult(outer: Item, inner: Item, call: Call, branch: Instance): boolean {
  const { model } = outer.instance;
  return call.results.some((result, position) => {
    if (!outer.members.includes(result)) return false;
    const source = resolve(branch, branch.model.outputs[position] as number);
    if (source.instance !== inner.instance || source.storage !== inner.storage) return false;
    return inner.place.from + source.delta === outer.place.from + (model.offsetIn[result] as number);
  });
}

/** The branches that must be taken for an instance to run. */
function pathOf(instance: Instance): Guard[] {
  const path: Guard[] = [];
  for (let at = instance; at.parent; at = at.parent)
    path.push({ instance: at.parent, node: at.node, slot: at.slot });
  return path;
}

function excludeEachOther(a: Guard[], b: Guard[]): boolean {
  return a.some((one) =>
    b.some((other) => {
      if (one.instance !== other.instance || one.node !== other.node || one.slot === other.slot) return false;
      return one.instance.model.calls.get(one.node)?.kind === "cond";
    }),
  );
}
