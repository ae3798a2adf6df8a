import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph, Node } from "../../bindings/types.js";
import { type GraphRow, type ModelRow, type NodeRow, onnxFile } from "./import_onnx_file.js";

const kFloat = 1;
const kInt64 = 7;
const kBool = 9;

async function read(row: ModelRow, dims?: Record<string, number>) {
  const { graph, notes } = await importModel(onnxFile(row), dims === undefined ? {} : { dims });
  return { graph: graph as Graph, notes: notes.join("\n") };
}

const node = (
  op: string,
  inputs: string[],
  outputs: string[],
  attributes: NodeRow["attributes"] = {},
): NodeRow => ({
  op,
  inputs,
  outputs,
  attributes,
});
const f32 = (...shape: (number | string | null)[]) => ({ type: kFloat, shape });
const shapes = (graph: Graph) =>
  Object.fromEntries(graph.tensors.filter((tensor) => !tensor.const).map(({ id, shape }) => [id, shape]));
const find = (graph: Graph, target: string): Node | undefined =>
  graph.nodes.find((item) => item.target === target);
const placeholders = (graph: Graph | undefined) =>
  (graph?.nodes ?? []).filter(({ op }) => op === "placeholder").flatMap(({ specs }) => specs ?? []);

/** What an exporter writes for x.view(x.shape[0], -1): shape, pick, widen, join, reshape. */
const kFlattenChain: NodeRow[] = [
  node("Shape", ["x"], ["s"]),
  node("Gather", ["s", "zero"], ["n"], { axis: { i: 0 } }),
  node("Unsqueeze", ["n", "axes"], ["n1"]),
  node("Concat", ["n1", "minus"], ["wish"], { axis: { i: 0 } }),
  node("Reshape", ["x", "wish"], ["y"]),
];
const kFlattenConstants = {
  zero: { type: kInt64, shape: [], values: [0] },
  axes: { type: kInt64, shape: [1], values: [0] },
  minus: { type: kInt64, shape: [1], values: [-1] },
};

describe("extents", () => {
  const graph: GraphRow = {
    nodes: kFlattenChain,
    inputs: { x: f32("batch", 3, 8, 8) },
    outputs: { y: null },
    constants: kFlattenConstants,
  };

  it("come out of a chain of shape arithmetic", async () => {
    const { graph: read4, notes } = await read({ graph }, { batch: 4 });
    expect(shapes(read4)).toEqual({ x: [4, 3, 8, 8], y: [4, 192] });
    // The chain is computed before the first run.
    expect(read4.nodes.map(({ target }) => target)).toEqual(["x", "wish", "onnx::Reshape", "output"]);
    expect(notes).toContain("4 nodes compute on constants only");
  });

  it("are named where nobody gives them, and never guessed", async () => {
    const { graph: open, notes } = await read({ graph });
    const y = open.tensors.find(({ id }) => id === "y");
    expect(y).toEqual({ id: "y", dtype: "float32", nbytes: 0, dynamism: "dynamic_unbound" });
    expect(notes).toContain('Extents without a value: "batch"');
    expect(notes).toContain('"y (batch)"');
  });

  it("can be given by input and axis where the file has no symbol", async () => {
    const anonymous = { ...graph, inputs: { x: f32(null, 3, null, 8) } };
    const { graph: known } = await read({ graph: anonymous }, { "x:0": 2, "x:2": 5 });
    expect(shapes(known)).toEqual({ x: [2, 3, 5, 8], y: [2, 120] });
    const open = await read({ graph: anonymous });
    expect(open.notes).toContain('"x:0", "x:2"');
  });

  it("given against the file win over what it declares behind", async () => {
    const fixed = {
      ...graph,
      inputs: { x: f32(1, 3, 8, 8) },
      outputs: { y: f32(1, 192) },
    };
    expect(shapes((await read({ graph: fixed }, { "x:0": 7 })).graph).y).toEqual([7, 192]);
    expect(shapes((await read({ graph: fixed })).graph).y).toEqual([1, 192]);
  });

  it("declared otherwise than the inputs give are named", async () => {
    const wrong = { ...graph, inputs: { x: f32(1, 3, 8, 8) }, outputs: { y: f32(1, 100) } };
    const { graph: read1, notes } = await read({ graph: wrong });
    expect(shapes(read1).y).toEqual([1, 192]);
    expect(notes).toContain('Declared with another shape than the inputs give, which was taken: "y"');
  });

  it("come from value_info where an operator is not known", async () => {
    const custom: GraphRow = {
      nodes: [
        { ...node("Mystery", ["x"], ["h"]), domain: "acme" },
        { ...node("Mystery", ["h"], ["k"]), domain: "acme" },
        node("Relu", ["k"], ["y"]),
      ],
      inputs: { x: f32(2, 2) },
      outputs: { y: f32(2, 3) },
      valueInfo: { h: f32(2, 7) },
    };
    const { graph: told, notes } = await read({ graph: custom, domains: { acme: 1 } });
    expect(shapes(told)).toMatchObject({ h: [2, 7], y: [2, 3] });
    expect(find(told, "acme::Mystery")?.specs).toEqual(["h"]);
    expect(notes).toContain('Size unknown, not planned (1): "k (no shape rule for acme.Mystery)"');
  });

  it.each([
    ["an unknown name", { other: 1 }, "dims.other"],
    ["a negative extent", { batch: -1 }, "dims.batch"],
    ["half an element", { batch: 1.5 }, "dims.batch"],
  ])("%s is an error", async (_, dims, path) => {
    await expect(importModel(onnxFile({ graph }), { dims })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      path,
    });
  });
});

describe("constants", () => {
  it("of initialisers that are inputs too (before IR version 4) are no inputs", async () => {
    const { graph } = await read({
      graph: {
        nodes: [node("Add", ["x", "w"], ["y"])],
        inputs: { x: f32(4), w: f32(4) },
        outputs: { y: null },
        constants: { w: { type: kFloat, shape: [4], values: [1, 2, 3, 4] } },
      },
    });
    expect(graph.tensors.find(({ id }) => id === "w")).toEqual({
      id: "w",
      dtype: "float32",
      shape: [4],
      const: true,
    });
  });

  it("in other files are named and not looked for", async () => {
    const { graph, notes } = await read({
      graph: {
        nodes: [node("MatMul", ["x", "w"], ["y"])],
        inputs: { x: f32(2, 1000) },
        outputs: { y: null },
        constants: { w: { type: kFloat, shape: [1000, 5], external: true } },
      },
    });
    expect(shapes(graph)).toEqual({ x: [2, 1000], y: [2, 5] });
    expect(notes).toContain("1 constants lie in other files");
  });

  it("of packed types carry their bytes", async () => {
    const { graph } = await read({
      opset: 21,
      graph: {
        nodes: [node("DequantizeLinear", ["w", "s"], ["d"]), node("Add", ["x", "d"], ["y"])],
        inputs: { x: f32(3, 3), w: { type: 22, shape: [3, 3] } },
        outputs: { y: null },
        constants: { s: { type: kFloat, shape: [], values: [0.5] } },
      },
    });
    expect(graph.tensors.find(({ id }) => id === "w")).toEqual({
      id: "w",
      dtype: "int4",
      shape: [3, 3],
      nbytes: 5,
    });
  });
});

describe("If", () => {
  const side = (op: string): GraphRow => ({
    nodes: [node(op, ["x"], ["r"]), node("Mul", ["r", "w"], ["m"])],
    outputs: { m: null },
  });
  const graph: GraphRow = {
    nodes: [
      node("If", ["c"], ["y"], {
        then_branch: { graph: side("Sin") },
        else_branch: { graph: { nodes: [node("Add", ["z", "x"], ["m"])], outputs: { m: null } } },
      }),
    ],
    inputs: { c: { type: kBool, shape: [] }, x: f32(4), z: f32(4) },
    outputs: { y: null },
    constants: { w: { type: kFloat, shape: [4], values: [1, 1, 1, 1] } },
  };

  it("takes what either branch captures as operands of both", async () => {
    const { graph: read1 } = await read({ graph });
    const cond = find(read1, "cond");
    expect(cond?.args).toEqual(["c", "x", "z"]);
    expect(cond?.submodules).toEqual(["if_y_then_branch", "if_y_else_branch"]);
    const [yes, no] = (cond?.submodules ?? []).map((name) => read1.submodules?.[name]);
    // Operands bind by position, constants apart.
    const inputs = (submodule: Graph | undefined) => {
      const constants = new Set(submodule?.tensors.filter((tensor) => tensor.const).map(({ id }) => id));
      return placeholders(submodule).filter((id) => !constants.has(id ?? ""));
    };
    expect(inputs(yes)).toEqual(["x", "z"]);
    expect(inputs(no)).toEqual(["x", "z"]);
    expect(placeholders(yes)).toContain("w");
    expect(shapes(read1).y).toEqual([4]);
  });

  it("with a constant condition is its branch", async () => {
    const inputs = { x: f32(4), z: f32(4) };
    const constants = { ...graph.constants, c: { type: kBool, shape: [], values: [0] } };
    const { graph: read1 } = await read({ graph: { ...graph, inputs, constants } });
    expect(read1.nodes.map(({ target }) => target)).toEqual(["x", "z", "onnx::Add", "output"]);
    expect(read1.submodules).toBeUndefined();
  });

  it("whose branches differ in size leaves the result open, by name", async () => {
    const uneven = structuredClone(graph);
    const attributes = uneven.nodes[0]?.attributes;
    if (attributes !== undefined) {
      attributes.else_branch = {
        graph: { nodes: [node("Concat", ["z", "x"], ["m"], { axis: { i: 0 } })], outputs: { m: null } },
      };
    }
    const { graph: read1, notes } = await read({ graph: uneven });
    expect(read1.tensors.find(({ id }) => id === "y")?.dynamism).toBe("dynamic_unbound");
    expect(notes).toContain('Size unknown, not planned (1): "y"');
  });
});

describe("Loop", () => {
  const loop = (carriedOp: NodeRow, constants: GraphRow["constants"] = {}): GraphRow => ({
    nodes: [
      node("Loop", ["trips", "go", "x"], ["last", "all"], {
        body: {
          graph: {
            nodes: [node("Identity", ["keep"], ["kept"]), carriedOp, node("Mul", ["b", "outer"], ["each"])],
            inputs: { i: { type: kInt64, shape: [] }, keep: { type: kBool, shape: [] }, a: f32(null) },
            outputs: { kept: null, b: null, each: null },
          },
        },
      }),
    ],
    inputs: {
      ...("trips" in constants ? {} : { trips: { type: kInt64, shape: [] } }),
      ...("go" in constants ? {} : { go: { type: kBool, shape: [] } }),
      x: f32(4),
      outer: f32(4),
    },
    outputs: { last: null, all: null },
    constants,
  });
  const kAdd = node("Add", ["a", "outer"], ["b"]);

  it("carries counter, condition and values, and captures the rest", async () => {
    const { graph } = await read({ graph: loop(kAdd) });
    const item = find(graph, "while");
    expect(item).toMatchObject({ args: ["trips", "go", "x", "outer"], carried: 3 });
    expect(item?.specs).toEqual(["i_last", "keep_last", "last", "all"]);
    const [condition, body] = (item?.submodules ?? []).map((name) => graph.submodules?.[name]);
    expect(placeholders(condition)).toEqual(["i", "keep", "a", "outer"]);
    expect(placeholders(body)).toEqual(["i", "keep", "a", "outer"]);
    expect(body?.nodes.at(-1)?.specs).toEqual(["i_next", "kept", "b", "each"]);
    expect(shapes(graph)).toMatchObject({ last: [4], all: undefined });
  });

  it("with a constant count that nothing stops stacks that many", async () => {
    const constants = {
      trips: { type: kInt64, shape: [], values: [6] },
      go: { type: kBool, shape: [], values: [1] },
    };
    expect(shapes((await read({ graph: loop(kAdd, constants) })).graph)).toMatchObject({
      last: [4],
      all: [6, 4],
    });
  });

  it("whose value grows from turn to turn leaves it open", async () => {
    const { graph, notes } = await read({
      graph: loop(node("Concat", ["a", "outer"], ["b"], { axis: { i: 0 } })),
    });
    expect(shapes(graph).last).toBeUndefined();
    expect(notes).toContain('"last');
  });
});

describe("Scan", () => {
  it("slices, stacks and captures", async () => {
    const { graph } = await read({
      graph: {
        nodes: [
          node("Scan", ["h", "x"], ["last", "all"], {
            num_scan_inputs: { i: 1 },
            body: {
              graph: {
                nodes: [node("Add", ["s", "t"], ["sum"]), node("Mul", ["sum", "outer"], ["each"])],
                inputs: { s: f32(3), t: f32(3) },
                outputs: { sum: null, each: null },
              },
            },
          }),
        ],
        inputs: { h: f32(3), x: f32(5, 3), outer: f32(3) },
        outputs: { last: null, all: null },
      },
    });
    expect(find(graph, "scan")).toMatchObject({
      args: ["h", "x", "outer"],
      carried: 1,
      mapped: 1,
      specs: ["last", "all"],
    });
    expect(shapes(graph)).toMatchObject({ last: [3], all: [5, 3] });
  });
});

describe("functions of the model", () => {
  const double = (calls: NodeRow[]): ModelRow => ({
    domains: { acme: 1 },
    graph: {
      nodes: [{ ...node("Block", ["x"], ["y"], { slope: { f: 0.1 } }), domain: "acme", name: "first" }],
      inputs: { x: f32(2, 6) },
      outputs: { y: null },
    },
    functions: [
      {
        name: "Block",
        domain: "acme",
        inputs: ["a"],
        outputs: ["d"],
        nodes: calls,
        defaults: { axis: { i: 1 } },
      },
      {
        name: "Half",
        domain: "acme",
        inputs: ["p"],
        outputs: ["q"],
        nodes: [node("ReduceSum", ["p", ""], ["q"], { keepdims: { i: 1 } })],
      },
    ],
  });

  it("are unfolded in place, attributes and defaults handed in", async () => {
    const { graph } = await read(
      double([
        node("LeakyRelu", ["a"], ["b"], { alpha: { ref: "slope" } }),
        node("Softmax", ["b"], ["c"], { axis: { ref: "axis" } }),
        { ...node("Half", ["c"], ["d"]), domain: "acme" },
      ]),
    );
    const targets = graph.nodes.map(({ target }) => target);
    expect(targets).toEqual(["x", "onnx::LeakyRelu", "onnx::Softmax", "onnx::ReduceSum", "output"]);
    expect(shapes(graph)).toEqual({
      x: [2, 6],
      "first/b": [2, 6],
      "first/c": [2, 6],
      "first/half_d/q": [1, 1],
    });
  });

  it("that call themselves are refused", async () => {
    const row = double([{ ...node("Block", ["a"], ["d"]), domain: "acme" }]);
    await expect(importModel(onnxFile(row))).rejects.toMatchObject({ code: "UNSUPPORTED" });
  });
});

describe("faulty models", () => {
  const cases: [string, GraphRow, string][] = [
    [
      "a value that nothing writes",
      { nodes: [node("Relu", ["nowhere"], ["y"])], outputs: { y: null } },
      "graph.node[0].input[0]",
    ],
    ["an output that nothing writes", { nodes: [], outputs: { y: null } }, "graph.output[0]"],
    [
      "an If without branches",
      { nodes: [node("If", ["c"], ["y"])], inputs: { c: { type: kBool, shape: [] } }, outputs: { y: null } },
      "graph.node[0].then_branch",
    ],
  ];
  it.each(cases)("%s is an error with the place", async (_, graph, path) => {
    await expect(importModel(onnxFile({ graph }))).rejects.toMatchObject({ code: "INVALID_INPUT", path });
  });

  it("a shape past 2^53 bytes is an error", async () => {
    const graph = {
      nodes: [node("Relu", ["x"], ["y"])],
      inputs: { x: f32(2 ** 30, 2 ** 30) },
      outputs: { y: null },
    };
    await expect(importModel(onnxFile({ graph }))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      path: "x",
    });
  });

  it("operators that do not fit their inputs leave the result open", async () => {
    const { notes } = await read({
      graph: {
        nodes: [node("Add", ["x", "z"], ["y"])],
        inputs: { x: f32(3), z: f32(4) },
        outputs: { y: null },
      },
    });
    expect(notes).toContain("3 and 4 do not broadcast");
  });

  it("names such as __proto__ and constructor are only names", async () => {
    const { graph } = await read({
      graph: {
        nodes: [node("constructor", ["__proto__"], ["toString"]), node("Relu", ["toString"], ["valueOf"])],
        inputs: { ["__proto__"]: f32(2) },
        outputs: { valueOf: f32(2) },
      },
    });
    expect(graph.nodes.map(({ name }) => name)).toEqual([
      "__proto__",
      "constructor_toString",
      "relu_valueOf",
      "output",
    ]);
  });
});
