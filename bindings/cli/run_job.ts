import { inputBytes } from "../input_bytes.js";
import type { Core, Job } from "../instance.js";
import { checkOptions } from "../options.js";
import type { Options } from "../types.js";
import { ProgressBar } from "./progress_bar.js";

/** Milliseconds between two looks at the clock and the signals. */
const SLICE_MS = 20;

/** Runs a job up to its end or limits, with progress on a terminal; Ctrl+C ends the search with the best plan. */
export async function runJob(core: Core, input: unknown, options: Options): Promise<Job> {
  const checked = checkOptions(options);
  const job = core.start(inputBytes(input, "input"), checked);
  const bar = new ProgressBar(checked.timeLimitMs);
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  process.once("SIGINT", stop);
  try {
    while (job.step(SLICE_MS) && !stopped) {
      if (bar.wantsProgress) bar.show(job.progress());
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    process.removeListener("SIGINT", stop);
    bar.clear();
  }
  return job;
}
