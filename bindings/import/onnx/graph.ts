import { MemplanError } from "../../error.js";
import type { Graph } from "../../types.js";
import type { ImportOptions } from "../imported_model.js";
import { invalidInput, unsupported } from "../invalid_input.js";
import { convertControlFlow } from "./control_flow.js";
import { infer } from "./infer.js";
import type {
  DeclaredDim,
  OnnxAttribute,
  OnnxFunction,
  OnnxGraph,
  OnnxModel,
  OnnxNode,
  OnnxType,
  OnnxValueInfo,
} from "./model.js";
import { Operator } from "./operator.js";
import { OnnxReport } from "./report.js";
import { type Entry, Env, GraphScope } from "./scope.js";
import { constantValue, type Dim, dataTypeName, isKnownShape, type Value } from "./value.js";

const kDeepestScope = 48;

/** Converts an ONNX model, functions and branches with a known condition unfolded. */
export function onnxGraph(
  model: OnnxModel,
  options: ImportOptions,
): { graph: Graph; notes: string[]; symbols?: string[] } {
  const converter = new OnnxConverter(model, options);
  const graph = converter.top(options.name ?? (model.graph.name || undefined));
  const symbols = converter.report.openSymbols();
  return { graph, notes: converter.report.notes(), ...(symbols.length > 0 ? { symbols } : {}) };
}

/** Walks the nodes of a model in order, with what is known of each value so far. */
export class OnnxConverter {
  readonly report = new OnnxReport();
  private readonly functions = new Map<string, OnnxFunction>();
  private readonly dims: ReadonlyMap<string, number>;
  /** Whether a shape was given against the file's, so that what it declares behind may be out of date. */
  private readonly overridden: boolean;
  private readonly usedDims = new Set<string>();
  private symbols = 0;
  /** Nodes that may still be walked: unfolding functions and trying loops twice multiplies them. */
  private budget: number;

  constructor(
    private readonly model: OnnxModel,
    options: ImportOptions,
  ) {
    this.dims = new Map(Object.entries(options.dims ?? {}));
    for (const [name, value] of this.dims) {
      if (!Number.isSafeInteger(value)) {
        throw new MemplanError("INVALID_OPTION", `${value} is no extent`, { path: `dims.${name}` });
      }
    }
    for (const item of model.functions) this.functions.set(functionKey(item), item);
    this.overridden = model.graph.inputs.some(({ name, type }) =>
      (type?.shape ?? []).some((dim, axis) => typeof dim === "number" && this.dims.has(`${name}:${axis}`)),
    );
    this.budget = 200000 + 16 * model.graph.nodes.length;
  }

  readonly fresh = (): string => `?${this.symbols++}`;

  top(name: string | undefined): Graph {
    const { graph, opsets } = this.model;
    const scope = new GraphScope(undefined, 0);
    const env = new Env(scope, undefined, opsets, new Map(), "");
    const constants = this.declare(env, graph);
    for (const [index, input] of graph.inputs.entries()) {
      // Before IR version 4 every initialiser is an input too.
      if (constants.has(input.name)) continue;
      const entry = this.topInput(env, input, `graph.input[${index}]`);
      env.entries.set(input.name, entry);
      if (!entry.constant) scope.input(entry);
    }
    this.nodes(env, graph.nodes, "graph");
    const outputs = this.outputs(env, graph, "graph");
    scope.builder.addOutput(
      outputs.map((entry) => scope.read(entry)),
      outputs.map((entry) => scope.tensor(entry)),
    );
    for (const key of this.dims.keys()) {
      if (!this.usedDims.has(key)) {
        throw new MemplanError("INVALID_OPTION", `the model has no extent "${key}"`, { path: `dims.${key}` });
      }
    }
    return scope.builder.graph(name);
  }

  /** Makes a graph's initialisers and declared types known; returns the initialisers' names. */
  declare(env: Env, graph: OnnxGraph): Set<string> {
    const constants = new Set<string>();
    const add = (name: string, value: Value) => {
      constants.add(name);
      env.entries.set(name, { name: env.prefix + name, value, constant: true, scope: env.scope });
    };
    for (const tensor of graph.initializers) {
      if (tensor.external) this.report.external++;
      add(tensor.name, constantValue(tensor));
    }
    for (const { name, dims, dataType } of graph.sparseInitializers) {
      add(name, { dtype: dataTypeName(dataType), shape: dims, content: undefined });
    }
    for (const { name, type } of [...graph.valueInfo, ...graph.outputs]) {
      if (type !== undefined) env.declared.set(name, type);
    }
    return constants;
  }

  private topInput(env: Env, { name, type }: OnnxValueInfo, path: string): Entry {
    const given = this.dims.get(name);
    const dtype = dataTypeName(type?.elementType ?? 0);
    if (given !== undefined && dtype?.includes("int")) {
      // An integer input with a value that never changes, such as a sampling rate.
      this.usedDims.add(name);
      const shape = (type?.shape ?? []).map(() => 1);
      return { name, value: { dtype, shape, content: [given] }, constant: true, scope: env.scope };
    }
    const shape = type?.shape?.map((dim, axis): Dim => {
      const key = `${name}:${axis}`;
      const value = this.lookUp(key, path) ?? (typeof dim === "string" ? this.lookUp(dim, path) : dim);
      if (value === undefined) this.report.openSymbol(typeof dim === "string" ? dim : key);
      return value ?? dim ?? key;
    });
    const entry: Entry = {
      name,
      value: { dtype, shape, content: undefined },
      constant: false,
      scope: env.scope,
    };
    if (shape === undefined) this.report.unknownSize(name, type === undefined ? "no type" : "no shape");
    return entry;
  }

  private lookUp(key: string, path: string): number | undefined {
    const value = this.dims.get(key);
    if (value === undefined) return undefined;
    if (value < 0)
      throw new MemplanError("INVALID_OPTION", `${value} is no extent of ${path}`, { path: `dims.${key}` });
    this.usedDims.add(key);
    return value;
  }

  private declaredShape(type: OnnxType): (Dim | undefined)[] | undefined {
    const resolve = (dim: DeclaredDim) => (typeof dim === "string" ? (this.lookUp(dim, dim) ?? dim) : dim);
    return type.shape?.map(resolve);
  }

  /** What is inferred and what the file declares, together. */
  merge(env: Env, name: string, inferred: Value): Value {
    const type = env.declared.get(name);
    if (type === undefined) return inferred;
    const dtype = inferred.dtype ?? dataTypeName(type.elementType);
    const declared = this.declaredShape(type);
    if (declared === undefined) return { ...inferred, dtype };
    const { shape } = inferred;
    if (shape === undefined || shape.length !== declared.length) {
      const trusted = shape === undefined && !this.overridden;
      if (shape !== undefined && this.overridden === false) this.report.conflict(env.prefix + name);
      return { ...inferred, dtype, shape: trusted ? declared.map((dim) => dim ?? this.fresh()) : shape };
    }
    const merged = shape.map((dim, axis): Dim => {
      const said = declared[axis];
      if (said === undefined || said === dim || this.overridden) return dim;
      if (typeof dim === "string") return typeof said === "number" || dim.startsWith("?") ? said : dim;
      if (typeof said === "number") this.report.conflict(env.prefix + name);
      return dim;
    });
    return { ...inferred, dtype, shape: merged };
  }

  /** Walks the nodes of one graph or function. */
  nodes(env: Env, nodes: OnnxNode[], path: string): void {
    for (const [index, node] of nodes.entries()) {
      if (--this.budget < 0) throw unsupported(path, "functions and branches unfold into too many nodes");
      this.node(env, withAttributes(node, env.attributes), `${path}.node[${index}]`);
    }
  }

  private node(env: Env, node: OnnxNode, path: string): void {
    const inputs = node.inputs.map((name, index) => {
      if (name === "") return undefined;
      const entry = env.find(name);
      if (entry === undefined)
        throw invalidInput(`${path}.input[${index}]`, `"${name}" is not written before`);
      return entry;
    });
    const called = this.functions.get(`${node.domain}:${node.op}:${node.overload}`);
    if (called !== undefined) this.unfold(env, node, inputs, called, path);
    else if (node.domain !== "" || !convertControlFlow(this, env, node, inputs, path)) {
      this.operator(env, node, inputs, path);
    }
  }

  /** A function of the model, its nodes put in place of the call. */
  private unfold(
    env: Env,
    node: OnnxNode,
    inputs: (Entry | undefined)[],
    called: OnnxFunction,
    path: string,
  ): void {
    const attributes = new Map(called.defaults.map((attribute) => [attribute.name, attribute]));
    for (const [name, attribute] of node.attributes) attributes.set(name, attribute);
    const prefix = `${env.prefix}${nodeName(node)}/`;
    if (prefix.length > 4096) throw unsupported(path, "functions call one another too deep");
    const inner = new Env(env.scope, undefined, called.opsets, attributes, prefix);
    for (const { name, type } of called.valueInfo) if (type !== undefined) inner.declared.set(name, type);
    for (const [index, name] of called.inputs.entries()) {
      const entry = inputs[index];
      if (entry !== undefined) inner.entries.set(name, entry);
    }
    this.enter(path, () => this.nodes(inner, called.nodes, `${path}:${called.name}`));
    for (const [index, name] of node.outputs.entries()) {
      const entry = inner.find(called.outputs[index] ?? "");
      if (name === "") continue;
      if (entry === undefined) throw invalidInput(path, `${called.name} does not write its output ${index}`);
      env.entries.set(name, entry);
    }
  }

  private depth = 0;
  private read: Set<string> | undefined;

  /** Nests, within the depth that is left. */
  enter<T>(path: string, inner: () => T): T {
    if (++this.depth > kDeepestScope) throw unsupported(path, `graphs nest deeper than ${kDeepestScope}`);
    const result = inner();
    this.depth--;
    return result;
  }

  private operator(env: Env, node: OnnxNode, inputs: (Entry | undefined)[], path: string): void {
    // Operators of the runtime that share a name with ai.onnx's are in the form of the newest.
    const version = node.domain === "" ? (env.opsets.get("") ?? 1) : Number.POSITIVE_INFINITY;
    const values = inputs.map((entry) => entry?.value);
    const inferred = infer(new Operator(node, values, version, this.fresh));
    const constant = isConstant(node, inputs);
    if (constant && node.op !== "Constant") this.report.folded.add(path);
    // Inference writes no mask, so one that nobody reads is left out.
    const written =
      node.op === "Dropout" && !this.isRead(node.outputs[1]) ? node.outputs.slice(0, 1) : node.outputs;
    const entries = written.map((name, index): Entry => {
      const value = this.merge(env, name, inferred.values[index] ?? kNothing);
      return { name: env.prefix + name, value, constant, scope: env.scope };
    });
    const [first] = entries;
    if (node.op === "Identity" && first !== undefined && inputs[0] !== undefined)
      first.same = inputs[0].same ?? inputs[0];
    for (const [index, name] of written.entries()) {
      const entry = entries[index];
      if (name === "" || entry === undefined) continue;
      env.entries.set(name, entry);
      if (!constant) this.noteUnknown(entry, inferred.reason);
    }
    if (constant) return;
    const scope = env.scope;
    const args = inputs.filter((entry) => entry !== undefined).map((entry) => scope.read(entry));
    const target = node.domain === "" ? `onnx::${node.op}` : `${node.domain}::${node.op}`;
    this.emit(env, node, { target, args }, entries);
  }

  /** Whether any node or output of the model has this name as an input; names of other graphs count too. */
  private isRead(name: string | undefined): boolean {
    this.read ??= namesRead(this.model);
    return name !== undefined && this.read.has(name);
  }

  noteUnknown(entry: Entry, reason: string | undefined): void {
    const { shape, dtype } = entry.value;
    if (isKnownShape(shape) && dtype !== undefined && dtype !== "string") return;
    const open = shape?.find((dim) => typeof dim === "string");
    this.report.unknownSize(
      entry.name,
      reason ?? (open === undefined || `${open}`.startsWith("?") ? "" : `${open}`),
    );
  }

  /** Adds a node that yields the named of `entries`, and an item of it for each where they are several. */
  emit(
    env: Env,
    node: OnnxNode,
    rest: { target: string; args: string[]; submodules?: string[]; carried?: number; mapped?: number },
    entries: Entry[],
    hidden: Entry[] = [],
  ): void {
    const { builder } = env.scope;
    const named = entries.filter((_, index) => (node.outputs[index] ?? "") !== "");
    const yielded = [...hidden, ...(rest.submodules === undefined ? named : entries)];
    const specs = yielded.map((entry) => env.scope.tensor(entry));
    const name = builder.addNode({ name: env.prefix + nodeName(node), op: "call_function", ...rest, specs });
    if (yielded.length === 1) {
      for (const entry of named) entry.node = name;
      return;
    }
    for (const entry of named) {
      const id = env.scope.tensor(entry);
      entry.node = builder.addNode({
        name: `getitem_${id}`,
        op: "call_function",
        target: "operator.getitem",
        args: [name],
        specs: [id],
      });
    }
  }

  outputs(env: Env, graph: OnnxGraph, path: string): Entry[] {
    return graph.outputs.map(({ name }, index) => {
      const entry = env.find(name);
      if (entry === undefined) throw invalidInput(`${path}.output[${index}]`, `"${name}" is not written`);
      return entry;
    });
  }
}

export const kNothing: Value = { dtype: undefined, shape: undefined, content: undefined };

function namesRead({ graph, functions }: OnnxModel): Set<string> {
  const names = new Set<string>();
  const visit = (nodes: OnnxNode[]) => {
    for (const { inputs, attributes } of nodes) {
      for (const name of inputs) names.add(name);
      for (const { graph: inner } of attributes.values()) if (inner !== undefined) visitGraph(inner);
    }
  };
  const visitGraph = (inner: OnnxGraph) => {
    visit(inner.nodes);
    for (const { name } of inner.outputs) names.add(name);
  };
  visitGraph(graph);
  for (const { nodes, outputs } of functions) {
    visit(nodes);
    for (const name of outputs) names.add(name);
  }
  return names;
}

const functionKey = ({ domain, name, overload }: OnnxFunction) => `${domain}:${name}:${overload}`;

export function nodeName(node: OnnxNode): string {
  return node.name || `${node.op.toLowerCase()}_${node.outputs.find((name) => name !== "") ?? ""}`;
}

/** A node inside a function, its references to the function's attributes resolved. */
function withAttributes(node: OnnxNode, given: ReadonlyMap<string, OnnxAttribute>): OnnxNode {
  if (![...node.attributes.values()].some(({ reference }) => reference !== "")) return node;
  const attributes = new Map<string, OnnxAttribute>();
  for (const [name, attribute] of node.attributes) {
    const value = attribute.reference === "" ? attribute : given.get(attribute.reference);
    if (value !== undefined) attributes.set(name, { ...value, name });
  }
  return { ...node, attributes };
}

const kRandom = new Set(
  "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial Bernoulli Dropout".split(" "),
);

/** Whether a node's results are known before the first run. Operators of other domains may keep state. */
function isConstant(node: OnnxNode, inputs: (Entry | undefined)[]): boolean {
  if (node.domain !== "") return false;
  if (node.op === "Constant") return true;
  // The shape of a tensor of known extents is a constant whatever the tensor holds.
  if (node.op === "Shape" || node.op === "Size") return isKnownShape(inputs[0]?.value.shape);
  const named = inputs.filter((entry) => entry !== undefined);
  return named.length > 0 && !kRandom.has(node.op) && named.every(({ constant }) => constant);
}
