import type { Plan } from "../types.js";

export function totalBytes(plan: Pick<Plan, "buffer_sizes">): number {
  return (plan.buffer_sizes ?? []).reduce((sum, size) => sum + size, 0);
}

export function bytes(count: number): string {
  return `${count.toLocaleString("en")} bytes`;
}

/** The plan in a few lines for people. `ms`: how long it took. */
export function summary(plan: Plan, ms: number): string {
  const graphs = plan.methods ? Object.values(plan.methods) : [plan];
  const tensors = graphs.flatMap((graph) => graph.tensors);
  const planned = tensors.filter((tensor) => tensor.mem_offset !== null).length;
  const lines = [
    `${planned} of ${tensors.length} tensors in ${bytes(totalBytes(plan))}, by ${plan.algorithm}`,
  ];
  if (plan.buffer_sizes.length > 2) {
    plan.buffer_sizes.forEach((size, memId) => {
      if (memId > 0) lines.push(`  pool ${memId}: ${bytes(size)}`);
    });
  }
  if (plan.lower_bound) {
    const bound = plan.lower_bound.reduce((sum, size) => sum + size, 0);
    const over = bound > 0 ? ` (${((totalBytes(plan) / bound - 1) * 100).toFixed(2)}% over)` : "";
    lines.push(plan.optimal ? "proven optimal" : `lower bound ${bytes(bound)}${over}`);
  }
  lines.push(`${ms.toFixed(1)} ms`);
  return `${lines.join("\n")}\n`;
}
