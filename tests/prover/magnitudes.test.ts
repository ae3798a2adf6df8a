/** Random graphs whose bytes are all doubled up to fifty times over: nothing but the numbers may change. */
import { type Graph, load, MemplanError, type Options } from "memplan";
import { describe, expect, it } from "vitest";
import { randomCase } from "./graph_generator.ts";
import { tensorBytes } from "./graph_model.ts";
import type { CheckedPlan } from "./plan_checker.ts";
import { MUTATIONS, mutated } from "./plan_mutation.ts";
import { CASES, planOrNull, STEPS } from "./planned.ts";
import { Random } from "./random.ts";

const memplan = await load();
const TIMEOUT = 2_000 * CASES + 600_000;

/** All sizes, alignments and offsets times `factor`; no backends, as XNNPACK's asks for bytes that do not grow. */
function scaled(graph: Graph, factor: number): Graph {
  const times = <T extends object>(row: T, keys: readonly string[]): T => {
    const copy = { ...row } as Record<string, unknown>;
    for (const key of keys) if (typeof copy[key] === "number") copy[key] *= factor;
    return copy as T;
  };
  return {
    ...graph,
    tensors: graph.tensors.map((tensor) =>
      times({ ...tensor, nbytes: tensorBytes(tensor) }, ["nbytes", "storage_base_offset"]),
    ),
    nodes: graph.nodes.map(({ backend_id: _, ...node }) => ({
      ...node,
      ...(node.scratch && { scratch: node.scratch.map((row) => times(row, ["nbytes", "alignment"])) }),
    })),
    ...(graph.submodules && {
      submodules: Object.fromEntries(
        Object.entries(graph.submodules).map(([name, inner]) => [name, scaled(inner, factor)]),
      ),
    }),
    ...(graph.pools && { pools: graph.pools.map((pool) => times(pool, ["capacity", "alignment"])) }),
    ...(graph.input_mem_buffer_sizes && {
      input_mem_buffer_sizes: graph.input_mem_buffer_sizes.map((bytes) => bytes * factor),
    }),
  };
}

/** A plan's own numbers of bytes likewise. */
function scaledPlan<T extends CheckedPlan>(plan: T, factor: number): T {
  const all = (sizes: number[] | null) => sizes?.map((bytes) => bytes * factor) ?? null;
  return {
    ...plan,
    buffer_sizes: all(plan.buffer_sizes),
    tensors: plan.tensors.map((row) => ({
      ...row,
      ...(row.allocated_memory !== undefined && { allocated_memory: row.allocated_memory * factor }),
      mem_offset: row.mem_offset === null ? null : row.mem_offset * factor,
    })),
    ...(plan.submodules && {
      submodules: Object.fromEntries(
        Object.entries(plan.submodules).map(([name, inner]) => [name, scaledPlan(inner, factor)]),
      ),
    }),
  };
}

/** Where everything lies, or the code of the error. */
function outcome(graph: Graph, options: Options, factor: number): unknown {
  try {
    const plan = memplan.plan(graph, { stepBudget: STEPS, ...options });
    const { buffer_sizes, lower_bound, optimal } = plan;
    return {
      places: scaledPlan(plan, 1 / factor).tensors.map(({ id, mem_id, mem_offset }) => [
        id,
        mem_id,
        mem_offset,
      ]),
      buffer_sizes: buffer_sizes.map((bytes) => bytes / factor),
      lower_bound: lower_bound?.map((bytes) => bytes / factor),
      optimal,
    };
  } catch (error) {
    if (error instanceof MemplanError) return error.code;
    throw error;
  }
}

function isRight(graph: Graph, plan: CheckedPlan, options: Options): boolean {
  try {
    return memplan.verify(graph, plan, options).ok;
  } catch (error) {
    if (error instanceof MemplanError && error.code === "INVALID_INPUT") return false;
    throw error;
  }
}

/** A power of two that takes the sum of all bytes up to 2^52 at most. */
function randomFactor(graph: Graph, random: Random): number {
  const text = JSON.stringify(graph);
  const total = [...text.matchAll(/"(?:nbytes|capacity)":(\d+)/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    4096,
  );
  return 2 ** random.between(1, 52 - Math.ceil(Math.log2(total)));
}

describe("bytes times a power of two", () => {
  it.each(["auto", "search", "greedy", "greedy_by_size"])(
    "change no plan of %s",
    { timeout: TIMEOUT },
    (algorithm) => {
      const random = new Random(11);
      for (let seed = 1; seed <= CASES; seed++) {
        const { graph: any, options } = randomCase(200_000 + seed);
        const graph = scaled(any, 1);
        const factor = randomFactor(graph, random);
        const plain = { ...options, inplace: false, algorithm };
        const more = { ...plain, alignment: (options.alignment ?? 16) * factor };
        const label = `seed ${200_000 + seed} times ${factor}`;
        expect(outcome(scaled(graph, factor), more, factor), label).toEqual(outcome(graph, plain, 1));
      }
    },
  );

  it("change no verdict on an altered plan", { timeout: TIMEOUT }, () => {
    const random = new Random(12);
    let wrong = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const { graph: any, options } = randomCase(210_000 + seed);
      const graph = scaled(any, 1);
      const factor = randomFactor(graph, random);
      const plain = { ...options, inplace: false };
      const more = { ...plain, alignment: (options.alignment ?? 16) * factor };
      const large = scaled(graph, factor);
      const plan = planOrNull(memplan, graph, { ...plain, algorithm: "greedy_by_size" });
      if (!plan) continue;
      for (const kind of MUTATIONS) {
        const { graph_hash: _, ...altered } = mutated(plan, kind, random) ?? plan;
        const right = isRight(graph, altered, plain);
        wrong += right ? 0 : 1;
        expect(isRight(large, scaledPlan(altered, factor), more), `seed ${210_000 + seed}, ${kind}`).toBe(
          right,
        );
      }
    }
    expect(wrong).toBeGreaterThan(CASES);
  });
});
