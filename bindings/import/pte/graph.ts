import type { Graph, Node, PlanToVerify } from "../../types.js";
import { GraphBuilder, packedBytes } from "../graph_builder.js";
import { invalidInput, unsupported } from "../invalid_input.js";
import type { PteInstruction, PteMethod, PteTensor } from "./model.js";
import { SharedState } from "./shared_state.js";

export interface PteGraph {
  graph: Graph;
  /** ExecuTorch's own, from allocation_info and non_const_buffer_sizes. */
  plan: PlanToVerify;
  notes: string[];
}

/** Converts one method. The graph is in ExecuTorch's form: memory.alloc, out variants, memory.view. */
export function pteGraph(method: PteMethod, name: string | undefined): PteGraph {
  const shared = new SharedState(method);
  const converter = new PteConverter(shared, undefined);
  const graph = converter.convert(name);
  return { graph, plan: converter.plan(), notes: shared.notes() };
}

const kDeepestBranch = 64;
/** More than any hierarchy of memories has. */
const kMostPools = 1024;

/** A branch that was walked, before it is known what the other one takes. */
interface Branch {
  converter: PteConverter;
  /** The value that it hands out, by the value that takes it. */
  moved: Map<number, number>;
}

/** Converts a method, or one branch of a condition in it. */
class PteConverter {
  private readonly builder = new GraphBuilder();
  private readonly method: PteMethod;
  /** The nodes to read a value from. */
  private readonly sources = new Map<number, string[]>();
  private readonly added = new Set<number>();
  /** State by value index, with its name; of the method's own graph only. */
  private readonly buffers = new Map<number, { placeholder: string; buffer: string }>();
  /** Values of outer graphs that this one reads. */
  private readonly captured = new Set<number>();
  private readonly branches = new Map<string, PteConverter>();
  private readonly depth: number;

  constructor(
    private readonly shared: SharedState,
    private readonly parent: PteConverter | undefined,
  ) {
    this.method = shared.method;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    if (this.depth > kDeepestBranch) {
      throw unsupported(this.method.name, `branches nest deeper than ${kDeepestBranch}`);
    }
  }

  convert(name: string | undefined): Graph {
    this.addPlaceholders();
    this.addInstructions(0, this.method.instructions.length);
    this.addOutput();
    const graph = this.builder.graph(name);
    delete graph.encounter_to_out_var_failure;
    this.addSignature(graph);
    return graph;
  }

  private tensor(value: number): PteTensor | undefined {
    const found = this.method.values[value];
    return found?.kind === "tensor" ? found : undefined;
  }

  private bytes(tensor: PteTensor): number {
    return packedBytes(tensor.shape, 8 * tensor.elementSize, this.method.name);
  }

  private id(value: number): string {
    const base = this.shared.bases.get(value) ?? value;
    const id = `v${base}`;
    const tensor = this.tensor(base);
    if (tensor === undefined || this.added.has(base)) return id;
    this.added.add(base);
    const { memId = 1 } = tensor.place ?? {};
    const device = tensor.device || this.method.bufferDevices.get(memId) || "";
    this.builder.addTensor({
      id,
      dtype: tensor.dtype,
      shape: tensor.shape,
      ...(/^(quint2x4|bits16|float8_.*uz)$/.test(tensor.dtype) ? { nbytes: this.bytes(tensor) } : {}),
      ...(isConstant(tensor) ? { const: true } : {}),
      ...(tensor.dynamism === "static" ? {} : { dynamism: tensor.dynamism }),
      ...(memId === 1 ? {} : { mem_id: memId }),
      ...(device === "" ? {} : { device }),
    });
    return id;
  }

  /** Inputs, then state with an initial value, then all constants. */
  private addPlaceholders(): void {
    for (const input of this.method.inputs) {
      const tensor = this.tensor(input);
      if (tensor === undefined) continue;
      this.sources.set(input, [this.builder.addPlaceholder(this.id(input))]);
      if (tensor.place === null) this.shared.callers.add(`v${input}`);
      this.settle(input);
    }
    for (const [index, value] of this.method.values.entries()) {
      if (value.kind !== "tensor" || this.sources.has(index) || !value.hasData) continue;
      if (isConstant(value)) this.sources.set(index, [this.builder.addConstant(this.id(index))]);
      else this.addState(index);
    }
  }

  /** State is of the whole method, so a branch that reads it takes it as an operand. */
  private addState(value: number): void {
    if (this.parent !== undefined) {
      this.parent.read(value);
      this.capture(value);
      return;
    }
    const id = this.id(value);
    const placeholder = this.builder.addPlaceholder(id);
    this.sources.set(value, [placeholder]);
    this.buffers.set(value, { placeholder, buffer: this.tensor(value)?.name || `${id}_buf` });
    this.settle(value);
  }

  private isState(value: number): boolean {
    return this.buffers.has(value) || (this.parent?.isState(value) ?? false);
  }

  /** Makes a value of an outer graph readable here: a constant again, anything else as an operand. */
  private capture(value: number): string[] {
    const id = this.id(value);
    const constant = isConstant(this.tensor(value));
    if (!constant) this.captured.add(value);
    const names = [constant ? this.builder.addConstant(id) : this.builder.addPlaceholder(id)];
    this.sources.set(value, names);
    return names;
  }

  /** Notes who lies where, so that a value read at the same place later is known as a view. */
  private settle(value: number, instruction = -1): void {
    const { firstWritten, writes } = this.shared;
    if (!firstWritten.has(value)) firstWritten.set(value, instruction);
    const tensor = this.tensor(value);
    if (tensor === undefined || tensor.place === null) return;
    const { memId, offset } = tensor.place;
    writes.push({ value, memId, start: offset, end: offset + this.bytes(tensor) });
  }

  /**
   * The tensor that an unwritten value has the very bytes of: the last one written there, if nothing has been
   * written over any of it since. Static views are no instructions in the file.
   */
  private viewed(value: number): number | undefined {
    const tensor = this.tensor(value);
    if (tensor === undefined || tensor.place === null) return undefined;
    const { memId, offset } = tensor.place;
    const end = offset + this.bytes(tensor);
    const { writes } = this.shared;
    for (let at = writes.length - 1; at >= 0; at--) {
      this.shared.spend(1);
      const write = writes[at];
      if (write === undefined || write.memId !== memId || write.end <= offset || write.start >= end) continue;
      const same = write.start === offset && write.end === end && this.known(write.value);
      return same && this.tensor(write.value)?.dtype === tensor.dtype ? write.value : undefined;
    }
    return undefined;
  }

  /** Tensors among values, lists taken apart. */
  private flatten(values: number[]): number[] {
    return values.flatMap((value) => {
      const found = this.method.values[value];
      if (found?.kind === "tensor") return [value];
      return found?.kind === "list" ? found.items.filter((item) => this.tensor(item) !== undefined) : [];
    });
  }

  private known(value: number): boolean {
    return this.sources.has(value) || (this.parent?.known(value) ?? false);
  }

  /** The nodes to read a value from; what nothing wrote is a view or state. */
  private read(value: number): string[] {
    const known = this.sources.get(value);
    if (known !== undefined) return known;
    if (this.parent?.known(value)) {
      this.parent.read(value);
      return this.capture(value);
    }
    const base = this.viewed(value);
    if (base === undefined) this.addState(value);
    else this.addView(value, base);
    return this.sources.get(value) ?? [];
  }

  private addView(value: number, base: number): void {
    const args = [...this.read(base)];
    this.shared.bases.set(value, this.shared.bases.get(base) ?? base);
    const specs = [this.id(value)];
    const node = this.builder.addNode({
      name: "view",
      op: "call_function",
      target: "memory.view",
      args,
      specs,
    });
    this.sources.set(value, [node]);
  }

  private addInstructions(start: number, end: number): void {
    for (let index = start; index < end; index++) {
      const instruction = this.method.instructions[index];
      if (instruction === undefined) return;
      const behind = instruction.kind === "jump" ? this.addCondition(instruction, index, end) : undefined;
      if (behind === undefined) this.addInstruction(instruction, index);
      else index = behind - 1;
    }
  }

  private addInstruction(instruction: PteInstruction, index: number): void {
    switch (instruction.kind) {
      case "kernel":
        this.addKernel(instruction, index);
        break;
      case "delegate":
        this.addDelegate(instruction, index);
        break;
      case "move":
        this.addMove(instruction.from, instruction.to, index);
        break;
      case "jump":
        this.addJump(instruction.destination, index);
        break;
      case "free":
        // Follows from the plan; the planner says where.
        break;
    }
  }

  /**
   * A condition as ExecuTorch emits it (_emit_cond): a jump over the one branch, whose last instruction jumps over
   * the other; each branch ends by moving its outputs to the values that stand for the results. Gives the
   * instruction behind it, or undefined where the jump is none of a condition.
   */
  private addCondition(
    { condition, destination }: PteInstruction & { kind: "jump" },
    jump: number,
    end: number,
  ): number | undefined {
    const over = this.method.instructions[destination - 1];
    if (destination < jump + 2 || destination > end || over?.kind !== "jump") return undefined;
    const behind = over.destination;
    if (behind < destination || behind > end) return undefined;
    const [predicate = this.predicate(jump)] =
      this.tensor(condition) === undefined ? [] : this.read(condition);
    const sides = [this.branch(jump + 1, destination - 1), this.branch(destination, behind)];
    const operands = [...new Set(sides.flatMap(({ converter }) => [...converter.captured]))];
    const results = [...new Set(sides.flatMap(({ moved }) => [...moved.keys()]))];
    const submodules = sides.map(({ converter, moved }, index) => {
      const graph = converter.finish(moved, results, operands);
      const name = this.builder.addSubmodule(`i${jump}_${index === 0 ? "true" : "false"}`, graph);
      this.branches.set(name, converter);
      return name;
    });
    const args = [predicate, ...operands.flatMap((value) => this.read(value).slice(0, 1))];
    this.addCall({ name: `i${jump}_cond`, target: "cond", args, submodules }, results, jump);
    return behind;
  }

  /** Of a condition that is a number and no tensor. */
  private predicate(jump: number): string {
    const target = "executorch::predicate";
    return this.builder.addNode({ name: `i${jump}_predicate`, op: "call_function", target, specs: [null] });
  }

  private branch(start: number, end: number): Branch {
    const converter = new PteConverter(this.shared, this);
    const moves: [to: number, from: number][] = [];
    let last = end;
    for (; last > start; last--) {
      const instruction = this.method.instructions[last - 1];
      if (instruction?.kind !== "move") break;
      if (this.tensor(instruction.from) !== undefined) moves.unshift([instruction.to, instruction.from]);
    }
    converter.addInstructions(start, last);
    const moved = new Map(moves);
    for (const from of moved.values()) converter.read(from);
    return { converter, moved };
  }

  /** The branch as a submodule; a result that it does not move is its own output. */
  private finish(moved: ReadonlyMap<number, number>, results: number[], operands: number[]): Graph {
    const outputs = results.map((result) => moved.get(result) ?? result);
    const args = outputs.flatMap((value) => this.read(value).slice(0, 1));
    this.builder.addOutput(
      args,
      outputs.map((value) => this.id(value)),
    );
    const order = operands.flatMap((value) => this.read(value).slice(0, 1));
    this.builder.orderPlaceholders(0, order);
    const graph = this.builder.graph();
    delete graph.encounter_to_out_var_failure;
    return graph;
  }

  private addKernel({ name, overload, args }: PteInstruction & { kind: "kernel" }, index: number): void {
    const target = overload === "" ? name : `${name}.${overload}`;
    if (name === "executorch_prim::et_view") {
      const [self, , out] = args;
      if (self !== undefined && out !== undefined && this.tensor(self) !== undefined) {
        this.addView(out, self);
        return;
      }
    }
    const outputs = this.flatten(args.slice(-1));
    const inPlace = name.endsWith("_") && !name.endsWith("__");
    const isOut = !inPlace && /(^|_)out(_|\d|$)/.test(overload);
    const written = new Set(outputs);
    const names: string[] = [];
    for (const value of new Set(this.flatten(args.slice(0, -1)))) {
      const allocates = isOut && !this.isState(value) && (written.has(value) || this.isScratch(value));
      if (allocates) names.push(this.addAlloc(value));
      else names.push(...this.read(value));
    }
    const variant = inPlace ? "inplace" : isOut ? "out" : undefined;
    const call = { name: `i${index}_${name.split("::").at(-1) ?? name}`, target, args: names };
    this.addCall(variant === undefined ? call : { ...call, variant }, outputs, index);
  }

  /** Unwritten, and no view: memory that a kernel works in. */
  private isScratch(value: number): boolean {
    const tensor = this.tensor(value);
    if (tensor === undefined || tensor.hasData || this.known(value)) return false;
    return this.viewed(value) === undefined && tensor.name === "";
  }

  private addAlloc(value: number): string {
    const specs = [this.id(value)];
    return this.builder.addNode({ name: "alloc", op: "call_function", target: "memory.alloc", specs });
  }

  /** Adds a node and makes its outputs readable, an item for each where they are several. */
  private addCall(
    call: Pick<Node, "name" | "variant" | "backend_id" | "submodules"> & { target: string; args: string[] },
    outputs: number[],
    instruction: number,
  ): void {
    const specs = outputs.map((value) => this.id(value));
    const node = this.builder.addNode({ ...call, op: "call_function", specs });
    for (const [at, value] of outputs.entries()) {
      const id = specs[at] ?? null;
      const item = { name: `getitem_${id}`, op: "call_function", target: "operator.getitem" } as const;
      const several = outputs.length > 1;
      this.sources.set(value, [
        several ? this.builder.addNode({ ...item, args: [node], specs: [id] }) : node,
      ]);
      this.settle(value, instruction);
    }
  }

  /** A delegate's outputs are the values at the end of its arguments that nothing wrote before. */
  private addDelegate({ backend, args }: PteInstruction & { kind: "delegate" }, index: number): void {
    const values = this.flatten(args);
    let first = values.length;
    while (first > 0 && this.isUnwritten(values[first - 1] ?? -1)) first--;
    const names = [...new Set(values.slice(0, first))].flatMap((value) => this.read(value));
    const target = "executorch_call_delegate";
    const call = { name: `i${index}_delegate`, target, args: names, backend_id: backend };
    this.addCall(call, values.slice(first), index);
  }

  private isUnwritten(value: number): boolean {
    const hasData = this.tensor(value)?.hasData;
    return hasData === false && !this.known(value) && this.viewed(value) === undefined;
  }

  /** A move makes one value the other's bytes; behind a jump it may be either's. */
  private addMove(from: number, to: number, index: number): void {
    if (this.tensor(from) === undefined) return;
    const names = this.read(from);
    this.builder.addNode({
      name: `i${index}_move`,
      op: "call_function",
      target: "executorch::move",
      args: [...names],
      specs: [null],
    });
    const before = this.shared.hasLoops ? (this.sources.get(to) ?? []) : [];
    this.sources.set(to, [...new Set([...before, ...names])]);
  }

  /** A jump back: all that its loop reads and that was there before has to last until it. */
  private addJump(destination: number, index: number): void {
    this.shared.hasLoops = true;
    const args = new Set<string>();
    this.shared.spend(Math.max(0, index - destination));
    for (const instruction of this.method.instructions.slice(destination, index)) {
      if (instruction.kind !== "kernel" && instruction.kind !== "delegate") continue;
      this.shared.spend(instruction.args.length);
      for (const value of this.flatten(instruction.args)) {
        const isOuter = (this.shared.firstWritten.get(value) ?? -1) < destination;
        if (isOuter && this.known(value)) for (const node of this.read(value)) args.add(node);
      }
    }
    this.builder.addNode({
      name: `i${index}_jump`,
      op: "call_function",
      target: "executorch::jump_false",
      args: [...args],
      specs: [null],
    });
  }

  private addOutput(): void {
    const values = this.flatten(this.method.outputs);
    const state = [...this.buffers.keys()].filter((value) => !values.includes(value));
    const args: string[] = [];
    const specs: (string | null)[] = [];
    for (const value of [...values, ...state]) {
      const tensor = this.tensor(value);
      if (tensor?.place === null && !isConstant(tensor)) this.shared.callers.add(`v${value}`);
      for (const node of this.read(value)) {
        args.push(node);
        specs.push(this.id(value));
      }
    }
    this.builder.addOutput(args, specs);
  }

  private addSignature(graph: Graph): void {
    if (this.buffers.size === 0) return;
    const rows = [...this.buffers].map(([value, row]) => ({
      ...row,
      node: this.sources.get(value)?.at(-1) ?? "",
    }));
    graph.signature = {
      inputs_to_buffers: Object.fromEntries(rows.map(({ placeholder, buffer }) => [placeholder, buffer])),
      buffers_to_mutate: Object.fromEntries(rows.map(({ node, buffer }) => [node, buffer])),
    };
  }

  plan(): PlanToVerify {
    const tensors: PlanToVerify["tensors"] = [];
    const ends: number[] = [0];
    for (const value of [...this.added].sort((a, b) => a - b)) {
      const tensor = this.tensor(value);
      if (tensor === undefined || isConstant(tensor) || this.captured.has(value)) continue;
      const { memId, offset } = tensor.place ?? { memId: null, offset: null };
      if (offset !== null && !Number.isSafeInteger(offset)) {
        throw invalidInput(`${this.method.name}.values[${value}]`, `offset ${offset} is no offset`);
      }
      if (memId !== null && memId < kMostPools) {
        for (let pool = ends.length; pool <= memId; pool++) ends.push(0);
        ends[memId] = Math.max(ends[memId] ?? 0, (offset ?? 0) + this.bytes(tensor));
      }
      tensors.push({ id: `v${value}`, mem_id: memId, mem_offset: offset });
    }
    // A branch's sizes are its highest ends; the method's are the file's.
    const plan: PlanToVerify = {
      buffer_sizes: this.parent === undefined ? this.method.bufferSizes : ends,
      tensors,
    };
    if (this.branches.size === 0) return plan;
    const submodules = [...this.branches].map(([name, branch]): [string, PlanToVerify] => [
      name,
      branch.plan(),
    ]);
    return { ...plan, submodules: Object.fromEntries(submodules) };
  }
}

/** A constant has data and no place of its own. */
function isConstant(tensor: PteTensor | undefined): boolean {
  return tensor?.hasData === true && tensor.place === null;
}
