import type { Plan } from "memplan";
import { formatBytes } from "../bytes";
import type { Hint } from "./peak";

/** What a plan says of itself beyond places: what nesting and in-place results saved, state, spilled tensors. */
export function reportedHints(plan: Plan): Hint[] {
  const hints: Hint[] = [];
  const say = (id: string, text: string) => hints.push({ id, text, tensors: [], at: null });
  const { nesting = 0, inplace = 0 } = plan.saved ?? {};
  if (nesting > 0)
    say(
      "nesting",
      `Branches and bodies share bytes with their caller here: ${formatBytes(nesting)} less than reserving room for the largest below everything, as ExecuTorch does.`,
    );
  const taken = plan.inplace?.filter((p) => "bytes" in p).length ?? 0;
  if (inplace > 0) say("took", `${count(taken, "result")} written over inputs save ${formatBytes(inplace)}.`);
  const state = plan.state ?? [];
  if (state.length > 0) {
    const bytes = state.reduce((sum, s) => sum + s.bytes, 0);
    say(
      "state",
      `${count(state.length, "mutable buffer")} of ${formatBytes(bytes)} in all keep their bytes between runs; nothing else may use them.`,
    );
  }
  const spilled = plan.spilled ?? [];
  if (spilled.length > 0)
    say(
      "spilled",
      `${count(spilled.length, "tensor")} did not get into the pool preferred: ${spilled[0]?.tensor}, ${spilled[0]?.reason}.`,
    );
  return hints;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
