import type { Algorithm, Input, Options, Plan, PlanToVerify, Report, VerifyOptions } from "memplan";
import { load, type MemplanWorker, type WorkerPlanOptions } from "memplan/worker";

/** What a worker is for: the plan on show, or everything that may not keep it waiting. */
export type Desk = "main" | "side";

const desks = new Map<Desk, Promise<MemplanWorker>>();

/** The planner's worker, started when it is first needed. */
function worker(desk: Desk): Promise<MemplanWorker> {
  let opened = desks.get(desk);
  if (!opened) {
    opened = load();
    desks.set(desk, opened);
    // The next call tries again.
    opened.catch(() => desks.delete(desk));
  }
  return opened;
}

export interface Run {
  plan: Plan;
  /** Milliseconds from call to plan, the way to the worker and back included. */
  ms: number;
}

/** Plans asked of one desk at once are made one after the other. */
export async function planInWorker(
  input: Input,
  options: WorkerPlanOptions,
  desk: Desk = "main",
): Promise<Run> {
  const memplan = await worker(desk);
  const start = performance.now();
  const plan = await memplan.plan(input, options);
  return { plan, ms: performance.now() - start };
}

export async function verifyInWorker(
  input: Input,
  plan: PlanToVerify | Uint8Array,
  options: VerifyOptions,
): Promise<Report> {
  return (await worker("side")).verify(input, plan, options);
}

export async function algorithms(): Promise<readonly Algorithm[]> {
  return (await worker("main")).algorithms;
}

/** The options that say what a right plan is, without those that say how to find one. */
export function verifyOptions(options: Options): VerifyOptions {
  const { algorithm, timeLimitMs, stepBudget, seed, stopAt, ...rest } = options;
  return rest;
}
