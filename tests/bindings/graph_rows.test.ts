import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Graph, type Input, load, type Memplan, MemplanError, type Options } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { graphRows } from "../../bindings/graph_rows.ts";
import fc from "./fast_check.ts";
import { exchange, oddValue } from "./odd_value.ts";
import { smallGraph } from "./small_graph.ts";

const DATA = fileURLToPath(new URL("../data/", import.meta.url));

/** All graphs of the test data that are one graph. */
function* graphs(): Generator<[file: string, graph: Graph]> {
  for (const entry of readdirSync(DATA, { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".json") || entry.includes("plan")) continue;
    const parsed = JSON.parse(readFileSync(join(DATA, entry), "utf8"));
    for (const graph of [parsed, parsed.graph, parsed.input]) {
      if (Array.isArray(graph?.tensors) && Array.isArray(graph.nodes)) yield [entry, graph];
    }
  }
}

describe("a graph as rows", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  function outcome(input: unknown, options: Options): unknown {
    try {
      return memplan.plan(input as Input, options);
    } catch (error) {
      if (!(error instanceof MemplanError)) throw error;
      return { code: error.code, path: error.path, message: error.message };
    }
  }

  /** The same answer for an object as for its JSON. */
  function expectSame(graph: unknown, options: Options): void {
    expect(outcome(graph, options)).toEqual(outcome(JSON.stringify(graph), options));
  }

  it("gives the plan of its JSON, for all graphs of the test data", () => {
    let rows = 0;
    for (const [file, graph] of graphs()) {
      rows += graphRows(graph, false) ? 1 : 0;
      for (const options of [
        { algorithm: "greedy_by_size" },
        { algorithm: "greedy_by_size", inplace: true },
        { rules: "executorch-2026", algorithm: "greedy" },
      ] as Options[]) {
        const plan = outcome(graph, options);
        const expected = outcome(JSON.stringify(graph), options);
        if (JSON.stringify(plan) !== JSON.stringify(expected)) expect(plan, file).toEqual(expected);
      }
    }
    expect(rows).toBeGreaterThan(50);
  });

  it("is taken for plain graphs with every field", () => {
    const graph = everyField();
    expect(graphRows(graph, true)).not.toBeNull();
    for (const inplace of [false, true]) expectSame(graph, { algorithm: "greedy_by_size", inplace });
    expectSame(graph, { rules: "executorch-2026", algorithm: "naive" });
  });

  it("keeps every name as it is", () => {
    const names = ["é", "𝒳", "日本", "\u0000", "\ufeffx", '"\\', "", "\u2028", "\r", "x".repeat(5000)];
    const halves = ["\ud800", "\udc00x"];
    for (const name of [...names, "a\nb", "\n", ...halves]) {
      const graph = smallGraph();
      Object.assign(graph.tensors[0] as object, { id: name });
      Object.assign(graph.nodes[0] as object, { specs: [name] });
      expectSame(graph, {});
      expect(graphRows(graph, false) === null, name).toBe(halves.includes(name));
    }
  });

  it("is not taken for what JSON.stringify sees otherwise", () => {
    const id = { id: "x", nbytes: 64 };
    const odd: [string, unknown][] = [
      ["an inherited field", Object.create(id)],
      [
        "a class",
        new (class {
          id = "x";
          nbytes = 64;
        })(),
      ],
      ["a toJSON", { ...id, toJSON: () => ({ id: "x", nbytes: 32 }) }],
      ["a boxed string", { ...id, id: new String("x") }],
      ["a list", Object.assign([], id)],
      ["undefined", undefined],
      ["a BigInt", { ...id, nbytes: 64n }],
      ["not a number", { ...id, nbytes: Number.NaN }],
      ["a typed array", { id: "x", dtype: "int8", shape: Uint8Array.of(64) }],
      ["a hole", { ...id, shape: new Array(2) }],
    ];
    for (const [what, row] of odd) {
      const graph = smallGraph();
      graph.tensors[0] = row as never;
      expect(graphRows(graph, false), what).toBeNull();
      let json: string | undefined;
      try {
        json = JSON.stringify(graph);
      } catch {}
      if (json) expect(outcome(graph, {}), what).toEqual(outcome(json, {}));
      else expect(outcome(graph, {}), what).toMatchObject({ code: "INVALID_INPUT" });
    }
  });

  it("gives the error of its JSON, whatever one value is exchanged for", () => {
    const right = everyField();
    const places = (["tensors", "nodes"] as const).flatMap((list) =>
      right[list].flatMap((row, at) => [
        [list, at],
        ...[...Object.keys(row), "mem_id", "carried", "toJSON"].map((key) => [list, at, key]),
      ]),
    );
    const elements = [
      ["nodes", 2, "args", 0],
      ["nodes", 2, "specs", 0],
      ["tensors", 0, "shape", 1],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...places, ...elements, ["tensors"], ["nodes"], ["name"], ["pools"], ["signature"]),
        oddValue,
        fc.boolean(),
        (keys, value, inplace) => {
          const graph = structuredClone(right);
          exchange(graph, keys, value);
          expectSame(graph, { algorithm: "greedy_by_size", inplace });
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** Views, slices, nulls, pools, a delegate: all that rows can say. */
function everyField(): Graph {
  return {
    version: 1,
    name: "every field",
    tensors: [
      { id: "x", dtype: "float32", shape: [1, 16], nbytes: 64, const: false, dynamism: "static", cost: 3 },
      { id: "r", dtype: "int8", shape: [64], mem_id: 1, device: "cpu:0" },
      { id: "v", nbytes: 64, inplace_base: "r" },
      { id: "s", nbytes: 8, storage_base: "r", storage_base_offset: 16 },
      { id: "w", dtype: "packed", shape: [], nbytes: 12, const: true },
      { id: "d", nbytes: 100, dynamism: "dynamic_bound" },
      { id: "u", nbytes: 100, dynamism: "dynamic_unbound" },
    ],
    nodes: [
      { name: "x", op: "placeholder", target: "x", args: [], specs: ["x"], weight_has_gradient: false },
      { name: "w", op: "placeholder", target: "w", specs: ["w"], weight_has_gradient: true },
      {
        name: "relu",
        op: "call_function",
        target: "aten::relu.out",
        args: ["x", "w"],
        specs: ["r", null, "d"],
        variant: "out",
        submodules: [],
        scratch: [],
        source: "model.py:12",
        module: "features.0",
      },
      { name: "view", op: "call_function", target: "memory.view", args: ["relu"], specs: ["v"] },
      { name: "get", op: "get_attr", target: "w", specs: [null] },
      {
        name: "slice",
        op: "call_function",
        target: "executorch_call_delegate",
        args: ["view"],
        specs: ["s", "u"],
        variant: "functional",
        backend_id: "XnnpackBackend",
      },
      { name: "output", op: "output", args: ["slice", "relu"], specs: ["s"] },
    ],
    pools: [{ mem_id: 1, name: "SRAM", alignment: 32 }],
    input_mem_buffer_sizes: [0, 64],
    encounter_to_out_var_failure: true,
  };
}
