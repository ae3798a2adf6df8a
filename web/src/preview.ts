import type { Options, Plan, Progress } from "memplan";
import { planInWorker } from "./planner";

/** Milliseconds after which a search is worth a picture before its end, and between two such pictures. */
const kFirstAfter = 150;
const kBetween = 600;
/** Bytes of input beyond which planning twice costs more than it shows. */
const kMostInput = 16_000_000;

/**
 * Pictures while a search runs. The search itself reports only how small its best plan is; a second worker makes
 * a plan as small and stops there, so the search is not held up.
 */
export class Preview {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working = false;
  #ended = false;
  #shown = Number.POSITIVE_INFINITY;
  #lastAt = 0;
  readonly #start = performance.now();

  constructor(
    readonly source: { bytes: Uint8Array },
    readonly options: Options,
    readonly signal: AbortSignal,
    readonly show: (plan: Plan) => Promise<void>,
  ) {
    if (
      (options.rules ?? "sound") !== "sound" ||
      options.algorithm === "naive" ||
      source.bytes.length > kMostInput
    )
      return;
    this.#timer = setTimeout(() => void this.#draw({ algorithm: "greedy_by_size" }), kFirstAfter);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  /** Draws anew where the search has got well below what is on show. */
  consider(progress: Progress): void {
    const now = performance.now();
    if (this.#shown === Number.POSITIVE_INFINITY || progress.bestPeak === null) return;
    if (progress.bestPeak >= this.#shown || this.#working || now - this.#lastAt < kBetween) return;
    void this.#draw({ stopAt: progress.bestPeak, timeLimitMs: Math.round(now - this.#start) + 1000 });
  }

  async #draw(how: Options): Promise<void> {
    this.#working = true;
    try {
      const { capacity, ...options } = this.options;
      const { plan } = await planInWorker(
        this.source.bytes,
        { ...options, ...how, signal: this.signal },
        "side",
      );
      const total = plan.buffer_sizes.reduce((a, b) => a + b, 0);
      if (this.#ended || total >= this.#shown) return;
      this.#shown = total;
      await this.show(plan);
    } catch {
      // The search itself tells what is wrong.
    } finally {
      this.#lastAt = performance.now();
      this.#working = false;
    }
  }
}
