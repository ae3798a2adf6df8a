import { type Graph, load, type Memplan, type Options } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";

/** A chain of operators that may each write over their input, where the options name them. */
function chain(...targets: string[]): Graph {
  const id = (at: number) => `t${at}`;
  return {
    version: 1,
    tensors: [0, ...targets.keys()].map((_, at) => ({ id: id(at), dtype: "float32", shape: [16] })),
    nodes: [
      { name: "n0", op: "placeholder", target: "x", specs: [id(0)] },
      ...targets.map((target, at) => ({
        name: `n${at + 1}`,
        op: "call_function" as const,
        target,
        args: [`n${at}`],
        specs: [id(at + 1)],
      })),
      { name: "output", op: "output", args: [`n${targets.length}`], specs: [id(targets.length)] },
    ],
  };
}

describe("verify", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  const codes = (graph: Graph, planned: Options, verified: Options) =>
    memplan.verify(graph, memplan.plan(graph, planned), verified).errors.map(({ code }) => code);

  it("lets the operators of the list write over their inputs, as plan does, and no others", () => {
    const graph = chain("mine::twice.out", "mine::half.out", "aten::relu.out");
    const list = ["mine::twice.out", "mine::half.out"];
    expect(memplan.plan(graph, { inplace: list }).buffer_sizes).toEqual([0, 128]);
    expect(codes(graph, { inplace: list }, { inplace: list })).toEqual([]);
    // Three overlaps in one place: each of the chain's first three with the next.
    for (const inplace of [false, true, ["mine::half.out"], ["aten::relu"]]) {
      expect(codes(graph, { inplace: list }, { inplace }), String(inplace)).toContain("STORAGE_OVERLAP");
    }
    expect(codes(graph, { inplace: true }, { inplace: list })).toContain("STORAGE_OVERLAP");
    expect(codes(graph, { inplace: true }, { inplace: ["aten::relu"] })).toEqual([]);
  });

  it.each<Options>([
    {},
    { algorithm: "naive" },
    { rules: "executorch-2024" },
    { rules: "executorch-2026", enableNonCpuMemoryPlanning: true },
    { alignment: 1 },
    { alignment: 4096, allocGraphInput: false },
    { allocGraphOutput: false, allocMutableBuffers: false },
    { controlFlowResults: "copy", seed: 7, stepBudget: 100, stopAt: 64 },
    { capacity: 4096 },
    { capacity: [0, 4096] },
    { inplace: true },
    { inplace: [] },
    { inplace: ["aten::relu", "mine::op.out"] },
  ])("passes the plan of %j by the options that the plan says", (options) => {
    const graph: Graph = {
      ...chain("mine::op.out", "aten::relu.out", "aten::neg.out"),
      encounter_to_out_var_failure: true,
    };
    const plan = memplan.plan(graph, options);
    const said = { ...plan.options, ...(plan.rules ? { rules: plan.rules } : {}) };
    expect(memplan.verify(graph, plan, said)).toMatchObject({ ok: true, errors: [] });
    const again = memplan.plan(graph, { ...options, ...said });
    expect({ ...again, results: [] }).toEqual({ ...plan, results: [] });
  });
});
