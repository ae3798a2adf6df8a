import type { Graph } from "../../types.js";
import { invalidInput } from "../invalid_input.js";
import { kNothing, nodeName, type OnnxConverter } from "./graph.js";
import type { OnnxGraph, OnnxNode } from "./model.js";
import { type Entry, Env, GraphScope } from "./scope.js";
import type { Dim, Value } from "./value.js";

/** Converts If, Loop and Scan; false where the node is none of them. */
export function convertControlFlow(
  converter: OnnxConverter,
  env: Env,
  node: OnnxNode,
  inputs: (Entry | undefined)[],
  path: string,
): boolean {
  const flow = new ControlFlow(converter, env, node, inputs, path);
  if (node.op === "If") flow.branches();
  else if (node.op === "Loop") flow.loop();
  // Before version 9 Scan has a batch axis and lengths; no exporter writes that any more.
  else if (node.op === "Scan" && (env.opsets.get("") ?? 1) >= 9) flow.scan();
  else return false;
  return true;
}

/** A body that was walked but is not yet a submodule, as it may have to take operands that others read. */
interface Body {
  scope: GraphScope;
  outputs: Entry[];
  inputs: number;
}

class ControlFlow {
  constructor(
    private readonly converter: OnnxConverter,
    private readonly env: Env,
    private readonly node: OnnxNode,
    private readonly inputs: (Entry | undefined)[],
    private readonly path: string,
  ) {}

  private graph(attribute: string): OnnxGraph {
    const graph = this.node.attributes.get(attribute)?.graph;
    if (graph === undefined) throw invalidInput(`${this.path}.${attribute}`, "the subgraph is missing");
    return graph;
  }

  private input(index: number): Entry {
    const entry = this.inputs[index];
    if (entry === undefined) throw invalidInput(`${this.path}.input[${index}]`, "is missing");
    return entry;
  }

  /** Walks a subgraph whose inputs have the given values. */
  private walk(attribute: string, values: Value[]): Body {
    const graph = this.graph(attribute);
    const { converter, env } = this;
    const scope = new GraphScope(env.scope, env.scope.depth + 1);
    const inner = new Env(scope, env, env.opsets, env.attributes, env.prefix);
    if (graph.inputs.length !== values.length) {
      throw invalidInput(
        `${this.path}.${attribute}`,
        `takes ${graph.inputs.length} inputs, given ${values.length}`,
      );
    }
    converter.declare(inner, graph);
    for (const [index, { name }] of graph.inputs.entries()) {
      const entry: Entry = {
        name: env.prefix + name,
        value: values[index] ?? kNothing,
        constant: false,
        scope,
      };
      inner.entries.set(name, entry);
      scope.input(entry);
    }
    const path = `${this.path}.${attribute}`;
    converter.enter(path, () => converter.nodes(inner, graph.nodes, path));
    return { scope, outputs: converter.outputs(inner, graph, path), inputs: values.length };
  }

  private finish(body: Body, operands: Entry[], before: Entry[] = []): Graph {
    const { scope } = body;
    const outputs = [...before, ...body.outputs];
    const specs = outputs.map((entry) => scope.tensor(scope.own(entry)));
    scope.builder.addOutput(
      outputs.map((entry) => scope.read(entry)),
      specs,
    );
    return scope.submodule(operands, body.inputs);
  }

  private entry(name: string, value: Value): Entry {
    return { name: this.env.prefix + name, value, constant: false, scope: this.env.scope };
  }

  private name(suffix: string): string {
    return this.env.prefix + nodeName(this.node) + suffix;
  }

  branches(): void {
    const condition = this.input(0);
    const [known] = condition.constant ? (condition.value.content ?? []) : [];
    if (typeof known === "number") {
      this.inline(known !== 0 ? "then_branch" : "else_branch");
      return;
    }
    const sides = [this.walk("then_branch", []), this.walk("else_branch", [])];
    const operands = [...new Set(sides.flatMap(({ scope }) => scope.operands))];
    const submodules = sides.map((side, index) =>
      this.env.scope.builder.addSubmodule(
        this.name(index === 0 ? "_then_branch" : "_else_branch"),
        this.finish(side, operands),
      ),
    );
    const entries = this.node.outputs.map((name, index) => {
      const values = sides.map(({ outputs }) => outputs[index]?.value ?? kNothing);
      return this.result(name, common(values[0] ?? kNothing, values[1] ?? kNothing));
    });
    const args = [condition, ...operands].map((entry) => this.env.scope.read(entry));
    this.converter.emit(this.env, this.node, { target: "cond", args, submodules }, entries);
  }

  /** A branch whose condition is a constant, its nodes put in place of the If. */
  private inline(attribute: string): void {
    const graph = this.graph(attribute);
    const { converter, env } = this;
    const inner = new Env(env.scope, env, env.opsets, env.attributes, env.prefix);
    converter.declare(inner, graph);
    const path = `${this.path}.${attribute}`;
    converter.enter(path, () => converter.nodes(inner, graph.nodes, path));
    const outputs = converter.outputs(inner, graph, path);
    for (const [index, name] of this.node.outputs.entries()) {
      const entry = outputs[index];
      if (entry === undefined) throw invalidInput(path, `has no output ${index}`);
      if (name !== "") env.entries.set(name, entry);
    }
  }

  /** An output of the node, made known to what follows. */
  private result(name: string, inferred: Value): Entry {
    const value = this.converter.merge(this.env, name, inferred);
    const entry = this.entry(name || this.name("_unused"), value);
    if (name !== "") {
      this.env.entries.set(name, entry);
      this.converter.noteUnknown(entry, undefined);
    }
    return entry;
  }

  /**
   * Loop as `while`: its counter and condition are carried in front of the values that ONNX carries by name. The
   * trip count stands in as the counter's operand; where there is none, a constant does.
   */
  loop(): void {
    const graph = this.graph("body");
    const [count, condition, ...initial] = this.inputs;
    const counter: Value = { dtype: "int64", shape: [], content: undefined };
    const flag: Value = { dtype: "bool", shape: [], content: undefined };
    const values = initial.map((entry) => entry?.value ?? kNothing);
    const body = this.settle("body", [counter, flag], values);
    const carried = initial.length;
    const operands = body.scope.operands;
    const { builder } = this.env.scope;
    const first = this.bodyInput(body, graph, 0);
    const next: Entry = { name: `${first.name}_next`, value: counter, constant: false, scope: body.scope };
    next.node = body.scope.builder.addNode({
      name: "add_i_next",
      op: "call_function",
      target: "onnx::Add",
      args: [body.scope.read(first)],
      specs: [body.scope.tensor(next)],
    });
    const submodules = [
      builder.addSubmodule(this.name("_cond"), this.loopCondition(graph, body, operands)),
      builder.addSubmodule(this.name("_body"), this.finish(body, operands, [next])),
    ];
    const trips = this.trips(count, condition, body, graph);
    const entries = this.node.outputs.map((name, index) => {
      const value = body.outputs[index + 1]?.value ?? kNothing;
      return this.result(name, index < carried ? { ...value, content: undefined } : stacked(value, trips, 0));
    });
    const hidden = [
      { ...this.entry("", counter), name: `${first.name}_last` },
      { ...this.entry("", flag), name: `${this.bodyInput(body, graph, 1).name}_last` },
    ];
    const start = count ?? this.constant("_i_first", counter);
    const go = condition ?? this.constant("_cond_first", flag);
    const args = [start, go, ...initial.map((_, index) => this.input(index + 2)), ...operands];
    this.converter.emit(
      this.env,
      this.node,
      {
        target: "while",
        args: args.map((entry) => this.env.scope.read(entry)),
        submodules,
        carried: carried + 2,
      },
      entries,
      hidden,
    );
  }

  private constant(suffix: string, value: Value): Entry {
    return { ...this.entry(nodeName(this.node) + suffix, value), constant: true };
  }

  /** Walks a body until its carried values keep their extents from turn to turn: those that do not are open. */
  private settle(attribute: string, before: Value[], initial: Value[], behind: Value[] = []): Body {
    const first = this.walk(attribute, [...before, ...initial, ...behind]);
    const skip = before.length === 0 ? 0 : 1;
    const settled = initial.map((value, index) => {
      const after = first.outputs[index + skip]?.value ?? kNothing;
      return { ...common(value, after, this.converter.fresh), content: undefined };
    });
    const same = settled.every((value, index) => sameShape(value.shape, initial[index]?.shape));
    return same && initial.every(({ content }) => content === undefined)
      ? first
      : this.walk(attribute, [...before, ...settled, ...behind]);
  }

  private bodyInput(body: Body, graph: OnnxGraph, index: number): Entry {
    const name = graph.inputs[index]?.name ?? "";
    const entry = body.scope.inputs[index];
    if (entry === undefined) throw invalidInput(`${this.path}.body`, `has no input ${index} ${name}`);
    return entry;
  }

  /** Runs before each turn: the condition that the last one left. */
  private loopCondition(graph: OnnxGraph, body: Body, operands: Entry[]): Graph {
    const scope = new GraphScope(this.env.scope, this.env.scope.depth + 1);
    const inputs = graph.inputs.map((_, index) => {
      const { name, value } = this.bodyInput(body, graph, index);
      const entry: Entry = { name, value, constant: false, scope };
      scope.input(entry);
      return entry;
    });
    const flag = inputs[1];
    return this.finish({ scope, outputs: flag === undefined ? [] : [flag], inputs: inputs.length }, operands);
  }

  /** How often a loop turns, where a constant says and nothing stops it before. */
  private trips(count: Entry | undefined, condition: Entry | undefined, body: Body, graph: OnnxGraph): Dim {
    const [most] = count?.value.content ?? [];
    const isTrue = (entry: Entry | undefined) => entry?.constant === true && entry.value.content?.[0] === 1;
    const [goesOn] = body.outputs;
    const kept = goesOn !== undefined && (goesOn.same ?? goesOn) === this.bodyInput(body, graph, 1);
    const starts = condition === undefined || isTrue(condition);
    if (most === undefined || !starts || !(kept || isTrue(goesOn))) return this.converter.fresh();
    return typeof most === "number" ? Math.max(0, most) : most;
  }

  scan(): void {
    const mapped = this.node.attributes.get("num_scan_inputs")?.i ?? 0;
    const carried = this.inputs.length - mapped;
    if (mapped < 1 || carried < 0)
      throw invalidInput(this.path, `scans ${mapped} of ${this.inputs.length} inputs`);
    const axes = this.node.attributes.get("scan_input_axes")?.ints ?? [];
    const initial = this.inputs.slice(0, carried).map((_, index) => this.input(index).value);
    const sequences = this.inputs.slice(carried).map((_, index) => this.input(carried + index).value);
    const slices = sequences.map((value, index) => sliced(value, axes[index] ?? 0));
    const length = sequences
      .map(({ shape }, index) => shape?.at(axes[index] ?? 0))
      .find((dim) => dim !== undefined);
    const body = this.settle("body", [], initial, slices);
    const operands = body.scope.operands;
    const submodules = [this.env.scope.builder.addSubmodule(this.name("_body"), this.finish(body, operands))];
    const outputAxes = this.node.attributes.get("scan_output_axes")?.ints ?? [];
    const entries = this.node.outputs.map((name, index) => {
      const value = body.outputs[index]?.value ?? kNothing;
      if (index < carried) return this.result(name, { ...value, content: undefined });
      return this.result(
        name,
        stacked(value, length ?? this.converter.fresh(), outputAxes[index - carried] ?? 0),
      );
    });
    const args = [...this.inputs.map((_, index) => this.input(index)), ...operands];
    this.converter.emit(
      this.env,
      this.node,
      {
        target: "scan",
        args: args.map((entry) => this.env.scope.read(entry)),
        submodules,
        carried,
        ...(operands.length > 0 ? { mapped } : {}),
      },
      entries,
    );
  }
}

function sameShape(a: Dim[] | undefined, b: Dim[] | undefined): boolean {
  return (
    a === b ||
    (a !== undefined && b !== undefined && a.length === b.length && a.every((dim, i) => dim === b[i]))
  );
}

/** What two values that stand for one have in common. */
function common(a: Value, b: Value, fresh?: () => string): Value {
  const dtype = a.dtype === b.dtype ? a.dtype : undefined;
  if (a.shape === undefined || b.shape === undefined || a.shape.length !== b.shape.length) {
    return { dtype, shape: undefined, content: undefined };
  }
  const { shape } = b;
  if (fresh === undefined && !sameShape(a.shape, shape))
    return { dtype, shape: undefined, content: undefined };
  return {
    dtype,
    shape: a.shape.map((dim, axis) => (dim === shape[axis] ? dim : (fresh?.() ?? dim))),
    content: undefined,
  };
}

/** One turn's part of a sequence. */
function sliced({ dtype, shape }: Value, axis: number): Value {
  const at = shape === undefined ? 0 : axis < 0 ? axis + shape.length : axis;
  return { dtype, shape: shape?.filter((_, index) => index !== at), content: undefined };
}

/** All turns' outputs, one behind the other along an axis. */
function stacked({ dtype, shape }: Value, turns: Dim, axis: number): Value {
  if (shape === undefined) return { dtype, shape, content: undefined };
  const at = axis < 0 ? axis + shape.length + 1 : axis;
  return { dtype, shape: [...shape.slice(0, at), turns, ...shape.slice(at)], content: undefined };
}
