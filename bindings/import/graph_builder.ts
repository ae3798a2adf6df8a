import type { Graph, Node, Tensor } from "../types.js";
import { invalidInput } from "./invalid_input.js";

/** Gives out names, each once; a name already taken gets a number behind it. */
export class Names {
  private readonly taken = new Map<string, number>();

  unique(preferred: string): string {
    if (!this.taken.has(preferred)) {
      this.taken.set(preferred, 0);
      return preferred;
    }
    let count = this.taken.get(preferred) ?? 0;
    let name: string;
    do {
      count++;
      name = `${preferred}_${count}`;
    } while (this.taken.has(name));
    this.taken.set(preferred, count);
    this.taken.set(name, 0);
    return name;
  }
}

/** Builds one graph: tensors and nodes in order, ids and node names unique within it. */
export class GraphBuilder {
  readonly tensors: Tensor[] = [];
  /** Placeholders of inputs, then those of constants, then the rest, each in the order of adding. */
  private inputs: Node[] = [];
  private readonly constants: Node[] = [];
  private readonly nodes: Node[] = [];
  readonly submodules: Record<string, Graph> = Object.create(null) as Record<string, Graph>;
  private readonly ids = new Names();
  private readonly names = new Names();
  private readonly submoduleNames = new Names();

  /** Adds a tensor under the name it has or, where that is taken, one with a number behind it; returns the id. */
  addTensor(tensor: Tensor): string {
    const id = this.ids.unique(tensor.id);
    this.tensors.push({ ...tensor, id });
    return id;
  }

  /** Adds a node likewise; returns its name. */
  addNode(node: Node): string {
    const name = this.names.unique(node.name);
    this.nodes.push({ ...node, name });
    return name;
  }

  addPlaceholder(id: string): string {
    const name = this.names.unique(id);
    this.inputs.push({ name, op: "placeholder", target: name, specs: [id] });
    return name;
  }

  /** The placeholder of a constant. */
  addConstant(id: string): string {
    const name = this.names.unique(id);
    this.constants.push({ name, op: "placeholder", target: name, specs: [id] });
    return name;
  }

  /** Puts the input placeholders behind the first `kept` into the order of these names. */
  orderPlaceholders(kept: number, names: readonly string[]): void {
    const rank = new Map(names.map((name, index) => [name, index]));
    const rest = this.inputs.slice(kept).sort((a, b) => (rank.get(a.name) ?? 0) - (rank.get(b.name) ?? 0));
    this.inputs = [...this.inputs.slice(0, kept), ...rest];
  }

  addOutput(args: string[], specs: (string | null)[]): void {
    this.addNode({ name: "output", op: "output", target: "output", args, specs });
  }

  addSubmodule(preferred: string, graph: Graph): string {
    const name = this.submoduleNames.unique(preferred);
    this.submodules[name] = graph;
    return name;
  }

  /** The graph; its operators are not ExecuTorch's, so the known targets are not insisted on. */
  graph(name?: string): Graph {
    return {
      version: 1,
      ...(name === undefined ? {} : { name }),
      tensors: this.tensors,
      nodes: [...this.inputs, ...this.constants, ...this.nodes],
      ...(Object.keys(this.submodules).length === 0 ? {} : { submodules: { ...this.submodules } }),
      encounter_to_out_var_failure: true,
    };
  }
}

/** Bytes of one element; sub-byte types are fractions. */
const kElementSizes: Record<string, number> = {
  uint8: 1,
  int8: 1,
  bool: 1,
  qint8: 1,
  quint8: 1,
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

/** Bytes of a tensor of this shape, or undefined where the type is not known; throws past 2^53 − 1. */
export function bytesOf(dtype: string, shape: readonly number[], path: string): number | undefined {
  const size = kElementSizes[dtype];
  return size === undefined ? undefined : packedBytes(shape, 8 * size, path);
}

/** Bytes of a tensor whose elements are `bits` wide and packed; throws past 2^53 − 1. */
export function packedBytes(shape: readonly number[], bits: number, path: string): number {
  if (shape.includes(0)) return 0;
  let elements = 1;
  for (const extent of shape) elements *= extent;
  const bytes = Math.ceil((elements * bits) / 8);
  if (!Number.isSafeInteger(bytes) || !Number.isSafeInteger(elements)) {
    throw invalidInput(path, `a tensor of shape [${shape.join(", ")}] is larger than 2^53 - 1 bytes`);
  }
  return bytes;
}
