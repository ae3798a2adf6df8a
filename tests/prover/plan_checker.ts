/**
 * Checks a plan under `sound` by its own reading of FORMAT.md: no two tensors that live at one time share bytes,
 * within a graph or across nested ones, whichever way branches go and however often loops turn; and every place is
 * aligned, in its pool, inside its buffer and where its base is.
 */
import type { Graph, Options, PlannedTensor, PlanToVerify } from "../../bindings/types.ts";
import { bindingOf, type Call, GraphModel, isOwned, keptUntil, type Storage } from "./graph_model.ts";
import { type Instance, type Item, instantiate, itemsOf, overlapInTime } from "./live_items.ts";

export interface CheckedPlan extends PlanToVerify {
  frees?: { after: string; tensor: string }[];
  lower_bound?: number[];
  inplace?: { tensor: string; base: string; refused?: string }[];
  submodules?: Record<string, CheckedPlan>;
}

/** One thing that is wrong with a plan. */
export interface CheckFault {
  code:
    | "BAD_SUBMODULE"
    | "OVERLAP"
    | "NOT_PLANNED"
    | "PLANNED"
    | "MISALIGNED"
    | "WRONG_POOL"
    | "NOT_AT_BASE"
    | "PAST_END"
    | "SUBMODULE_END"
    | "PADDING"
    | "STRANGE_POOL"
    | "EMPTY"
    | "RESERVED"
    | "BOUND"
    | "FREES"
    | "LIFETIME"
    | "MISSING";
  message: string;
  graph: string;
  tensors: string[];
}

/** Faults of a plan that is right all the same: what only our own plans promise. */
export const BEYOND_RIGHT: readonly CheckFault["code"][] = [
  "SUBMODULE_END",
  "PADDING",
  "STRANGE_POOL",
  "BOUND",
  "EMPTY",
];

export interface CheckOptions extends Options {
  /** Also that each planned tensor's `lifetime` is its storage's. Default false. */
  lifetimes?: boolean;
}

const PADDING = 64;

export function checkPlan(graph: Graph, plan: CheckedPlan, options: CheckOptions = {}): CheckFault[] {
  return new Checker(new GraphModel(graph), plan, options).run();
}

class Checker {
  private readonly faults: CheckFault[] = [];
  private readonly pools: Map<number, number>;
  private readonly merged: MergedByChoice;
  /** The highest end per pool, over all graphs. */
  private readonly ends = new Map<number, number>();

  constructor(
    private readonly top: GraphModel,
    private readonly plan: CheckedPlan,
    private readonly options: CheckOptions,
  ) {
    this.merged = new MergedByChoice(top, plan);
    this.pools = new Map((top.graph.pools ?? []).map((pool) => [pool.mem_id, pool.alignment ?? 1]));
  }

  run(): CheckFault[] {
    this.checkGraph(this.top, this.plan);
    this.checkTotals();
    if (this.faults.some((fault) => fault.code === "MISSING" || fault.code === "BAD_SUBMODULE"))
      return this.faults;
    this.checkOverlaps(instantiate(this.top, this.plan, this.options));
    return this.faults;
  }

  private fault(code: CheckFault["code"], model: GraphModel, tensors: number[], message: string): void {
    this.faults.push({
      code,
      message,
      graph: model.path,
      tensors: tensors.map((tensor) => model.names[tensor] ?? ""),
    });
  }

  private alignmentOf(pool: number): number {
    return Math.max(this.options.alignment ?? 16, this.pools.get(pool) ?? 1);
  }

  /** The rows of one graph and of those inside it. */
  private checkGraph(model: GraphModel, plan: CheckedPlan): void {
    if (plan.tensors.length !== model.names.length) {
      this.fault("MISSING", model, [], `${plan.tensors.length} rows for ${model.names.length} tensors`);
      return;
    }
    for (const [index, row] of plan.tensors.entries()) {
      if (row.id !== model.names[index]) this.fault("MISSING", model, [index], `row ${index} is ${row.id}`);
    }
    for (const storage of model.storages) this.checkStorage(model, plan, storage);
    this.checkFrees(model, plan);
    for (const call of model.calls.values()) {
      for (const message of call.faults) this.fault("BAD_SUBMODULE", model, call.results, message);
      this.checkCarried(model, plan, call);
    }
    for (const [name, submodule] of model.submodules) {
      const inner = plan.submodules?.[name];
      if (inner) this.checkGraph(submodule, inner);
      else if (submodule.callers.length > 0)
        this.fault("MISSING", submodule, [], "the submodule has no plan");
    }
  }

  /** Carried values that are no results: condition or body says where they lie. */
  private checkCarried(model: GraphModel, plan: CheckedPlan, call: Call): void {
    if (call.faults.length > 0) return;
    for (let position = call.results.length; position < call.carried; position++) {
      const operand = call.operands[position] as number;
      if (model.storage(operand).isUnbound || model.bytes[operand] === 0) continue;
      const isPlacedThere = call.bodies.some((body, slot) => {
        const rows = plan.submodules?.[call.names[slot] as string]?.tensors ?? [];
        const { members } = body.storage(body.placeholders[position] as number);
        return members.some((member) => (rows[member]?.mem_offset ?? null) !== null);
      });
      if (!isPlacedThere) this.fault("NOT_PLANNED", model, [operand], "its carried value has no place");
    }
  }

  private checkStorage(model: GraphModel, plan: CheckedPlan, storage: Storage): void {
    const rows = storage.members.map((member) => plan.tensors[member] as CheckedPlan["tensors"][number]);
    const planned = expectation(model, storage, this.options);
    for (const [i, row] of rows.entries()) {
      const member = storage.members[i] as number;
      const isPlaced = row.mem_id !== null && row.mem_offset !== null;
      if ((row.mem_id === null) !== (row.mem_offset === null)) {
        this.fault("NOT_PLANNED", model, [member], "one of mem_id and mem_offset is null");
      } else if (isPlaced && planned === "no") {
        this.fault("PLANNED", model, [member], "it is not the plan's to place");
      } else if (!isPlaced && planned === "yes" && isNamed(model, member)) {
        this.fault(storage.size > 0 ? "NOT_PLANNED" : "EMPTY", model, [member], "it has no place");
      }
      if (isPlaced) this.checkPlace(model, storage, member, row as PlannedTensor, plan);
    }
    this.checkMembersTogether(model, storage, rows);
  }

  private checkMembersTogether(model: GraphModel, storage: Storage, rows: CheckedPlan["tensors"]): void {
    const placed = storage.members.filter((_, i) => rows[i]?.mem_offset !== null);
    const starts = placed.map((member) => {
      const row = rows[storage.members.indexOf(member)] as PlannedTensor;
      return `${row.mem_id}:${(row.mem_offset ?? 0) - (model.offsetIn[member] as number)}`;
    });
    if (new Set(starts).size > 1)
      this.fault("NOT_AT_BASE", model, placed, `starts differ: ${starts.join(" ")}`);
  }

  private checkPlace(
    model: GraphModel,
    storage: Storage,
    member: number,
    row: PlannedTensor,
    plan: CheckedPlan,
  ): void {
    const pool = row.mem_id as number;
    const start = (row.mem_offset as number) - (model.offsetIn[member] as number);
    const chosen = storage.pools.length === 1 ? storage.pools[0] : undefined;
    if (chosen !== undefined && pool !== chosen) {
      this.fault("WRONG_POOL", model, [member], `it lies in pool ${pool}, chosen was ${chosen}`);
    } else if (chosen === undefined && !this.isFreeChoice(model, storage, pool)) {
      this.fault("STRANGE_POOL", model, [member], `it lies in pool ${pool}, none was chosen`);
    }
    if (this.options.lifetimes) this.checkLifetime(model, storage, member, row.lifetime);
    if (storage.size === 0) return;
    if (start % this.alignmentOf(pool) !== 0) {
      this.fault("MISALIGNED", model, [member], `its storage starts at ${start}`);
    }
    if (!Number.isSafeInteger(start) || start < (this.top.graph.input_mem_buffer_sizes?.[pool] ?? 0)) {
      this.fault("RESERVED", model, [member], `its storage starts at ${start}`);
    }
    const end = start + storage.size;
    this.ends.set(pool, Math.max(this.ends.get(pool) ?? 0, end));
    for (const [sizes, code] of [
      [this.plan.buffer_sizes, "PAST_END"],
      [plan.buffer_sizes, "SUBMODULE_END"],
    ] as const) {
      if (end <= (sizes?.[pool] ?? 0)) continue;
      this.fault(code, model, [member], `it ends at ${end} of ${sizes?.[pool]}`);
      if (model.isTop) break;
    }
  }

  private checkLifetime(
    model: GraphModel,
    storage: Storage,
    member: number,
    lifetime: PlannedTensor["lifetime"],
  ): void {
    if (isCarriedApart(model, storage)) return;
    // Under "move" results of control flow may be its bytes, and keep it longer.
    const isKept = model.calls.size > 0;
    const ends = lifetime?.[1] ?? -1;
    const isEnough = isKept ? ends >= storage.last && ends <= model.lastNode : ends === storage.last;
    if (lifetime?.[0] === storage.first && isEnough) return;
    this.fault("LIFETIME", model, [member], `[${lifetime}] is not [${storage.first},${storage.last}]`);
  }

  /** A branch's output without a choice, and what is merged with it, may follow its result into any pool. */
  private isFreeChoice(model: GraphModel, storage: Storage, pool: number): boolean {
    const isOutput = ({ isOutput }: Storage, index: number) =>
      isOutput && this.merged.areOne(model, index, model.storages.indexOf(storage));
    if (!model.isTop && model.storages.some(isOutput)) return true;
    return this.pools.size === 0 ? pool === 1 : this.pools.has(pool);
  }

  /** Each unbound storage once, after the last node that names it or what may be its bytes; nothing else. */
  private checkFrees(model: GraphModel, plan: CheckedPlan): void {
    const expected = new Map<number, string>();
    const until = keptUntil(model, this.options);
    model.storages.forEach((storage, index) => {
      if (!storage.isUnbound || storage.isInput || storage.isOutput || storage.isConst || storage.last < 0)
        return;
      if (until[index] === Number.POSITIVE_INFINITY) return;
      expected.set(index, model.graph.nodes[until[index] as number]?.name ?? "");
    });
    for (const { after, tensor } of plan.frees ?? []) {
      const index = model.tensorNamed(tensor);
      const storage = model.storageOf[index] as number;
      if (expected.get(storage) !== after) {
        this.fault(
          "FREES",
          model,
          [index],
          `freed after ${after}, due after ${expected.get(storage) ?? "nothing"}`,
        );
      }
      expected.delete(storage);
    }
    for (const storage of expected.keys()) {
      const member = model.storages[storage]?.members[0] ?? -1;
      this.fault("FREES", model, [member], `never freed, due after ${expected.get(storage)}`);
    }
  }

  private checkTotals(): void {
    const sizes = this.plan.buffer_sizes ?? [];
    for (const [pool, bound] of (this.plan.lower_bound ?? []).entries()) {
      if (bound > (sizes[pool] ?? 0))
        this.fault("BOUND", this.top, [], `pool ${pool}: ${bound} > ${sizes[pool]}`);
    }
    const taken = this.top.graph.input_mem_buffer_sizes ?? [];
    for (let pool = 1; pool < taken.length; pool++) {
      if ((sizes[pool] ?? 0) < (taken[pool] as number))
        this.fault("BOUND", this.top, [], `pool ${pool} lost bytes`);
    }
    if (!usesXnnpack(this.top.graph)) return;
    for (const [pool, end] of this.ends) {
      if ((sizes[pool] ?? 0) < end + PADDING)
        this.fault("PADDING", this.top, [], `no padding in pool ${pool}`);
    }
  }

  private checkOverlaps(root: Instance): void {
    const items = itemsOf(root).sort((a, b) => a.place.pool - b.place.pool || a.place.from - b.place.from);
    const { merged } = this;
    for (const [i, item] of items.entries()) {
      for (let j = i + 1; j < items.length; j++) {
        const other = items[j] as Item;
        if (other.place.pool !== item.place.pool || other.place.from >= item.place.to) break;
        if (item.place.from === item.place.to || other.place.from === other.place.to) continue;
        if (!overlapInTime(item, other) || merged.together(item, other)) continue;
        this.fault("OVERLAP", item.instance.model, [...item.members], this.describe(item, other));
      }
    }
  }

  private describe(a: Item, b: Item): string {
    const text = (item: Item) => {
      const names = item.members.map((member) => item.instance.model.names[member]).join(",");
      const { from, to, pool } = item.place;
      return `${item.instance.model.path}:${names} [${item.first},${item.last}] at ${from}..${to} of pool ${pool}`;
    };
    return `${text(a)} and ${text(b)}`;
  }
}

/** Storages that the plan says it merged, with the option `inplace`; the interpreter judges whether it may. */
class MergedByChoice {
  private readonly group = new Map<string, string>();

  constructor(top: GraphModel, plan: CheckedPlan) {
    const visit = (model: GraphModel, rows: NonNullable<CheckedPlan["inplace"]>) => {
      for (const { tensor, base, refused } of rows) {
        if (refused !== undefined || !model.tensorIndex.has(tensor) || !model.tensorIndex.has(base)) continue;
        const a = this.find(`${model.path}:${model.storageOf[model.tensorNamed(tensor)]}`);
        const b = this.find(`${model.path}:${model.storageOf[model.tensorNamed(base)]}`);
        if (a !== b) this.group.set(a, b);
      }
      for (const submodule of model.submodules.values()) visit(submodule, rows);
    };
    visit(top, plan.inplace ?? []);
  }

  /** Where a branch left them counts: a result may be the very operand that is written over. */
  together(one: Item, other: Item): boolean {
    const a = one.origin ?? one;
    const b = other.origin ?? other;
    if (a.instance !== b.instance || a.storage < 0 || b.storage < 0) return false;
    return this.areOne(a.instance.model, a.storage, b.storage);
  }

  areOne({ path }: GraphModel, a: number, b: number): boolean {
    return this.find(`${path}:${a}`) === this.find(`${path}:${b}`);
  }

  private find(key: string): string {
    let current = key;
    while (this.group.has(current)) current = this.group.get(current) as string;
    return current;
  }
}

/** Whether any node or argument names it; a member of a storage may be named by none. */
function isNamed(model: GraphModel, tensor: number): boolean {
  return model.yields.some((yielded) => yielded.includes(tensor));
}

/** Whether the plan must give a storage a place, may not, or may. */
function expectation(model: GraphModel, storage: Storage, options: Options): "yes" | "no" | "either" {
  if (model.isTop) return isOwned(storage, options) ? "yes" : "no";
  if (storage.last < 0 || storage.isConst || storage.isUnbound) return "no";
  if (!storage.isInput) return "yes";
  if (model.callers.length === 0) return "either";
  const isItsOwn = model.callers.some(({ call }) =>
    positionsOf(model, storage).some((position) => bindingOf(call, position) === "sliced"),
  );
  if (isItsOwn) return "yes";
  return isCarriedApart(model, storage) ? "either" : "no";
}

function positionsOf(model: GraphModel, storage: Storage): number[] {
  return storage.members.map((member) => model.placeholders.indexOf(member)).filter((at) => at >= 0);
}

function isCarriedApart(model: GraphModel, storage: Storage): boolean {
  return model.callers.some(({ call }) =>
    positionsOf(model, storage).some(
      (position) => bindingOf(call, position) === "carried" && position >= call.results.length,
    ),
  );
}

/** Whether a plan must give a storage a place. */
export function isPlaced(model: GraphModel, storage: Storage, options: Options): boolean {
  const expected = expectation(model, storage, options);
  return expected === "yes" || (expected === "either" && isCarriedApart(model, storage));
}

function usesXnnpack(graph: Graph): boolean {
  const isXnnpack = (id: string | undefined) => id?.toLowerCase().includes("xnnpack") === true;
  if (graph.nodes.some((node) => node.target === "executorch_call_delegate" && isXnnpack(node.backend_id)))
    return true;
  return Object.values(graph.submodules ?? {}).some(usesXnnpack);
}
