/**
 * Random graphs with control flow, planned by both ExecuTorch rules and under `sound`: how many of their plans are
 * wrong, and that no right one is smaller than ours.
 */
import { type Graph, load, MemplanError, type Options, type Plan, type Rules } from "memplan";
import { describe, expect, it } from "vitest";
import { randomCase, UPSTREAM } from "./graph_generator.ts";
import { misread } from "./interpreter.ts";
import { type CheckFault, checkPlan } from "./plan_checker.ts";
import { totalOf } from "./planned.ts";

/** Graphs; issue 4's number with `MEMPLAN_COMPARED=2000`. */
const COMPARED = Number(process.env.MEMPLAN_COMPARED ?? 100);
const RULES: Rules[] = ["executorch-2024", "executorch-2026"];

/** Faults by which a plan is wrong, not only wasteful or leaking. */
const WRONG: CheckFault["code"][] = [
  "OVERLAP",
  "PAST_END",
  "PADDING",
  "NOT_AT_BASE",
  "NOT_PLANNED",
  "MISALIGNED",
  "WRONG_POOL",
];

const memplan = await load();

function upstreamPlan(graph: Graph, options: Options, rules: Rules): Plan | null {
  const { allocGraphInput, allocGraphOutput, alignment } = options as Required<Options>;
  try {
    return memplan.plan(graph, { allocGraphInput, allocGraphOutput, alignment, rules });
  } catch (error) {
    if (error instanceof MemplanError && error.code !== "INTERNAL") return null;
    throw error;
  }
}

/** Why a plan is wrong; null where it is not. */
function whyWrong(graph: Graph, plan: Plan, options: Options): string | null {
  const fault = checkPlan(graph, plan, options).find(({ code }) => WRONG.includes(code));
  if (fault) return fault.code;
  for (let runSeed = 1; runSeed <= 3; runSeed++)
    if (misread(graph, plan, { ...options, runSeed })) return "MISREAD";
  return null;
}

describe("against ExecuTorch", () => {
  it(`no right plan of ${COMPARED} graphs with control flow is smaller than ours`, {
    timeout: 600_000 + 2_000 * COMPARED,
  }, () => {
    const tally: Record<string, number> = {};
    const count = (what: string, by = 1) => {
      tally[what] = (tally[what] ?? 0) + by;
    };
    const larger: string[] = [];
    let compared = 0;
    for (let seed = 200_001; compared < COMPARED; seed++) {
      const { graph, options } = randomCase(seed, UPSTREAM);
      if (!graph.submodules) continue;
      compared++;
      const ours = memplan.plan(graph, { ...options, stepBudget: 50_000 });
      expect(whyWrong(graph, ours, options), `seed ${seed}`).toBeNull();
      count("bytes of ours", totalOf(ours));
      count("bytes saved by nesting", ours.saved?.nesting);
      const inPlace = memplan.plan(graph, { ...options, inplace: true, stepBudget: 50_000 });
      count("bytes saved in place", totalOf(ours) - totalOf(inPlace));
      const totals: number[] = [];
      for (const rules of RULES) {
        const theirs = upstreamPlan(graph, options, rules);
        const why = theirs ? whyWrong(graph, theirs, options) : "refused";
        count(`${rules}: ${why ?? "right"}`);
        if (theirs && why === null) totals.push(totalOf(theirs));
      }
      const best = Math.min(...totals);
      if (totals.length === 0) continue;
      count("bytes of the better right plan", best);
      count("bytes of ours there", totalOf(ours));
      if (totalOf(ours) > best) larger.push(`seed ${seed}: ours ${totalOf(ours)}, theirs ${best}`);
    }
    console.log(JSON.stringify(tally, null, 1));
    expect(larger).toEqual([]);
    for (const rules of RULES) expect(tally[`${rules}: OVERLAP`]).toBeGreaterThan(0);
  });
});
