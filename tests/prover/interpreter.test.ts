import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Graph, Node, Options } from "../../bindings/types.ts";
import { misread, type RunOptions } from "./interpreter.ts";
import type { CheckedPlan } from "./plan_checker.ts";

const DATA = new URL("../data/", import.meta.url);

/** The first misread over several ways through the graph. */
function anyMisread(graph: Graph, plan: CheckedPlan, options: RunOptions): string | null {
  for (let runSeed = 1; runSeed <= 8; runSeed++) {
    const found = misread(graph, plan, { ...options, runSeed });
    if (found) return found;
  }
  return null;
}

const input = (name: string): Node => ({ name, op: "placeholder", target: name, specs: [name] });
const op = (name: string, args: string[], more: Partial<Node> = {}): Node => {
  return { name, op: "call_function", target: "aten::mm", args, specs: [name], ...more };
};
const output = (...args: string[]): Node => ({ name: "output", op: "output", args, specs: args });
const tensors = (...ids: string[]) => ids.map((id) => ({ id, nbytes: 16 }));

function plan(
  offsets: Record<string, number | null>,
  submodules: Record<string, CheckedPlan> = {},
): CheckedPlan {
  const rows = Object.entries(offsets).map(([id, at]) => ({
    id,
    mem_id: at === null ? null : 1,
    mem_offset: at,
  }));
  return { buffer_sizes: [0, 256], tensors: rows, submodules };
}

const chain: Graph = {
  tensors: tensors("x", "a", "b", "c"),
  nodes: [input("x"), op("a", ["x"]), op("b", ["a"]), op("c", ["a", "b"]), output("c")],
};

describe("a straight graph", () => {
  it("runs right where nothing that lives together shares bytes", () => {
    expect(anyMisread(chain, plan({ x: 0, a: 16, b: 0, c: 32 }), {})).toBeNull();
  });
  it("is misread where an operator writes over what it reads", () => {
    expect(anyMisread(chain, plan({ x: 0, a: 0, b: 16, c: 32 }), {})).toContain(
      "overwritten while a reads it",
    );
  });
  it("is misread where a tensor is lost before its last read", () => {
    expect(anyMisread(chain, plan({ x: 0, a: 16, b: 16, c: 32 }), {})).toContain("tensor a");
  });
  it("is misread where a tensor lies past the end", () => {
    expect(anyMisread(chain, plan({ x: 0, a: 248, b: 16, c: 32 }), {})).toContain("past the end");
  });
  it("lets an element-wise operator write over its input only where that was asked for", () => {
    const graph: Graph = {
      tensors: tensors("x", "a"),
      nodes: [input("x"), op("a", ["x"], { target: "aten::relu.out" }), output("a")],
    };
    const over = plan({ x: 0, a: 0 });
    expect(anyMisread(graph, over, { inplace: true })).toBeNull();
    expect(anyMisread(graph, over, {})).toContain("overwritten");
    expect(anyMisread(graph, plan({ x: 4, a: 0 }), { inplace: true })).toBeNull();
    expect(anyMisread(graph, plan({ x: 0, a: 4 }), { inplace: true })).toContain("by its own operator");
  });
});

describe("state", () => {
  const graph: Graph = {
    tensors: tensors("s", "x", "n", "y"),
    nodes: [
      { ...input("s"), target: "b_s" },
      input("x"),
      op("n", ["s", "x"]),
      op("y", ["x"]),
      op("z", ["y"], { specs: [] }),
      output("n"),
    ],
    signature: { inputs_to_buffers: { b_s: "cache" }, buffers_to_mutate: { n: "cache" } },
  };
  it("is kept between calls", () => {
    expect(anyMisread(graph, plan({ s: 0, x: 16, n: 32, y: 48 }), {})).toBeNull();
  });
  it("is lost where anything touches its bytes after its last read", () => {
    const inPlace: Graph = {
      ...graph,
      nodes: [
        graph.nodes[0] as Node,
        input("x"),
        op("n", ["s", "x"], { specs: ["s"], variant: "inplace" }),
        op("y", ["x"]),
        output("y"),
      ],
    };
    const shared = plan({ s: 0, x: 16, n: 32, y: 0 });
    expect(anyMisread(inPlace, shared, { calls: 1 })).toBeNull();
    expect(anyMisread(inPlace, shared, { calls: 3 })).toContain("call 1");
  });
});

describe("cond", () => {
  const branch = (): Graph => ({
    tensors: tensors("i", "o"),
    nodes: [input("i"), op("o", ["i"]), output("o")],
  });
  const graph: Graph = {
    tensors: tensors("x", "r", "s", "t"),
    nodes: [
      input("x"),
      op("r", ["x", "x"], { target: "cond", submodules: ["true", "false"] }),
      op("s", ["x"]),
      op("t", ["r", "s"]),
      output("t"),
    ],
    submodules: { true: branch(), false: branch() },
  };
  const inside = (at: number) => plan({ i: null, o: at });
  const outside = { x: 0, r: 16, s: 32, t: 48 };
  it("is right both ways with the outputs at the result", () => {
    const placed = plan(outside, { true: inside(16), false: inside(16) });
    for (const controlFlowResults of ["move", "copy"] as const) {
      expect(anyMisread(graph, placed, { controlFlowResults })).toBeNull();
    }
  });
  it("loses a moved result to whoever takes the branch's bytes", () => {
    const apart = plan(outside, { true: inside(64), false: inside(32) });
    expect(anyMisread(graph, apart, { controlFlowResults: "copy" })).toBeNull();
    expect(anyMisread(graph, apart, { controlFlowResults: "move" })).toContain("tensor r");
    expect(anyMisread(graph, apart, { controlFlowResults: "move", branches: [0] })).toBeNull();
  });
  it("sees an operand overwritten by a branch", () => {
    const over = plan(outside, { true: inside(0), false: inside(16) });
    expect(anyMisread(graph, over, { controlFlowResults: "copy", branches: [1] })).toBeNull();
    expect(anyMisread(graph, over, { controlFlowResults: "copy", branches: [0] })).toContain("graph 'true'");
  });
});

describe("while", () => {
  const graph: Graph = {
    tensors: tensors("x", "y", "r"),
    nodes: [
      input("x"),
      input("y"),
      op("r", ["x", "y"], { target: "while", submodules: ["test", "body"], carried: 1 }),
      output("r", "y"),
    ],
    submodules: {
      test: { tensors: tensors("a", "b", "p"), nodes: [input("a"), input("b"), op("p", ["a"]), output("p")] },
      body: {
        tensors: tensors("a", "b", "o"),
        nodes: [input("a"), input("b"), op("o", ["a", "b"]), output("o")],
      },
    },
  };
  const bodies = (p: number, o: number) => {
    return { test: plan({ a: null, b: null, p }), body: plan({ a: null, b: null, o }) };
  };
  it("is right where the body lies apart, and condition and body share", () => {
    expect(anyMisread(graph, plan({ x: 0, y: 16, r: 32 }, bodies(48, 48)), {})).toBeNull();
  });
  it("is misread where an output of the body lies in a carried value", () => {
    expect(anyMisread(graph, plan({ x: 0, y: 16, r: 32 }, bodies(48, 32)), {})).not.toBeNull();
  });
  it("is misread where the body or the condition takes an operand's bytes", () => {
    expect(anyMisread(graph, plan({ x: 0, y: 16, r: 32 }, bodies(48, 16)), {})).not.toBeNull();
    expect(anyMisread(graph, plan({ x: 0, y: 16, r: 32 }, bodies(16, 48)), {})).not.toBeNull();
  });
});

interface GoldenRun {
  planner: string;
  algorithm: string;
  options: Record<string, number | boolean>;
  plan?: CheckedPlan;
}

function golden(path: string): { graph: Graph; runs: GoldenRun[] } {
  return JSON.parse(readFileSync(new URL(`golden/${path}`, DATA), "utf8"));
}

function optionsOf({ options }: GoldenRun): Options {
  const result: Options = {};
  if (typeof options.alignment === "number") result.alignment = options.alignment;
  if (options.alloc_graph_input !== undefined) result.allocGraphInput = options.alloc_graph_input === true;
  if (options.alloc_graph_output !== undefined) result.allocGraphOutput = options.alloc_graph_output === true;
  return result;
}

describe("ExecuTorch's plans", () => {
  const misreadBy = (planner: string) => {
    const names = readdirSync(new URL("golden/quirks/", DATA));
    return names.filter((name) => {
      const { graph, runs } = golden(`quirks/${name}`);
      return runs.some((run) => {
        return run.planner === planner && run.plan && anyMisread(graph, run.plan, optionsOf(run)) !== null;
      });
    });
  };
  it("of 2024 are misread where they are known to be wrong", () => {
    expect(misreadBy("seed")).toEqual([
      "free_before_last_read.json",
      "greedy_drops_mem_ids_in_submodule.json",
      "greedy_empty_last_submodule.json",
      "greedy_empty_submodule_resets.json",
      "inplace_result_never_planned.json",
      "inplace_result_planned_apart.json",
      "mutable_buffer_is_reused.json",
      "outer_lacks_a_submodules_mem_id.json",
      "reads_through_inplace.json",
      "unused_input_shared.json",
    ]);
  });
  it("of 2026 likewise", () => {
    expect(misreadBy("head")).toEqual([
      "ext_inplace_base_deferred.json",
      "inplace_result_never_planned.json",
      "mem_id_0.json",
      "outer_lacks_a_submodules_mem_id.json",
      "outer_with_nothing_to_plan.json",
      "reads_through_inplace.json",
    ]);
  });
  it("lose the result of a cond under move, not under copy (cases/18)", () => {
    const graph: Graph = JSON.parse(
      readFileSync(new URL("cases/18-two-conds-first-result-still-live.json", DATA), "utf8"),
    );
    const branch = plan({ s_in: null, s_out: 0 });
    const submodules = { true_0: branch, false_0: branch, true_1: branch, false_1: branch };
    const upstream = plan({ t_x: 64, t_p: 256, t_r1: 192, t_r2: 128, t_sum: 64 }, submodules);
    upstream.buffer_sizes = [0, 272];
    expect(anyMisread(graph, upstream, { controlFlowResults: "copy" })).toBeNull();
    expect(anyMisread(graph, upstream, { controlFlowResults: "move" })).toContain("tensor t_r1");
  });
});
