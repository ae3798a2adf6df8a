import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { load } from "memplan";
import { load as loadWorker, MemplanError, type MemplanWorker, type Progress } from "memplan/worker";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endlessProblem } from "./endless_problem.ts";
import { chainGraph, smallGraph } from "./small_graph.ts";

const ENDLESS = endlessProblem();
/** Longer than any test is given: what ends is ended by something else. */
const AN_HOUR = 3_600_000;

describe("memplan/worker", () => {
  let memplan: MemplanWorker;
  beforeEach(async () => {
    memplan = await loadWorker();
  });
  afterEach(() => memplan.terminate());

  async function errorOf(promise: Promise<unknown>): Promise<MemplanError> {
    const error = await promise.then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(MemplanError);
    return error;
  }

  it("gives the very plans and reports that the package gives", async () => {
    const here = await load();
    const large = smallGraph();
    for (const tensor of large.tensors) Object.assign(tensor, { nbytes: 2 ** 40 });
    const methods = JSON.stringify({ version: 1, methods: { small: smallGraph(), large } });
    for (const input of [smallGraph(), JSON.stringify(chainGraph(100)), large, methods]) {
      const plan = await memplan.plan(input);
      expect(plan).toEqual(here.plan(input));
      expect(await memplan.verify(input, plan)).toEqual(here.verify(input, plan));
    }
    expect(memplan.algorithms).toEqual(here.algorithms);
  });

  it("leaves the caller's bytes alone", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(smallGraph()));
    const before = bytes.slice();
    await memplan.plan(bytes);
    expect(bytes).toEqual(before);
  });

  it("rejects with the errors that the package throws", async () => {
    const wrong = { ...smallGraph(), tensors: [{ id: "x", nbytes: -1 }] };
    const error = await errorOf(memplan.plan(wrong));
    const here = await load();
    let thrown: MemplanError | undefined;
    try {
      here.plan(wrong);
    } catch (caught) {
      thrown = caught as MemplanError;
    }
    expect(error).toMatchObject({ code: thrown?.code, message: thrown?.message, path: thrown?.path });
    expect((await errorOf(memplan.plan(smallGraph(), { alignment: 3 }))).code).toBe("INVALID_OPTION");
    expect((await errorOf(memplan.plan(smallGraph(), { signal: 5 as never }))).path).toBe("signal");
    expect((await errorOf(memplan.plan(smallGraph(), { onProgress: 5 as never }))).path).toBe("onProgress");
    expect((await memplan.plan(smallGraph())).version).toBe(1);
  });

  it("takes and refuses options as the package does, and rejects with nothing but its own errors", async () => {
    expect(await memplan.plan(smallGraph(), null as never)).toEqual((await load()).plan(smallGraph()));
    expect((await memplan.verify(smallGraph(), await memplan.plan(smallGraph()), null as never)).ok).toBe(
      true,
    );
    const trap = {
      get alignment(): number {
        throw new Error("ha");
      },
    };
    for (const options of ["sound", 5, () => 1, trap] as never[]) {
      expect((await errorOf(memplan.plan(smallGraph(), options))).code).toBe("INVALID_OPTION");
      expect((await errorOf(memplan.verify(smallGraph(), "{}", options))).code).toBe("INVALID_OPTION");
    }
  });

  it.each([
    ["a wasm of something else", { wasm: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0) }],
    ["a worker that is not there", { worker: "/nowhere/worker.js" }],
    ["a worker that is no URL", { worker: 5 as never }],
  ])("says WASM_LOAD for %s", async (_, options) => {
    expect((await errorOf(loadWorker(options))).code).toBe("WASM_LOAD");
  });

  it("rejects with ABORTED and the signal's reason, before, while waiting and while at work", async () => {
    const reason = new Error("enough");
    const before = await errorOf(memplan.plan(smallGraph(), { signal: AbortSignal.abort(reason) }));
    expect(before).toMatchObject({ code: "ABORTED", cause: reason });

    const [running, waiting] = [new AbortController(), new AbortController()];
    const options = { algorithm: "search", timeLimitMs: AN_HOUR };
    let first: Promise<unknown> = Promise.resolve();
    const atWork = new Promise<unknown>((resolve) => {
      first = memplan.plan(ENDLESS, { ...options, signal: running.signal, onProgress: resolve });
    });
    const second = memplan.plan(ENDLESS, { ...options, signal: waiting.signal });
    const third = memplan.plan(smallGraph());
    waiting.abort(reason);
    expect(await errorOf(second)).toMatchObject({ code: "ABORTED", cause: reason });
    await atWork;
    running.abort(reason);
    expect(await errorOf(first)).toMatchObject({ code: "ABORTED", cause: reason });
    expect((await third).version).toBe(1);
  });

  it("stops a search early with the best plan so far", async () => {
    const stop = new AbortController();
    let best: number | null = null;
    const plan = await memplan.plan(ENDLESS, {
      algorithm: "search",
      timeLimitMs: AN_HOUR,
      stopSignal: stop.signal,
      onProgress: ({ bestPeak }) => {
        best = bestPeak;
        stop.abort();
      },
    });
    expect(plan.optimal).toBe(false);
    expect(plan.buffer_sizes).toEqual([0, best]);
    expect((await memplan.verify(ENDLESS, plan)).ok).toBe(true);
  });

  it("tells how far a search is: phases, a peak that only falls, a bound that only rises", async () => {
    const seen: Progress[] = [];
    const stop = new AbortController();
    const plan = await memplan.plan(ENDLESS, {
      timeLimitMs: AN_HOUR,
      stopSignal: stop.signal,
      onProgress: (progress) => {
        if (seen.push(progress) === 8) stop.abort();
      },
    });
    expect(seen.length).toBeGreaterThanOrEqual(8);
    const peaks = seen.flatMap(({ bestPeak }) => (bestPeak === null ? [] : [bestPeak]));
    expect(peaks).toEqual([...peaks].sort((a, b) => b - a));
    const bounds = seen.map(({ lowerBound }) => lowerBound);
    expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
    const steps = seen.map((progress) => progress.steps);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    for (const { phase } of seen) expect(phase).not.toBe("");
    expect(peaks.at(-1)).toBe(plan.buffer_sizes.reduce((sum, size) => sum + size, 0));
  });

  it("ends every call that waits when it is terminated, and starts anew for the next", async () => {
    const promise = memplan.plan(ENDLESS, { algorithm: "search", timeLimitMs: AN_HOUR });
    memplan.terminate();
    expect((await errorOf(promise)).code).toBe("ABORTED");
    expect((await memplan.plan(smallGraph())).version).toBe(1);
  });

  it("gives the same plan whatever the slices are, with a step budget", async () => {
    const options = { algorithm: "search", stepBudget: 20_000, seed: 3 };
    const here = (await load()).plan(ENDLESS, options);
    expect(await memplan.plan(ENDLESS, options)).toEqual(here);
  });

  it("does not keep Node alive while it idles", async () => {
    const script = `import { load } from "memplan/worker";
      const memplan = await load();
      await memplan.plan(${JSON.stringify(smallGraph())});
      console.log("done");`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 150_000,
    });
    expect(stdout).toBe("done\n");
  });
});
