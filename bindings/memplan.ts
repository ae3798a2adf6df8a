import { MemplanError } from "./error.js";
import { graphRows } from "./graph_rows.js";
import { inputBytes } from "./input_bytes.js";
import { Core, type Job } from "./instance.js";
import { type CheckedOptions, checkOptions, FLAGS } from "./options.js";
import { buildPlan } from "./plan_columns.js";
import type { Algorithm, Input, Options, Plan, PlanToVerify, Report, VerifyOptions } from "./types.js";
import { compileWasm, type WasmHost, type WasmSource } from "./wasm_source.js";

/** How to load; all optional. */
export interface LoadOptions {
  /** Where the WebAssembly comes from. Default: the file `memplan.wasm` beside this module. */
  wasm?: WasmSource;
}

/** The planner, ready to use. Values in, values out: nothing has to be freed. */
export interface Memplan {
  /**
   * Plans where every tensor lives. Blocks until done; algorithms that search stop at `timeLimitMs` or
   * `stepBudget` with the best plan so far. In a page, `memplan/worker` keeps this off the main thread.
   *
   * @throws {@link MemplanError} with the codes of the formats' error table.
   */
  plan(input: Input, options?: Options): Plan;
  /**
   * Whether a plan is right: ours or any planner's, as an object, JSON text or UTF-8 bytes.
   *
   * @throws {@link MemplanError} for an input, plan or option that cannot be read; faults of the plan are in
   * the report.
   */
  verify(input: Input, plan: PlanToVerify | string | Uint8Array, options?: VerifyOptions): Report;
  /** All algorithms of the rules `sound`, in the order to show them. */
  readonly algorithms: readonly Algorithm[];
}

/** Milliseconds between two looks at the clock, about. */
const SLICE_MS = 10;

function start(core: Core, input: unknown, options: CheckedOptions): Job {
  if (typeof input === "string") return core.start(input, options);
  const rows = graphRows(input, (options.flags & FLAGS.inplace) !== 0);
  if (rows) {
    try {
      return core.start(rows, options);
    } catch (error) {
      // What is wrong with a graph, its JSON says, and in which place.
      if (!(error instanceof MemplanError) || error.code === "OUT_OF_MEMORY") throw error;
    }
  }
  return core.start(inputBytes(input, "input"), options);
}

/** Runs a job to its end or its limits. */
export function planWith(core: Core, input: unknown, options: Options | undefined): Plan {
  const checked = checkOptions(options);
  const job = start(core, input, checked);
  while (job.step(SLICE_MS));
  return job.finish(buildPlan);
}

function asMemplan(core: Core): Memplan {
  let algorithms: readonly Algorithm[] | undefined;
  return {
    plan: (input, options) => planWith(core, input, options),
    verify(input, plan, options) {
      const checked = checkOptions(options);
      return core.verify(inputBytes(input, "input"), inputBytes(plan, "plan"), checked);
    },
    get algorithms() {
      algorithms ??= core.algorithms;
      return algorithms;
    },
  };
}

/** The two functions of an entry, made for where its wasm lies. */
export function makeLoader(
  defaultWasm: () => WasmSource,
  host: WasmHost,
): {
  load(options?: LoadOptions): Promise<Memplan>;
  createInstance(options?: LoadOptions): Promise<Memplan>;
} {
  const create = async (wasm: WasmSource) => asMemplan(new Core(await compileWasm(wasm, host)));
  let cached: { wasm: WasmSource | undefined; memplan: Promise<Memplan> } | undefined;
  return {
    load(options) {
      const wasm = options?.wasm;
      const same = cached && (wasm === undefined || wasm === cached.wasm || String(wasm) === cached.wasm);
      if (cached && same) return cached.memplan;
      const memplan = create(wasm ?? defaultWasm());
      const before = cached;
      const entry = { wasm: wasm instanceof URL ? wasm.href : wasm, memplan };
      cached = entry;
      memplan.catch(() => {
        if (cached === entry) cached = before;
      });
      return memplan;
    },
    createInstance: (options) => create(options?.wasm ?? defaultWasm()),
  };
}
