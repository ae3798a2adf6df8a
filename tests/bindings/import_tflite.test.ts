import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph, Methods, Node } from "../../bindings/types.js";
import {
  kCallOnceOptions,
  kIfOptions,
  kWhileOptions,
  type OperatorRow,
  type SubgraphRow,
  tfliteFile,
} from "./import_tflite_file.js";

async function read(rows: Parameters<typeof tfliteFile>[0]) {
  const { graph, notes } = await importModel(tfliteFile(rows));
  return { graph: graph as Graph, notes: notes.join("\n") };
}

const find = (graph: Graph, target: string): Node | undefined =>
  graph.nodes.find((item) => item.target === target);
const placeholders = (graph: Graph | undefined) =>
  (graph?.nodes ?? []).filter(({ op }) => op === "placeholder").flatMap(({ specs }) => specs ?? []);
const add = (inputs: number[], outputs: number[]): OperatorRow => ({ code: 0, inputs, outputs });
const x4 = (name: string) => ({ name, shape: [4] });

/** One that adds its input to its state. */
const kStateful: SubgraphRow = {
  tensors: [x4("in"), { ...x4("state"), variable: true }, x4("out")],
  inputs: [0],
  outputs: [2],
  operators: [add([0, 1], [2])],
};
const kPlain: SubgraphRow = {
  tensors: [x4("p"), x4("q")],
  inputs: [0],
  outputs: [1],
  operators: [add([0, 0], [1])],
};

describe(".tflite tensors", () => {
  it("of packed types carry their bytes, those without a size are open and named", async () => {
    const { graph, notes } = await read({
      subgraphs: [
        {
          tensors: [
            { name: "nibbles", type: 17, shape: [3, 3] },
            { name: "pairs", type: 19, shape: [5] },
            { name: "words", type: 5, shape: [2] },
            { name: "handle", type: 13, shape: [] },
          ],
          inputs: [0],
          outputs: [1],
          operators: [{ code: 32, custom: "Mix", inputs: [0], outputs: [1, 2, 3] }],
        },
      ],
    });
    expect(graph.tensors).toEqual([
      { id: "nibbles", dtype: "int4", shape: [3, 3], nbytes: 5 },
      { id: "pairs", dtype: "int2", shape: [5], nbytes: 2 },
      { id: "words", dtype: "string", shape: [2], nbytes: 0, dynamism: "dynamic_unbound" },
      { id: "handle", dtype: "resource", shape: [], nbytes: 4 },
    ]);
    expect(find(graph, "tflite::custom:Mix")?.specs).toEqual(["pairs", "words", "handle"]);
    expect(notes).toContain('Size unknown until it runs, not planned: "words"');
    expect(notes).toContain('a byte an element: "nibbles", "pairs"');
  });

  it("of one name are told apart, those of none are numbered", async () => {
    const { graph } = await read({
      subgraphs: [
        {
          tensors: [x4("same"), x4("same"), { shape: [4] }],
          inputs: [0],
          outputs: [2],
          operators: [add([0, 0], [1]), add([1, 1], [2])],
        },
      ],
    });
    expect(graph.tensors.map(({ id }) => id)).toEqual(["same", "same_1", "t2"]);
  });

  it("left open by the file are named with the extents planned", async () => {
    const { notes } = await read({
      subgraphs: [{ ...kPlain, tensors: [{ name: "image", shape: [1, 8], signature: [-1, 8] }, x4("q")] }],
    });
    expect(notes).toContain('Input "image" leaves axis 0 open; planned as [1, 8]');
  });

  it("that a constant is unpacked into are constants", async () => {
    const { graph, notes } = await read({
      subgraphs: [
        {
          tensors: [x4("x"), { name: "half", type: 1, shape: [4], buffer: 1 }, x4("full"), x4("y")],
          inputs: [0],
          outputs: [3],
          operators: [{ code: 6, inputs: [1], outputs: [2] }, add([0, 2], [3])],
        },
      ],
      buffers: [{ data: new Uint8Array(8) }],
    });
    expect(graph.tensors.filter((tensor) => tensor.const).map(({ id }) => id)).toEqual(["full"]);
    expect(notes).toContain("1 constants are unpacked once and kept (16 bytes)");
  });

  it("with data past 2 GB are constants, and the data must be there", async () => {
    const rows = (size: bigint) => ({
      subgraphs: [
        {
          tensors: [x4("x"), { ...x4("w"), buffer: 1 }, x4("y")],
          inputs: [0],
          outputs: [2],
          operators: [add([0, 1], [2])],
        },
      ],
      buffers: [{ offset: 64n, size }],
    });
    const { graph } = await read(rows(16n));
    expect(graph.tensors.find(({ id }) => id === "w")?.const).toBe(true);
    await expect(importModel(tfliteFile(rows(2n ** 40n)))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      path: "buffers[1], byte 64",
    });
  });
});

describe(".tflite control flow", () => {
  it("IF has its branches as submodules, state of either as operands of both", async () => {
    const main: SubgraphRow = {
      tensors: [{ name: "flag", type: 6, shape: [1] }, x4("x"), x4("y")],
      inputs: [0, 1],
      outputs: [2],
      operators: [{ code: 118, inputs: [0, 1], outputs: [2], calls: [kIfOptions, 1, 2] }],
    };
    const { graph } = await read({ subgraphs: [main, kStateful, kPlain] });
    const cond = find(graph, "cond");
    expect(cond).toMatchObject({
      args: ["flag", "x", "state"],
      submodules: ["if_0_then", "if_0_else"],
      specs: ["y"],
    });
    expect(placeholders(graph.submodules?.if_0_then)).toEqual(["in", "state"]);
    expect(placeholders(graph.submodules?.if_0_else)).toEqual(["p", "state"]);
    expect(graph.signature).toEqual({
      inputs_to_buffers: { state: "state_buf" },
      buffers_to_mutate: { state: "state_buf" },
    });
  });

  it("WHILE carries all its values", async () => {
    const main: SubgraphRow = {
      tensors: [x4("x"), x4("y")],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 119, inputs: [0], outputs: [1], calls: [kWhileOptions, 1, 2] }],
    };
    const test: SubgraphRow = {
      tensors: [x4("c"), { name: "go", type: 6, shape: [1] }],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 58, inputs: [0], outputs: [1] }],
    };
    const { graph } = await read({ subgraphs: [main, test, kPlain] });
    expect(find(graph, "while")).toMatchObject({
      args: ["x"],
      specs: ["y"],
      carried: 1,
      submodules: ["while_0_cond", "while_0_body"],
    });
  });

  it("CALL_ONCE is a branch whose other side is empty", async () => {
    const main: SubgraphRow = {
      tensors: [x4("x"), x4("y")],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 129, inputs: [], outputs: [], calls: [kCallOnceOptions, 1, 0] }, add([0, 0], [1])],
    };
    const init: SubgraphRow = {
      tensors: [{ ...x4("seed"), buffer: 1 }, x4("twice")],
      inputs: [],
      outputs: [],
      operators: [add([0, 0], [1])],
    };
    const { graph } = await read({ subgraphs: [main, init], buffers: [{ data: new Uint8Array(16) }] });
    expect(find(graph, "cond")).toMatchObject({
      args: ["call_once_0_first_run"],
      submodules: ["call_once_0_init", "call_once_0_skip"],
      specs: [],
    });
    expect(graph.submodules?.call_once_0_init?.tensors.map(({ id }) => id)).toEqual(["seed", "twice"]);
  });

  it("a subgraph called twice from one graph is one submodule", async () => {
    const main: SubgraphRow = {
      tensors: [{ name: "flag", type: 6, shape: [1] }, x4("x"), x4("y"), x4("z")],
      inputs: [0, 1],
      outputs: [3],
      operators: [
        { code: 118, inputs: [0, 1], outputs: [2], calls: [kIfOptions, 1, 1] },
        { code: 118, inputs: [0, 2], outputs: [3], calls: [kIfOptions, 1, 1] },
      ],
    };
    const { graph } = await read({ subgraphs: [main, kPlain] });
    expect(Object.keys(graph.submodules ?? {})).toEqual(["if_0_then"]);
    expect(graph.nodes.filter(({ target }) => target === "cond").map(({ submodules }) => submodules)).toEqual(
      [
        ["if_0_then", "if_0_then"],
        ["if_0_then", "if_0_then"],
      ],
    );
  });

  it("that calls itself is refused, so is one that unfolds without end", async () => {
    const self: SubgraphRow = {
      tensors: [{ name: "flag", type: 6, shape: [1] }, x4("x"), x4("y")],
      inputs: [0, 1],
      outputs: [2],
      operators: [{ code: 118, inputs: [0, 0, 1], outputs: [2], calls: [kIfOptions, 0, 0] }],
    };
    await expect(importModel(tfliteFile({ subgraphs: [self] }))).rejects.toMatchObject({
      code: "UNSUPPORTED",
    });
    // Each level calls the next from two graphs, and brings state, so that no copy can be shared.
    const level = (next: number): SubgraphRow => ({
      ...self,
      tensors: [...self.tensors, { ...x4(`s${next}`), variable: true }],
      operators: [
        { code: 118, inputs: [0, 0, 1], outputs: [2], calls: [kIfOptions, next, next] },
        { code: 118, inputs: [0, 0, 1], outputs: [2], calls: [kIfOptions, next, next] },
      ],
    });
    const levels = Array.from({ length: 30 }, (_, index) => level(index + 1));
    const last = { ...self, operators: [add([1, 1], [2])] };
    const file = tfliteFile({ subgraphs: [...levels, last] });
    await expect(importModel(file)).rejects.toMatchObject({ code: "UNSUPPORTED" });
  });

  it("subgraphs with signatures of their own are methods", async () => {
    const { graph } = await importModel(
      tfliteFile({
        subgraphs: [kPlain, kStateful],
        signatures: [
          { key: "prefill", subgraph: 0 },
          { key: "decode", subgraph: 1 },
        ],
      }),
    );
    const { methods } = graph as Methods;
    expect(Object.keys(methods)).toEqual(["prefill", "decode"]);
    expect(methods.decode?.signature?.inputs_to_buffers).toEqual({ state: "state_buf" });
  });
});

describe("faulty .tflite files", () => {
  const cases: [string, SubgraphRow, string][] = [
    ["a tensor index that is not there", { ...kPlain, outputs: [7] }, "subgraphs[0]"],
    [
      "an operator input that is not there",
      { ...kPlain, operators: [add([9, 0], [1])] },
      "subgraphs[0].operators[0]",
    ],
    [
      "a type that the format does not have",
      { ...kPlain, tensors: [{ ...x4("p"), type: 99 }, x4("q")] },
      "subgraphs[0].tensors[0]",
    ],
    [
      "a buffer that is not there",
      { ...kPlain, tensors: [{ ...x4("p"), buffer: 5 }, x4("q")] },
      "subgraphs[0].tensors[0]",
    ],
    [
      "a subgraph that is not there",
      { ...kPlain, operators: [{ code: 118, inputs: [0, 0], outputs: [1], calls: [kIfOptions, 5, 6] }] },
      "subgraphs",
    ],
    [
      "a shape past 2^53 bytes",
      { ...kPlain, tensors: [{ name: "p", shape: [2 ** 30, 2 ** 30] }, x4("q")] },
      "subgraphs[0].tensors[0]",
    ],
  ];
  it.each(cases)("%s is an error with the place", async (_, subgraph, path) => {
    await expect(importModel(tfliteFile({ subgraphs: [subgraph] }))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      path,
    });
  });

  it("cut off anywhere the file is an error", async () => {
    const url = new URL("../data/corpus/models/tflm_person_detect.tflite", import.meta.url);
    const file = new Uint8Array(readFileSync(url));
    for (let length = 8; length < file.length; length += 1999) {
      await expect(importModel(file.slice(0, length)), `${length} bytes`).rejects.toMatchObject({
        name: "MemplanError",
        code: "INVALID_INPUT",
      });
    }
  });

  it("whose rows all lead to one table is refused before it fills the memory", async () => {
    const file = tfliteFile({ subgraphs: [kPlain] });
    const rows = 4_000_000;
    const bytes = new Uint8Array(file.length + 4 * rows);
    bytes.set(file);
    // A list of tensors as long as the file, in place of the subgraph's own: found by following the tables.
    const view = new DataView(bytes.buffer);
    const root = view.getUint32(0, true);
    const field = (table: number, index: number) =>
      table + view.getUint16(table - view.getInt32(table, true) + 4 + 2 * index, true);
    const follow = (at: number) => at + view.getUint32(at, true);
    const subgraph = follow(follow(field(root, 2)) + 4);
    const tensors = field(subgraph, 0);
    view.setUint32(tensors, file.length - tensors, true);
    view.setUint32(file.length, rows - 1, true);
    await expect(importModel(bytes)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
