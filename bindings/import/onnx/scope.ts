import type { Graph } from "../../types.js";
import { GraphBuilder, packedBytes } from "../graph_builder.js";
import { invalidInput } from "../invalid_input.js";
import type { OnnxAttribute, OnnxType } from "./model.js";
import { bitsOf, isKnownShape, type Value } from "./value.js";

/** One value of the model in one graph. */
export interface Entry {
  /** As in the model, made unique where functions are unfolded; the tensor's id if that is free. */
  name: string;
  value: Value;
  constant: boolean;
  scope: GraphScope;
  /** Set once the value is a tensor of the graph: its id, and the node that it is read from. */
  id?: string;
  node?: string;
  /** The entry whose elements this one has too (Identity). */
  same?: Entry;
}

/** Names that nodes can see. Branches and functions that are unfolded in place have one of their own. */
export class Env {
  readonly entries = new Map<string, Entry>();
  /** Types that the file declares. */
  readonly declared = new Map<string, OnnxType>();

  constructor(
    readonly scope: GraphScope,
    readonly outer: Env | undefined,
    /** Operator set versions by domain. */
    readonly opsets: ReadonlyMap<string, number>,
    /** Attributes of the function being unfolded. */
    readonly attributes: ReadonlyMap<string, OnnxAttribute>,
    /** Goes before the names of tensors. */
    readonly prefix: string,
  ) {}

  /** The entry of a name, brought into this graph if an outer one has it. */
  find(name: string): Entry | undefined {
    for (let env: Env | undefined = this; env !== undefined; env = env.outer) {
      const entry = env.entries.get(name);
      if (entry !== undefined) return this.scope.own(entry);
    }
    return undefined;
  }
}

/** The types of FORMAT.md that need no byte count. */
const kSized = new Set(
  "uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128 bool bfloat16 float8_e5m2 float8_e4m3fn uint16 uint32 uint64".split(
    " ",
  ),
);

/** One graph being built: the top one or a submodule, whose values from outside become further operands. */
export class GraphScope {
  readonly builder = new GraphBuilder();
  /** Inner entry by outer one, for values of the run; in order of first use. */
  private readonly captured = new Map<Entry, Entry>();
  private readonly constants = new Map<Entry, Entry>();
  /** Inputs in the order of their placeholders. */
  readonly inputs: Entry[] = [];

  constructor(
    readonly parent: GraphScope | undefined,
    readonly depth: number,
  ) {}

  /** The entry as this graph has it: itself, a constant of this graph, or a placeholder bound to an operand. */
  own(entry: Entry): Entry {
    if (entry.scope === this) return entry;
    if (this.parent === undefined) throw invalidInput(entry.name, "is of another graph");
    const outer = this.parent.own(entry);
    const known = this.constants.get(outer) ?? this.captured.get(outer);
    if (known !== undefined) return known;
    const { name, value, constant } = outer;
    const inner: Entry = { name, value, constant, scope: this };
    if (constant) this.constants.set(outer, inner);
    else {
      this.captured.set(outer, inner);
      this.input(inner);
    }
    return inner;
  }

  /** The outer entries that this graph reads. */
  get operands(): Entry[] {
    return [...this.captured.keys()];
  }

  /** Makes an entry a tensor of the graph. */
  tensor(entry: Entry): string {
    entry.id ??= this.builder.addTensor({ ...tensorOf(entry), ...(entry.constant ? { const: true } : {}) });
    return entry.id;
  }

  /** Makes an entry an input of the graph. */
  input(entry: Entry): void {
    entry.node = this.builder.addPlaceholder(this.tensor(entry));
    this.inputs.push(entry);
  }

  /** The node to read an entry from. */
  read(entry: Entry): string {
    const own = this.own(entry);
    if (own.node === undefined) {
      const id = this.tensor(own);
      own.node = this.builder.addConstant(id);
    }
    return own.node;
  }

  /** The graph as a submodule that takes `operands` behind its inputs, whether it reads them or not. */
  submodule(operands: Entry[], inputs: number): Graph {
    for (const operand of operands) this.own(operand);
    const order = operands.map((operand) => this.own(operand).node ?? "");
    this.builder.orderPlaceholders(inputs, order);
    return this.builder.graph();
  }
}

/** A tensor as graph JSON has it, a size left out where dtype and shape tell. */
function tensorOf({ name, value, constant }: Entry) {
  const dtype = value.dtype ?? "unknown";
  const bits = value.dtype === undefined ? undefined : bitsOf(value.dtype);
  if (!isKnownShape(value.shape) || bits === undefined) {
    return { id: name, dtype, nbytes: 0, ...(constant ? {} : { dynamism: "dynamic_unbound" as const }) };
  }
  const nbytes = packedBytes(value.shape, bits, name);
  return { id: name, dtype, shape: value.shape, ...(kSized.has(dtype) ? {} : { nbytes }) };
}
