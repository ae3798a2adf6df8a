/** Builds one well-formed graph step by step and remembers what each tensor's bytes may be used for. */
import type { Graph, Node, Tensor } from "../../bindings/types.ts";
import type { Features } from "./graph_generator.ts";
import { CONCAT, ELEMENT_WISE } from "./operators.ts";
import type { Random } from "./random.ts";

/** Bytes that one or several tensors share. */
export interface Bytes {
  isConst: boolean;
  isUnbound: boolean;
  /** May be written over. False once another tensor may be these very bytes: a branch handed them through. */
  writable: boolean;
  /** A mutable buffer, or an operand that is one: no branch hands it through. */
  stays: boolean;
  /** Position of the placeholder it is in a submodule; −1 for the graph's own. */
  placeholder: number;
  /** Other bytes that it may be, because a branch handed them through. */
  sources: Set<Bytes>;
  pool: number | undefined;
}

export interface Made {
  id: string;
  nbytes: number;
  bytes: Bytes;
  /** From the start of the bytes; null where it is no whole tensor of its own. */
  offset: number;
  shape: number[];
}

/** A node to read from, with what it yields. */
export interface Readable {
  node: string;
  tensors: Made[];
  /** Whether a value among them is no tensor. */
  hasNull?: boolean;
}

const SIZES = [1, 3, 4, 8, 12, 16, 16, 20, 32, 32, 48, 64, 64, 100];
const OPERATORS = [
  "aten::mm",
  "aten::convolution",
  "aten::_softmax",
  "aten::native_layer_norm",
  "aten::permute_copy",
];

export class GraphBuilder {
  readonly tensors: Tensor[] = [];
  readonly nodes: Node[] = [];
  readonly submodules: Record<string, Graph> = {};
  readonly readable: Readable[] = [];
  /** Positions of placeholders whose operand it writes over. */
  readonly written = new Set<number>();
  /** Names of get_attr nodes: control flow reads no tensor through them. */
  readonly attributes = new Set<string>();
  private serial = 0;

  constructor(
    readonly random: Random,
    readonly features: Features,
    readonly depth: number,
    /** Shared by all graphs of one case: how many more control-flow nodes there may be. */
    readonly calls: { left: number },
  ) {}

  name(stem: string): string {
    return `${stem}_${this.serial++}`;
  }

  size(): number {
    return this.random.chance(this.features.empty) ? 0 : this.random.pick(SIZES);
  }

  freshBytes(more: Partial<Bytes> = {}): Bytes {
    return {
      isConst: false,
      isUnbound: false,
      writable: true,
      stays: false,
      placeholder: -1,
      sources: new Set(),
      pool: this.random.chance(this.features.pools) ? this.random.between(1, 3) : undefined,
      ...more,
    };
  }

  /** A tensor with bytes of its own. */
  fresh(nbytes: number, more: Partial<Bytes> = {}): Made {
    const bytes = this.freshBytes({
      isUnbound: this.random.chance(this.features.unbound),
      ...more,
    });
    return this.declare(nbytes, bytes, 0, {});
  }

  declare(nbytes: number, bytes: Bytes, offset: number, more: Partial<Tensor>, shape?: number[]): Made {
    const { random } = this;
    const id = this.name("t");
    const tensor: Tensor = { id };
    let extents = shape ?? [nbytes];
    if (!shape && nbytes % 4 === 0 && nbytes > 4 && random.chance(0.3)) extents = [nbytes / 4, 4];
    if (shape || random.chance(0.6)) Object.assign(tensor, { dtype: "uint8", shape: extents });
    else tensor.nbytes = nbytes;
    if (bytes.isConst) tensor.const = true;
    if (bytes.isUnbound) tensor.dynamism = "dynamic_unbound";
    else if (random.chance(0.1)) tensor.dynamism = "dynamic_bound";
    if (bytes.pool !== undefined && (offset === 0 || random.chance(0.5))) tensor.mem_id = bytes.pool;
    this.tensors.push({ ...tensor, ...more });
    return { id, nbytes, bytes, offset, shape: extents };
  }

  node(node: Partial<Node> & { name: string }): string {
    const full: Node = { op: "call_function", ...node };
    const { features, random } = this;
    if (full.op === "call_function" && random.chance(features.scratch)) {
      full.scratch = [{ nbytes: random.pick(SIZES), ...(random.chance(0.5) ? { alignment: 16 } : {}) }];
    }
    this.nodes.push(full);
    return node.name;
  }

  yieldFrom(node: string, tensors: Made[]): Readable {
    const readable = { node, tensors };
    this.readable.push(readable);
    return readable;
  }

  placeholder(tensors: Made[], target?: string): Readable {
    const name = this.name("in");
    const specs = tensors.length === 0 ? [null] : tensors.map(({ id }) => id);
    this.node({ name, op: "placeholder", target: target ?? name, specs });
    return this.yieldFrom(name, tensors);
  }

  anything(): Readable {
    return this.random.pick(this.readable);
  }

  some(most: number): Readable[] {
    return Array.from({ length: this.random.between(1, most) }, () => this.anything());
  }

  /** Every readable tensor with a node that yields it alone. */
  single(test: (made: Made, node: string) => boolean): Readable | undefined {
    const found = this.readable.filter(
      ({ node, tensors, hasNull }) => !hasNull && tensors.length === 1 && test(tensors[0] as Made, node),
    );
    return found.length > 0 ? this.random.pick(found) : undefined;
  }

  mayWrite({ bytes }: Made): boolean {
    return bytes.writable && !bytes.isConst;
  }

  noteWrite({ bytes }: Made): void {
    if (bytes.placeholder >= 0) this.written.add(bytes.placeholder);
  }

  operator(inputs: Readable[], outputs: Made[], stem?: string): Readable {
    const { random } = this;
    const target = stem ?? random.pick(OPERATORS);
    const args = inputs.map(({ node }) => node);
    const specs: (string | null)[] = outputs.map(({ id }) => id);
    const name = this.name("op");
    let hasNull = false;
    if (random.chance(0.6) && outputs.length > 0) {
      args.push(...this.alloc(outputs));
      this.node({ name, target: stem ?? `${target}.out`, args, specs, variant: "out" });
    } else {
      hasNull = random.chance(0.1);
      if (hasNull) specs.splice(random.below(specs.length + 1), 0, null);
      this.node({ name, target, args, specs });
    }
    return this.yieldOrUnpack(name, outputs, hasNull);
  }

  private alloc(outputs: Made[]): string[] {
    const alloc = (made: Made[]) => {
      const name = this.name("alloc");
      const args = made.map(({ id }) => id);
      this.nodes.push({ name, op: "call_function", target: "memory.alloc", specs: args });
      return name;
    };
    return this.random.chance(0.8) ? outputs.map((output) => alloc([output])) : [alloc(outputs)];
  }

  /** Results are read from the node itself or through getitem. */
  yieldOrUnpack(name: string, outputs: Made[], hasNull = false): Readable {
    const whole = { node: name, tensors: outputs, hasNull };
    if (outputs.length < 2 || this.random.chance(0.3)) this.readable.push(whole);
    if (outputs.length < 2) return whole;
    for (const output of outputs) {
      if (this.random.chance(0.15)) continue;
      const item = this.name("getitem");
      this.node({ name: item, target: "operator.getitem", args: [name], specs: [output.id] });
      this.yieldFrom(item, [output]);
    }
    return whole;
  }

  plainOperator(): void {
    const count = this.random.chance(0.15) ? this.random.between(2, 3) : 1;
    const inputs = this.some(3);
    this.operator(
      inputs,
      Array.from({ length: count }, () => this.fresh(this.size())),
    );
  }

  elementWise(): void {
    const input = this.single(() => true);
    const first = input?.tensors[0];
    if (!input || !first) {
      this.plainOperator();
      return;
    }
    const inputs = [input];
    if (this.random.chance(0.4)) inputs.push(this.anything());
    const output = this.fresh(first.nbytes, { isUnbound: first.bytes.isUnbound });
    this.operator(this.random.shuffled(inputs), [output], this.random.pick(ELEMENT_WISE));
  }

  concat(): void {
    const { random } = this;
    const axis = random.below(2);
    const inputs: Readable[] = [];
    for (let i = 0; i < random.between(2, 3); i++) {
      const rows = random.between(1, 4);
      const shape = axis === 0 ? [rows, 8] : [2, 8 * rows];
      const made = this.declare(16 * (axis === 0 ? rows / 2 : rows), this.freshBytes(), 0, {}, shape);
      inputs.push(this.operator([this.anything()], [made]));
    }
    const extent = inputs.reduce((sum, { tensors }) => sum + ((tensors[0] as Made).shape[axis] as number), 0);
    const shape = axis === 0 ? [extent, 8] : [2, extent];
    this.operator(
      inputs,
      [this.declare((shape[0] as number) * (shape[1] as number), this.freshBytes(), 0, {}, shape)],
      CONCAT,
    );
  }

  inPlace(): void {
    const base = this.single((made) => this.mayWrite(made));
    const made = base?.tensors[0];
    if (!base || !made) {
      this.plainOperator();
      return;
    }
    this.noteWrite(made);
    const args = [base.node, ...(this.random.chance(0.5) ? [this.anything().node] : [])];
    const name = this.name("op_");
    const own = this.random.chance(this.features.ownInPlace)
      ? this.declare(made.nbytes, made.bytes, made.offset, {})
      : made;
    this.node({ name, target: "aten::add_.Tensor", args, specs: [own.id], variant: "inplace" });
    this.yieldFrom(name, [own]);
  }

  view(): void {
    const base = this.anything();
    const name = this.name("view");
    const specs = this.nodes.find((node) => node.name === base.node)?.specs ?? [];
    this.node({ name, target: "memory.view", args: [base.node], specs: [...specs] });
    this.readable.push({ ...base, node: name });
  }

  /** An operator that writes into bytes of another tensor: all of them, or a slice. */
  writeInto(): void {
    const base = this.single((made) => this.mayWrite(made) && made.nbytes > 0);
    const made = base?.tensors[0];
    if (!base || !made) {
      this.plainOperator();
      return;
    }
    this.noteWrite(made);
    let output: Made;
    if (this.random.chance(0.5) || this.features.slices === 0) {
      const size = this.random.chance(0.8) ? made.nbytes : this.random.between(1, made.nbytes);
      output = this.declare(size, made.bytes, made.offset, { inplace_base: made.id });
    } else {
      const step = this.random.pick([1, 4, 16]);
      const at = step * this.random.below(Math.floor((made.nbytes - 1) / step) + 1);
      const size = this.random.between(1, made.nbytes - at);
      const more: Partial<Tensor> = { storage_base: made.id };
      if (at > 0 || this.random.chance(0.5)) more.storage_base_offset = at;
      output = this.declare(size, made.bytes, made.offset + at, more);
    }
    this.operator(this.random.chance(0.7) ? [base, ...this.some(2)] : this.some(2), [output]);
  }

  noTensor(): void {
    const name = this.name("number");
    this.node({
      name,
      target: "aten::sym_size",
      args: [this.anything().node],
      specs: this.random.pick([[], [null]]),
    });
    this.yieldFrom(name, []);
  }

  /** Memory that nobody writes or reads. */
  dead(): void {
    this.alloc([this.fresh(this.size())]);
    if (this.random.chance(0.5)) this.fresh(this.size());
  }

  constant(): void {
    const made = this.fresh(this.size(), {
      isConst: true,
      isUnbound: false,
      writable: false,
      pool: undefined,
    });
    const name = this.name("weight");
    this.node({ name, op: "get_attr", target: name, specs: [made.id] });
    this.attributes.add(name);
    this.yieldFrom(name, [made]);
  }

  delegate(): void {
    const outputs = Array.from({ length: this.random.between(1, 2) }, () => this.fresh(this.size()));
    const name = this.name("delegate");
    const args = this.some(2).map(({ node }) => node);
    const specs = outputs.map(({ id }) => id);
    const backend = this.random.chance(0.2) ? "XnnpackBackend" : "CoreMLBackend";
    this.node({ name, target: "executorch_call_delegate", args, specs, backend_id: backend });
    this.yieldOrUnpack(name, outputs);
  }

  step(): void {
    const { features, random } = this;
    const roll = random.below(100);
    if (random.chance(features.elementWise)) {
      if (random.chance(0.8)) this.elementWise();
      else this.concat();
    } else if (roll < 30) this.plainOperator();
    else if (roll < 45) this.elementWise();
    else if (roll < 55) this.inPlace();
    else if (roll < 63) this.view();
    else if (roll < 72 && features.inplaceBase > 0) this.writeInto();
    else if (roll < 76) this.concat();
    else if (roll < 80) this.noTensor();
    else if (roll < 84) this.dead();
    else if (roll < 88) this.constant();
    else if (roll < 92) this.delegate();
    else this.plainOperator();
  }

  /** Something of that many bytes to hand out: what is there, or something new. */
  outputOf(nbytes: number, isUnbound: boolean, allowed: (made: Made) => boolean): Readable {
    const fits = (made: Made) =>
      made.nbytes === nbytes && made.bytes.isUnbound === isUnbound && allowed(made);
    const found = this.random.chance(0.7) ? this.single(fits) : undefined;
    return found ?? this.operator(this.some(2), [this.fresh(nbytes, { isUnbound })]);
  }

  finish(outputs: Readable[]): Graph {
    const specs: (string | null)[] = outputs.flatMap(({ tensors }) => {
      return tensors.length === 0 ? [null] : tensors.map(({ id }) => id);
    });
    const args = outputs.map(({ node }) => node);
    this.node({ name: "output", op: "output", target: "output", args, specs });
    const graph: Graph = { version: 1, tensors: this.tensors, nodes: this.nodes };
    if (Object.keys(this.submodules).length > 0) graph.submodules = this.submodules;
    if (this.features.upstream) graph.encounter_to_out_var_failure = true;
    return graph;
  }
}
