/**
 * Runs a graph on real bytes twice, with a buffer for each storage and in the planned arena, and compares every read.
 * FORMAT.md's sentence as a program: a plan is right if, for every way the branches may go and any number of turns,
 * each read sees what was last written to that tensor.
 */
import type { Graph, Methods, Node, Options } from "../../bindings/types.ts";
import { bindingOf, type Call, GraphModel } from "./graph_model.ts";
import {
  Arena,
  apart,
  bytesOf,
  certain,
  hashText,
  type Location,
  Misread,
  mix,
  part,
  Trace,
  type Value,
  write,
} from "./memory.ts";
import {
  CONCAT,
  concatPieces,
  digest,
  ELEMENT_WISE,
  elementAt,
  isElementWise,
  type Shaped,
  streamElements,
  streamPieces,
} from "./operators.ts";
import type { CheckedPlan } from "./plan_checker.ts";
import { Random } from "./random.ts";

export interface RunOptions extends Options {
  /** Decides which way branches go and what inputs hold. Default 1. */
  runSeed?: number;
  /** Calls in a row, with mutable buffers kept. Default 3. */
  calls?: number;
  /** Turns that a `while` may take. Default 0 to 3. */
  turns?: readonly number[];
  /** Which branches may be taken. Default both. */
  branches?: readonly number[];
}

/** Loops in loops in loops stop turning after so many operators. */
const MANY_STEPS = 1500;

/** Null where every read saw what was last written; else the first that did not. */
export function misread(
  graph: Graph | GraphModel,
  plan: CheckedPlan,
  options: RunOptions = {},
): string | null {
  const model = graph instanceof GraphModel ? graph : new GraphModel(graph);
  return misreadBy([{ name: "", model, plan }], plan.buffer_sizes ?? [], false, options);
}

/** The same for several graphs in one arena, called in a random order. */
export function misreadMethods(
  program: Methods,
  plan: { buffer_sizes: number[]; methods?: Record<string, CheckedPlan> },
  options: RunOptions = {},
): string | null {
  const methods = Object.entries(program.methods).map(([name, graph]) => {
    const own = plan.methods?.[name];
    if (!own) throw new Error(`method ${name} has no plan`);
    return { name, model: new GraphModel(graph), plan: own };
  });
  return misreadBy(methods, plan.buffer_sizes, program.shared_buffers === true, options);
}

function misreadBy(
  methods: Method[],
  sizes: number[],
  isShared: boolean,
  options: RunOptions,
): string | null {
  const trace = new Trace();
  const unplanned = methods.map(({ name, model }) => ({ name, model, plan: null }));
  new Run(unplanned, null, isShared, options, trace).all();
  trace.rewind();
  try {
    new Run(methods, sizes, isShared, options, trace).all();
    return null;
  } catch (error) {
    if (error instanceof Misread) return error.message;
    throw error;
  }
}

/** A top graph; `plan` is null in the reference run. */
interface Method {
  name: string;
  model: GraphModel;
  plan: CheckedPlan | null;
}

/** One graph in the course of being run. */
interface Frame {
  model: GraphModel;
  plan: CheckedPlan | null;
  /** Storages that are another graph's, or that a branch left elsewhere than planned: where they start. */
  elsewhere: Map<number, Location>;
  apart: Map<number, Location>;
  held: Map<number, Location>;
}

class Run {
  private readonly decisions: Random;
  private readonly chance: Random;
  private readonly arena: Arena | null;
  /** Mutable buffers that no plan places, by their key. */
  private readonly state = new Map<string, Location>();
  private method: Method;
  private steps = 0;
  private call = 0;

  constructor(
    private readonly methods: readonly Method[],
    sizes: number[] | null,
    private readonly isShared: boolean,
    private readonly options: RunOptions,
    private readonly trace: Trace,
  ) {
    this.decisions = new Random(options.runSeed ?? 1);
    this.chance = new Random((options.runSeed ?? 1) + 77);
    this.arena = sizes ? new Arena(sizes, this.chance) : null;
    this.method = methods[0] as Method;
  }

  all(): void {
    this.fillState();
    const calls = (this.options.calls ?? 3) * this.methods.length;
    for (this.call = 0; this.call < calls; this.call++) {
      this.method = this.decisions.pick(this.methods);
      this.once(this.method);
    }
  }

  private once({ model, plan }: Method): void {
    const frame = this.enter(model, plan, new Map());
    const inputs = model.placeholders.filter((tensor) => model.storage(tensor).buffer === null);
    for (const tensor of this.arena ? this.chance.shuffled(inputs) : inputs) this.fill(frame, tensor);
    this.runNodes(frame);
    const values = model.writeBacks.map(({ value }) => this.read(frame, value, "the new value of a buffer"));
    model.writeBacks.forEach(({ buffer }, i) => {
      write(this.locate(frame, buffer), values[i] as Value);
    });
    for (const output of model.outputs) this.read(frame, output, "an output after the last node");
    this.leave(frame);
    this.arena?.trash();
  }

  /** What mutable buffers hold before the first call; they are live for ever. */
  private fillState(): void {
    const filled = new Set<string>();
    for (this.method of this.methods) {
      const { model, plan } = this.method;
      const frame: Frame = { model, plan, elsewhere: new Map(), apart: new Map(), held: new Map() };
      for (const tensor of model.placeholders) {
        const { buffer } = model.storage(tensor);
        if (buffer === null) continue;
        this.arena?.hold(this.locate(frame, tensor));
        if (filled.has(this.stateKey(buffer))) continue;
        filled.add(this.stateKey(buffer));
        this.fill(frame, tensor);
      }
    }
  }

  private stateKey(buffer: string): string {
    return this.isShared ? buffer : `${this.method.name}:${buffer}`;
  }

  private fill(frame: Frame, tensor: number): void {
    const location = this.locate(frame, tensor);
    const salt = mix(
      hashText(frame.model.names[tensor] as string),
      mix(this.options.runSeed ?? 1, this.call),
    );
    write(location, certain(bytesOf(salt, location.size)));
  }

  private enter(model: GraphModel, plan: CheckedPlan | null, bound: Map<number, Location>): Frame {
    const frame: Frame = { model, plan, elsewhere: bound, apart: new Map(), held: new Map() };
    model.storages.forEach((storage, index) => {
      if (storage.isInput) this.hold(frame, index);
    });
    return frame;
  }

  private leave(frame: Frame): void {
    for (const location of frame.held.values()) this.arena?.release(location);
  }

  /** Keeps the bytes of a storage from being trashed until it is dead. */
  private hold(frame: Frame, storage: number): void {
    if (!this.arena || frame.held.has(storage)) return;
    const bound = frame.elsewhere.get(storage);
    const first = frame.model.storages[storage]?.members.find(
      (member) => frame.plan?.tensors[member]?.mem_id,
    );
    if (!bound && first === undefined) return;
    const start = bound ?? this.startOf(frame, storage, first as number);
    const location = { ...start };
    frame.held.set(storage, location);
    this.arena.hold(location);
  }

  private startOf(frame: Frame, storage: number, member: number): Location {
    const row = frame.plan?.tensors[member];
    const size = frame.model.storages[storage]?.size ?? 0;
    const at = (row?.mem_offset ?? 0) - (frame.model.offsetIn[member] as number);
    return (this.arena as Arena).place(row?.mem_id ?? 0, at, size);
  }

  private locate(frame: Frame, tensor: number): Location {
    const { model } = frame;
    const storage = model.storageOf[tensor] as number;
    const offset = model.offsetIn[tensor] as number;
    const size = model.bytes[tensor] as number;
    const elsewhere = frame.elsewhere.get(storage);
    if (elsewhere) return part(elsewhere, offset, size);
    const row = frame.plan?.tensors[tensor];
    if (this.arena && row && row.mem_id !== null && row.mem_offset !== null) {
      return this.arena.place(row.mem_id, row.mem_offset, size);
    }
    return part(this.apartOf(frame, storage), offset, size);
  }

  /** The buffer of its own that a storage has where the plan gives it none; constants and state keep theirs. */
  private apartOf(frame: Frame, storage: number): Location {
    const { model } = frame;
    const { size, isConst, buffer, members } = model.storages[storage] as GraphModel["storages"][number];
    const key = buffer !== null && model.isTop ? this.stateKey(buffer) : null;
    const known = key !== null ? this.state.get(key) : frame.apart.get(storage);
    if (known) return known;
    const location = apart(size, this.trace.recording);
    if (isConst) {
      const salt = hashText(`${model.path}:${model.names[members[0] as number]}`);
      write(location, certain(bytesOf(salt, size)));
    } else {
      this.arena?.fill(location);
    }
    if (key !== null) this.state.set(key, location);
    else frame.apart.set(storage, location);
    return location;
  }

  private read(frame: Frame, tensor: number, what: string): Value {
    const location = this.locate(frame, tensor);
    const value = this.trace.expected(location);
    this.trace.compare(value, location, () => this.say(frame, tensor, what));
    return value;
  }

  private say(frame: Frame, tensor: number, what: string): string {
    return `call ${this.call}, graph '${frame.model.path}': ${what}, tensor ${frame.model.names[tensor]}`;
  }

  private runNodes(frame: Frame): void {
    const { model } = frame;
    for (const [index, node] of model.graph.nodes.entries()) {
      const call = model.calls.get(index);
      model.storages.forEach((storage, at) => {
        const isMade = call?.kind === "cond" && call.results.some((result) => model.storageOf[result] === at);
        if (storage.first === index && storage.last >= 0 && !isMade) this.hold(frame, at);
      });
      if (call) this.runCall(frame, call);
      else if (isOperator(node)) this.runOperator(frame, index, node);
      this.free(frame, node);
      if (index === model.lastNode) return;
      for (const [at, location] of frame.held) {
        if (model.storages[at]?.last === index) this.arena?.release(location);
      }
    }
  }

  /** Gives the bytes of unbound tensors back, where the plan says so. A moved result only lets go of another's. */
  private free(frame: Frame, node: Node): void {
    for (const { after, tensor } of frame.plan?.frees ?? []) {
      const storage = frame.model.storageOf[frame.model.tensorNamed(tensor)] as number;
      const location = frame.apart.get(storage);
      if (after === node.name && location) this.arena?.fill(location);
    }
  }

  private runOperator(frame: Frame, index: number, node: Node): void {
    const { model } = frame;
    const own = model.tensorsOf(index);
    const overwritten = node.variant === "inplace" ? model.overwrittenBy(index) : null;
    const outputs = overwritten !== null ? [overwritten] : own;
    const read = model
      .argsOf(index)
      .filter((arg) => model.graph.nodes[arg]?.target !== "memory.alloc")
      .flatMap((arg) => model.tensorsOf(arg))
      .filter((tensor) => node.variant !== "out" || !own.includes(tensor));
    const inputs = read.map((tensor) => {
      const value = this.read(frame, tensor, `read by ${node.name}`);
      return {
        tensor,
        value,
        location: this.locate(frame, tensor),
        shape: model.graph.tensors[tensor]?.shape,
      };
    });
    const salt = mix(hashText(node.name), this.steps++);
    outputs.forEach((output, at) => {
      this.produce(frame, node, { tensor: output, salt: mix(salt, at) }, inputs);
    });
  }

  private produce(
    frame: Frame,
    node: Node,
    output: { tensor: number; salt: number },
    inputs: (Shaped & { tensor: number; location: Location })[],
  ): void {
    const location = this.locate(frame, output.tensor);
    const say = () => this.say(frame, output.tensor, `written by ${node.name}`);
    const shape = frame.model.graph.tensors[output.tensor]?.shape;
    const pieces = node.target === CONCAT ? concatPieces(inputs, location.size, shape) : null;
    const isAliased = this.isAliased(frame, output.tensor, inputs);
    if (this.arena && this.mayWriteOver(node) && !isAliased) {
      if (pieces) streamPieces(pieces, location, inputs, say);
      else if (isElementWise(node)) streamElements(output.salt, location, inputs, say);
      if (pieces || isElementWise(node)) return;
    }
    if (this.arena && !isAliased) {
      this.arena.fill(location);
      for (const { tensor, value, location: source } of inputs) {
        this.trace.compare(value, source, () =>
          this.say(frame, tensor, `overwritten while ${node.name} reads it`),
        );
      }
    }
    write(location, certain(resultOf(node, location.size, output.salt, inputs, pieces)));
  }

  /** Whether the graph itself lets an input share the result's bytes: one storage, or one tensor passed twice. */
  private isAliased(frame: Frame, output: number, inputs: { tensor: number }[]): boolean {
    const { storageOf } = frame.model;
    const own = frame.elsewhere.get(storageOf[output] as number);
    return inputs.some(({ tensor }) => {
      if (storageOf[tensor] === storageOf[output]) return true;
      const other = frame.elsewhere.get(storageOf[tensor] as number);
      if (!own || !other || own.bytes !== other.bytes) return false;
      return own.at < other.at + other.size && other.at < own.at + own.size;
    });
  }

  private mayWriteOver(node: Node): boolean {
    const { inplace } = this.options;
    return Array.isArray(inplace) ? inplace.includes(node.target ?? "") : inplace === true;
  }

  private runCall(frame: Frame, call: Call): void {
    if (call.predicate >= 0) {
      for (const tensor of frame.model.tensorsOf(call.predicate)) this.read(frame, tensor, "a predicate");
    }
    if (call.kind === "cond") this.runCond(frame, call);
    else this.runLoop(frame, call);
  }

  private planOf(frame: Frame, call: Call, slot: number): CheckedPlan | null {
    return frame.plan?.submodules?.[call.names[slot] as string] ?? null;
  }

  private runCond(frame: Frame, call: Call): void {
    const slot = this.decisions.pick(this.options.branches ?? [0, 1]);
    const model = call.bodies[slot] as GraphModel;
    const bound = new Map<number, Location>();
    model.placeholders.forEach((placeholder, position) => {
      const operand = call.operands[position];
      if (operand !== undefined) bind(bound, model, placeholder, this.locate(frame, operand));
    });
    const branch = this.enter(model, this.planOf(frame, call, slot), bound);
    this.runNodes(branch);
    const values = model.outputs.map((output) => this.read(branch, output, "a branch's output"));
    const positions = call.results
      .map((_, position) => position)
      .filter((position) => position < values.length);
    for (const position of this.arena ? this.chance.shuffled(positions) : positions) {
      const result = call.results[position] as number;
      const output = model.outputs[position] as number;
      const from = this.locate(branch, output);
      if (this.moves(frame, result, from, model.storage(output).isUnbound)) {
        bind(frame.elsewhere, frame.model, result, from);
      } else {
        this.trace.compare(values[position] as Value, from, () =>
          this.say(branch, output, "copied to a result"),
        );
        write(this.locate(frame, result), values[position] as Value);
      }
    }
    for (const result of call.results) this.hold(frame, frame.model.storageOf[result] as number);
    this.leave(branch);
  }

  /** Whether the branch's bytes become the result; where they cannot, they are copied. */
  private moves(frame: Frame, result: number, from: Location, isUnbound: boolean): boolean {
    if (!frame.plan || (this.options.controlFlowResults ?? "move") !== "move") return false;
    const { isUnbound: takesUnbound, isOutput } = frame.model.storage(result);
    const isCallers = frame.model.isTop && isOutput && this.options.allocGraphOutput === false;
    if (takesUnbound && isUnbound) return !isCallers;
    const pool = frame.plan?.tensors[result]?.mem_id ?? null;
    return pool !== null && pool === from.pool;
  }

  /** Copies values in the order that positions are given, as a runtime would: one after the other. */
  private copy(
    values: Value[],
    from: (position: number) => Location,
    to: (position: number) => Location,
    what: string,
  ) {
    const positions = values.map((_, position) => position);
    for (const position of this.arena ? this.chance.shuffled(positions) : positions) {
      const value = values[position] as Value;
      this.trace.compare(value, from(position), () => `call ${this.call}: ${what} ${position}`);
      write(to(position), value);
    }
  }

  private runLoop(frame: Frame, call: Call): void {
    const carried = this.carriedPlaces(frame, call);
    const operands = call.operands.slice(0, call.carried);
    const values = operands.map((operand) => this.read(frame, operand, "an operand"));
    this.copy(
      values,
      (position) => this.locate(frame, operands[position] as number),
      (position) => carried[position] as Location,
      "carried operand",
    );
    const turns = this.turnsOf(frame, call);
    for (let turn = 0; turn < turns; turn++) {
      if (call.kind === "while") this.runCondition(frame, call, carried);
      this.runTurn(frame, call, carried, turn);
    }
    if (call.kind === "while") this.runCondition(frame, call, carried);
    carried.slice(call.results.length).forEach((location) => {
      this.arena?.release(location);
    });
  }

  /** Where carried values live: in the results, and beyond those where the body's placeholders are placed. */
  private carriedPlaces(frame: Frame, call: Call): Location[] {
    const places: Location[] = [];
    for (let position = 0; position < call.carried; position++) {
      const result = call.results[position];
      if (result !== undefined) {
        places.push(this.locate(frame, result));
        continue;
      }
      const slot = call.bodies.length - 1;
      const model = call.bodies[slot] as GraphModel;
      const placeholder = model.placeholders[position] as number;
      const row = this.planOf(frame, call, slot)?.tensors[placeholder];
      const size = model.bytes[placeholder] as number;
      const { mem_id: pool = null, mem_offset: at = null } = row ?? {};
      const place = this.arena && pool !== null && at !== null ? this.arena.place(pool, at, size) : undefined;
      const location = place ?? apart(size, this.trace.recording);
      this.arena?.hold(location);
      places.push(location);
    }
    return places;
  }

  private turnsOf(frame: Frame, call: Call): number {
    const body = call.bodies.at(-1) as GraphModel;
    const stacked = body.outputs.slice(call.carried).flatMap((output, i) => {
      const result = call.results[call.carried + i];
      const size = body.bytes[output] as number;
      return size > 0 && result !== undefined
        ? [Math.floor((frame.model.bytes[result] as number) / size)]
        : [];
    });
    if (call.kind === "while") {
      const turns = this.decisions.pick(this.options.turns ?? [0, 1, 2, 3]);
      return this.steps > MANY_STEPS ? 0 : Math.min(turns, ...stacked);
    }
    const sliced = body.placeholders
      .slice(call.carried, call.carried + call.mapped)
      .flatMap((placeholder, i) => {
        const operand = call.operands[call.carried + i];
        const size = body.bytes[placeholder] as number;
        return size > 0 && operand !== undefined
          ? [Math.floor((frame.model.bytes[operand] as number) / size)]
          : [];
      });
    const counts = [...sliced, ...stacked];
    return counts.length > 0 ? Math.min(...counts) : 1;
  }

  private bindings(frame: Frame, call: Call, model: GraphModel, carried: Location[]): Map<number, Location> {
    const bound = new Map<number, Location>();
    model.placeholders.forEach((placeholder, position) => {
      const binding = bindingOf(call, position);
      const operand = call.operands[position];
      if (binding === "sliced" || operand === undefined) return;
      const location = binding === "carried" ? (carried[position] as Location) : this.locate(frame, operand);
      bind(bound, model, placeholder, location);
    });
    return bound;
  }

  private runCondition(frame: Frame, call: Call, carried: Location[]): void {
    const model = call.bodies[0] as GraphModel;
    const condition = this.enter(
      model,
      this.planOf(frame, call, 0),
      this.bindings(frame, call, model, carried),
    );
    this.runNodes(condition);
    for (const output of model.outputs) this.read(condition, output, "a loop's condition");
    this.leave(condition);
  }

  private runTurn(frame: Frame, call: Call, carried: Location[], turn: number): void {
    const slot = call.bodies.length - 1;
    const model = call.bodies[slot] as GraphModel;
    const body = this.enter(
      model,
      this.planOf(frame, call, slot),
      this.bindings(frame, call, model, carried),
    );
    const sliced = model.placeholders.slice(call.carried, call.carried + call.mapped);
    const slices = sliced.map((placeholder, i) => {
      const size = model.bytes[placeholder] as number;
      return part(this.locate(frame, call.operands[call.carried + i] as number), turn * size, size);
    });
    this.copy(
      slices.map((slice) => this.trace.expected(slice)),
      (position) => slices[position] as Location,
      (position) => this.locate(body, sliced[position] as number),
      "slice",
    );
    this.runNodes(body);
    const kept = model.outputs.filter((_, at) => at < call.carried || call.results[at] !== undefined);
    const values = kept.map((output) => this.read(body, output, "a turn's output"));
    this.copy(
      values,
      (position) => this.locate(body, kept[position] as number),
      (position) => {
        if (position < call.carried) return carried[position] as Location;
        const size = model.bytes[kept[position] as number] as number;
        return part(this.locate(frame, call.results[position] as number), turn * size, size);
      },
      "a turn's output",
    );
    this.leave(body);
  }
}

function isOperator(node: Node): boolean {
  if (node.op === "call_module" || node.op === "call_method") return true;
  const passive = ["memory.alloc", "memory.view", "memory.free", "operator.getitem"];
  return node.op === "call_function" && !passive.includes(node.target ?? "");
}

/** Lets the storage of `tensor` start where `tensor` at `location` demands. */
function bind(bound: Map<number, Location>, model: GraphModel, tensor: number, location: Location): void {
  const offset = model.offsetIn[tensor] as number;
  bound.set(model.storageOf[tensor] as number, {
    ...location,
    at: location.at - offset,
    size: location.size + offset,
  });
}

function resultOf(
  node: Node,
  size: number,
  salt: number,
  inputs: Shaped[],
  pieces: ReturnType<typeof concatPieces>,
): Uint8Array {
  const values = inputs.map(({ value }) => value);
  if (pieces) {
    const bytes = new Uint8Array(size);
    for (const { input, from, to, size: length } of pieces) {
      bytes.set((values[input] as Value).bytes.subarray(from, from + length), to);
    }
    return bytes;
  }
  if (isElementWise(node)) {
    const sources = values.map(({ bytes }) => bytes);
    return Uint8Array.from({ length: size }, (_, i) => elementAt(salt, i, sources));
  }
  return bytesOf(digest(salt, values), size);
}

export { ELEMENT_WISE };
