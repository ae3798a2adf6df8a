import type { Graph, Methods } from "../../types.js";
import { GraphBuilder, Names } from "../graph_builder.js";
import { invalidInput, unsupported } from "../invalid_input.js";
import type { TfliteModel, TfliteOperator, TfliteSubgraph, TfliteTensor } from "./model.js";
import { notesOf } from "./notes.js";
import { kCallOnce, kIf, kStablehloWhile, kWhile } from "./operators.js";

/** One tensor of the file in one graph: where a plan has its offset, and where the file has its entry. */
export interface TflitePlace {
  /** The method (or undefined where there is one graph only), then the submodules. */
  method: string | undefined;
  path: string[];
  id: string;
  subgraph: number;
  tensor: number;
}

export interface TfliteGraph {
  graph: Graph | Methods;
  places: TflitePlace[];
  notes: string[];
}

/** A variable tensor of a called subgraph. It lives in the top graph and comes in as a further operand. */
interface Captured {
  subgraph: number;
  tensor: number;
}

/** By place in the file, in order of first mention. */
type CapturedSet = Map<string, Captured>;

const keyOf = ({ subgraph, tensor }: Captured) => `${subgraph}:${tensor}`;

/** Where in the output a subgraph is built. */
interface Scope {
  method: string | undefined;
  path: string[];
}

const kDeepestCall = 64;

/** Converts all subgraphs: one graph where a single subgraph is entered from outside, else one method for each. */
export function tfliteGraph(model: TfliteModel, name?: string): TfliteGraph {
  const converter = new TfliteConverter(model);
  const entries = converter.entries();
  if (entries.length === 1) {
    const graph = converter.top(entries[0]?.subgraph ?? 0, undefined, name);
    return { graph, places: converter.places, notes: notesOf(model) };
  }
  const names = new Names();
  const methods: [string, Graph][] = entries.map(({ key, subgraph }) => {
    const method = names.unique(key);
    return [method, converter.top(subgraph, method, method)];
  });
  return {
    graph: { version: 1, methods: Object.fromEntries(methods) },
    places: converter.places,
    notes: notesOf(model),
  };
}

class TfliteConverter {
  readonly places: TflitePlace[] = [];
  private readonly variablesOf = new Map<number, CapturedSet>();
  private budget: number;

  constructor(private readonly model: TfliteModel) {
    let size = 0;
    for (const subgraph of model.subgraphs) size += subgraph.tensors.length + subgraph.operators.length;
    this.budget = 8 * size + 100000;
  }

  /** The subgraphs entered from outside: the first, those with a signature, those that nothing calls. */
  entries(): { key: string; subgraph: number }[] {
    const called = new Set<number>();
    for (const { operators } of this.model.subgraphs) {
      for (const operator of operators) for (const index of operator.called ?? []) called.add(index);
    }
    const keys = new Map<number, string>();
    for (const { key, subgraph } of this.model.signatures) {
      if (!keys.has(subgraph)) keys.set(subgraph, key);
    }
    const entries = [];
    for (const [subgraph, { name }] of this.model.subgraphs.entries()) {
      const key = keys.get(subgraph);
      if (subgraph === 0 || key !== undefined || !called.has(subgraph)) {
        entries.push({ key: key ?? (name || `subgraph_${subgraph}`), subgraph });
      }
    }
    return entries;
  }

  top(subgraph: number, method: string | undefined, name?: string): Graph {
    const variables = this.variables(subgraph, 0);
    return new SubgraphConverter(this, subgraph, { method, path: [] }, [...variables.values()], true).convert(
      name,
    );
  }

  submodule(subgraph: number, scope: Scope, captured: Captured[]): Graph {
    return new SubgraphConverter(this, subgraph, scope, captured, false).convert();
  }

  subgraph(index: number): TfliteSubgraph {
    const subgraph = this.model.subgraphs[index];
    if (subgraph === undefined) throw invalidInput("subgraphs", `there is no subgraph ${index}`);
    return subgraph;
  }

  /** A subgraph called from many places is copied to each; files made for that are refused. */
  spend(count: number): void {
    this.budget -= count;
    if (this.budget < 0)
      throw unsupported("subgraphs", "subgraphs are called from too many places to unfold");
  }

  /** All variable tensors that a subgraph and those it calls work on, its own inputs excepted. */
  variables(index: number, depth: number): CapturedSet {
    if (depth > kDeepestCall)
      throw unsupported(`subgraphs[${index}]`, `calls nest deeper than ${kDeepestCall}`);
    const known = this.variablesOf.get(index);
    if (known !== undefined) return known;
    const { tensors, inputs, operators } = this.subgraph(index);
    const own = new Set(inputs);
    const variables: CapturedSet = new Map();
    for (const [tensor, { variable }] of tensors.entries()) {
      if (variable && !own.has(tensor)) addCaptured(variables, { subgraph: index, tensor });
    }
    const seen = new Set<number>();
    for (const { called } of operators) {
      for (const callee of called ?? []) {
        if (callee < 0 || seen.has(callee)) continue;
        seen.add(callee);
        const inner = this.variables(callee, depth + 1);
        this.spend(inner.size);
        for (const captured of inner.values()) addCaptured(variables, captured);
      }
    }
    this.variablesOf.set(index, variables);
    return variables;
  }
}

function addCaptured(set: CapturedSet, captured: Captured): void {
  const key = keyOf(captured);
  if (!set.has(key)) set.set(key, captured);
}

/** Converts one subgraph in one place. */
class SubgraphConverter {
  private readonly builder = new GraphBuilder();
  private readonly subgraph: TfliteSubgraph;
  /** Graph id and the node to read it from, by tensor index. */
  private readonly ids = new Map<number, string>();
  private readonly nodes = new Map<number, string>();
  /** The node to read a captured variable from, by its key. */
  private readonly capturedNodes = new Map<string, string>();
  private readonly shared = new Map<number, string>();
  /** State of the top graph; `node` holds the newest value. */
  private readonly buffers: { placeholder: string; id: string; node: () => string }[] = [];

  constructor(
    private readonly converter: TfliteConverter,
    private readonly index: number,
    private readonly scope: Scope,
    private readonly captured: Captured[],
    private readonly isTop: boolean,
  ) {
    this.subgraph = converter.subgraph(index);
    converter.spend(this.subgraph.tensors.length + this.subgraph.operators.length + captured.length + 1);
  }

  convert(name?: string): Graph {
    this.addPlaceholders();
    for (const operator of this.subgraph.operators) this.addOperator(operator);
    const { outputs } = this.subgraph;
    // State outlives the run, so it is among the outputs, as in an exported program.
    this.builder.addOutput(
      [...outputs.map((tensor) => this.read(tensor)), ...this.buffers.map(({ node }) => node())],
      [...outputs.map((tensor) => this.id(tensor)), ...this.buffers.map(({ id }) => id)],
    );
    const graph = this.builder.graph(name);
    if (this.buffers.length === 0) return graph;
    const named = this.buffers.map(({ placeholder, node }) => ({
      placeholder,
      node,
      buffer: `${placeholder}_buf`,
    }));
    graph.signature = {
      inputs_to_buffers: Object.fromEntries(named.map(({ placeholder, buffer }) => [placeholder, buffer])),
      buffers_to_mutate: Object.fromEntries(named.map(({ node, buffer }) => [node(), buffer])),
    };
    return graph;
  }

  private tensor(index: number): TfliteTensor {
    const tensor = this.subgraph.tensors[index];
    if (tensor === undefined) throw invalidInput(`subgraphs[${this.index}]`, `there is no tensor ${index}`);
    return tensor;
  }

  /** Inputs, then variables, then the constants that anything reads, then tensors that nothing writes. */
  private addPlaceholders(): void {
    for (const tensor of this.subgraph.inputs) {
      const placeholder = this.addPlaceholder(tensor, false);
      if (this.isTop && this.tensor(tensor).variable) this.addBuffer(placeholder, tensor);
    }
    for (const captured of this.captured) {
      const { subgraph, tensor } = captured;
      if (subgraph === this.index) {
        const placeholder = this.addPlaceholder(tensor, false);
        if (this.isTop) this.addBuffer(placeholder, tensor);
      } else {
        const id = this.addTensor(subgraph, tensor, false);
        const placeholder = this.builder.addPlaceholder(id);
        this.capturedNodes.set(keyOf(captured), placeholder);
        if (this.isTop) this.buffers.push({ placeholder, id, node: () => placeholder });
      }
    }
    const { constants, orphans } = this.unwritten();
    for (const tensor of constants) this.addPlaceholder(tensor, true);
    for (const tensor of orphans) {
      const { nbytes, name } = this.tensor(tensor);
      const path = `subgraphs[${this.index}].tensors[${tensor}]`;
      if (!this.isTop && nbytes !== 0) throw invalidInput(path, `"${name}" is read and nothing writes it`);
      this.addPlaceholder(tensor, nbytes === 0);
    }
  }

  private addBuffer(placeholder: string, tensor: number): void {
    this.buffers.push({ placeholder, id: this.id(tensor), node: () => this.read(tensor) });
  }

  /** Tensors that are read before any operator writes them, in the order of reading. */
  private unwritten(): { constants: number[]; orphans: number[] } {
    const seen = new Set(this.nodes.keys());
    const constants: number[] = [];
    const orphans: number[] = [];
    const read = (tensor: number) => {
      if (tensor < 0 || seen.has(tensor)) return;
      seen.add(tensor);
      (this.tensor(tensor).constant ? constants : orphans).push(tensor);
    };
    for (const { inputs, outputs } of this.subgraph.operators) {
      inputs.forEach(read);
      for (const tensor of outputs) seen.add(tensor);
    }
    this.subgraph.outputs.forEach(read);
    return { constants, orphans };
  }

  private addTensor(subgraph: number, index: number, constant: boolean): string {
    const tensor = this.converter.subgraph(subgraph).tensors[index];
    if (tensor === undefined) throw invalidInput(`subgraphs[${subgraph}]`, `there is no tensor ${index}`);
    const id = this.builder.addTensor({
      id: tensor.name === "" ? `t${index}` : tensor.name,
      dtype: tensor.dtype,
      shape: tensor.shape,
      ...(tensor.packed || tensor.dtype === "resource" ? { nbytes: tensor.nbytes ?? 0 } : {}),
      ...(tensor.nbytes === null ? { nbytes: 0 } : {}),
      ...(constant ? { const: true } : {}),
      ...(tensor.nbytes === null && !constant ? { dynamism: "dynamic_unbound" as const } : {}),
    });
    this.converter.places.push({ ...this.scope, id, subgraph, tensor: index });
    return id;
  }

  private id(tensor: number, constant = false): string {
    let id = this.ids.get(tensor);
    if (id === undefined) {
      id = this.addTensor(this.index, tensor, constant);
      this.ids.set(tensor, id);
    }
    return id;
  }

  private addPlaceholder(tensor: number, constant: boolean): string {
    const id = this.id(tensor, constant);
    const name = constant ? this.builder.addConstant(id) : this.builder.addPlaceholder(id);
    this.nodes.set(tensor, name);
    return name;
  }

  private read(tensor: number): string {
    const node = this.nodes.get(tensor);
    if (node === undefined)
      throw invalidInput(`subgraphs[${this.index}].tensors[${tensor}]`, "is read before it is written");
    return node;
  }

  private addOperator(operator: TfliteOperator): void {
    const name = `${operator.name.toLowerCase()}_${operator.index}`;
    const path = `subgraphs[${this.index}].operators[${operator.index}]`;
    const args = operator.inputs.filter((tensor) => tensor >= 0).map((tensor) => this.read(tensor));
    switch (operator.code) {
      case kIf:
        this.addIf(operator, args, name, path);
        break;
      case kWhile:
      case kStablehloWhile:
        this.addWhile(operator, args, name, path);
        break;
      case kCallOnce:
        this.addCallOnce(operator, name, path);
        break;
      default: {
        const specs = operator.outputs.map((tensor) => this.id(tensor));
        const target = `tflite::${operator.name}`;
        this.yield(operator, this.builder.addNode({ name, op: "call_function", target, args, specs }));
      }
    }
  }

  /** Makes an operator's outputs readable: itself where there is one, else an item each. */
  private yield(operator: TfliteOperator, node: string): void {
    for (const tensor of operator.outputs) {
      const id = this.id(tensor);
      let source = node;
      if (operator.outputs.length > 1) {
        source = this.builder.addNode({
          name: `getitem_${id}`,
          op: "call_function",
          target: "operator.getitem",
          args: [node],
          specs: [id],
        });
      }
      this.nodes.set(tensor, source);
    }
  }

  private called(operator: TfliteOperator, path: string): [number, number] {
    if (operator.called === null) throw invalidInput(path, `${operator.name} names no subgraph`);
    return operator.called;
  }

  private addIf(operator: TfliteOperator, args: string[], name: string, path: string): void {
    const [thenIndex, elseIndex] = this.called(operator, path);
    for (const index of [thenIndex, elseIndex]) {
      this.checkSignature(index, operator.inputs.length - 1, operator.outputs.length, path);
    }
    const captured = this.union([thenIndex, elseIndex]);
    const submodules = [
      this.call(thenIndex, `${name}_then`, captured),
      this.call(elseIndex, `${name}_else`, captured),
    ];
    const specs = operator.outputs.map((tensor) => this.id(tensor));
    const operands = [...args, ...this.operands(captured)];
    this.yield(
      operator,
      this.builder.addNode({ name, op: "call_function", target: "cond", args: operands, specs, submodules }),
    );
  }

  private addWhile(operator: TfliteOperator, args: string[], name: string, path: string): void {
    const [condition, body] = this.called(operator, path);
    const carried = operator.inputs.length;
    this.checkSignature(condition, carried, 1, path);
    this.checkSignature(body, carried, carried, path);
    if (operator.outputs.length !== carried)
      throw invalidInput(path, `carries ${carried} values and has ${operator.outputs.length} outputs`);
    const captured = this.union([condition, body]);
    const submodules = [
      this.call(condition, `${name}_cond`, captured),
      this.call(body, `${name}_body`, captured),
    ];
    const specs = operator.outputs.map((tensor) => this.id(tensor));
    const operands = [...args, ...this.operands(captured)];
    this.yield(
      operator,
      this.builder.addNode({
        name,
        op: "call_function",
        target: "while",
        args: operands,
        specs,
        submodules,
        carried,
      }),
    );
  }

  /** Runs its subgraph the first time only: a branch whose other side is empty. */
  private addCallOnce(operator: TfliteOperator, name: string, path: string): void {
    const [init] = this.called(operator, path);
    this.checkSignature(init, 0, 0, path);
    const captured = this.union([init]);
    const first = this.builder.addNode({
      name: `${name}_first_run`,
      op: "call_function",
      target: "tflite::first_run",
      specs: [null],
    });
    const skip = new GraphBuilder();
    for (const item of captured) {
      const id = skip.addTensor(this.capturedTensor(item));
      skip.addPlaceholder(id);
    }
    skip.addOutput([], []);
    const submodules = [
      this.call(init, `${name}_init`, captured),
      this.builder.addSubmodule(`${name}_skip`, skip.graph()),
    ];
    const args = [first, ...this.operands(captured)];
    this.builder.addNode({ name, op: "call_function", target: "cond", args, specs: [], submodules });
  }

  private capturedTensor({ subgraph, tensor }: Captured) {
    const { name, dtype, shape, nbytes } =
      this.converter.subgraph(subgraph).tensors[tensor] ?? this.tensor(tensor);
    return { id: name || `t${tensor}`, dtype, shape, nbytes: nbytes ?? 0 };
  }

  private checkSignature(index: number, inputs: number, outputs: number, path: string): void {
    const callee = this.converter.subgraph(index);
    if (callee.inputs.length !== inputs || callee.outputs.length !== outputs) {
      throw invalidInput(
        path,
        `subgraph ${index} takes ${callee.inputs.length} and gives ${callee.outputs.length}, called with ${inputs} for ${outputs}`,
      );
    }
  }

  private union(indices: number[]): Captured[] {
    const captured: CapturedSet = new Map();
    for (const index of indices) {
      for (const item of this.converter.variables(index, this.scope.path.length).values())
        addCaptured(captured, item);
    }
    return [...captured.values()];
  }

  private operands(captured: Captured[]): string[] {
    return captured.map((item) => this.capturedNodes.get(keyOf(item)) ?? this.read(item.tensor));
  }

  /** Builds a called subgraph, or names the one built before: without captured values all copies are alike. */
  private call(index: number, name: string, captured: Captured[]): string {
    const known = captured.length === 0 ? this.shared.get(index) : undefined;
    if (known !== undefined) return known;
    if (this.scope.path.length >= kDeepestCall)
      throw unsupported(`subgraphs[${index}]`, `calls nest deeper than ${kDeepestCall}`);
    const submodule = this.builder.addSubmodule(name, { tensors: [], nodes: [] });
    const scope = { method: this.scope.method, path: [...this.scope.path, submodule] };
    this.builder.submodules[submodule] = this.converter.submodule(index, scope, captured);
    if (captured.length === 0) this.shared.set(index, submodule);
    return submodule;
  }
}
