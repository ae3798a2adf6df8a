import { unsupported } from "../invalid_input.js";
import { listNames } from "../name_list.js";
import type { PteMethod } from "./model.js";

/** A write to a place in a pool; `end` is exclusive. */
export interface Write {
  value: number;
  memId: number;
  start: number;
  end: number;
}

/** Steps that looking back over writes and loops may take in all; a file that needs more was made to. */
const kMostSteps = 2 ** 25;

/** What the graph of a method and those of its branches have in common. */
export class SharedState {
  /** By value index: the tensor that it is a view of. */
  readonly bases = new Map<number, number>();
  /** In order of execution, the branches of one condition one after the other. */
  readonly writes: Write[] = [];
  /** The instruction that wrote a value first; -1 for inputs and state. */
  readonly firstWritten = new Map<number, number>();
  /** Ids of tensors that ExecuTorch leaves to the caller. */
  readonly callers = new Set<string>();
  /** Whether a jump was met that is no condition's. */
  hasLoops = false;
  private steps = 0;

  constructor(readonly method: PteMethod) {}

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > kMostSteps) throw unsupported(this.method.name, "too many values and loops to follow");
  }

  notes(): string[] {
    const notes = ["The file carries ExecuTorch's own plan."];
    if (this.callers.size > 0) {
      const names = listNames([...this.callers]);
      notes.push(`ExecuTorch leaves to the caller, and its plan does not place: ${names}.`);
    }
    if (this.hasLoops) {
      notes.push("Loops are read as straight code: what they read from outside lasts until they end.");
    }
    const backends = this.method.instructions.flatMap((item) =>
      item.kind === "delegate" ? [item.backend] : [],
    );
    if (backends.length > 0) {
      const names = listNames([...new Set(backends)]);
      notes.push(
        `${backends.length} calls run in delegates (${names}), whose own memory is not in the file.`,
      );
    }
    return notes;
  }
}
