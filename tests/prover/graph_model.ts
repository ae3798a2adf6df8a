/**
 * A reading of graphs apart from the core's: what each node yields, which tensors are one storage, how long a
 * storage lives, and how control flow binds. It follows FORMAT.md's definition of `sound` and nothing else.
 */
import type { Graph, Node, Options } from "../../bindings/types.ts";

const ELEMENT_BYTES: Record<string, number> = {
  uint8: 1,
  int8: 1,
  bool: 1,
  qint8: 1,
  quint8: 1,
  quint4x2: 1,
  float8_e5m2: 1,
  float8_e4m3fn: 1,
  int16: 2,
  uint16: 2,
  float16: 2,
  bfloat16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  qint32: 4,
  complex32: 4,
  int64: 8,
  uint64: 8,
  float64: 8,
  complex64: 8,
  complex128: 16,
};

/** Bytes of a tensor: `nbytes` where given, else elements × element size. */
export function tensorBytes(tensor: { nbytes?: number; dtype?: string; shape?: number[] }): number {
  if (tensor.nbytes !== undefined) return tensor.nbytes;
  const element = ELEMENT_BYTES[tensor.dtype ?? ""];
  if (element === undefined || !tensor.shape) throw new Error(`no size for dtype ${tensor.dtype}`);
  return tensor.shape.reduce((product, extent) => product * extent, element);
}

/** Tensors that share bytes by the graph's own words. */
export interface Storage {
  members: number[];
  /** Bytes, over all members. */
  size: number;
  /** First and last node index that name a member, inclusive; `last` is −1 where none does. */
  first: number;
  last: number;
  isInput: boolean;
  isOutput: boolean;
  isConst: boolean;
  isUnbound: boolean;
  /** The mutable buffer it is; null where it is none. */
  buffer: string | null;
  /** mem_ids that the input chose for members. */
  pools: number[];
}

/** How an operand reaches a body: as the very tensor, copied into a carried value, or a slice a turn. */
export type Binding = "reference" | "carried" | "sliced";

/** A node that runs submodules. */
export interface Call {
  node: number;
  kind: "cond" | "while" | "map" | "scan";
  names: string[];
  bodies: GraphModel[];
  /** Node index of the predicate of a `cond`; −1 where there is none. */
  predicate: number;
  /** Tensors of this graph. */
  operands: number[];
  results: number[];
  carried: number;
  mapped: number;
  /** What does not match, in words; empty where all is well. */
  faults: string[];
}

export function bindingOf(call: Call, position: number): Binding {
  if (call.kind === "while" || call.kind === "scan") {
    if (position < call.carried) return "carried";
    if (call.kind === "while") return "reference";
  }
  if (call.kind === "cond") return "reference";
  return position < call.carried + call.mapped ? "sliced" : "reference";
}

const isFunction = (node: Node, target: string) => node.op === "call_function" && node.target === target;

export class GraphModel {
  readonly names: string[];
  readonly bytes: number[];
  readonly nodeIndex = new Map<string, number>();
  readonly tensorIndex = new Map<string, number>();
  /** The tensors a node yields, null where a value is no tensor. */
  readonly yields: (number | null)[][] = [];
  readonly storages: Storage[] = [];
  readonly storageOf: number[];
  /** Bytes from the start of its storage. */
  readonly offsetIn: number[];
  /** Tensors of placeholders that are not const, in order. */
  readonly placeholders: number[] = [];
  /** Tensors that the output node reads, in order. */
  readonly outputs: number[] = [];
  /** Buffers' new values that lie outside the buffer: copied into it when the graph has run. */
  readonly writeBacks: { value: number; buffer: number }[] = [];
  readonly submodules = new Map<string, GraphModel>();
  readonly calls = new Map<number, Call>();
  /** Calls of this submodule, by nodes of the graph around it. */
  readonly callers: { call: Call; slot: number }[] = [];

  constructor(
    readonly graph: Graph,
    readonly path = "",
  ) {
    const tensors = graph.tensors;
    this.names = tensors.map((tensor) => tensor.id);
    this.bytes = tensors.map(tensorBytes);
    tensors.forEach((tensor, index) => {
      this.tensorIndex.set(tensor.id, index);
    });
    graph.nodes.forEach((node, index) => {
      this.nodeIndex.set(node.name, index);
    });
    for (const [name, submodule] of Object.entries(graph.submodules ?? {})) {
      this.submodules.set(name, new GraphModel(submodule, path === "" ? name : `${path}/${name}`));
    }
    this.readYields();
    const aliases = new Aliases(this);
    const dense = new Map<number, number>();
    this.storageOf = tensors.map((_, index) => {
      const root = aliases.rootOf(index);
      if (!dense.has(root)) dense.set(root, dense.size);
      return dense.get(root) as number;
    });
    this.offsetIn = tensors.map((_, index) => aliases.offsetOf(index));
    this.collectStorages();
    this.markEnds();
    this.readLifetimes();
    if (path === "") this.readBuffers();
    for (const [index, node] of graph.nodes.entries()) {
      if (node.submodules?.length) this.readCall(index, node);
    }
  }

  get isTop(): boolean {
    return this.path === "";
  }

  get lastNode(): number {
    return this.graph.nodes.length - 1;
  }

  tensorNamed(id: string): number {
    const index = this.tensorIndex.get(id);
    if (index === undefined) throw new Error(`no tensor ${id} in graph '${this.path}'`);
    return index;
  }

  nodeNamed(name: string): number {
    const index = this.nodeIndex.get(name);
    if (index === undefined) throw new Error(`no node ${name} in graph '${this.path}'`);
    return index;
  }

  storage(tensor: number): Storage {
    return this.storages[this.storageOf[tensor] as number] as Storage;
  }

  argsOf(node: number): number[] {
    return ((this.graph.nodes[node] as Node).args ?? []).map((name) => this.nodeNamed(name));
  }

  /** What a node yields, without what is no tensor. */
  tensorsOf(node: number): number[] {
    return (this.yields[node] as (number | null)[]).filter((tensor) => tensor !== null);
  }

  /** The first tensor of the first argument, which an in-place operator writes over; null where there is none. */
  overwrittenBy(node: number): number | null {
    const first = this.argsOf(node)[0];
    return first === undefined ? null : (this.tensorsOf(first)[0] ?? null);
  }

  private readYields(): void {
    for (const node of this.graph.nodes) {
      const own = (node.specs ?? []).map((id) => (id === null ? null : this.tensorNamed(id)));
      const base = isFunction(node, "memory.view") ? node.args?.[0] : undefined;
      this.yields.push(base === undefined ? own : (this.yields[this.nodeNamed(base)] ?? own));
    }
  }

  private collectStorages(): void {
    this.graph.tensors.forEach((tensor, index) => {
      const at = this.storageOf[index] as number;
      this.storages[at] ??= {
        members: [],
        size: 0,
        first: Number.POSITIVE_INFINITY,
        last: -1,
        isInput: false,
        isOutput: false,
        isConst: false,
        isUnbound: false,
        buffer: null,
        pools: [],
      };
      const storage = this.storages[at] as Storage;
      storage.members.push(index);
      storage.size = Math.max(storage.size, (this.offsetIn[index] as number) + (this.bytes[index] as number));
      storage.isConst ||= tensor.const === true;
      storage.isUnbound ||= tensor.dynamism === "dynamic_unbound";
      if (tensor.mem_id !== undefined && !storage.pools.includes(tensor.mem_id))
        storage.pools.push(tensor.mem_id);
    });
  }

  private markEnds(): void {
    for (const [index, node] of this.graph.nodes.entries()) {
      if (node.op === "placeholder") {
        for (const tensor of this.tensorsOf(index)) {
          if (this.graph.tensors[tensor]?.const) continue;
          this.placeholders.push(tensor);
          this.storage(tensor).isInput = true;
        }
      } else if (node.op === "output") {
        for (const arg of this.argsOf(index)) this.outputs.push(...this.tensorsOf(arg));
        for (const tensor of [...this.outputs, ...this.tensorsOf(index)])
          this.storage(tensor).isOutput = true;
      }
    }
  }

  private readLifetimes(): void {
    const name = (tensor: number, node: number) => {
      const storage = this.storage(tensor);
      storage.first = Math.min(storage.first, node);
      storage.last = Math.max(storage.last, node);
    };
    for (const [index, node] of this.graph.nodes.entries()) {
      for (const id of node.specs ?? []) if (id !== null) name(this.tensorNamed(id), index);
      for (const tensor of this.tensorsOf(index)) name(tensor, index);
      for (const arg of this.argsOf(index)) for (const tensor of this.tensorsOf(arg)) name(tensor, index);
    }
    for (const storage of this.storages) {
      if (storage.last < 0) continue;
      if (storage.isInput) storage.first = 0;
      if (storage.isOutput) storage.last = this.lastNode;
    }
  }

  private readBuffers(): void {
    const { inputs_to_buffers: inputs = {}, buffers_to_mutate: mutations = {} } = this.graph.signature ?? {};
    const placeholderOf = new Map<string, number>();
    for (const [index, node] of this.graph.nodes.entries()) {
      const buffer = node.op === "placeholder" ? inputs[node.target ?? node.name] : undefined;
      const tensor = this.tensorsOf(index)[0];
      if (buffer === undefined || tensor === undefined || this.graph.tensors[tensor]?.const) continue;
      if (!Object.values(mutations).includes(buffer)) continue;
      placeholderOf.set(buffer, tensor);
      const storage = this.storage(tensor);
      storage.buffer = buffer;
      storage.first = 0;
      storage.last = this.lastNode;
    }
    for (const [node, buffer] of Object.entries(mutations)) {
      const target = placeholderOf.get(buffer);
      const value = this.nodeIndex.has(node) ? this.tensorsOf(this.nodeNamed(node))[0] : undefined;
      if (target === undefined || value === undefined) continue;
      if (this.storageOf[value] === this.storageOf[target]) continue;
      this.writeBacks.push({ value, buffer: target });
      this.storage(value).last = this.lastNode;
    }
  }

  private readCall(index: number, node: Node): void {
    const kind = node.target as Call["kind"];
    const names = node.submodules ?? [];
    const bodies = names.map((name) => {
      const body = this.submodules.get(name);
      if (!body) throw new Error(`no submodule ${name} in graph '${this.path}'`);
      return body;
    });
    const args = this.argsOf(index).filter((arg) => this.graph.nodes[arg]?.op !== "get_attr");
    const predicate = kind === "cond" ? (args.shift() ?? -1) : -1;
    const operands = args.flatMap((arg) => this.tensorsOf(arg));
    const body = bodies.at(-1) as GraphModel;
    let carried = 0;
    let mapped = 0;
    if (kind === "while" || kind === "scan") carried = node.carried ?? body.outputs.length;
    if (kind === "map") mapped = node.mapped ?? 1;
    if (kind === "scan") mapped = node.mapped ?? Math.max(0, operands.length - carried);
    const results = this.tensorsOf(index);
    const call: Call = {
      node: index,
      kind,
      names,
      bodies,
      predicate,
      operands,
      results,
      carried,
      mapped,
      faults: [],
    };
    this.calls.set(index, call);
    bodies.forEach((submodule, slot) => {
      submodule.callers.push({ call, slot });
    });
    call.faults = this.mismatches(call);
  }

  private mismatches(call: Call): string[] {
    const faults: string[] = [];
    const { operands, results, bodies, carried, kind } = call;
    const body = bodies.at(-1) as GraphModel;
    const size = (tensor: number | undefined) => (tensor === undefined ? -1 : (this.bytes[tensor] as number));
    const turns = new Set<number>();
    for (const submodule of bodies) {
      if (submodule.placeholders.length !== operands.length)
        faults.push("operands and placeholders differ in number");
      submodule.placeholders.forEach((placeholder, position) => {
        const inner = submodule.bytes[placeholder] as number;
        const outer = size(operands[position]);
        if (bindingOf(call, position) !== "sliced") {
          if (inner !== outer)
            faults.push(`operand ${position} has ${outer} bytes, its placeholder ${inner}`);
        } else if (inner > 0) turns.add(outer / inner);
        else if (outer !== 0) faults.push(`operand ${position} is sliced into nothing`);
      });
    }
    if (carried > operands.length || carried + call.mapped > operands.length) faults.push("too few operands");
    const outputs = kind === "cond" ? bodies : [body];
    for (const submodule of outputs) {
      const expected = Math.max(carried, results.length);
      if (submodule.outputs.length !== expected) faults.push("outputs and results differ in number");
      submodule.outputs.forEach((output, position) => {
        const inner = submodule.bytes[output] as number;
        const outer = position < results.length ? size(results[position]) : size(operands[position]);
        const stacked = kind !== "cond" && position >= carried;
        if (!stacked ? inner !== outer : inner === 0 && outer !== 0)
          faults.push(`output ${position} differs in bytes`);
        if (stacked && kind === "while" && inner > 0 && outer % inner !== 0)
          faults.push(`output ${position} does not divide`);
        if (stacked && kind !== "while" && inner > 0) turns.add(outer / inner);
      });
    }
    if (turns.size > 1 || [...turns].some((count) => !Number.isInteger(count))) faults.push("turns differ");
    return faults;
  }
}

/** Which tensors are one storage, with their offsets in it: a union-find whose edges carry distances. */
class Aliases {
  private readonly parent: number[];
  private readonly distance: number[];
  private readonly origin: number[];

  constructor(model: GraphModel) {
    const { graph } = model;
    this.parent = graph.tensors.map((_, index) => index);
    this.distance = graph.tensors.map(() => 0);
    graph.tensors.forEach((tensor, index) => {
      if (tensor.inplace_base !== undefined) this.join(index, model.tensorNamed(tensor.inplace_base), 0);
      if (tensor.storage_base !== undefined) {
        this.join(index, model.tensorNamed(tensor.storage_base), tensor.storage_base_offset ?? 0);
      }
    });
    for (const [index, node] of graph.nodes.entries()) {
      const own = (node.specs ?? []).map((id) => (id === null ? null : model.tensorNamed(id)));
      if (isFunction(node, "memory.view")) {
        own.forEach((tensor, position) => {
          const base = model.yields[index]?.[position] ?? null;
          if (tensor !== null && base !== null) this.join(tensor, base, 0);
        });
      } else if (node.variant === "inplace") {
        const base = model.overwrittenBy(index);
        if (own[0] !== null && own[0] !== undefined && base !== null) this.join(own[0], base, 0);
      }
    }
    this.origin = graph.tensors.map(() => 0);
    graph.tensors.forEach((_, index) => {
      const [root, at] = this.find(index);
      this.origin[root] = Math.min(this.origin[root] as number, at);
    });
  }

  rootOf(tensor: number): number {
    return this.find(tensor)[0];
  }

  offsetOf(tensor: number): number {
    const [root, at] = this.find(tensor);
    return at - (this.origin[root] as number);
  }

  private find(tensor: number): [root: number, distance: number] {
    let at = 0;
    let current = tensor;
    while (this.parent[current] !== current) {
      at += this.distance[current] as number;
      current = this.parent[current] as number;
    }
    return [current, at];
  }

  /** `tensor` starts `offset` bytes into `base`. */
  private join(tensor: number, base: number, offset: number): void {
    const [a, aAt] = this.find(tensor);
    const [b, bAt] = this.find(base);
    if (a === b) return;
    this.parent[a] = b;
    this.distance[a] = bAt + offset - aAt;
  }
}

/**
 * The last node until which a storage must be kept, by storage, infinite where it is handed out: under `"move"` a result of `cond` may be the bytes of
 * an operand that a branch hands straight through, which then live as long as the result.
 */
export function keptUntil(model: GraphModel, options: Options): number[] {
  const kept = model.storages.map(({ last, isOutput }) => (isOutput ? Number.POSITIVE_INFINITY : last));
  if ((options.controlFlowResults ?? "move") !== "move") return kept;
  const calls = [...model.calls.values()]
    .filter(({ kind }) => kind === "cond")
    .sort((a, b) => b.node - a.node);
  for (const call of calls) {
    call.results.forEach((result, position) => {
      const storage = model.storageOf[result] as number;
      // Copied to the caller's, not moved.
      if (model.isTop && model.storages[storage]?.isOutput && options.allocGraphOutput === false) return;
      const until = kept[storage] as number;
      for (const at of call.bodies.flatMap((body) => [...handedThrough(body, position)])) {
        const operand = model.storageOf[call.operands[at] as number] as number;
        kept[operand] = Math.max(kept[operand] as number, until);
      }
    });
  }
  return kept;
}

/** Positions of the placeholders whose bytes an output may be, under `"move"`. */
function handedThrough(body: GraphModel, position: number): Set<number> {
  const positions = new Set<number>();
  const seen = new Set<number>();
  const visit = (storage: number) => {
    if (seen.has(storage)) return;
    seen.add(storage);
    body.placeholders.forEach((placeholder, at) => {
      if (body.storageOf[placeholder] === storage) positions.add(at);
    });
    for (const call of body.calls.values()) {
      if (call.kind !== "cond") continue;
      call.results.forEach((result, at) => {
        if (body.storageOf[result] !== storage) return;
        for (const from of call.bodies.flatMap((inner) => [...handedThrough(inner, at)])) {
          visit(body.storageOf[call.operands[from] as number] as number);
        }
      });
    }
  };
  const output = body.outputs[position];
  if (output !== undefined) visit(body.storageOf[output] as number);
  return positions;
}

/** Whether a storage of the top graph is the plan's to place. */
export function isOwned(storage: Storage, options: Options): boolean {
  if (storage.last < 0 || storage.isConst || storage.isUnbound) return false;
  if (storage.buffer !== null) return options.allocMutableBuffers ?? true;
  if (storage.isInput && !(options.allocGraphInput ?? true)) return false;
  return !(storage.isOutput && !(options.allocGraphOutput ?? true));
}
