import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Graph, Node, Options } from "../../bindings/types.ts";
import { type CheckedPlan, type CheckFault, checkPlan } from "./plan_checker.ts";

const DATA = new URL("../data/", import.meta.url);

type Place = [pool: number, offset: number] | null;

function plan(places: Record<string, Place>, more: Partial<CheckedPlan> = {}): CheckedPlan {
  const tensors = Object.entries(places).map(([id, place]) => {
    return { id, mem_id: place?.[0] ?? null, mem_offset: place?.[1] ?? null };
  });
  return { buffer_sizes: [0, 256, 256], tensors, frees: [], ...more };
}

const input = (name: string): Node => ({ name, op: "placeholder", target: name, specs: [name] });
const op = (name: string, args: string[], more: Partial<Node> = {}): Node => {
  return { name, op: "call_function", target: "aten::mm", args, specs: [name], ...more };
};
const output = (...args: string[]): Node => ({ name: "output", op: "output", args, specs: args });

function codes(graph: Graph, checked: CheckedPlan, options: Options = {}): CheckFault["code"][] {
  return [...new Set(checkPlan(graph, checked, options).map(({ code }) => code))];
}

const tensors = (...ids: string[]) => ids.map((id) => ({ id, nbytes: 16 }));

describe("a plan of one graph", () => {
  const graph: Graph = {
    tensors: [
      ...tensors("x", "a", "b", "c"),
      { id: "s", nbytes: 8, storage_base: "a", storage_base_offset: 8 },
    ],
    nodes: [input("x"), op("a", ["x"]), op("b", ["a"]), op("s", ["b"]), op("c", ["a", "b"]), output("c")],
  };
  const right: Record<string, Place> = { x: [1, 0], a: [1, 16], b: [1, 0], c: [1, 32], s: [1, 24] };
  const check = (
    places: Partial<Record<string, Place>>,
    more: Partial<CheckedPlan> = {},
    options: Options = {},
  ) => codes(graph, plan({ ...right, ...places } as Record<string, Place>, more), options);

  it("passes where nothing is wrong with it", () => {
    expect(check({ b: [1, 48] })).toEqual([]);
  });
  it("may not reuse bytes at the very node that reads them last", () => {
    const straight: Graph = { tensors: tensors("x", "a"), nodes: [input("x"), op("a", ["x"]), output("a")] };
    expect(codes(straight, plan({ x: [1, 0], a: [1, 16] }))).toEqual([]);
    expect(codes(straight, plan({ x: [1, 0], a: [1, 0] }))).toEqual(["OVERLAP"]);
  });
  it("is rejected for each kind of fault", () => {
    expect(check({ b: [1, 16] })).toEqual(["OVERLAP"]);
    expect(check({ c: [1, 33] })).toContain("MISALIGNED");
    expect(check({ c: [2, 32] })).toEqual(["STRANGE_POOL"]);
    expect(check({ s: [1, 16] })).toContain("NOT_AT_BASE");
    expect(check({ s: null })).toEqual(["NOT_PLANNED"]);
    expect(check({}, { buffer_sizes: [0, 40] })).toEqual(["PAST_END"]);
    expect(check({ c: [1, -16] })).toEqual(["RESERVED"]);
    expect(check({}, { lower_bound: [0, 300] })).toContain("BOUND");
    expect(check({}, { frees: [{ after: "c", tensor: "a" }] })).toEqual(["FREES"]);
    expect(check({}, {}, { allocGraphInput: false })).toEqual(["PLANNED"]);
    expect(codes(graph, { ...plan(right), tensors: [] })).toEqual(["MISSING"]);
  });
  it("starts above bytes that are taken already", () => {
    const taken = { ...graph, input_mem_buffer_sizes: [0, 20] };
    expect(codes(taken, plan(right))).toContain("RESERVED");
  });
  it("frees what has no bound once, after its last read", () => {
    const unbound: Graph = {
      tensors: [...tensors("x", "u", "v", "y"), { id: "w", nbytes: 16, dynamism: "dynamic_unbound" }].map(
        (tensor) => {
          return tensor.id === "u" || tensor.id === "v"
            ? { ...tensor, dynamism: "dynamic_unbound" as const }
            : tensor;
        },
      ),
      nodes: [
        input("x"),
        op("u", ["x"]),
        op("v", ["u"]),
        op("w", ["u"], { specs: ["u"], variant: "inplace" }),
        op("y", ["w"]),
        output("y", "v"),
      ],
    };
    const rows = { x: [1, 0], u: null, v: null, y: [1, 0], w: null } as Record<string, Place>;
    rows.y = [1, 16];
    expect(codes(unbound, plan(rows, { frees: [{ after: "y", tensor: "u" }] }))).toEqual([]);
    expect(codes(unbound, plan(rows, { frees: [{ after: "v", tensor: "u" }] }))).toEqual(["FREES"]);
    expect(codes(unbound, plan(rows, { frees: [] }))).toEqual(["FREES"]);
    const twice = [
      { after: "y", tensor: "u" },
      { after: "y", tensor: "u" },
    ];
    expect(codes(unbound, plan(rows, { frees: twice }))).toEqual(["FREES"]);
  });
});

describe("a plan of control flow", () => {
  const branch = (): Graph => ({
    tensors: tensors("i", "t", "o"),
    nodes: [input("i"), op("t", ["i"]), op("o", ["t"]), output("o")],
  });
  const graph: Graph = {
    tensors: tensors("x", "r1", "r2", "y"),
    nodes: [
      input("x"),
      op("r1", ["x", "x"], { target: "cond", submodules: ["true_0", "false_0"] }),
      op("r2", ["x", "x"], { target: "cond", submodules: ["true_1", "false_1"] }),
      op("y", ["r1", "r2"]),
      output("y"),
    ],
    submodules: { true_0: branch(), false_0: branch(), true_1: branch(), false_1: branch() },
  };
  const inside = (t: number, o: number) => plan({ i: null, t: [1, t], o: [1, o] });
  const check = (places: [number, number][], options: Options) => {
    const [a, b, c, d] = places.map(([t, o]) => inside(t, o)) as [
      CheckedPlan,
      CheckedPlan,
      CheckedPlan,
      CheckedPlan,
    ];
    const submodules = { true_0: a, false_0: b, true_1: c, false_1: d };
    return codes(graph, plan({ x: [1, 0], r1: [1, 16], r2: [1, 32], y: [1, 48] }, { submodules }), options);
  };
  const move = { controlFlowResults: "move" } as const;
  const copy = { controlFlowResults: "copy" } as const;

  it("places outputs at their results, and branches over each other", () => {
    const places: [number, number][] = [
      [48, 16],
      [48, 16],
      [48, 32],
      [64, 32],
    ];
    expect(check(places, move)).toEqual([]);
    expect(check(places, copy)).toEqual([]);
  });
  it("keeps a moved result from what runs later", () => {
    const places: [number, number][] = [
      [48, 64],
      [64, 48],
      [48, 64],
      [64, 48],
    ];
    expect(check(places, copy)).toEqual([]);
    expect(check(places, move)).toEqual(["OVERLAP"]);
  });
  it("keeps operands, and results of others, from a branch", () => {
    expect(
      check(
        [
          [0, 16],
          [48, 16],
          [48, 32],
          [48, 32],
        ],
        copy,
      ),
    ).toEqual(["OVERLAP"]);
    expect(
      check(
        [
          [48, 16],
          [48, 16],
          [48, 32],
          [48, 16],
        ],
        copy,
      ),
    ).toEqual(["OVERLAP"]);
    expect(
      check(
        [
          [48, 48],
          [48, 16],
          [48, 32],
          [48, 32],
        ],
        copy,
      ),
    ).toEqual(["OVERLAP"]);
  });
  it("says where operands, results and bytes do not match", () => {
    const few = {
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, args: node.args?.slice(0, 1) ?? [] })),
    };
    const places: [number, number][] = [
      [48, 16],
      [48, 16],
      [48, 32],
      [64, 32],
    ];
    const [a, b, c, d] = places.map(([t, o]) => inside(t, o)) as [
      CheckedPlan,
      CheckedPlan,
      CheckedPlan,
      CheckedPlan,
    ];
    const submodules = { true_0: a, false_0: b, true_1: c, false_1: d };
    const checked = plan({ x: [1, 0], r1: [1, 16], r2: [1, 32], y: [1, 48] }, { submodules });
    expect(codes(few, checked)).toContain("BAD_SUBMODULE");
  });
});

interface Golden {
  verdict: string;
  graph: Graph;
  runs: { planner: string; options: Record<string, number | boolean>; plan?: CheckedPlan }[];
}

describe("ExecuTorch's plans", () => {
  it("are rejected wherever golden/quirks calls them invalid", () => {
    const accepted: string[] = [];
    for (const name of readdirSync(new URL("golden/quirks/", DATA))) {
      const { verdict, graph, runs }: Golden = JSON.parse(
        readFileSync(new URL(`golden/quirks/${name}`, DATA), "utf8"),
      );
      if (!verdict.startsWith("INVALID")) continue;
      const isRejected = runs.some((run) => {
        if (!run.plan) return false;
        const found = checkPlan(graph, run.plan, {
          alignment: Number(run.options.alignment),
          allocGraphInput: run.options.alloc_graph_input === true,
          allocGraphOutput: run.options.alloc_graph_output === true,
        });
        return found.some(({ code }) => code !== "BAD_SUBMODULE");
      });
      if (!isRejected) accepted.push(name);
    }
    // Devices are no part of `sound`.
    expect(accepted).toEqual(["ext_devices_without_cpu.json"]);
  });
});
