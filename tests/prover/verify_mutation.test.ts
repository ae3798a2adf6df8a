import { load, MemplanError } from "memplan";
import { describe, expect, it } from "vitest";
import { EVERYTHING, randomCase } from "./graph_generator.ts";
import { misread } from "./interpreter.ts";
import { BEYOND_RIGHT, checkPlan } from "./plan_checker.ts";
import { MUTATIONS, mutated } from "./plan_mutation.ts";
import { planOrNull } from "./planned.ts";
import { Random } from "./random.ts";

/** Altered plans; issue 7's whole number with `MEMPLAN_MUTANTS=100000`. */
const MUTANTS = Number(process.env.MEMPLAN_MUTANTS ?? 2_000);

const memplan = await load();

/** By a fault in the report, or because a plan cannot say such a thing. */
function isRejected(verify: () => boolean): boolean {
  try {
    return !verify();
  } catch (error) {
    if (error instanceof MemplanError && error.code === "INVALID_INPUT") return true;
    throw error;
  }
}

describe("verify", () => {
  it(`passes unaltered plans and catches every wrong one of ${MUTANTS} altered ones`, {
    timeout: 600_000 + 200 * MUTANTS,
  }, () => {
    const random = new Random(3);
    const caught: Record<string, number> = {};
    const missed: string[] = [];
    let tried = 0;
    for (let seed = 1; tried < MUTANTS; seed++) {
      const { graph, options } = randomCase(100_000 + seed, { ...EVERYTHING, empty: 0.01 });
      const plain = { ...options, inplace: false };
      const plan = planOrNull(memplan, graph, {
        ...plain,
        algorithm: random.pick(["naive", "greedy", "greedy_by_size"]),
      });
      if (!plan) continue;
      expect(memplan.verify(graph, plan, plain).errors, `seed ${100_000 + seed}`).toEqual([]);
      for (const kind of MUTATIONS) {
        const altered = mutated(plan, kind, random);
        if (!altered) continue;
        tried++;
        const [first] = checkPlan(graph, altered, { ...plain, lifetimes: true }).filter(
          ({ code }) => !BEYOND_RIGHT.includes(code),
        );
        const isWrong = first !== undefined || misread(graph, altered, plain) !== null;
        const isCaught = isRejected(() => memplan.verify(graph, altered, plain).ok);
        if (isWrong && isCaught) caught[kind] = (caught[kind] ?? 0) + 1;
        if (isWrong && !isCaught) {
          missed.push(`seed ${100_000 + seed}, ${kind}: ${first?.code} ${first?.message}`);
        }
      }
    }
    expect(missed).toEqual([]);
    const total = Object.values(caught).reduce((sum, count) => sum + count, 0);
    console.log(`${total} wrong ones of ${tried} altered plans, all caught: ${JSON.stringify(caught)}`);
    expect(Object.keys(caught).sort()).toEqual([...MUTATIONS].sort());
    expect(total).toBeGreaterThan(MUTANTS / 2);
  });
});
