import type { FitDetails } from "./error.js";
import type { CheckedOptions } from "./options.js";
import type { PlanColumns } from "./plan_columns.js";
import type { Algorithm, Progress, Report } from "./types.js";

/** To the worker. `id` names a call; its answer carries the same. */
export type Request =
  | { type: "open"; id: number; module: WebAssembly.Module }
  | { type: "plan"; id: number; input: Uint8Array; options: CheckedOptions; wantsProgress: boolean }
  | { type: "verify"; id: number; input: Uint8Array; plan: Uint8Array; options: CheckedOptions }
  /** Gives a plan up; it is answered all the same. */
  | { type: "cancel"; id: number }
  /** Ends a search with the best plan so far. */
  | { type: "stop"; id: number };

/** From the worker. */
export type Answer =
  | { type: "opened"; id: number; algorithms: Algorithm[] }
  | { type: "progress"; id: number; progress: Progress }
  | { type: "planned"; id: number; columns: PlanColumns }
  | { type: "verified"; id: number; report: Report }
  | { type: "cancelled"; id: number }
  | { type: "failed"; id: number; code: string; message: string; path?: string; details?: FitDetails };
