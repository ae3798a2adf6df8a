import { MemplanError } from "../error.js";
import { inputBytes } from "../input_bytes.js";
import { checkOptions, isOption, RULES } from "../options.js";
import type { Plan, Report, VerifyOptions } from "../types.js";
import { EXIT, optionsOf, type PlanFlags } from "./commands.js";
import { openCore, readBytes, readModel } from "./model.js";

interface Flags extends PlanFlags {
  allowOverlap?: boolean;
  json?: boolean;
}

/** The options that a plan of ours says it was made with; anybody else's says nothing. */
function optionsOfPlan(planBytes: Uint8Array): VerifyOptions {
  let plan: Partial<Plan> | null;
  try {
    plan = JSON.parse(new TextDecoder().decode(planBytes)) as Partial<Plan> | null;
  } catch {
    return {};
  }
  const { rules, options } = plan ?? {};
  // Another planner's rules and options are not ours.
  if (rules !== undefined && !RULES.includes(rules)) return {};
  const known = Object.entries({ ...options, rules }).filter(
    ([name, value]) => isOption(name) && value !== undefined,
  );
  return Object.fromEntries(known);
}

export async function verify(
  path: string,
  planPath: string,
  { allowOverlap, json, ...flags }: Flags,
): Promise<number> {
  if (path === "-" && planPath === "-") {
    throw new MemplanError("INVALID_OPTION", "only one of model and plan can be standard input");
  }
  const model = await readModel(path, flags.dim);
  const planBytes = await readBytes(planPath);
  const said = optionsOf(flags);
  const made = optionsOfPlan(planBytes);
  // Other rules than the plan's were not what its options were for.
  const base = said.rules === undefined || said.rules === made.rules ? made : {};
  const options = { ...base, ...said, ...(allowOverlap ? { allowLifetimeAndStorageOverlap: true } : {}) };
  const core = await openCore();
  const report = core.verify(inputBytes(model.input, "input"), planBytes, checkOptions(options));
  process.stdout.write(json || !process.stdout.isTTY ? `${JSON.stringify(report)}\n` : inWords(report));
  return report.ok ? EXIT.done : EXIT.invalid;
}

function inWords(report: Report): string {
  if (report.ok) return `The plan is right; ${report.reuse_pairs ?? 0} pairs of tensors share bytes.\n`;
  const lines = report.errors.map((error) => {
    const graph = error.graph === "" ? "" : `${error.graph}: `;
    return `${error.code}: ${graph}${error.message}`;
  });
  return `${lines.join("\n")}\n${report.errors.length} faults\n`;
}
