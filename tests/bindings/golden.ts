/** Compares the package with what ExecuTorch's planner answers (tests/data/golden). Runs in Node and in pages. */
import type { GraphPlan, Memplan, MemplanError, Options, Plan, PlanToVerify, Report } from "memplan";

interface Failure {
  error: { kind: string };
}

interface Verdicts {
  storage_reuse: { pairs: number } | Failure;
  storage_reuse_allow_overlap: { pairs: number } | Failure;
  graph_input_output: { ok: true } | Failure;
}

export interface GoldenRun {
  planner: "seed" | "head";
  algorithm: string;
  options: Record<string, boolean | number>;
  plan?: GraphPlan & Pick<Plan, "buffer_devices">;
  error?: { kind: string };
  verify?: Verdicts;
}

/** The package's spelling of an option of a golden file. */
function optionsOf(run: GoldenRun): Options {
  const options = Object.entries(run.options).map(([name, value]) => [
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...Object.fromEntries(options),
    rules: run.planner === "seed" ? "executorch-2024" : "executorch-2026",
  };
}

/** The part of a plan that ExecuTorch answers, as text. */
function essence(plan: GraphPlan & Pick<Plan, "buffer_devices">): unknown {
  return {
    buffer_sizes: plan.buffer_sizes,
    tensors: plan.tensors.map(({ id, lifetime, allocated_memory, mem_id, mem_obj_id, mem_offset }) => [
      id,
      lifetime,
      allocated_memory,
      mem_id,
      mem_obj_id,
      mem_offset,
    ]),
    frees: plan.frees.map(({ after, tensor }) => [after, tensor]),
    buffer_devices: plan.buffer_devices?.map(({ mem_id, device }) => [mem_id, device]),
    submodules: Object.entries(plan.submodules ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, submodule]) => [name, essence(submodule)]),
  };
}

/** What differs between a golden run and the package's plan; undefined where nothing does. */
export function comparePlan(memplan: Memplan, graph: string, run: GoldenRun): string | undefined {
  let got: string;
  try {
    got = JSON.stringify(essence(memplan.plan(graph, { ...optionsOf(run), algorithm: run.algorithm })));
  } catch (error) {
    got = (error as MemplanError).code;
  }
  const wanted = run.plan ? JSON.stringify(essence(run.plan)) : (run.error?.kind.toUpperCase() ?? "");
  return got === wanted ? undefined : `${run.planner} ${run.algorithm}\n  wanted ${wanted}\n  got    ${got}`;
}

function verdictOf(report: Report, check: "storage_reuse" | "graph_input_output"): string {
  const error = report.errors.find((candidate) => candidate.check === check);
  if (error) return error.code;
  return check === "storage_reuse" ? String(report.reuse_pairs) : "ok";
}

function wantedVerdict(verdict: { pairs: number } | { ok: true } | Failure): string {
  if ("error" in verdict) return verdict.error.kind.toUpperCase();
  return "pairs" in verdict ? String(verdict.pairs) : "ok";
}

/** The same for the three verdicts of upstream's Verifier on the run's plan. */
export function compareVerdicts(memplan: Memplan, graph: string, run: GoldenRun): string | undefined {
  if (!run.plan || !run.verify) return undefined;
  const verify = (allowLifetimeAndStorageOverlap: boolean) =>
    memplan.verify(graph, run.plan as PlanToVerify, { ...optionsOf(run), allowLifetimeAndStorageOverlap });
  const strict = verify(false);
  const got = [
    verdictOf(strict, "storage_reuse"),
    verdictOf(verify(true), "storage_reuse"),
    verdictOf(strict, "graph_input_output"),
  ].join(", ");
  const wanted = [
    run.verify.storage_reuse,
    run.verify.storage_reuse_allow_overlap,
    run.verify.graph_input_output,
  ]
    .map(wantedVerdict)
    .join(", ");
  return got === wanted
    ? undefined
    : `verdicts of ${run.planner} ${run.algorithm}: wanted ${wanted}, got ${got}`;
}

/** One golden file: the graph and the runs on it, whatever form the file has. */
export interface GoldenCase {
  name: string;
  graph: string;
  runs: GoldenRun[];
}

/** `graphText`: of the real network that a file of golden/corpus is about. */
export function readGolden(name: string, text: string, graphText?: string): GoldenCase {
  const file = JSON.parse(text);
  const runs: GoldenRun[] = Array.isArray(file) ? file : (file.runs ?? [file]);
  return { name, graph: graphText ?? JSON.stringify(file.graph), runs };
}

/** Counts of one folder, and what differed. */
export interface GoldenTally {
  plans: number;
  verdicts: number;
  differences: string[];
}

/** `isPlanned`: false for plans altered on purpose, which only the verifier is asked about. */
export function compareAll(memplan: Memplan, cases: GoldenCase[], isPlanned: boolean): GoldenTally {
  const tally: GoldenTally = { plans: 0, verdicts: 0, differences: [] };
  for (const { name, graph, runs } of cases) {
    for (const run of runs) {
      if (isPlanned) {
        tally.plans++;
        const difference = comparePlan(memplan, graph, run);
        if (difference !== undefined) tally.differences.push(`${name}: ${difference}`);
      }
      if (run.verify) {
        tally.verdicts += 3;
        const difference = compareVerdicts(memplan, graph, run);
        if (difference !== undefined) tally.differences.push(`${name}: ${difference}`);
      }
    }
  }
  return tally;
}
