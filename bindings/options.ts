import { MemplanError } from "./error.js";
import type { Options, Rules } from "./types.js";

/** Options as the core takes them: every one there, every one checked. */
export interface CheckedOptions {
  /** The place in {@link RULES}. */
  rules: number;
  /** A sum of {@link FLAGS}. */
  flags: number;
  /** Bytes. */
  alignment: number;
  seed: number;
  /** Bytes; -1 for none. */
  stopAt: number;
  /** Empty for the default of the rules. */
  algorithm: string;
  /** Names of operators, one a line; empty for the built-in list. */
  operators: string;
  /** Bytes, per mem_id where the flag says so. */
  capacity: Float64Array | undefined;
  /** Milliseconds; Infinity where the steps decide. */
  timeLimitMs: number;
  /** Infinity where the clock decides. */
  stepBudget: number;
}

/** In the core's order. */
export const RULES: readonly Rules[] = ["sound", "executorch-2024", "executorch-2026"];

/** The core's bits (bindings/memplan.cpp). */
export const FLAGS = {
  allocGraphInput: 1,
  allocGraphOutput: 2,
  allocMutableBuffers: 4,
  moveResults: 8,
  inplace: 16,
  allowLifetimeAndStorageOverlap: 32,
  enableNonCpuMemoryPlanning: 64,
  capacityPerPool: 128,
};

/** The highest mem_id, kMaxMemId in src/units.h; lists by mem_id have an entry 0 too. */
const MOST_POOLS = 1 << 16;

const KNOWN = new Set([
  "rules",
  "algorithm",
  "alignment",
  "allocGraphInput",
  "allocGraphOutput",
  "allocMutableBuffers",
  "timeLimitMs",
  "stepBudget",
  "seed",
  "stopAt",
  "capacity",
  "controlFlowResults",
  "inplace",
  "allowLifetimeAndStorageOverlap",
  "enableNonCpuMemoryPlanning",
]);

export function isOption(name: string): boolean {
  return KNOWN.has(name);
}

type Values = Record<string, unknown>;

function refuse(name: string, wanted: string, value: unknown): never {
  throw new MemplanError("INVALID_OPTION", `${name} must be ${wanted}, not ${describe(value)}`, {
    path: name,
  });
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "bigint") return `${value}n`;
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** What was given; null is no value of any option. */
function given(values: Values, name: string, byDefault: unknown): unknown {
  return values[name] === undefined ? byDefault : values[name];
}

function boolean(values: Values, name: string, byDefault: boolean): boolean {
  const value = given(values, name, byDefault);
  return typeof value === "boolean" ? value : refuse(name, "true or false", value);
}

function isBytes(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function wholeNumber(values: Values, name: string, byDefault: number, least: number): number {
  const value = values[name];
  if (value === undefined) return byDefault;
  if (!isBytes(value) || value < least) refuse(name, `a whole number from ${least} to 2^53 - 1`, value);
  return value;
}

function oneOf<T extends string>(values: Values, name: string, choices: readonly T[], byDefault: T): T {
  const value = given(values, name, byDefault) as T;
  if (!choices.includes(value)) {
    refuse(name, `one of ${choices.map((choice) => `"${choice}"`).join(", ")}`, value);
  }
  return value;
}

function checkAlignment(values: Values): number {
  const value = given(values, "alignment", 16);
  if (!isBytes(value) || value < 1 || 2 ** Math.round(Math.log2(value)) !== value) {
    refuse("alignment", "a power of two from 1 to 2^52", value);
  }
  return value;
}

/** Empty where none is given. */
function checkAlgorithm(values: Values): string {
  const value = values.algorithm;
  if (value === undefined) return "";
  if (typeof value === "string" && value !== "" && !value.includes("\n")) return value;
  return refuse("algorithm", "the name of an algorithm", value);
}

function checkCapacity(values: Values): Float64Array | undefined {
  const value = values.capacity;
  if (value === undefined) return undefined;
  if (isBytes(value)) return Float64Array.of(value);
  const wanted = "bytes, or a list of bytes by mem_id: whole numbers from 0 to 2^53 - 1";
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_POOLS + 1) {
    refuse("capacity", wanted, value);
  }
  const wrong = Array.from(value).findIndex((entry) => !isBytes(entry));
  if (wrong >= 0) refuse(`capacity[${wrong}]`, "a whole number of bytes from 0 to 2^53 - 1", value[wrong]);
  return Float64Array.from(value);
}

function checkOperators(values: Values): { inplace: boolean; operators: string } {
  const value = given(values, "inplace", false);
  if (typeof value === "boolean") return { inplace: value, operators: "" };
  if (!Array.isArray(value)) refuse("inplace", "true, false or a list of operator names", value);
  const names: unknown[] = Array.from(value);
  const wrong = names.findIndex((name) => typeof name !== "string" || name === "" || name.includes("\n"));
  if (wrong >= 0) refuse(`inplace[${wrong}]`, "the name of an operator", names[wrong]);
  return { inplace: names.length > 0, operators: names.join("\n") };
}

function checkTimeLimit(values: Values): number {
  const value = given(values, "timeLimitMs", 1000);
  return typeof value === "number" && value >= 0
    ? value
    : refuse("timeLimitMs", "milliseconds from 0", value);
}

/** An option that the rules would pass over in silence. */
function refuseUnder(rules: Rules, values: Values, inplace: boolean): void {
  const only = (name: string, known: Rules) => {
    throw new MemplanError("INVALID_OPTION", `${name} is for the rules "${known}", not "${rules}"`, {
      path: name,
    });
  };
  if (rules !== "sound") {
    if (inplace) only("inplace", "sound");
    if (values.controlFlowResults === "copy") only("controlFlowResults", "sound");
  }
  if (rules !== "executorch-2026" && values.enableNonCpuMemoryPlanning === true) {
    only("enableNonCpuMemoryPlanning", "executorch-2026");
  }
}

/** Copies the caller's object once, so that nothing of it runs later. Throws `INVALID_OPTION`. */
export function copyOptions<T extends object>(options: T | undefined): T {
  if (options === undefined || options === null) return {} as T;
  if (typeof options !== "object") {
    throw new MemplanError("INVALID_OPTION", `options must be an object, not ${describe(options)}`);
  }
  try {
    return { ...options };
  } catch (cause) {
    throw new MemplanError("INVALID_OPTION", "the options cannot be read", { cause });
  }
}

function readValues(options: Options | undefined): Values {
  const values = copyOptions(options) as Values;
  for (const name of Object.keys(values)) {
    if (!KNOWN.has(name)) {
      throw new MemplanError("INVALID_OPTION", `there is no option ${JSON.stringify(name)}`, { path: name });
    }
  }
  return values;
}

/** Checks everything that the core takes on trust. Throws `INVALID_OPTION` with the option's name as path. */
export function checkOptions(options: Options | undefined): CheckedOptions {
  const values = readValues(options);
  const rules = oneOf(values, "rules", RULES, "sound");
  const { inplace, operators } = checkOperators(values);
  refuseUnder(rules, values, inplace);
  const algorithm = checkAlgorithm(values);
  const capacity = checkCapacity(values);
  const stepBudget = wholeNumber(values, "stepBudget", Number.POSITIVE_INFINITY, 1);
  const timeLimitMs = checkTimeLimit(values);
  let flags = 0;
  if (boolean(values, "allocGraphInput", true)) flags |= FLAGS.allocGraphInput;
  if (boolean(values, "allocGraphOutput", true)) flags |= FLAGS.allocGraphOutput;
  if (boolean(values, "allocMutableBuffers", true)) flags |= FLAGS.allocMutableBuffers;
  if (oneOf(values, "controlFlowResults", ["move", "copy"], "move") === "move") flags |= FLAGS.moveResults;
  if (inplace) flags |= FLAGS.inplace;
  if (boolean(values, "allowLifetimeAndStorageOverlap", false)) flags |= FLAGS.allowLifetimeAndStorageOverlap;
  if (boolean(values, "enableNonCpuMemoryPlanning", false)) flags |= FLAGS.enableNonCpuMemoryPlanning;
  if (Array.isArray(values.capacity)) flags |= FLAGS.capacityPerPool;
  return {
    rules: RULES.indexOf(rules),
    flags,
    alignment: checkAlignment(values),
    seed: wholeNumber(values, "seed", 0, 0),
    stopAt: wholeNumber(values, "stopAt", -1, 0),
    algorithm,
    operators,
    capacity,
    timeLimitMs: stepBudget === Number.POSITIVE_INFINITY ? timeLimitMs : Number.POSITIVE_INFINITY,
    stepBudget,
  };
}
