import { readFileSync } from "node:fs";
import { createInstance, type Memplan, MemplanError, type Plan } from "memplan";
import { load as loadWorker } from "memplan/worker";
import { describe, expect, it } from "vitest";
import { chainGraph, smallGraph } from "./small_graph.ts";

/** The shipped wasm with its memory capped: the limit stands in the file, in section 5. */
function cappedWasm(pages: number): Uint8Array {
  const bytes = new Uint8Array(readFileSync(new URL("../../dist/memplan.wasm", import.meta.url)));
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  for (;;) {
    const section = bytes[at++];
    const end = number() + at;
    if (section !== 5) {
      at = end;
      continue;
    }
    number(); // one memory
    expect(bytes[at++]).toBe(1); // it has a limit
    number(); // what it begins with
    const limit = at;
    expect(number()).toBe(65536);
    // The same number of bytes, leading zeros included.
    for (let left = pages, place = limit; place < at; place++, left >>= 7) {
      bytes[place] = (left & 0x7f) | (place + 1 < at ? 0x80 : 0);
    }
    return bytes;
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(MemplanError);
    return (error as MemplanError).code;
  }
  return "none";
}

describe("memory", () => {
  it("that runs out is OUT_OF_MEMORY, and the next call works, as often as one likes", async () => {
    const memplan = await createInstance({ wasm: cappedWasm(512) });
    const wanted = memplan.plan(smallGraph());
    const large = JSON.stringify(chainGraph(200_000));
    for (let i = 0; i < 3; i++) {
      expect(codeOf(() => memplan.plan(large))).toBe("OUT_OF_MEMORY");
      expect(memplan.plan(smallGraph())).toEqual(wanted);
    }
  });

  it("that an input alone would fill is OUT_OF_MEMORY", async () => {
    const memplan = await createInstance({ wasm: cappedWasm(512) });
    expect(codeOf(() => memplan.plan(new Uint8Array(40 * 2 ** 20)))).toBe("OUT_OF_MEMORY");
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it("may run out at any point of a call: a plan or OUT_OF_MEMORY, and the next call works", {
    timeout: 1_200_000,
  }, async () => {
    const text = JSON.stringify(chainGraph(60_000));
    const whole = (await createInstance()).plan(text, { stepBudget: 1 });
    const outcomes: string[] = [];
    for (let pages = 256; outcomes.at(-1) !== "none none"; pages += 24) {
      const memplan = await createInstance({ wasm: cappedWasm(pages) });
      let plan: Plan | undefined;
      const planned = codeOf(() => {
        plan = memplan.plan(text, { stepBudget: 1 });
      });
      if (plan) expect(plan).toEqual(whole);
      const verified = codeOf(() => expect(memplan.verify(text, whole).ok).toBe(true));
      outcomes.push(`${planned} ${verified}`);
      expect(memplan.plan(smallGraph()).version).toBe(1);
      expect(pages).toBeLessThan(4096);
    }
    expect(outcomes.length).toBeGreaterThan(10);
    const codes = new Set(outcomes.flatMap((outcome) => outcome.split(" ")));
    expect([...codes].sort()).toEqual(["OUT_OF_MEMORY", "none"]);
  });

  it("of four gigabytes can run out too, by a graph that needs more", { timeout: 1_200_000 }, async () => {
    // Two bytes of text for each dimension, eight of memory, as long as it takes to double a list of 2^28 of them.
    const dimensions = 2 ** 28 + 1;
    const [head, tail] = ['{"tensors":[{"id":"x","dtype":"uint8", "shape":[', '1]}],"nodes":[]}'];
    const bytes = new Uint8Array(head.length + 2 * dimensions + tail.length);
    expect(head.length % 2).toBe(0);
    new Uint16Array(bytes.buffer, head.length, dimensions).fill(0x2c31); // "1,"
    new TextEncoder().encodeInto(head, bytes);
    new TextEncoder().encodeInto(tail, bytes.subarray(bytes.length - tail.length));
    const memplan = await createInstance();
    expect(codeOf(() => memplan.plan(bytes, { inplace: true }))).toBe("OUT_OF_MEMORY");
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it("that runs out in a worker is OUT_OF_MEMORY there, and the next call works", async () => {
    const worker = await loadWorker({ wasm: cappedWasm(512) });
    try {
      const large = JSON.stringify(chainGraph(200_000));
      for (let i = 0; i < 2; i++) {
        await expect(worker.plan(large)).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
        expect((await worker.plan(smallGraph())).version).toBe(1);
      }
    } finally {
      worker.terminate();
    }
  });

  it("does not grow over ten thousand calls, plans and errors mixed", async () => {
    let memory: WebAssembly.Memory | undefined;
    const instance = WebAssembly.Instance;
    let memplan: Memplan;
    try {
      WebAssembly.Instance = class extends instance {
        constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
          super(module, imports);
          memory = Object.values(this.exports).find((value) => value instanceof WebAssembly.Memory);
        }
      };
      memplan = await createInstance();
      memplan.plan(smallGraph());
    } finally {
      WebAssembly.Instance = instance;
    }
    const graphs = [smallGraph(), chainGraph(50), { nodes: [] }, "not JSON"] as Parameters<
      Memplan["plan"]
    >[0][];
    const round = () => {
      for (const graph of graphs) codeOf(() => memplan.plan(graph));
    };
    for (let i = 0; i < 100; i++) round();
    const before = memory?.buffer.byteLength;
    expect(before).toBeGreaterThan(0);
    for (let i = 0; i < 2500; i++) round();
    expect(memory?.buffer.byteLength).toBe(before);
  });

  it("is each instance's own: two at once do not meet", async () => {
    const [one, two] = await Promise.all([createInstance(), createInstance()]);
    const plans = [one.plan(chainGraph(10)), two.plan(chainGraph(20)), one.plan(chainGraph(10))];
    expect(plans[2]).toEqual(plans[0]);
    expect(plans[1]?.tensors).toHaveLength(20);
  });
});
