import type { Progress } from "../types.js";

const WIDTH = 24;
/** A search shorter than this shows nothing. */
const SILENT_MS = 300;
/** Milliseconds between two pictures. */
const FRAME_MS = 100;

/** How far a search is, in one line of a terminal; nothing where standard error is none. */
export class ProgressBar {
  readonly #stream = process.stderr;
  readonly #begin = performance.now();
  readonly #limitMs: number;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `limitMs`: when the search ends at the latest; Infinity where nobody knows. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** True where a picture is due. */
  get wantsProgress(): boolean {
    const now = performance.now();
    return this.#stream.isTTY && now - this.#begin > SILENT_MS && now - this.#shownAt > FRAME_MS;
  }

  show(progress: Progress): void {
    this.#shownAt = performance.now();
    const spent = this.#shownAt - this.#begin;
    const part = Number.isFinite(this.#limitMs) ? Math.min(1, spent / this.#limitMs) : 0;
    const full = Math.round(part * WIDTH);
    const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
    const best =
      progress.bestPeak === null ? "no plan yet" : `${progress.bestPeak.toLocaleString("en")} bytes`;
    const gap =
      progress.bestPeak && progress.lowerBound > 0
        ? `, ${((progress.bestPeak / progress.lowerBound - 1) * 100).toFixed(2)}% over the bound`
        : "";
    this.#stream.write(
      `\r\x1b[K${bar} ${progress.phase}: ${best}${gap}`.slice(0, 3 + (this.#stream.columns ?? 80)),
    );
  }

  clear(): void {
    if (this.#shownAt >= 0) this.#stream.write("\r\x1b[K");
  }
}
