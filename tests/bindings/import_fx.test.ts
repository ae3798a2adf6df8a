import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph } from "../../bindings/types.js";
import { lifetimesOf } from "./import_lifetimes.js";

const encode = (text: string) => new TextEncoder().encode(text);
async function read(text: string, dims?: Record<string, number>) {
  const { format, graph, notes } = await importModel(encode(text), dims === undefined ? {} : { dims });
  expect(format).toBe("fx");
  return { graph: graph as Graph, notes: notes.join("\n") };
}
const rows = (graph: Graph) =>
  graph.nodes.map(({ op, target, args, specs }) => [op, target, args ?? [], specs]);
const planned = (graph: Graph) =>
  graph.tensors.filter((tensor) => !tensor.const).map(({ id, shape, dtype }) => [id, dtype, shape]);

describe("printed FX graphs", () => {
  it("reads lines as an issue shows them", async () => {
    const { graph, notes } = await read(`
      %x : f32[1, 64] = placeholder[target=x]
      %relu : f32[1, 64] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
      %add : f32[1, 64] = call_function[target=torch.ops.aten.add.Tensor](args = (%relu, %x), kwargs = {})
      return (add,)`);
    expect(planned(graph)).toEqual(["x", "relu", "add"].map((id) => [id, "float32", [1, 64]]));
    expect(rows(graph)).toEqual([
      ["placeholder", "x", [], ["x"]],
      ["call_function", "aten::relu", ["x"], ["relu"]],
      ["call_function", "aten::add.Tensor", ["relu", "x"], ["add"]],
      ["output", "output", ["add"], ["add"]],
    ]);
    expect(notes).toBe("");
  });

  it("reads ExecuTorch's own form, sizes from memory.alloc", async () => {
    const { graph } = await read(`graph():
    %x : [num_users=1] = placeholder[target=x]
    %alloc : [num_users=1] = call_function[target=executorch.exir.memory.alloc](args = (((2, 8), torch.float32),), kwargs = {})
    %relu : f32[2, 8] [num_users=1] = call_function[target=torch.ops.aten.relu.out](args = (%x,), kwargs = {out: %alloc})
    %view : [num_users=1] = call_function[target=executorch.exir.memory.view](args = (%relu, [16]), kwargs = {})
    %alloc_1 : [num_users=1] = call_function[target=executorch.exir.memory.alloc](args = (((16,), torch.int8),), kwargs = {})
    %q : [num_users=1] = call_function[target=torch.ops.quantized_decomposed.quantize_per_tensor.out](args = (%view, 0.5, 0), kwargs = {out: %alloc_1})
    return (q,)`);
    expect(rows(graph).slice(1)).toEqual([
      ["call_function", "memory.alloc", [], ["alloc"]],
      ["call_function", "aten::relu.out", ["x", "alloc"], ["alloc"]],
      ["call_function", "memory.view", ["relu"], ["alloc"]],
      ["call_function", "memory.alloc", [], ["alloc_1"]],
      ["call_function", "quantized_decomposed::quantize_per_tensor.out", ["view", "alloc_1"], ["alloc_1"]],
      ["output", "output", ["q"], ["alloc_1"]],
    ]);
    expect(graph.nodes[2]?.variant).toBe("out");
    const lives = lifetimesOf(graph);
    expect(lives.get("alloc")).toEqual({ size: 64, first: 1, last: 5 });
    expect(lives.get("alloc_1")).toEqual({ size: 16, first: 4, last: 6 });
  });

  it("reads print_readable with submodules, tuples and sources", async () => {
    const { graph } = await read(`class GraphModule(torch.nn.Module):
    def forward(self, pred: "b8[]", x: "f32[4, 8]"):
        # File: model.py:12 in forward, code: return cond(pred, f, g, (x,))
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(pred, true_graph_0, false_graph_0, (x,));  pred = true_graph_0 = false_graph_0 = None
        getitem: "f32[4, 8]" = cond[0];  cond = None
        split = torch.ops.aten.split.Tensor(getitem, 2);  getitem = None
        getitem_1: "f32[2, 8]" = split[0]
        getitem_2: "f32[2, 8]" = split[1];  split = None
        add_: "f32[2, 8]" = torch.ops.aten.add_.Tensor(getitem_1, getitem_2);  getitem_1 = getitem_2 = None
        return (add_,)

    class true_graph_0(torch.nn.Module):
        def forward(self, arg0: "f32[4, 8]"):
            sin: "f32[4, 8]" = torch.ops.aten.sin.default(arg0);  arg0 = None
            return (sin,)

    class false_graph_0(torch.nn.Module):
        def forward(self, arg0: "f32[4, 8]"):
            cos: "f32[4, 8]" = torch.ops.aten.cos.default(arg0);  arg0 = None
            return (cos,)
`);
    expect(Object.keys(graph.submodules ?? {})).toEqual(["true_graph_0", "false_graph_0"]);
    const cond = graph.nodes.find(({ target }) => target === "cond");
    expect(cond?.submodules).toEqual(["true_graph_0", "false_graph_0"]);
    expect(cond?.specs).toEqual(["getitem"]);
    expect(cond?.source).toBe("model.py:12");
    expect(graph.nodes.find(({ name }) => name === "split")?.specs).toEqual(["getitem_1", "getitem_2"]);
    const add = graph.nodes.find(({ name }) => name === "add_");
    expect([add?.variant, add?.specs]).toEqual(["inplace", ["getitem_1"]]);
    expect(graph.submodules?.true_graph_0?.nodes.map(({ target }) => target)).toEqual([
      "arg0",
      "aten::sin",
      "output",
    ]);
  });

  it("takes constants and state from an exported program's signature", async () => {
    const { graph, notes } = await read(`ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, p_w: "f32[8, 8]", b_cache: "f32[4, 8]", b_mean: "f32[8]", x: "f32[4, 8]"):
            add: "f32[4, 8]" = torch.ops.aten.add.Tensor(b_cache, x);  b_cache = x = None
            mm: "f32[4, 8]" = torch.ops.aten.mm.default(add, p_w);  p_w = None
            return (add, mm)

Graph signature:
    # inputs
    p_w: PARAMETER target='w'
    b_cache: BUFFER target='cache' persistent=True
    b_mean: BUFFER target='mean' persistent=True
    x: USER_INPUT

    # outputs
    add: BUFFER_MUTATION target='cache'
    mm: USER_OUTPUT

Range constraints: {}
`);
    expect(graph.tensors.filter((tensor) => tensor.const).map(({ id }) => id)).toEqual(["p_w", "b_mean"]);
    expect(graph.signature).toEqual({
      inputs_to_buffers: { b_cache: "cache" },
      buffers_to_mutate: { add: "cache" },
    });
    expect(notes).toBe("");
  });

  it("gives symbols the extents it is told, and names them where it is not", async () => {
    const text = `%x : f32[s0, 64] = placeholder[target=x]
%relu : f32[s0, 64] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
%n : Sym(s0) = call_function[target=torch.ops.aten.sym_size.int](args = (%relu, 0), kwargs = {})
return relu`;
    const { graph } = await read(text, { s0: 3 });
    expect(planned(graph)).toEqual([
      ["x", "float32", [3, 64]],
      ["relu", "float32", [3, 64]],
    ]);
    expect(graph.nodes[2]?.specs).toEqual([null]);
    const open = await read(text);
    expect(open.notes).toContain('Extents without a value: "s0"');
    expect(open.graph.tensors.every(({ dynamism }) => dynamism === "dynamic_unbound")).toBe(true);
  });

  it("says what it took for constants by name, and which lines it did not understand", async () => {
    const { graph, notes } = await read(`graph():
    %p_weight : f32[8, 8] = placeholder[target=p_weight]
    %x : f32[8, 8] = placeholder[target=x]
    something else
    %mm : f32[8, 8] = call_function[target=torch.ops.aten.mm.default](args = (%x, %p_weight), kwargs = {})
    return mm`);
    expect(graph.tensors[0]).toEqual({ id: "p_weight", dtype: "float32", shape: [8, 8], const: true });
    expect(notes).toContain('by the names that torch.export gives them: "p_weight"');
    expect(notes).toContain('not understood: "something else"');
  });

  it("reads coloured terminal output", async () => {
    const { graph } = await read(
      '\u001b[34mclass\u001b[0m G(torch.nn.Module):\n  def forward(self, x: "f32\u001b[2m[4]\u001b[0m"):\n    return x',
    );
    expect(planned(graph)).toEqual([["x", "float32", [4]]]);
  });
});

describe("content tells the format", () => {
  it.each([
    ["csv", "id,lower,upper,size\n0,1,2,3\n"],
    ["csv", "start,end,size,id\n"],
    ["json", ' {"version":1,"tensors":[],"nodes":[]}'],
  ])("%s is left to the planner", async (format, text) => {
    expect(await importModel(encode(text))).toEqual({ format, notes: [] });
  });
  it.each([
    ["nothing", new Uint8Array()],
    ["a few bytes", new Uint8Array([1, 2, 3])],
    ["text", encode("Dear reader, this is no model.\n")],
    ["a picture", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])],
    ["a zip", new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0])],
  ])("refuses %s", async (_, bytes) => {
    await expect(importModel(bytes)).rejects.toMatchObject({
      name: "MemplanError",
      code: "INVALID_INPUT",
      path: "byte 0",
    });
  });
});
