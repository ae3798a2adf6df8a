import { describe, expect, it } from "vitest";
import type { Graph } from "../../bindings/types.ts";
import { EVERYTHING, randomCase, UPSTREAM } from "./graph_generator.ts";
import { GraphModel } from "./graph_model.ts";
import { misread } from "./interpreter.ts";
import { apartPlan, densePlan } from "./plain_plan.ts";
import { checkPlan } from "./plan_checker.ts";
import { MUTATIONS, mutated } from "./plan_mutation.ts";
import { Random } from "./random.ts";

const CASES = 100;

function modelsOf(model: GraphModel): GraphModel[] {
  return [model, ...[...model.submodules.values()].flatMap(modelsOf)];
}

/** What a graph has, by name. */
function featuresOf(graph: Graph): Set<string> {
  const found = new Set<string>();
  const has = (name: string, is: unknown) => {
    if (is) found.add(name);
  };
  const top = new GraphModel(graph);
  has(
    "state",
    top.storages.some(({ buffer }) => buffer !== null),
  );
  has("write-back", top.writeBacks.length > 0);
  has("pool table", graph.pools);
  has("taken bytes", graph.input_mem_buffer_sizes);
  has(
    "input is output",
    top.storages.some(({ isInput, isOutput }) => isInput && isOutput),
  );
  for (const model of modelsOf(top)) {
    has(`depth ${model.path.split("/").length}`, model.path !== "");
    for (const tensor of model.graph.tensors) {
      has("slice", tensor.storage_base_offset);
      has("in-place base", tensor.inplace_base);
      has("unbound", tensor.dynamism === "dynamic_unbound");
      has("chosen pool", (tensor.mem_id ?? 1) > 1);
    }
    has("no bytes", model.bytes.includes(0));
    has(
      "named by nothing",
      model.storages.some(({ last }) => last < 0),
    );
    for (const [index, node] of model.graph.nodes.entries()) {
      has(`variant ${node.variant}`, node.variant);
      has("scratch", node.scratch);
      has("several results", model.tensorsOf(index).length > 1);
      has("null spec", node.specs?.includes(null));
      const base = node.target === "memory.view" ? model.argsOf(index)[0] : undefined;
      has("view of view", base !== undefined && model.graph.nodes[base]?.target === "memory.view");
      has(
        "constant in submodule",
        !model.isTop && node.op === "placeholder" && model.graph.tensors.some((t) => t.const),
      );
    }
    has("called twice", model.callers.length > 1);
    for (const call of model.calls.values()) {
      has(call.kind, true);
      has("fewer results than carried", call.results.length < call.carried);
      has("stacked by while", call.kind === "while" && call.results.length > call.carried);
      const through = call.bodies.filter((body) =>
        body.outputs.some((output) => body.storage(output).isInput),
      );
      has(`${call.kind} hands an operand through`, through.length > 0);
      const constants = call.bodies.some((body) =>
        body.outputs.some((output) => body.storage(output).isConst),
      );
      has("constant output", constants);
    }
  }
  return found;
}

describe("random graphs", () => {
  it("have everything that the format has", () => {
    const found = new Set<string>();
    for (let seed = 1; seed <= 400; seed++)
      for (const name of featuresOf(randomCase(seed).graph)) found.add(name);
    expect([...found].sort()).toEqual([
      "called twice",
      "chosen pool",
      "cond",
      "cond hands an operand through",
      "constant in submodule",
      "constant output",
      "depth 1",
      "depth 2",
      "depth 3",
      "depth 4",
      "fewer results than carried",
      "in-place base",
      "input is output",
      "map",
      "map hands an operand through",
      "named by nothing",
      "no bytes",
      "null spec",
      "pool table",
      "scan",
      "scan hands an operand through",
      "scratch",
      "several results",
      "slice",
      "stacked by while",
      "state",
      "taken bytes",
      "unbound",
      "variant inplace",
      "variant out",
      "view of view",
      "while",
      "while hands an operand through",
      "write-back",
    ]);
  });

  it("are the same for the same seed", () => {
    expect(JSON.stringify(randomCase(7))).toBe(JSON.stringify(randomCase(7)));
    expect(JSON.stringify(randomCase(7))).not.toBe(JSON.stringify(randomCase(8)));
  });

  it("bind as the format says", () => {
    for (let seed = 1; seed <= CASES; seed++) {
      for (const features of [EVERYTHING, UPSTREAM]) {
        const models = modelsOf(new GraphModel(randomCase(seed, features).graph));
        expect(models.flatMap((model) => [...model.calls.values()].flatMap(({ faults }) => faults))).toEqual(
          [],
        );
      }
    }
  });
});

describe("checker and interpreter", () => {
  it("both pass plans that share nothing, and plans as dense as the checker lets them be", () => {
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph, options } = randomCase(seed);
      const plain = { ...options, inplace: false, runSeed: seed };
      for (const plan of [apartPlan(graph, plain), densePlan(graph, plain, new Random(seed))]) {
        expect(checkPlan(graph, plan, plain), `seed ${seed}`).toEqual([]);
        expect(misread(graph, plan, plain), `seed ${seed}`).toBeNull();
      }
    }
  });

  it("agree on altered plans: what is misread, the checker rejects", () => {
    let rejected = 0;
    let misreadCount = 0;
    const random = new Random(99);
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph, options } = randomCase(seed);
      const plain = { ...options, inplace: false, runSeed: seed };
      const plan = densePlan(graph, plain, random);
      for (const kind of MUTATIONS) {
        const altered = mutated(plan, kind, random);
        if (!altered) continue;
        const isRejected = checkPlan(graph, altered, plain).length > 0;
        const found = misread(graph, altered, plain);
        if (isRejected) rejected++;
        if (found) misreadCount++;
        expect(isRejected || found === null, `seed ${seed}, ${kind}: ${found}`).toBe(true);
      }
    }
    expect(rejected).toBeGreaterThan(CASES);
    expect(misreadCount).toBeGreaterThan(rejected / 4);
  });
});
