import { readFileSync } from "node:fs";
import { createInstance, type Memplan, MemplanError } from "memplan";
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
