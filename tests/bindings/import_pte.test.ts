import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph, Methods, Node } from "../../bindings/types.js";
import { lifetimesOf } from "./import_lifetimes.js";
import { type PteMethodRow, pteFile } from "./import_pte_file.js";

async function read(...methods: PteMethodRow[]) {
  const { graph, plan, notes } = await importModel(pteFile(methods));
  return { graph: graph as Graph, plan, notes: notes.join("\n") };
}

const steps = (graph: Graph) =>
  graph.nodes
    .filter(({ op }) => op !== "placeholder")
    .map(({ target, args, specs }) => [target, args ?? [], specs]);
const find = (graph: Graph, target: string): Node | undefined =>
  graph.nodes.find((item) => item.target === target);
const add = (args: number[]) => ({ kernel: ["aten::add", "out"] as [string, string], args });

describe(".pte methods", () => {
  it("with out variants have alloc nodes and ExecuTorch's plan", async () => {
    const { graph, plan } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], at: [1, 16] },
        "int",
        { shape: [4], at: [1, 2 ** 33] },
      ],
      inputs: [0],
      outputs: [3],
      instructions: [add([0, 0, 2, 1, 1]), add([1, 0, 2, 3, 3])],
      sizes: [0, 2 ** 33 + 16],
    });
    expect(graph.name).toBe("forward");
    expect(steps(graph)).toEqual([
      ["memory.alloc", [], ["v1"]],
      ["aten::add.out", ["v0", "alloc"], ["v1"]],
      ["memory.alloc", [], ["v3"]],
      ["aten::add.out", ["i0_add", "v0", "alloc_1"], ["v3"]],
      ["output", ["i1_add"], ["v3"]],
    ]);
    expect(plan).toEqual({
      buffer_sizes: [0, 2 ** 33 + 16],
      tensors: [
        { id: "v0", mem_id: 1, mem_offset: 0 },
        { id: "v1", mem_id: 1, mem_offset: 16 },
        { id: "v3", mem_id: 1, mem_offset: 2 ** 33 },
      ],
    });
  });

  it("read a value that was only placed as a view of what lies there", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], at: [1, 16] },
        { shape: [2, 2], at: [1, 16] },
        { shape: [4], at: [1, 32] },
      ],
      inputs: [0],
      outputs: [3],
      instructions: [add([0, 0, 1, 1]), add([2, 2, 3, 3])],
      sizes: [0, 48],
    });
    expect(find(graph, "memory.view")).toMatchObject({ args: ["i0_add"], specs: ["v1"] });
    expect(graph.tensors.map(({ id }) => id)).toEqual(["v0", "v1", "v3"]);
    expect(lifetimesOf(graph).get("v1")).toMatchObject({ first: 1, last: 5 });
  });

  it("take memory that nothing wrote for scratch of an out variant, else for state", async () => {
    const scratch = { shape: [32], type: 0, at: [1, 64] as [number, number] };
    const { graph } = await read({
      name: "forward",
      values: [{ shape: [4], at: [1, 0] }, scratch, { shape: [4], at: [1, 16] }],
      inputs: [0],
      outputs: [2],
      instructions: [{ kernel: ["cortex_m::pool", "out"], args: [0, 1, 2, 2] }],
      sizes: [0, 96],
    });
    expect(find(graph, "cortex_m::pool.out")).toMatchObject({
      args: ["v0", "alloc", "alloc_1"],
      specs: ["v2"],
    });
    expect(lifetimesOf(graph).get("v1")).toMatchObject({ first: 1, last: 3 });
  });

  it("with state have it in the signature, named as in the model", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], at: [1, 16], hasData: true, name: "layer.cache" },
        { shape: [4], at: [1, 32] },
      ],
      inputs: [0],
      outputs: [2],
      instructions: [add([1, 0, 2, 2]), { kernel: ["aten::copy_", ""], args: [1, 0, 1] }],
      sizes: [0, 48],
    });
    expect(graph.signature).toEqual({
      inputs_to_buffers: { v1: "layer.cache" },
      buffers_to_mutate: { i1_copy_: "layer.cache" },
    });
    expect(find(graph, "aten::copy_")).toMatchObject({ variant: "inplace", specs: ["v1"] });
    expect(graph.nodes.at(-1)?.specs).toEqual(["v2", "v1"]);
  });

  it("give an item for each of several outputs, lists taken apart", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [2], at: [1, 16] },
        { shape: [2], at: [1, 32] },
        { list: [1, 2] },
        { shape: [2], at: [1, 48] },
      ],
      inputs: [0],
      outputs: [4],
      instructions: [{ kernel: ["aten::split_copy", "Tensor_out"], args: [0, 3, 3] }, add([1, 2, 4, 4])],
      sizes: [0, 64],
    });
    expect(find(graph, "aten::split_copy.Tensor_out")?.specs).toEqual(["v1", "v2"]);
    expect(find(graph, "aten::add.out")?.args).toEqual(["getitem_v1", "getitem_v2", "alloc_2"]);
  });

  it("call delegates as one opaque node with the backend's name", async () => {
    const { graph, notes } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], hasData: true },
        { shape: [4], at: [1, 16] },
        { shape: [4], at: [1, 32] },
      ],
      inputs: [0],
      outputs: [3],
      instructions: [{ delegate: "XnnpackBackend", args: [0, 1, 2, 3] }],
      sizes: [0, 48],
    });
    expect(find(graph, "executorch_call_delegate")).toMatchObject({
      args: ["v0", "v1"],
      specs: ["v2", "v3"],
      backend_id: "XnnpackBackend",
    });
    expect(notes).toContain('delegates ("XnnpackBackend")');
  });

  it("with a condition have its branches as submodules, results where the moves lead", async () => {
    const { graph, plan } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [1], type: 11, at: [1, 16] },
        { shape: [4], at: [1, 32] },
        { shape: [4], at: [1, 32] },
        { shape: [4], at: [1, 64] },
        { shape: [4], at: [1, 48] },
        { shape: [4], at: [1, 80] },
      ],
      inputs: [0, 1, 6],
      outputs: [5],
      instructions: [
        { jump: [1, 4] },
        add([0, 0, 2, 2]),
        { move: [2, 4] },
        { jump: [1, 6] },
        add([0, 6, 3, 3]),
        { move: [3, 4] },
        add([4, 4, 5, 5]),
      ],
      sizes: [0, 96],
    });
    const cond = find(graph, "cond");
    expect(cond).toMatchObject({
      args: ["v1", "v0", "v6"],
      specs: ["v4"],
      submodules: ["i0_true", "i0_false"],
    });
    expect(graph.nodes.find(({ name }) => name === "i6_add")?.args).toEqual(["i0_cond", "alloc"]);
    const branch = graph.submodules?.i0_true;
    expect(branch?.nodes.map(({ target, specs }) => [target, specs])).toEqual([
      ["v0", ["v0"]],
      ["v6", ["v6"]],
      ["memory.alloc", ["v2"]],
      ["aten::add.out", ["v2"]],
      ["output", ["v2"]],
    ]);
    expect(plan?.submodules?.i0_false).toEqual({
      buffer_sizes: [0, 48],
      tensors: [{ id: "v3", mem_id: 1, mem_offset: 32 }],
    });
  });

  it("with loops keep what the loop reads until it jumps back", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], at: [1, 16] },
        { shape: [4], at: [1, 32] },
        { shape: [1], type: 11, at: [1, 48] },
        { shape: [4], at: [1, 64] },
      ],
      inputs: [0],
      outputs: [4],
      instructions: [
        add([0, 0, 1, 1]),
        add([1, 0, 2, 2]),
        { kernel: ["aten::lt", "out"], args: [0, 3, 3] },
        { jump: [3, 1] },
        add([0, 0, 4, 4]),
      ],
      sizes: [0, 80],
    });
    const jump = graph.nodes.findIndex(({ target }) => target === "executorch::jump_false");
    expect(lifetimesOf(graph).get("v1")?.last).toBe(jump);
  });

  it("skip free calls, which follow from the plan", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], dynamism: 2 },
      ],
      inputs: [0],
      outputs: [0],
      instructions: [add([0, 0, 1, 1]), { free: 1 }],
      sizes: [0, 16],
    });
    expect(graph.tensors[1]).toMatchObject({ id: "v1", dynamism: "dynamic_unbound" });
    expect(graph.nodes.map(({ target }) => target)).not.toContain("memory.free");
  });

  it("keep pools and devices", async () => {
    const { graph } = await read({
      name: "forward",
      values: [
        { shape: [4], at: [1, 0] },
        { shape: [4], at: [2, 0], device: [1, 0] },
      ],
      inputs: [0],
      outputs: [1],
      instructions: [add([0, 0, 1, 1])],
      sizes: [0, 16, 16],
    });
    expect(graph.tensors[1]).toMatchObject({ id: "v1", mem_id: 2, device: "cuda:0" });
  });

  it("of several names give methods, each with its plan", async () => {
    const method = (name: string): PteMethodRow => ({
      name,
      values: [{ shape: [4], at: [1, 0] }, { shape: [4] }],
      inputs: [0],
      outputs: [1],
      instructions: [add([0, 0, 1, 1])],
      sizes: [0, 16],
    });
    const { graph, plan } = await importModel(pteFile([method("prefill"), method("decode")]));
    expect(Object.keys((graph as Methods).methods)).toEqual(["prefill", "decode"]);
    expect(plan?.methods?.decode).toEqual({
      buffer_sizes: [0, 16],
      tensors: [
        { id: "v0", mem_id: 1, mem_offset: 0 },
        { id: "v1", mem_id: null, mem_offset: null },
      ],
    });
  });
});

describe("the extended header", () => {
  const file = new Uint8Array(
    readFileSync(new URL("../data/corpus/models/keyword_spotting.pte", import.meta.url)),
  );
  it.each([
    ["that claims a longer program", 16, 0xffffffff],
    ["that claims segments past the end", 24, 0xffffffff],
    ["that is too short", 12, 8],
  ])("%s is an error", async (_, at, value) => {
    const bytes = file.slice();
    new DataView(bytes.buffer).setUint32(at, value, true);
    await expect(importModel(bytes)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      path: "extended_header, byte 8",
    });
  });

  it("cut off anywhere, the file is an error", async () => {
    for (let length = 8; length < file.length; length += 997) {
      await expect(importModel(file.slice(0, length)), `${length} bytes`).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
  });
});
