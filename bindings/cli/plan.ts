import { writeFile } from "node:fs/promises";
import { MemplanError } from "../error.js";
import { buildPlan } from "../plan_columns.js";
import { EXIT, optionsOf, type PlanFlags } from "./commands.js";
import { type Model, openCore, readModel } from "./model.js";
import { runJob } from "./run_job.js";
import { summary } from "./summary.js";

interface Flags extends PlanFlags {
  output?: string;
  json?: boolean;
}

/** What the plan is written as: by the output's name, else as asked for, else as the input came. */
function formOf(
  model: Model,
  output: string | undefined,
  json: boolean | undefined,
): "json" | "csv" | "tflite" {
  const extension = /\.(json|csv|tflite)$/i.exec(output ?? "")?.[1]?.toLowerCase();
  if (extension === "csv" && model.format !== "csv") {
    throw new MemplanError(
      "UNSUPPORTED",
      "a plan of a graph has no CSV form: CSV comes out where CSV went in",
    );
  }
  if (extension === "tflite" && model.format !== "tflite") {
    throw new MemplanError("UNSUPPORTED", "only a .tflite model can carry its plan in a .tflite file");
  }
  if (extension) return extension as "json" | "csv" | "tflite";
  return model.format === "csv" && !json ? "csv" : "json";
}

export async function plan(path: string, { output, json, ...flags }: Flags): Promise<number> {
  const model = await readModel(path, flags.dim);
  const form = formOf(model, output, json);
  const core = await openCore();
  const begin = performance.now();
  const options = optionsOf(flags);
  // TFLite Micro keeps state apart from its arena, so a plan for it has none.
  if (form === "tflite") options.allocMutableBuffers = false;
  const job = await runJob(core, model.input, options);
  if (form === "csv") {
    await put(output, job.finishAsText("csv"));
    return EXIT.done;
  }
  const result = job.finish(buildPlan);
  const text = summary(result, performance.now() - begin);
  if (form === "tflite") {
    const { writeOfflinePlan } = await import("../import.js");
    await writeFile(output as string, writeOfflinePlan(model.bytes, result));
  } else if (output !== undefined || json || !process.stdout.isTTY) {
    await put(output, `${JSON.stringify(result)}\n`);
  } else {
    process.stdout.write(text);
    return EXIT.done;
  }
  if (process.stderr.isTTY) process.stderr.write(text);
  return EXIT.done;
}

async function put(output: string | undefined, text: string): Promise<void> {
  if (output === undefined || output === "-") process.stdout.write(text);
  else await writeFile(output, text);
}
