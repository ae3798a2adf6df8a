import type { Graph } from "memplan";

/** x → relu → add → output: three tensors of 64 bytes, of which two are live at once. */
export function smallGraph(): Graph {
  return {
    version: 1,
    name: "small",
    tensors: ["x", "r", "y"].map((id) => ({ id, dtype: "float32", shape: [1, 16] })),
    nodes: [
      { name: "x", op: "placeholder", target: "x", specs: ["x"] },
      {
        name: "relu",
        op: "call_function",
        target: "aten::relu.out",
        args: ["x"],
        variant: "out",
        specs: ["r"],
      },
      {
        name: "exp",
        op: "call_function",
        target: "aten::exp.out",
        args: ["relu"],
        variant: "out",
        specs: ["y"],
      },
      { name: "output", op: "output", args: ["exp"], specs: ["y"] },
    ],
    encounter_to_out_var_failure: true,
  };
}

/** A chain of `count` tensors, each 64 bytes more than the last. */
export function chainGraph(count: number): Graph {
  const graph: Graph = { tensors: [], nodes: [], encounter_to_out_var_failure: true };
  for (let i = 0; i < count; i++) {
    graph.tensors.push({ id: `t${i}`, nbytes: 64 * (i + 1) });
    graph.nodes.push(
      i === 0
        ? { name: "n0", op: "placeholder", target: "n0", specs: ["t0"] }
        : {
            name: `n${i}`,
            op: "call_function",
            target: "aten::relu.out",
            args: [`n${i - 1}`],
            specs: [`t${i}`],
          },
    );
  }
  graph.nodes.push({ name: "output", op: "output", args: [`n${count - 1}`], specs: [`t${count - 1}`] });
  return graph;
}
