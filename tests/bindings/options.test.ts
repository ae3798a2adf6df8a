import { load, type Memplan, MemplanError } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { smallGraph } from "./small_graph.ts";

describe("options", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  function errorOf(options: unknown): MemplanError {
    try {
      memplan.plan(smallGraph(), options as never);
    } catch (error) {
      expect(error).toBeInstanceOf(MemplanError);
      return error as MemplanError;
    }
    throw new Error("no error");
  }

  it.each([
    ["rules", "Sound"],
    ["rules", 1],
    ["rules", null],
    ["algorithm", 5],
    ["algorithm", ""],
    ["algorithm", "no_such_algorithm"],
    ["alignment", 0],
    ["alignment", 3],
    ["alignment", -16],
    ["alignment", 1.5],
    ["alignment", 2 ** 49 + 1],
    ["alignment", 2 ** 53],
    ["alignment", "16"],
    ["alignment", 16n],
    ["alignment", Number.NaN],
    ["allocGraphInput", 1],
    ["allocGraphOutput", "true"],
    ["allocMutableBuffers", {}],
    ["timeLimitMs", -1],
    ["timeLimitMs", Number.NaN],
    ["timeLimitMs", "10"],
    ["stepBudget", 0],
    ["stepBudget", 0.5],
    ["stepBudget", 2 ** 53],
    ["seed", -1],
    ["seed", 0.1],
    ["seed", "1"],
    ["stopAt", -1],
    ["stopAt", Number.POSITIVE_INFINITY],
    ["capacity", -1],
    ["capacity", "1024"],
    ["capacity", []],
    ["capacity[1]", [0, -1]],
    ["capacity[0]", [null, 5]],
    ["controlFlowResults", "Move"],
    ["inplace", "relu"],
    ["inplace[0]", [5]],
    ["inplace[1]", ["aten::relu", ""]],
    ["allowLifetimeAndStorageOverlap", 0],
    ["enableNonCpuMemoryPlanning", 1],
    ["enableNonCpuMemoryPlanning", true],
    ["alignement", 16],
    ["signal", new AbortController().signal],
  ])("%s: %s is INVALID_OPTION with its path", (path, value) => {
    const name = path.replace(/\[.*/, "");
    const error = errorOf({ [name]: value });
    expect({ code: error.code, path: error.path }).toEqual({ code: "INVALID_OPTION", path });
    // The next call works.
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it.each([
    { rules: "executorch-2024", inplace: true },
    { rules: "executorch-2026", controlFlowResults: "copy" },
    { rules: "executorch-2024", enableNonCpuMemoryPlanning: true },
    { rules: "executorch-2024", algorithm: "greedy_by_size" },
    { rules: "executorch-2024", algorithm: "greedy_no_overlap" },
    { algorithm: "suite_naive_greedy" },
  ])("refuses what the rules would pass over: %j", (options) => {
    expect(errorOf(options).code).toBe("INVALID_OPTION");
  });

  it("names the algorithms that there are", () => {
    const { message } = errorOf({ algorithm: "nope" });
    for (const { name } of memplan.algorithms) expect(message).toContain(name);
  });

  it.each([5, "sound", () => 1, true])("%s is no options object", (options) => {
    expect(errorOf(options).code).toBe("INVALID_OPTION");
  });

  it("survives options that throw when read", () => {
    const error = errorOf({
      get alignment() {
        throw new Error("ha");
      },
    });
    expect(error.code).toBe("INVALID_OPTION");
    expect((error.cause as Error).message).toBe("ha");
  });

  it("takes undefined for the default, and null for no options", () => {
    const plain = memplan.plan(smallGraph());
    expect(memplan.plan(smallGraph(), { alignment: undefined, capacity: undefined } as never)).toEqual(plain);
    expect(memplan.plan(smallGraph(), null as never)).toEqual(plain);
  });

  it("records what was used, so that the plan can be checked with it later", () => {
    const plan = memplan.plan(smallGraph(), { alignment: 64, allocGraphInput: false });
    expect(plan.options).toMatchObject({ alignment: 64, allocGraphInput: false, allocGraphOutput: true });
    expect(memplan.verify(smallGraph(), plan, plan.options).ok).toBe(true);
  });

  it("aligns every offset", () => {
    const plan = memplan.plan(smallGraph(), { alignment: 4096 });
    for (const tensor of plan.tensors) {
      expect((tensor.mem_offset ?? 0) % 4096).toBe(0);
      expect(tensor.allocated_memory).toBe(4096);
    }
  });
});
