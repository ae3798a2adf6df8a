import type { Graph, PlanToVerify } from "../../types.js";
import { GraphBuilder, packedBytes } from "../graph_builder.js";
import { invalidInput, unsupported } from "../invalid_input.js";
import { listNames } from "../name_list.js";
import type { PteInstruction, PteMethod, PteTensor } from "./model.js";

export interface PteGraph {
  graph: Graph;
  /** ExecuTorch's own, from allocation_info and non_const_buffer_sizes. */
  plan: PlanToVerify;
  notes: string[];
}

/** Converts one method. The graph is in ExecuTorch's form: memory.alloc, out variants, memory.view. */
export function pteGraph(method: PteMethod, name: string | undefined): PteGraph {
  return new PteConverter(method).convert(name);
}

/** A write to a place in a pool. */
interface Write {
  value: number;
  memId: number;
  start: number;
  end: number;
}

/** Steps that looking back over writes and loops may take in all; a file that needs more was made to. */
const kMostSteps = 2 ** 25;

class PteConverter {
  private readonly builder = new GraphBuilder();
  /** By value index: the tensor whose bytes it has (itself, or what it is a view of), and the nodes to read. */
  private readonly bases = new Map<number, number>();
  private readonly sources = new Map<number, string[]>();
  private readonly added = new Set<number>();
  private readonly writes: Write[] = [];
  private steps = 0;
  /** State by value index, with its name and the node of its newest value. */
  private readonly buffers = new Map<number, { placeholder: string; buffer: string }>();
  private readonly callers: string[] = [];
  private hasJumps = false;

  constructor(private readonly method: PteMethod) {}

  convert(name: string | undefined): PteGraph {
    this.addPlaceholders();
    const { instructions } = this.method;
    const loops = loopStarts(instructions);
    for (const [index, instruction] of instructions.entries()) this.addInstruction(instruction, index, loops);
    this.addOutput();
    const graph = this.builder.graph(name);
    delete graph.encounter_to_out_var_failure;
    this.addSignature(graph);
    return { graph, plan: this.plan(), notes: this.notes() };
  }

  private tensor(value: number): PteTensor | undefined {
    const found = this.method.values[value];
    return found?.kind === "tensor" ? found : undefined;
  }

  private bytes(tensor: PteTensor): number {
    return packedBytes(tensor.shape, 8 * tensor.elementSize, this.method.name);
  }

  private id(value: number): string {
    const base = this.bases.get(value) ?? value;
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
      if (tensor.place === null) this.callers.push(`v${input}`);
      this.settle(input);
    }
    for (const [index, value] of this.method.values.entries()) {
      if (value.kind !== "tensor" || this.sources.has(index) || !value.hasData) continue;
      if (isConstant(value)) this.sources.set(index, [this.builder.addConstant(this.id(index))]);
      else this.addState(index);
    }
  }

  private addState(value: number): void {
    const id = this.id(value);
    const placeholder = this.builder.addPlaceholder(id);
    this.sources.set(value, [placeholder]);
    this.buffers.set(value, { placeholder, buffer: this.tensor(value)?.name || `${id}_buf` });
    this.settle(value);
  }

  /** Notes who lies where, so that a value read at the same place later is known as a view. */
  private settle(value: number): void {
    const tensor = this.tensor(value);
    if (tensor === undefined || tensor.place === null) return;
    const { memId, offset } = tensor.place;
    this.writes.push({ value, memId, start: offset, end: offset + this.bytes(tensor) });
  }

  private spend(steps: number): void {
    this.steps += steps;
    if (this.steps > kMostSteps) throw unsupported(this.method.name, "too many values and loops to follow");
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
    for (let at = this.writes.length - 1; at >= 0; at--) {
      this.spend(1);
      const write = this.writes[at];
      if (write === undefined || write.memId !== memId || write.end <= offset || write.start >= end) continue;
      const same = write.start === offset && write.end === end;
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

  /** The nodes to read a value from; what nothing wrote is a view or state. */
  private read(value: number): string[] {
    const known = this.sources.get(value);
    if (known !== undefined) return known;
    const base = this.viewed(value);
    if (base === undefined) this.addState(value);
    else this.addView(value, base);
    return this.sources.get(value) ?? [];
  }

  private addView(value: number, base: number): void {
    this.bases.set(value, this.bases.get(base) ?? base);
    const args = this.sources.get(base) ?? [];
    const node = {
      name: "view",
      op: "call_function",
      target: "memory.view",
      args,
      specs: [this.id(value)],
    } as const;
    this.sources.set(value, [this.builder.addNode({ ...node, args: [...args], specs: [this.id(value)] })]);
  }

  private addInstruction(instruction: PteInstruction, index: number, loops: Map<number, number>): void {
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
        this.hasJumps = true;
        this.addJump(instruction, index, loops);
        break;
      case "free":
        // Follows from the plan; the planner says where.
        break;
    }
  }

  private addKernel({ name, overload, args }: PteInstruction & { kind: "kernel" }, index: number): void {
    const target = overload === "" ? name : `${name}.${overload}`;
    if (name === "executorch_prim::et_view") {
      const [self, , out] = args;
      if (self !== undefined && out !== undefined && this.tensor(self) !== undefined) {
        this.read(self);
        this.addView(out, self);
        return;
      }
    }
    const outputs = this.flatten(args.slice(-1));
    const inPlace = name.endsWith("_") && !name.endsWith("__");
    const isOut = !inPlace && /(^|_)out(_|\d|$)/.test(overload);
    const operands = this.flatten(args.slice(0, -1));
    const written = new Set(outputs);
    const names: string[] = [];
    for (const value of new Set(operands)) {
      if (isOut && !this.buffers.has(value) && (written.has(value) || this.isScratch(value))) {
        names.push(this.addAlloc(value));
      } else names.push(...this.read(value));
    }
    const short = `i${index}_${name.split("::").at(-1) ?? name}`;
    const variant = inPlace ? ("inplace" as const) : isOut ? ("out" as const) : undefined;
    this.addCall(
      { name: short, target, args: names, ...(variant === undefined ? {} : { variant }) },
      outputs,
    );
  }

  /** Unwritten, and no view: memory that a kernel works in. */
  private isScratch(value: number): boolean {
    const tensor = this.tensor(value);
    if (tensor === undefined || tensor.hasData || this.sources.has(value)) return false;
    return this.viewed(value) === undefined && tensor.name === "";
  }

  private addAlloc(value: number): string {
    const specs = [this.id(value)];
    return this.builder.addNode({ name: "alloc", op: "call_function", target: "memory.alloc", specs });
  }

  /** Adds a node and makes its outputs readable, an item for each where they are several. */
  private addCall(
    call: { name: string; target: string; args: string[]; variant?: "out" | "inplace"; backend_id?: string },
    outputs: number[],
  ): void {
    const specs = outputs.map((value) => this.id(value));
    const node = this.builder.addNode({ ...call, op: "call_function", specs });
    for (const [at, value] of outputs.entries()) {
      const id = specs[at] ?? null;
      const item = { name: `getitem_${id}`, op: "call_function", target: "operator.getitem" } as const;
      const source = outputs.length > 1 ? this.builder.addNode({ ...item, args: [node], specs: [id] }) : node;
      this.sources.set(value, [source]);
      this.settle(value);
    }
  }

  /** A delegate's outputs are the values at the end of its arguments that nothing wrote before. */
  private addDelegate({ backend, args }: PteInstruction & { kind: "delegate" }, index: number): void {
    const values = this.flatten(args);
    let first = values.length;
    while (first > 0 && this.isUnwritten(values[first - 1] ?? -1)) first--;
    const names = [...new Set(values.slice(0, first))].flatMap((value) => this.read(value));
    const call = {
      name: `i${index}_delegate`,
      target: "executorch_call_delegate",
      args: names,
      backend_id: backend,
    };
    this.addCall(call, values.slice(first));
  }

  private isUnwritten(value: number): boolean {
    return (
      !this.sources.has(value) && this.tensor(value)?.hasData === false && this.viewed(value) === undefined
    );
  }

  /** A move makes one value the other's bytes; after two moves, one a branch, it may be either's. */
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
    const before = this.sources.get(to) ?? [];
    this.sources.set(to, [...new Set([...(this.hasJumps ? before : []), ...names])]);
  }

  /** A jump back: all that its loop reads and that was there before has to last until it. */
  private addJump(
    { destination }: PteInstruction & { kind: "jump" },
    index: number,
    loops: Map<number, number>,
  ): void {
    const args = new Set<string>();
    if (loops.get(index) === destination) {
      this.spend(index - destination);
      for (const instruction of this.method.instructions.slice(destination, index)) {
        if (instruction.kind !== "kernel" && instruction.kind !== "delegate") continue;
        this.spend(instruction.args.length);
        for (const value of this.flatten(instruction.args)) {
          for (const node of this.sources.get(value) ?? []) args.add(node);
        }
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
    const state = [...this.buffers.keys()];
    const args: string[] = [];
    const specs: (string | null)[] = [];
    for (const value of [...values, ...state.filter((item) => !values.includes(item))]) {
      for (const node of this.read(value)) {
        args.push(node);
        specs.push(this.id(value));
      }
      if (this.tensor(value)?.place === null && !isConstant(this.tensor(value)))
        this.callers.push(`v${value}`);
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

  private plan(): PlanToVerify {
    const tensors: PlanToVerify["tensors"] = [];
    for (const value of [...this.added].sort((a, b) => a - b)) {
      const tensor = this.tensor(value);
      if (tensor === undefined || isConstant(tensor)) continue;
      const { memId, offset } = tensor.place ?? { memId: null, offset: null };
      if (offset !== null && !Number.isSafeInteger(offset)) {
        throw invalidInput(`${this.method.name}.values[${value}]`, `offset ${offset} is no offset`);
      }
      tensors.push({ id: `v${value}`, mem_id: memId, mem_offset: offset });
    }
    return { buffer_sizes: this.method.bufferSizes, tensors };
  }

  private notes(): string[] {
    const notes = ["The file carries ExecuTorch's own plan."];
    if (this.callers.length > 0) {
      notes.push(
        `ExecuTorch leaves to the caller, and its plan does not place: ${listNames([...new Set(this.callers)])}.`,
      );
    }
    if (this.hasJumps) {
      notes.push(
        "Branches and loops are read as straight code, which is safe and may need more memory than they do.",
      );
    }
    const backends = this.method.instructions.flatMap((item) =>
      item.kind === "delegate" ? [item.backend] : [],
    );
    if (backends.length > 0) {
      const names = listNames([...new Set(backends)]);
      notes.push(
        `${backends.length} calls run in delegates (${names}), whose own memory is not in the file.`,
      );
    }
    return notes;
  }
}

/** A constant has data and no place of its own. */
function isConstant(tensor: PteTensor | undefined): boolean {
  return tensor?.hasData === true && tensor.place === null;
}

/** Jumps that lead back, with their destination. */
function loopStarts(instructions: PteInstruction[]): Map<number, number> {
  const starts = new Map<number, number>();
  for (const [index, instruction] of instructions.entries()) {
    if (instruction.kind === "jump" && instruction.destination <= index)
      starts.set(index, instruction.destination);
  }
  return starts;
}
