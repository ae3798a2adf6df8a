import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { MemplanError } from "../error.js";
import type { Options, Rules } from "../types.js";
import { printAlgorithms } from "./algorithms.js";
import { check } from "./check.js";
import { plan } from "./plan.js";
import { verify } from "./verify.js";

/** Exit status: done, the plan is invalid or does not fit, bad usage or input. */
export const EXIT = { done: 0, invalid: 1, usage: 2 } as const;

/** The options that say what to plan, as commander gives them. */
export interface PlanFlags {
  rules?: Rules;
  algorithm?: string;
  alignment?: number;
  allocGraphInput?: boolean;
  allocGraphOutput?: boolean;
  allocMutableBuffers?: boolean;
  controlFlowResults?: "move" | "copy";
  inplace?: boolean | string[];
  timeLimit?: number;
  stepBudget?: number;
  seed?: number;
  stopAt?: number;
  capacity?: number | number[];
  enableNonCpuMemoryPlanning?: boolean;
  dim?: Record<string, number>;
}

/** The package's options of what the command line says; what it does not say is left out. */
export function optionsOf(flags: PlanFlags): Options {
  const { timeLimit, dim: _, ...options } = flags;
  const known = Object.entries({ ...options, timeLimitMs: timeLimit }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(known) as Options;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError("It is no whole number.");
  return number;
}

function capacity(text: string): number | number[] {
  const numbers = text.split(",").map(wholeNumber);
  return numbers.length === 1 ? (numbers[0] as number) : numbers;
}

function dimension(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, size] = /^(.+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined || size === undefined)
    throw new InvalidArgumentError("It is not of the form name=size.");
  return { ...before, [name]: wholeNumber(size) };
}

function names(text: string): string[] {
  return text.split(",").filter((name) => name !== "");
}

/** What `plan`, `check` and `verify` all take: which memory the plan is responsible for, by which rules. */
function addGraphOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--rules <rules>", "whose lifetimes and accounting").choices([
        "sound",
        "executorch-2024",
        "executorch-2026",
      ]),
    )
    .option("--alignment <bytes>", "a power of two (default: 16)", wholeNumber)
    .option("--no-alloc-graph-input", "inputs are the caller's")
    .option("--no-alloc-graph-output", "outputs are the caller's")
    .option("--no-alloc-mutable-buffers", "mutable buffers are the caller's")
    .addOption(
      new Option(
        "--control-flow-results <way>",
        "results of cond: the branch's own bytes, or copied",
      ).choices(["move", "copy"]),
    )
    .option(
      "--inplace [operators]",
      "let operators (a,b,c or the usual ones) write over a dying input",
      names,
    )
    .option("--capacity <bytes>", "bytes, or bytes per mem_id: 0,65536,262144", capacity)
    .option("--enable-non-cpu-memory-planning", "executorch-2026 only: a set of buffers per device")
    .option("--dim <name=size>", "size of a symbolic dimension of a model file; may be repeated", dimension);
}

function addSearchOptions(command: Command): Command {
  return addGraphOptions(command)
    .option("--algorithm <name>", "see memplan algorithms (default: auto)")
    .option("--time-limit <ms>", "for algorithms that search (default: 1000)", wholeNumber)
    .option("--step-budget <steps>", "instead of the clock: the same plan on every machine", wholeNumber)
    .option("--seed <number>", "for algorithms that draw lots (default: 0)", wholeNumber)
    .option("--stop-at <bytes>", "good enough: the search ends at a plan this small", wholeNumber);
}

/** Commander says true for a negatable flag that is not there; the default is the package's affair. */
function flagsOf<T extends PlanFlags>(flags: T): T {
  const result = { ...flags };
  for (const name of ["allocGraphInput", "allocGraphOutput", "allocMutableBuffers"] as const) {
    if (result[name]) delete result[name];
  }
  return result;
}

function makeProgram(version: string, done: (status: number) => void): Command {
  const program = new Command("memplan")
    .description("Plans where every tensor of a model lives in memory.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(memplan --help says more)");
  addSearchOptions(program.command("plan"))
    .description("plan a model: graph JSON, MiniMalloc CSV, .tflite, .pte or .onnx; - is standard input")
    .argument("<model>")
    .option("-o, --output <file>", "write the plan there: .json, .csv, or .tflite with the plan inside")
    .option("--json", "plan JSON even on a terminal")
    .action(async (model, flags) => done(await plan(model, flagsOf(flags))));
  addGraphOptions(program.command("verify"))
    .description("check a plan, ours or anybody's; options default to what the plan says it was made with")
    .argument("<model>")
    .argument("<plan>", "plan JSON; - is standard input")
    .option("--allow-overlap", "ExecuTorch rules: tensors may share bytes while both live")
    .option("--json", "the report as JSON even on a terminal")
    .action(async (model, planFile, flags) => done(await verify(model, planFile, flagsOf(flags))));
  addSearchOptions(program.command("check"))
    .description("for CI: plan a model and fail where it needs too much")
    .argument("<model>")
    .option("--max <bytes>", "most bytes the plan may have, over all pools", wholeNumber)
    .option("--compare <plan>", "plan JSON of before; the new plan may not be larger")
    .action(async (model, flags) => done(await check(model, flagsOf(flags))));
  program
    .command("algorithms")
    .description("list the algorithms")
    .option("--json", "as JSON")
    .action(async (flags) => done(await printAlgorithms(flags)));
  return program;
}

/** The exit status for whatever was thrown, with its message said. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Help and version, and usage that commander has complained of already.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  if (error instanceof MemplanError) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    process.stderr.write(`memplan: ${error.code}: ${error.message}${where}\n`);
    for (const { id, bytes } of error.details?.culprits ?? []) {
      process.stderr.write(`  ${bytes.toLocaleString("en")} bytes: ${id}\n`);
    }
    return error.code === "DOES_NOT_FIT" || error.code === "NOT_FOUND_IN_TIME" ? EXIT.invalid : EXIT.usage;
  }
  process.stderr.write(`memplan: ${error instanceof Error ? error.message : error}\n`);
  return EXIT.usage;
}

/** Runs one command line; gives its exit status. */
export async function runCli(args: string[], version: string): Promise<number> {
  let status: number = EXIT.done;
  const program = makeProgram(version, (result) => {
    status = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    return explain(error);
  }
  return status;
}
