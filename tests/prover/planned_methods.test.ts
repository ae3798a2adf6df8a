import { load } from "memplan";
import { describe, expect, it } from "vitest";
import { randomMethods } from "./graph_generator.ts";
import { misreadMethods } from "./interpreter.ts";
import { checkPlan } from "./plan_checker.ts";
import { CASES, STEPS } from "./planned.ts";

const memplan = await load();

describe("several graphs planned together", () => {
  it("keep each other's state, whatever the order of calls", { timeout: 600_000 + 2_000 * CASES }, () => {
    for (let seed = 500_001; seed <= 500_000 + CASES; seed++) {
      const { program, options } = randomMethods(seed);
      const plan = memplan.plan(program, { stepBudget: STEPS, ...options });
      for (const [name, graph] of Object.entries(program.methods)) {
        const own = plan.methods?.[name];
        expect(own, `seed ${seed}`).toBeDefined();
        const faults = own
          ? checkPlan(
              graph,
              { ...own, buffer_sizes: plan.buffer_sizes, inplace: plan.inplace ?? [] },
              options,
            )
          : [];
        expect(faults, `seed ${seed}, ${name}`).toEqual([]);
      }
      for (let runSeed = 1; runSeed <= 3; runSeed++) {
        expect(misreadMethods(program, plan, { ...options, runSeed }), `seed ${seed}`).toBeNull();
      }
      expect(memplan.verify(program, plan, options).errors, `seed ${seed}`).toEqual([]);
    }
  });
});
