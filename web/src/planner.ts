import type { Algorithm, Input, Options, Plan, PlanToVerify, Progress, Report, VerifyOptions } from "memplan";
import { load, type MemplanWorker } from "memplan/worker";

let loading: Promise<MemplanWorker> | null = null;

/** The planner's worker, started when it is first needed and once only. */
function worker(): Promise<MemplanWorker> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

export interface Run {
  plan: Plan;
  /** Milliseconds from call to plan, the way to the worker and back included. */
  ms: number;
}

export async function planInWorker(
  input: Input,
  options: Options,
  more: { signal?: AbortSignal; onProgress?: (progress: Progress) => void } = {},
): Promise<Run> {
  const memplan = await worker();
  const start = performance.now();
  const plan = await memplan.plan(input, { ...options, ...more });
  return { plan, ms: performance.now() - start };
}

export async function verifyInWorker(
  input: Input,
  plan: PlanToVerify,
  options: VerifyOptions,
): Promise<Report> {
  return (await worker()).verify(input, plan, options);
}

export async function algorithms(): Promise<readonly Algorithm[]> {
  return (await worker()).algorithms;
}
