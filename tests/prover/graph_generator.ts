/**
 * Random graphs that are well formed, with all that the format has: views of views, slices, in-place results, state,
 * pools, scratch, dead and unread tensors, sizes without a bound, and control flow nested in control flow. The same
 * seed gives the same graph on every machine.
 */
import type { Graph, Methods, Options } from "../../bindings/types.ts";
import { growOnce } from "./control_flow_generator.ts";
import { GraphBuilder, type Made, type Readable } from "./graph_builder.ts";
import { CONCAT, ELEMENT_WISE } from "./operators.ts";
import { canMove } from "./plain_plan.ts";
import { Random } from "./random.ts";

/** What graphs may have; numbers from 0 to 1 are probabilities. */
export interface Features {
  /** Most nodes of the top graph, about. */
  nodes: number;
  /** How deep control flow nests. */
  depth: number;
  controlFlow: number;
  /** Most control-flow nodes of a graph and all inside it. */
  calls: number;
  /** Tensors of no bytes. */
  empty: number;
  unbound: number;
  /** Tensors with a mem_id chosen beforehand. */
  pools: number;
  scratch: number;
  inplaceBase: number;
  slices: number;
  /** Submodules that write over what they are handed. */
  writesOperands: number;
  /** In-place results with an id of their own. */
  ownInPlace: number;
  /** Loops with fewer results than carried values. */
  fewerResults: number;
  /** Operators that work element by element, and concatenations, beyond the few there always are. */
  elementWise: number;
  /** Graphs with mutable buffers. */
  state: number;
  /** Graphs with `pools`, and with bytes that are taken already. */
  poolTable: number;
  reserved: number;
  /** Only options and keys that both ExecuTorch rules know. */
  upstream: boolean;
}

export const EVERYTHING: Features = {
  nodes: 16,
  depth: 4,
  controlFlow: 0.25,
  calls: 8,
  empty: 0.05,
  unbound: 0.08,
  pools: 0.1,
  scratch: 0.06,
  inplaceBase: 1,
  slices: 1,
  writesOperands: 0.3,
  ownInPlace: 0.4,
  elementWise: 0,
  fewerResults: 0.3,
  state: 0.3,
  poolTable: 0.15,
  reserved: 0.1,
  upstream: false,
};

/** What ExecuTorch's own export makes, so that its plans may be compared. */
export const UPSTREAM: Features = {
  ...EVERYTHING,
  controlFlow: 0.35,
  unbound: 0.03,
  pools: 0.01,
  scratch: 0,
  inplaceBase: 0,
  slices: 0,
  writesOperands: 0,
  ownInPlace: 0.05,
  fewerResults: 0,
  poolTable: 0,
  reserved: 0,
  upstream: true,
};

export interface RandomCase {
  graph: Graph;
  options: Options;
}

export function randomCase(seed: number, features: Features = EVERYTHING): RandomCase {
  const random = new Random(seed);
  const graph = new TopGraph(random, features).build();
  const options = randomOptions(random, features);
  if (options.controlFlowResults === "move" && !canMove(graph, options)) options.controlFlowResults = "copy";
  return { graph, options };
}

function randomOptions(random: Random, features: Features): Options {
  const options: Options = {
    alignment: features.upstream ? 16 : random.pick([1, 2, 4, 8, 16, 16, 32, 64]),
    allocGraphInput: random.chance(0.7),
    allocGraphOutput: random.chance(0.7),
    controlFlowResults: random.chance(0.6) ? "move" : "copy",
  };
  if (!features.upstream) options.allocMutableBuffers = random.chance(0.8);
  if (!features.upstream && random.chance(0.4)) {
    options.inplace = random.chance(0.7)
      ? true
      : [random.pick(ELEMENT_WISE), random.pick(ELEMENT_WISE), CONCAT];
  }
  return options;
}

export interface RandomMethods {
  program: Methods;
  options: Options;
}

/** Two or three graphs over a few buffers, of which each has some. */
export function randomMethods(seed: number, features: Features = EVERYTHING): RandomMethods {
  const random = new Random(seed);
  const buffers = Array.from({ length: random.between(1, 3) }, (_, i) => ({
    name: `state_${i}`,
    nbytes: 16 * i + 8,
  }));
  const own = { ...features, poolTable: 0, reserved: 0, pools: 0 };
  const methods: Record<string, Graph> = {};
  for (const name of ["prefill", "decode", "reset"].slice(0, random.between(2, 3))) {
    methods[name] = new TopGraph(
      random,
      own,
      buffers.filter(() => random.chance(0.7)),
    ).build();
  }
  const options = randomOptions(random, features);
  if (Object.values(methods).some((graph) => !canMove(graph, options))) options.controlFlowResults = "copy";
  return { program: { version: 1, methods, shared_buffers: random.chance(0.7) }, options };
}

class TopGraph {
  private readonly builder: GraphBuilder;
  private readonly inputsToBuffers: Record<string, string> = {};
  private readonly buffersToMutate: Record<string, string> = {};
  private readonly mutable: { name: string; made: Made }[] = [];

  constructor(
    private readonly random: Random,
    private readonly features: Features,
    /** Buffers that it has, where they are not drawn. */
    private readonly buffers: { name: string; nbytes: number }[] | null = null,
  ) {
    this.builder = new GraphBuilder(random, features, 0, { left: random.between(1, features.calls) });
  }

  build(): Graph {
    const { builder, random, features } = this;
    this.inputs(random.between(1, 3));
    const nodes = random.between(1, features.nodes);
    for (let i = 0; i < nodes; i++) {
      growOnce(builder);
      if (random.chance(0.03)) this.input();
    }
    let outputs = this.newValues();
    for (let i = random.between(outputs.length > 0 ? 0 : 1, 3); i > 0; i--) {
      outputs.push(random.chance(0.6) ? (builder.readable.at(-1) as Readable) : builder.anything());
    }
    if (random.chance(0.3)) outputs = random.shuffled(outputs);
    const graph = builder.finish(outputs);
    if (Object.keys(this.inputsToBuffers).length > 0) {
      graph.signature = { inputs_to_buffers: this.inputsToBuffers, buffers_to_mutate: this.buffersToMutate };
    }
    this.surroundings(graph);
    return graph;
  }

  private surroundings(graph: Graph): void {
    const { random, features } = this;
    if (features.upstream) return;
    if (random.chance(features.reserved)) {
      graph.input_mem_buffer_sizes = [0, random.between(0, 100), random.between(0, 40)];
    }
    if (random.chance(features.poolTable)) {
      graph.pools = [
        { mem_id: 2, name: "SRAM", capacity: random.between(16, 400), alignment: random.pick([1, 8, 32]) },
        { mem_id: 1, name: "DRAM", alignment: random.pick([1, 16]) },
        { mem_id: 3, name: "FLASH" },
      ];
    }
  }

  private inputs(count: number): void {
    const { builder, random, features } = this;
    if (this.buffers) for (const { name, nbytes } of this.buffers) this.buffer(name, nbytes, true);
    else if (random.chance(features.state)) {
      for (let i = random.between(1, 2); i > 0; i--)
        this.buffer(`buffer_${i}`, builder.size(), random.chance(0.85));
    }
    for (let i = 0; i < count; i++) this.input();
    if (random.chance(0.2)) builder.placeholder([]);
    if (random.chance(0.2)) {
      const more = { isConst: true, isUnbound: false, writable: false, pool: undefined };
      builder.placeholder([builder.fresh(builder.size(), more)]);
    }
  }

  private input(): void {
    const writable = this.random.chance(0.3);
    this.builder.placeholder([this.builder.fresh(this.builder.size(), { writable })]);
  }

  private buffer(name: string, nbytes: number, isMutable: boolean): void {
    const { builder } = this;
    const target = `b_${name}`;
    this.inputsToBuffers[target] = name;
    const made = builder.fresh(nbytes, { isUnbound: false, stays: isMutable, writable: isMutable });
    builder.placeholder([made], target);
    if (isMutable) this.mutable.push({ name, made });
  }

  /** For each mutable buffer the node that holds its new value: one that wrote over it, or another tensor. */
  private newValues(): Readable[] {
    const { builder, random } = this;
    return this.mutable.map(({ name, made }) => {
      const written = builder.nodes.filter(
        ({ variant, specs }) => variant === "inplace" && specs?.[0] === made.id,
      );
      let value = builder.readable.find(({ node }) => node === written.at(-1)?.name);
      if (!value || random.chance(0.3)) {
        value = builder.outputOf(made.nbytes, false, ({ bytes }) => !bytes.stays && !bytes.isConst);
      }
      if (this.buffersToMutate[value.node] !== undefined) {
        value = builder.operator(builder.some(2), [builder.fresh(made.nbytes, { isUnbound: false })]);
      }
      this.buffersToMutate[value.node] = name;
      return value;
    });
  }
}
