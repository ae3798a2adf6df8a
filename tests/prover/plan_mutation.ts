/** Plans altered so that they may be wrong; whether one is, the checker says. */
import type { CheckedPlan } from "./plan_checker.ts";
import type { Random } from "./random.ts";

export const MUTATIONS = [
  "move",
  "swap",
  "onto",
  "pool",
  "unplan",
  "shrink",
  "past",
  "negative",
  "lifetime",
] as const;
export type Mutation = (typeof MUTATIONS)[number];

type Row = CheckedPlan["tensors"][number];

function placedRows(plan: CheckedPlan): Row[] {
  const own = plan.tensors.filter((row) => row.mem_id !== null && row.mem_offset !== null);
  return [...own, ...Object.values(plan.submodules ?? {}).flatMap(placedRows)];
}

/** A copy with one alteration; null where there is nothing to alter in that way. */
export function mutated(plan: CheckedPlan, kind: Mutation, random: Random): CheckedPlan | null {
  const copy = structuredClone(plan);
  const rows = placedRows(copy);
  if (rows.length === 0) return null;
  const row = random.pick(rows);
  const other = random.pick(rows);
  const sizes = copy.buffer_sizes as number[];
  switch (kind) {
    case "move":
      row.mem_offset = random.below((sizes[row.mem_id as number] ?? 0) + 16);
      break;
    case "swap":
      if (row.mem_offset === other.mem_offset && row.mem_id === other.mem_id) return null;
      [row.mem_offset, other.mem_offset] = [other.mem_offset, row.mem_offset];
      break;
    case "onto":
      if (row.mem_offset === other.mem_offset || row.mem_id !== other.mem_id) return null;
      row.mem_offset = other.mem_offset;
      break;
    case "pool":
      row.mem_id = random.pick([1, 2, 3, 4].filter((pool) => pool !== row.mem_id));
      break;
    case "unplan":
      row.mem_id = null;
      row.mem_offset = null;
      break;
    case "shrink": {
      const used = sizes.map((_, pool) => pool).filter((pool) => (sizes[pool] ?? 0) > 0);
      if (used.length === 0) return null;
      const pool = random.pick(used);
      sizes[pool] = random.below(sizes[pool] as number);
      break;
    }
    case "past":
      row.mem_offset = (sizes[row.mem_id as number] ?? 0) + random.between(0, 64);
      break;
    case "lifetime": {
      if (!row.lifetime || row.lifetime[0] === row.lifetime[1]) return null;
      const [first, last] = row.lifetime;
      row.lifetime = first > 0 && random.chance(0.5) ? [first + 1, last] : [first, last - 1];
      break;
    }
    case "negative":
      row.mem_offset = -random.between(1, 64);
      break;
  }
  return copy;
}
