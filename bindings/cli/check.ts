import { MemplanError } from "../error.js";
import { buildPlan } from "../plan_columns.js";
import type { GraphPlan, Plan } from "../types.js";
import { EXIT, optionsOf, type PlanFlags } from "./commands.js";
import { openCore, readBytes, readModel } from "./model.js";
import { runJob } from "./run_job.js";
import { bytes, totalBytes } from "./summary.js";

/** So many tensors of the peak are named. */
const LARGEST = 5;

interface Flags extends PlanFlags {
  max?: number;
  compare?: string;
}

async function readPlan(path: string): Promise<Plan> {
  const text = new TextDecoder().decode(await readBytes(path));
  try {
    const plan = JSON.parse(text) as Plan;
    if (plan.buffer_sizes.every((size) => Number.isSafeInteger(size))) return plan;
  } catch {
    // Said below.
  }
  throw new MemplanError("INVALID_INPUT", `${path} is no plan JSON with buffer_sizes`, {
    path: "buffer_sizes",
  });
}

interface Peak {
  bytes: number;
  /** The tensors that make it, largest first. */
  live: { id: string; size: number }[];
}

/** The highest peak of the plan's graphs, without what their submodules add. */
function highestPeak(plan: Plan): Peak {
  const peaks = plan.methods
    ? Object.entries(plan.methods).map(([name, method]) => peakOf(method, `${name}/`))
    : [peakOf(plan, "")];
  return peaks.reduce((highest, peak) => (peak.bytes > highest.bytes ? peak : highest));
}

function peakOf(plan: GraphPlan, prefix: string): Peak {
  const planned = plan.tensors.filter((tensor) => tensor.mem_offset !== null && tensor.lifetime !== null);
  const change = new Map<number, number>();
  const add = (node: number, size: number) => change.set(node, (change.get(node) ?? 0) + size);
  for (const { lifetime, allocated_memory } of planned) {
    const [first, last] = lifetime as [number, number];
    add(first, allocated_memory);
    add(last + 1, -allocated_memory);
  }
  let live = 0;
  let most = -1;
  let peak = 0;
  for (const [node, size] of [...change].sort(([a], [b]) => a - b)) {
    live += size;
    if (live > most) {
      most = live;
      peak = node;
    }
  }
  const atPeak = planned
    .filter(({ lifetime }) => lifetime && lifetime[0] <= peak && peak <= lifetime[1])
    .map(({ id, allocated_memory }) => ({ id: `${prefix}${id}`, size: allocated_memory }))
    .sort((a, b) => b.size - a.size);
  return { bytes: most, live: atPeak };
}

/** Says on standard output what holds, on standard error what does not. */
export async function check(path: string, { max, compare, ...flags }: Flags): Promise<number> {
  if (max === undefined && compare === undefined) {
    throw new MemplanError("INVALID_OPTION", "memplan check wants --max, --compare, or both");
  }
  const before = compare === undefined ? undefined : await readPlan(compare);
  const model = await readModel(path, flags.dim);
  // A plan within the budget is good enough; --compare wants the best.
  const enough = max !== undefined && before === undefined ? { stopAt: max } : {};
  const job = await runJob(await openCore(), model.input, { ...enough, ...optionsOf(flags) });
  const plan = job.finish(buildPlan);
  const total = totalBytes(plan);
  const complaints: string[] = [];
  if (max !== undefined && total > max) {
    const proof = plan.optimal ? "proven: no plan is smaller" : "no smaller plan was found in time";
    complaints.push(`${bytes(total)} are ${bytes(total - max)} over the budget of ${bytes(max)} (${proof})`);
  }
  if (before !== undefined && total > totalBytes(before)) {
    complaints.push(
      `${bytes(total)} are ${bytes(total - totalBytes(before))} more than the ${bytes(totalBytes(before))} of ${compare}`,
    );
  }
  if (complaints.length === 0) {
    const less = before === undefined ? "" : `, ${bytes(totalBytes(before) - total)} less than before`;
    const left = max === undefined ? "" : `, ${bytes(max - total)} under the budget`;
    process.stdout.write(`ok: ${bytes(total)}${left}${less}\n`);
    return EXIT.done;
  }
  for (const complaint of complaints) process.stderr.write(`memplan: ${complaint}\n`);
  const { live } = highestPeak(plan);
  if (live.length > 0) process.stderr.write("Most bytes are live with these:\n");
  for (const { id, size } of live.slice(0, LARGEST)) process.stderr.write(`  ${bytes(size)}: ${id}\n`);
  return EXIT.invalid;
}
