import { readFileSync } from "node:fs";
import { type Input, load, type Memplan, MemplanError } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import fc from "./fast_check.ts";
import { exchange, oddValue } from "./odd_value.ts";
import { smallGraph } from "./small_graph.ts";

function handedOver(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}

describe("input", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  function errorOf(input: unknown): MemplanError {
    try {
      memplan.plan(input as Input);
    } catch (error) {
      expect(error).toBeInstanceOf(MemplanError);
      return error as MemplanError;
    }
    throw new Error("no error");
  }

  it("is the same as an object, text, bytes, and a view into more bytes", () => {
    const graph = smallGraph();
    const text = JSON.stringify(graph);
    const bytes = new TextEncoder().encode(text);
    const around = new Uint8Array(bytes.length + 20).fill(0x7b);
    around.set(bytes, 7);
    const plan = memplan.plan(graph);
    expect(memplan.plan(text)).toEqual(plan);
    expect(memplan.plan(bytes)).toEqual(plan);
    expect(memplan.plan(Buffer.from(text))).toEqual(plan);
    expect(memplan.plan(bytes.buffer as never)).toEqual(plan);
    expect(memplan.plan(around.subarray(7, 7 + bytes.length))).toEqual(plan);
    expect(memplan.plan(JSON.stringify(graph, null, 2))).toEqual(plan);
  });

  it("has its mistakes at the same place as text and as bytes, ASCII or not", () => {
    for (const text of [
      '{"name":"\\n a",\n"b":}',
      '{"name":"\\n é 日本 𝒳",\n"b":}',
      '{"name":"\\n \ud800",\n"b":}',
    ]) {
      const { code, message, path } = errorOf(text);
      expect([code, path]).toEqual(["INVALID_JSON", "line 2, column 5"]);
      expect(errorOf(new TextEncoder().encode(text))).toMatchObject({ code, message, path });
    }
  });

  it("is left as it was", () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...smallGraph(), name: "a\\n\u0041" }));
    const before = bytes.slice();
    memplan.plan(bytes);
    expect(bytes).toEqual(before);
  });

  it("keeps every id as it is: any Unicode, control characters, a byte order mark", () => {
    const ids = ["é", "𝒳", "日本", "\u0000", "\ufeffx", '"\\', "a\nb", "", "\u2028", "x".repeat(5000)];
    const input = { buffers: ids.map((id, i) => ({ id, lower: i, upper: i + 1, size: 1 })) };
    expect(memplan.plan(input).tensors.map((tensor) => tensor.id)).toEqual(ids);
  });

  it.each<[string, () => unknown, string]>([
    ["undefined", () => undefined, "INVALID_INPUT"],
    ["null", () => null, "INVALID_INPUT"],
    ["a number", () => 5, "INVALID_INPUT"],
    ["a BigInt", () => 5n, "INVALID_INPUT"],
    ["a symbol", () => Symbol("s"), "INVALID_INPUT"],
    ["a function", () => () => 1, "INVALID_INPUT"],
    ["a list", () => [], "INVALID_INPUT"],
    ["an empty object", () => ({}), "INVALID_INPUT"],
    ["no text", () => "", "INVALID_JSON"],
    ["no bytes", () => new Uint8Array(), "INVALID_JSON"],
    ["other text", () => "hello", "INVALID_JSON"],
    ["half a graph", () => '{"tensors": [', "INVALID_JSON"],
    ["bytes that are not UTF-8", () => Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), "INVALID_JSON"],
    ["a byte order mark", () => "\ufeff{}", "INVALID_JSON"],
    ["a deep nest", () => "[".repeat(1_000_000), "INVALID_"],
    [
      "an object that holds itself",
      () => {
        const graph: Record<string, unknown> = { ...smallGraph() };
        graph.name = graph;
        return graph;
      },
      "INVALID_INPUT",
    ],
    ["an object with a BigInt", () => ({ ...smallGraph(), name: 5n }), "INVALID_INPUT"],
    [
      "a getter that throws",
      () => ({
        get tensors() {
          throw new Error("ha");
        },
      }),
      "INVALID_INPUT",
    ],
    [
      "a toJSON that throws no error",
      () => ({
        toJSON() {
          throw 7;
        },
      }),
      "INVALID_INPUT",
    ],
    ["a toJSON that gives nothing", () => ({ toJSON: () => undefined }), "INVALID_INPUT"],
    [
      "a proxy that throws at everything",
      () =>
        new Proxy(
          {},
          new Proxy(
            {},
            {
              get: () => () => {
                throw new Error("trap");
              },
            },
          ),
        ),
      "INVALID_INPUT",
    ],
    ["bytes that were handed over to a worker", () => handedOver(new Uint8Array(16)), "INVALID_INPUT"],
    [
      "a buffer that was handed over to a worker",
      () => handedOver(new Uint8Array(16)).buffer,
      "INVALID_INPUT",
    ],
    [
      "an object too deep for JSON.stringify",
      () => {
        let deep: unknown = {};
        for (let i = 0; i < 100_000; i++) deep = { deep };
        return deep;
      },
      "INVALID_INPUT",
    ],
  ])("%s is an error, and the next call works", (_, make, code) => {
    expect(errorOf(make()).code).toContain(code);
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it("any JavaScript value is planned or refused, never more", () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withTypedArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(value, (input) => {
        try {
          memplan.plan(input as Input);
        } catch (error) {
          if (!(error instanceof MemplanError) || error.code === "INTERNAL") throw error;
        }
      }),
      { numRuns: 3000 },
    );
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it("a graph with one value exchanged for anything is planned or refused, never more", () => {
    const path = fc.constantFrom<(string | number)[]>(
      ["version"],
      ["name"],
      ["tensors"],
      ["tensors", 0],
      ["tensors", 0, "id"],
      ["tensors", 0, "shape"],
      ["tensors", 1, "nbytes"],
      ["tensors", 1, "dtype"],
      ["tensors", 1, "mem_id"],
      ["tensors", 2, "inplace_base"],
      ["tensors", 2, "storage_base"],
      ["tensors", 2, "storage_base_offset"],
      ["nodes"],
      ["nodes", 1],
      ["nodes", 1, "name"],
      ["nodes", 1, "op"],
      ["nodes", 1, "target"],
      ["nodes", 1, "args"],
      ["nodes", 1, "specs"],
      ["nodes", 1, "submodules"],
      ["nodes", 1, "carried"],
      ["nodes", 1, "scratch"],
      ["submodules"],
      ["signature"],
      ["pools"],
      ["input_mem_buffer_sizes"],
    );
    fc.assert(
      fc.property(path, oddValue, (keys, replacement) => {
        const graph = JSON.parse(JSON.stringify(smallGraph()));
        exchange(graph, keys, replacement);
        try {
          memplan.plan(graph);
        } catch (error) {
          if (!(error instanceof MemplanError) || error.code === "INTERNAL") throw error;
        }
      }),
      { numRuns: 5000 },
    );
    expect(memplan.plan(smallGraph()).version).toBe(1);
  });

  it("plans a real network", () => {
    const file = new URL("../data/corpus/graphs/mobilenet_v2_1.0_224_quant.json", import.meta.url);
    const plan = memplan.plan(readFileSync(file));
    expect(plan.tensors.filter((tensor) => tensor.mem_offset !== null)).toHaveLength(67);
    expect(memplan.plan(readFileSync(file), { algorithm: "naive" }).buffer_sizes).toEqual([0, 7049328]);
    expect(plan.buffer_sizes).toEqual([0, 1505280]);
  });
});
