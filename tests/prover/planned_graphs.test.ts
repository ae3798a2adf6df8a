import { type Graph, load, type Plan } from "memplan";
import { describe, expect, it } from "vitest";
import type { GraphPlan } from "../../bindings/types.ts";
import { randomCase } from "./graph_generator.ts";
import { misread } from "./interpreter.ts";
import { checkPlan } from "./plan_checker.ts";
import { CASES, planOrNull } from "./planned.ts";
import { Random } from "./random.ts";

const memplan = await load();
const names = memplan.algorithms.map(({ name }) => name);
const TIMEOUT = 1_000 * CASES + 600_000;

/** Says which graph, so that a failure can be had again. */
function faultsOf(
  seed: number,
  plan: Plan,
  graph: Graph,
  options: Parameters<typeof checkPlan>[2],
): string[] {
  return checkPlan(graph, plan, options).map(({ code, message }) => `seed ${seed}: ${code} ${message}`);
}

describe.each(names)("plans by %s", (algorithm) => {
  it(`of ${CASES} random graphs pass the checker and verify`, { timeout: TIMEOUT }, () => {
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph, options } = randomCase(seed);
      const plain = { ...options, inplace: false, algorithm };
      const plan = planOrNull(memplan, graph, plain);
      if (!plan) continue;
      expect(faultsOf(seed, plan, graph, { ...plain, lifetimes: true })).toEqual([]);
      expect(memplan.verify(graph, plan, plain).errors, `seed ${seed}`).toEqual([]);
    }
  });

  it(`of ${CASES} random graphs read what was written`, { timeout: TIMEOUT }, () => {
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph, options } = randomCase(20_000 + seed);
      const plain = { ...options, inplace: false, algorithm };
      const plan = planOrNull(memplan, graph, plain);
      if (!plan) continue;
      for (let runSeed = 1; runSeed <= 2; runSeed++) {
        expect(misread(graph, plan, { ...plain, runSeed }), `seed ${20_000 + seed}`).toBeNull();
      }
    }
  });
});

describe("plans by all algorithms", () => {
  it("are nowhere below a lower bound, nor smaller than an optimum", { timeout: TIMEOUT }, () => {
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph, options } = randomCase(40_000 + seed);
      if (graph.pools) continue;
      const plans = names.flatMap(
        (algorithm) => planOrNull(memplan, graph, { ...options, inplace: false, algorithm }) ?? [],
      );
      const pools = Math.max(...plans.map(({ buffer_sizes }) => buffer_sizes.length));
      for (let pool = 1; pool < pools; pool++) {
        const sizes = plans.map(({ buffer_sizes }) => buffer_sizes[pool] ?? 0);
        const bounds = plans.map(({ lower_bound }) => lower_bound?.[pool] ?? 0);
        const smallest = Math.min(...sizes);
        expect(Math.max(...bounds), `seed ${40_000 + seed}`).toBeLessThanOrEqual(smallest);
        for (const { optimal, buffer_sizes, algorithm } of plans) {
          if (optimal) expect(buffer_sizes[pool] ?? 0, `seed ${40_000 + seed}, ${algorithm}`).toBe(smallest);
        }
      }
    }
  });
});

/** Rows of `tensors` in another order, in every graph. */
function shuffledRows(graph: Graph, random: Random): Graph {
  const submodules = Object.entries(graph.submodules ?? {}).map(([name, inner]) => [
    name,
    shuffledRows(inner, random),
  ]);
  const shuffled = { ...graph, tensors: random.shuffled(graph.tensors) };
  return submodules.length > 0 ? { ...shuffled, submodules: Object.fromEntries(submodules) } : shuffled;
}

/** Where every tensor lies, whatever the order of rows. */
function placesOf(plan: GraphPlan, path = ""): string[] {
  const own = plan.tensors.map(
    ({ id, mem_id, mem_offset, lifetime }) => `${path}${id} ${lifetime} ${mem_id}:${mem_offset}`,
  );
  const inner = Object.entries(plan.submodules ?? {}).flatMap(([name, inside]) =>
    placesOf(inside, `${path}${name}/`),
  );
  return [...own, ...inner].sort();
}

describe("the order of tensors", () => {
  it.each(names)(
    "changes no offset under %s",
    (algorithm) => {
      const random = new Random(5);
      for (let seed = 1; seed <= CASES; seed++) {
        const { graph, ...drawn } = randomCase(60_000 + seed);
        const options = { ...drawn.options, inplace: false };
        const plan = planOrNull(memplan, graph, { ...options, algorithm });
        const other = planOrNull(memplan, shuffledRows(graph, random), { ...options, algorithm });
        expect(other?.buffer_sizes, `seed ${60_000 + seed}`).toEqual(plan?.buffer_sizes);
        if (plan && other) expect(placesOf(other), `seed ${60_000 + seed}`).toEqual(placesOf(plan));
      }
    },
    TIMEOUT,
  );

  it("of keys and the text's layout change nothing at all", () => {
    for (let seed = 1; seed <= Math.min(CASES, 200); seed++) {
      const { graph, ...drawn } = randomCase(80_000 + seed);
      const options = { ...drawn.options, inplace: false };
      const plan = planOrNull(memplan, graph, { ...options, algorithm: "greedy_by_size" });
      const reversed = JSON.parse(JSON.stringify(graph), (_, value) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
        const isNamed = Object.values(value).every((inner) => typeof inner === "object" && inner !== null);
        return isNamed ? value : Object.fromEntries(Object.entries(value).reverse());
      });
      expect(planOrNull(memplan, reversed, { ...options, algorithm: "greedy_by_size" })).toEqual(plan);
    }
  });
});
