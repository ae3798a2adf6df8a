import { load } from "memplan";
import { describe, expect, it } from "vitest";
import { EVERYTHING, randomCase } from "./graph_generator.ts";
import { misread } from "./interpreter.ts";
import { checkPlan } from "./plan_checker.ts";
import { CASES, planOrNull } from "./planned.ts";
import { Random } from "./random.ts";

const memplan = await load();
const names = memplan.algorithms.map(({ name }) => name);

describe("plans that write results over inputs by choice", () => {
  it("read what was written, pass the checker and verify, and save bytes", {
    timeout: 600_000 + 1_000 * CASES,
  }, () => {
    const random = new Random(11);
    let merged = 0;
    for (let seed = 300_001; seed <= 300_000 + 2 * CASES; seed++) {
      const { graph, options } = randomCase(seed, { ...EVERYTHING, elementWise: 0.5 });
      const chosen = { inplace: true, ...options, algorithm: random.pick(names) };
      const plan = planOrNull(memplan, graph, chosen);
      if (!plan) continue;
      expect(checkPlan(graph, plan, chosen), `seed ${seed}`).toEqual([]);
      expect(memplan.verify(graph, plan, chosen).errors, `seed ${seed}`).toEqual([]);
      expect(memplan.verify(graph, plan, plan.options).errors, `seed ${seed}`).toEqual([]);
      for (let runSeed = 1; runSeed <= 2; runSeed++) {
        expect(misread(graph, plan, { ...chosen, runSeed }), `seed ${seed}`).toBeNull();
      }
      merged += plan.inplace?.filter((row) => "bytes" in row).length ?? 0;
    }
    expect(merged).toBeGreaterThan(CASES / 2);
  });
});
