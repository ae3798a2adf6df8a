import { signal } from "@preact/signals";
import type { Options, Plan, PlanToVerify, Report, Rules } from "memplan";
import { answering } from "../answers";
import { algorithms, planInWorker, verifyInWorker, verifyOptions } from "../planner";
import { type Failure, failureOf, foreign, options, plan, type Source, source } from "../session";
import { beside } from "./beside";

/** A plan to set beside the one on show. */
export interface Contender {
  id: string;
  label: string;
  /** What kind of row it is: the rules' own algorithm, another planner's rules, or a file. */
  group: "algorithm" | "executorch" | "file";
  /** null for a plan from a file. */
  options: Options | null;
  plan: PlanToVerify | null;
  /** Bytes over all pools. */
  total: number | null;
  ms: number | null;
  /** Faults under `sound`; null where not looked for. */
  report: Report | null;
  failure: Failure | null;
  running: boolean;
}

export const contenders = signal<readonly Contender[]>([]);
export const racing = signal(false);

const kExecutorch: { id: string; label: string; rules: Rules }[] = [
  { id: "executorch-2026", label: "ExecuTorch, August 2026", rules: "executorch-2026" },
  { id: "executorch-2024", label: "ExecuTorch, November 2024", rules: "executorch-2024" },
];

function fresh(id: string, label: string, group: Contender["group"], how: Options | null): Contender {
  return {
    id,
    label,
    group,
    options: how,
    plan: null,
    total: null,
    ms: null,
    report: null,
    failure: null,
    running: false,
  };
}

/** Aborted when the rows are made anew: what still runs for the old ones is given up. */
let wanted = new AbortController();

/** The rows for the source on show, before any has run. */
export function resetContenders(): Promise<void> {
  wanted.abort();
  wanted = new AbortController();
  return answering(makeRows(wanted.signal));
}

async function makeRows(signal: AbortSignal): Promise<void> {
  if (!source.value) {
    contenders.value = [];
    beside.value = null;
    return;
  }
  const isGraph = source.value.format !== "csv" && !isIntervals(source.value);
  const table = await algorithms();
  if (signal.aborted) return;
  const own = table.map((a) =>
    fresh(`algorithm:${a.name}`, a.name, "algorithm", { ...soundOptions(), algorithm: a.name }),
  );
  const upstream = isGraph
    ? kExecutorch.map((e) => fresh(e.id, e.label, "executorch", { ...ownership(), rules: e.rules }))
    : [];
  const file = foreign.value;
  const given = file
    ? [{ ...fresh("file", file.title, "file", null), plan: file.plan, total: sum(file.plan) }]
    : [];
  contenders.value = [...given, ...upstream, ...own];
  if (!contenders.value.some((c) => c.id === beside.value)) beside.value = null;
}

function isIntervals(from: Source): boolean {
  const head = new TextDecoder().decode(from.bytes.subarray(0, 2000));
  return head.includes('"buffers"') && !head.includes('"nodes"');
}

/** Who owns what holds for every row; how to search holds for our own. */
function ownership(): Options {
  const { alignment, allocGraphInput, allocGraphOutput, allocMutableBuffers } = options.value;
  return clean({ alignment, allocGraphInput, allocGraphOutput, allocMutableBuffers });
}

function soundOptions(): Options {
  const { rules, capacity, algorithm, ...rest } = options.value;
  return rest;
}

function clean(o: { [K in keyof Options]?: Options[K] | undefined }): Options {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined)) as Options;
}

function sum(of: PlanToVerify): number {
  return (of.buffer_sizes ?? []).reduce((a, b) => a + b, 0);
}

function update(id: string, change: Partial<Contender>): void {
  contenders.value = contenders.value.map((c) => (c.id === id ? { ...c, ...change } : c));
}

/** Runs every row, one after the other, on the second worker. */
export async function race(): Promise<void> {
  if (!racing.value) await answering(raceAll(wanted.signal));
}

async function raceAll(signal: AbortSignal): Promise<void> {
  racing.value = true;
  try {
    for (const { id } of contenders.value) {
      if (signal.aborted) return;
      await run(id);
    }
  } finally {
    racing.value = false;
  }
}

/** Bytes of input up to which the quick rows are run without being asked. */
const kRunsByItself = 1_500_000;

/** Runs what takes no time: ExecuTorch's rules, the plan from a file, and the algorithms that do not search. */
export async function runQuick(): Promise<void> {
  const from = source.value;
  if (from && from.bytes.length <= kRunsByItself && !racing.value) await answering(runIdle(wanted.signal));
}

async function runIdle(signal: AbortSignal): Promise<void> {
  const searching = new Set(
    (await algorithms()).filter((a) => a.searches || a.name === "auto").map((a) => `algorithm:${a.name}`),
  );
  for (const row of contenders.value) {
    if (signal.aborted || racing.value) return;
    const now = contenders.value.find((c) => c.id === row.id);
    if (now && now.total === null && !now.failure && !now.running && !searching.has(row.id))
      await run(row.id);
  }
}

/** Plans one row, and looks for faults where the plan is not ours. */
export async function run(id: string): Promise<void> {
  const { signal } = wanted;
  const from = source.value;
  const row = contenders.value.find((c) => c.id === id);
  if (!from || !row) return;
  update(id, { running: true, failure: null });
  try {
    let made: PlanToVerify | null = row.plan;
    if (row.options) {
      const { plan: planned, ms } = await planInWorker(from.bytes, { ...row.options, signal }, "side");
      if (signal.aborted) return;
      made = planned;
      update(id, { plan: planned, total: sum(planned), ms });
    }
    if (made && row.group !== "algorithm") {
      const report = await verifyInWorker(from.bytes, made, {
        ...verifyOptions({ ...soundOptions(), ...ownership() }),
        rules: "sound",
      });
      if (!signal.aborted) update(id, { report });
    }
  } catch (error) {
    if (!signal.aborted) update(id, { failure: failureOf(error) });
  } finally {
    if (!signal.aborted) update(id, { running: false });
  }
}

/** Draws a row beside the plan on show, planning it first where needed. */
export function showBeside(id: string | null): Promise<void> {
  return answering(planBeside(id));
}

async function planBeside(id: string | null): Promise<void> {
  if (id !== null) {
    const row = contenders.value.find((c) => c.id === id);
    if (row && (!row.plan || (row.group !== "algorithm" && !row.report))) await run(id);
  }
  beside.value = id;
}

/** The plan on show, for lifetimes and sizes that a foreign plan does not hold. */
export function reference(): Plan | null {
  return plan.value;
}
