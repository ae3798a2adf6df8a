import type { Graph, Tensor } from "../../types.js";
import { GraphBuilder } from "../graph_builder.js";
import { listNames } from "../name_list.js";
import { type FxStatement, isGetItem } from "./statement.js";
import type { FxFunction, FxText } from "./text.js";

/** As torch abbreviates them in printed graphs, and as `torch.float32` names them. */
const kDtypes: ReadonlyMap<string, string> = new Map([
  ["f64", "float64"],
  ["f32", "float32"],
  ["f16", "float16"],
  ["bf16", "bfloat16"],
  ["f8e4m3fn", "float8_e4m3fn"],
  ["f8e5m2", "float8_e5m2"],
  ["c32", "complex32"],
  ["c64", "complex64"],
  ["c128", "complex128"],
  ["i8", "int8"],
  ["i16", "int16"],
  ["i32", "int32"],
  ["i64", "int64"],
  ["b8", "bool"],
  ["u8", "uint8"],
  ["u16", "uint16"],
  ["u32", "uint32"],
  ["u64", "uint64"],
]);
const kLongNames = new Set([...kDtypes.values(), "qint8", "quint8", "qint32"]);

interface Shaped {
  dtype: string;
  /** Undefined where a symbol has no value. */
  shape: number[] | undefined;
}

/** Converts the first graph of the text; the others are its submodules, or not part of it. */
export function fxGraph(text: FxText, dims: Record<string, number>, name: string | undefined) {
  const report = new FxReport(dims, text);
  const [main] = text.functions;
  const graph = new FxConverter(main ?? kNothing, report, true).convert(name);
  const symbols = [...report.symbols];
  return { graph, notes: report.notes(), ...(symbols.length > 0 ? { symbols } : {}) };
}

const kControlFlow = new Set(["cond", "while", "map", "scan"]);
const kNothing: FxFunction = { name: "", statements: [], returns: [], submodules: [] };

/** What holds for all graphs of a text. */
class FxReport {
  readonly unsized: string[] = [];
  readonly guessed: string[] = [];
  /** Buffers that an output replaces. */
  readonly replaced: ReadonlySet<string>;
  /** Extents that stand as symbols and have no value. */
  readonly symbols = new Set<string>();

  constructor(
    private readonly dims: Record<string, number>,
    readonly text: FxText,
  ) {
    this.replaced = new Set(text.mutations.values());
  }

  /** The tensor that a printed type stands for; null for one of no tensor, undefined where it does not tell. */
  type(type: string): Shaped | null | undefined {
    if (/^(Sym\(|"?Sym\(|int|float|bool|None|str)/.test(type)) return null;
    const match = /^(\w+)\[([^\]]*)\]/.exec(type);
    const dtype = match?.[1] === undefined ? undefined : kDtypes.get(match[1]);
    return dtype === undefined ? undefined : { dtype, shape: this.shape(match?.[2] ?? "") };
  }

  /** `((1, 64), torch.float32)`, the argument of memory.alloc. */
  allocation(argText: string): Shaped | undefined {
    const match = /\(\(([^()]*)\),\s*torch\.(\w+)/.exec(argText);
    if (match === null || !kLongNames.has(match[2] ?? "")) return undefined;
    return { dtype: match[2] ?? "", shape: this.shape(match[1] ?? "") };
  }

  private shape(list: string): number[] | undefined {
    const extents = list
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    const shape = extents.map((extent) => {
      if (/^\d+$/.test(extent)) return Number(extent);
      const value = Object.hasOwn(this.dims, extent) ? this.dims[extent] : undefined;
      if (value === undefined) this.symbols.add(extent);
      return value;
    });
    return shape.every((extent) => extent !== undefined && Number.isSafeInteger(extent) && extent >= 0)
      ? (shape as number[])
      : undefined;
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.symbols.size > 0) {
      const [first = ""] = this.symbols;
      notes.push(
        `Extents without a value: ${listNames([...this.symbols])}; give them as dims, or as --dim ${first}=1.`,
      );
    }
    if (this.unsized.length > 0) {
      notes.push(`The text tells no size, not planned (${this.unsized.length}): ${listNames(this.unsized)}.`);
    }
    if (this.guessed.length > 0) {
      notes.push(
        `Taken for constants by the names that torch.export gives them: ${listNames(this.guessed)}.`,
      );
    }
    if (this.text.strange.length > 0)
      notes.push(`Lines that were not understood: ${listNames(this.text.strange)}.`);
    if (this.text.functions.length > 1)
      notes.push(`Only the first of ${this.text.functions.length} graphs was read.`);
    return notes;
  }
}

class FxConverter {
  private readonly builder = new GraphBuilder();
  /** The tensor that a name's value is; null for no tensor. */
  private readonly ids = new Map<string, string | null>();
  private readonly nodes = new Map<string, string>();
  private readonly items = new Map<string, Map<number, FxStatement>>();
  private readonly buffers: [string, string][] = [];

  constructor(
    private readonly source: FxFunction,
    private readonly report: FxReport,
    private readonly isTop: boolean,
  ) {
    for (const statement of source.statements) {
      const [base] = statement.args;
      if (!isGetItem(statement.target) || base === undefined) continue;
      const items = this.items.get(base) ?? new Map<number, FxStatement>();
      items.set(statement.item ?? -1, statement);
      this.items.set(base, items);
    }
  }

  convert(name: string | undefined): Graph {
    for (const statement of this.source.statements) {
      if (statement.op === "placeholder") this.addPlaceholder(statement);
    }
    for (const submodule of this.source.submodules) {
      const graph = new FxConverter(submodule, this.report, false).convert(undefined);
      this.builder.addSubmodule(submodule.name, graph);
    }
    for (const statement of this.source.statements) {
      if (statement.op !== "placeholder") this.add(statement);
    }
    this.addOutput();
    const graph = this.builder.graph(name);
    if (this.buffers.length > 0) graph.signature = this.signature();
    return graph;
  }

  private addPlaceholder(statement: FxStatement): void {
    const constant = this.isConstant(statement.name);
    const shaped = this.report.type(statement.type);
    const id = shaped === null ? null : this.tensor(statement.name, shaped, constant);
    this.ids.set(statement.name, id);
    if (id === null) {
      this.nodes.set(
        statement.name,
        this.builder.addNode({ ...base(statement), op: "placeholder", specs: [null] }),
      );
    } else if (constant) this.nodes.set(statement.name, this.builder.addConstant(id));
    else this.nodes.set(statement.name, this.builder.addPlaceholder(id));
    const buffer = this.bufferOf(statement.name);
    if (buffer !== undefined) this.buffers.push([this.nodes.get(statement.name) ?? "", buffer]);
  }

  /** The buffer that an input is, if something replaces it. */
  private bufferOf(name: string): string | undefined {
    const { kinds, mutations } = this.report.text;
    const target = kinds.get(name)?.target;
    return this.isTop && target !== undefined && [...mutations.values()].includes(target)
      ? target
      : undefined;
  }

  private isConstant(name: string): boolean {
    if (!this.isTop) return false;
    const { kinds } = this.report.text;
    const kind = kinds.get(name)?.kind;
    if (kind === "BUFFER") return this.bufferOf(name) === undefined;
    if (kinds.size > 0) return kind === "PARAMETER" || kind === "CONSTANT_TENSOR";
    const isNamed = /^(p_|c_lifted|_lifted_tensor_constant)/.test(name);
    if (isNamed) this.report.guessed.push(name);
    return isNamed;
  }

  private tensor(name: string, shaped: Shaped | undefined, constant = false): string {
    const known = shaped?.shape !== undefined;
    if (!known && !constant) this.report.unsized.push(name);
    const tensor: Tensor = {
      id: name,
      dtype: shaped?.dtype ?? "unknown",
      ...(known ? { shape: shaped.shape ?? [] } : { nbytes: 0 }),
      ...(constant ? { const: true } : {}),
      ...(known || constant ? {} : { dynamism: "dynamic_unbound" as const }),
    };
    return this.builder.addTensor(tensor);
  }

  /** Specs of a call: the allocated tensor it writes to, its argument's, its items', or its own. */
  private specs(statement: FxStatement, target: string, variant: string | undefined): (string | null)[] {
    const own = (name: string | undefined) => (name === undefined ? null : (this.ids.get(name) ?? null));
    if (target === "memory.view" || variant === "inplace") return [own(statement.args[0])];
    if (target === "operator.getitem") {
      const known = this.ids.get(statement.name);
      if (known !== undefined) return [known];
    }
    if (variant === "out") {
      const outs = [...statement.argText.matchAll(/\bout\d*\s*[:=]\s*%?(\w+)/g)].map((match) => match[1]);
      if (outs.length > 0) return outs.map(own);
    }
    const items = this.items.get(statement.name);
    if (items !== undefined) return this.itemSpecs(items);
    const shaped = target === "memory.alloc" ? this.report.allocation(statement.argText) : undefined;
    const type = shaped ?? this.report.type(statement.type);
    if (type === null || target === "memory.free") return [null];
    return [this.tensor(statement.name, type)];
  }

  private itemSpecs(items: Map<number, FxStatement>): (string | null)[] {
    const last = Math.max(...items.keys());
    if (!(last >= 0 && last < 65536)) return [null];
    return Array.from({ length: last + 1 }, (_, index) => {
      const item = items.get(index);
      if (item === undefined) return null;
      const type = this.report.type(item.type);
      const id = type === null ? null : this.tensor(item.name, type);
      this.ids.set(item.name, id);
      return id;
    });
  }

  private add(statement: FxStatement & { source: string | undefined }): void {
    if (statement.op === "get_attr") {
      this.addAttribute(statement);
      return;
    }
    const target = targetName(statement.target);
    const variant = variantOf(target);
    const specs = this.specs(statement, target, variant);
    const submodules = statement.args.filter((name) => Object.hasOwn(this.builder.submodules, name));
    const control = kControlFlow.has(target) && submodules.length > 0;
    const name = this.builder.addNode({
      ...base(statement),
      op: statement.op,
      target,
      args: statement.args.flatMap((arg) => this.nodes.get(arg) ?? []),
      specs,
      ...(variant === undefined ? {} : { variant }),
      ...(control ? { submodules } : {}),
      ...(statement.source === undefined ? {} : { source: statement.source }),
    });
    this.nodes.set(statement.name, name);
    if (!this.ids.has(statement.name)) this.ids.set(statement.name, specs[0] ?? null);
  }

  /** A submodule, or a constant of the module. */
  private addAttribute(statement: FxStatement): void {
    const isSubmodule = Object.hasOwn(this.builder.submodules, statement.target);
    const shaped = this.report.type(statement.type);
    const spec = isSubmodule || !shaped ? null : this.tensor(statement.name, shaped, true);
    this.ids.set(statement.name, spec);
    this.nodes.set(
      statement.name,
      this.builder.addNode({ ...base(statement), op: "get_attr", specs: [spec] }),
    );
  }

  private addOutput(): void {
    const returns = this.source.returns ?? [];
    this.builder.addOutput(
      returns.map((name) => this.nodes.get(name) ?? name),
      returns.map((name) => this.ids.get(name) ?? null),
    );
  }

  private signature(): NonNullable<Graph["signature"]> {
    const replaced = [...this.report.text.mutations].map(([name, target]) => [
      this.nodes.get(name) ?? name,
      target,
    ]);
    return {
      inputs_to_buffers: Object.fromEntries(this.buffers),
      buffers_to_mutate: Object.fromEntries(replaced),
    };
  }
}

function base({ name, target }: FxStatement) {
  return { name, target };
}

/** `torch.ops.aten.relu.out` as `aten::relu.out`; the targets with a meaning of their own by their short names. */
function targetName(target: string): string {
  const plain = target.replace(/^<(?:built-in )?function (\S+).*$/, "$1");
  if (/(^|\.)memory\.(alloc|view|free)$/.test(plain)) return plain.replace(/^.*memory\./, "memory.");
  if (isGetItem(plain)) return "operator.getitem";
  const higher = /(?:higher_order\.|^)(cond|while_loop|map_impl|map|scan|executorch_call_delegate)$/.exec(
    plain,
  )?.[1];
  if (higher !== undefined) return higher.replace("while_loop", "while").replace("map_impl", "map");
  const parts = plain.replace(/^torch\.ops\./, "").split(".");
  if (!plain.startsWith("torch.ops.") && parts[0] !== "aten") return plain;
  const [namespace, name, ...overload] = parts;
  const suffix = overload.length === 0 || overload[0] === "default" ? "" : `.${overload.join(".")}`;
  return `${namespace}::${name}${suffix}`;
}

function variantOf(target: string): "out" | "inplace" | undefined {
  const match = /^\w+::(\w+?)(?:\.(\w+))?$/.exec(target);
  if (match === null) return undefined;
  if (/[^_]_$/.test(match[1] ?? "")) return "inplace";
  return /(^|_)out(_|\d|$)/.test(match[2] ?? "") ? "out" : undefined;
}
