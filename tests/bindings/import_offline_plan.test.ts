import { readdirSync, readFileSync } from "node:fs";
import { load, type Memplan } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { importModel, writeOfflinePlan } from "../../bindings/import.js";
import type { Graph, PlanToVerify } from "../../bindings/types.js";
import { type Live, lifetimesOf } from "./import_lifetimes.js";
import { kIfOptions, kWhileOptions, tfliteFile } from "./import_tflite_file.js";

const kModels = new URL("../data/corpus/models/", import.meta.url);
const kFiles = readdirSync(kModels).filter((file) => file.endsWith(".tflite"));
const read = (file: string) => new Uint8Array(readFileSync(new URL(file, kModels)));
const align = (bytes: number) => Math.ceil(bytes / 16) * 16;

const overlapInTime = (a: Live, b: Live) => a.first <= b.last && b.first <= a.last;

/** The lowest free place for each, largest first. */
function firstFit(lives: Map<string, Live>): PlanToVerify {
  const placed: (Live & { id: string; offset: number })[] = [];
  for (const [id, live] of [...lives].sort(([, a], [, b]) => b.size - a.size)) {
    const others = placed.filter((other) => overlapInTime(other, live)).sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const other of others) {
      if (offset + align(live.size) > other.offset)
        offset = Math.max(offset, other.offset + align(other.size));
    }
    placed.push({ ...live, id, offset });
  }
  const size = Math.max(0, ...placed.map(({ offset, size }) => offset + align(size)));
  return {
    buffer_sizes: [0, size],
    tensors: placed.map(({ id, offset }) => ({ id, mem_id: 1, mem_offset: offset })),
  };
}

const offsetsOf = (plan: PlanToVerify | undefined) =>
  new Map((plan?.tensors ?? []).map(({ id, mem_offset }) => [id, mem_offset]));

/** Bytes put in behind the header, or -1 where anything else differs from the file as it was. */
function inserted(before: Uint8Array, after: Uint8Array): number {
  const shift = after.length - before.length;
  const sameRest = Buffer.compare(before.subarray(8), after.subarray(8 + shift)) === 0;
  const sameIdentifier = Buffer.compare(before.subarray(4, 8), after.subarray(4, 8)) === 0;
  return sameRest && sameIdentifier ? shift : -1;
}

describe("writeOfflinePlan", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  it.each(kFiles)("round-trips %s", async (file) => {
    const bytes = read(file);
    const { graph } = await importModel(bytes);
    const lives = lifetimesOf(graph as Graph);
    const plan = firstFit(lives);
    const planned = writeOfflinePlan(bytes, plan);

    const shift = inserted(bytes, planned);
    expect(shift).toBeGreaterThan(0);
    expect(shift % 64).toBe(0);
    const again = await importModel(planned);
    expect(again.graph).toEqual(graph);

    const wanted = offsetsOf(plan);
    const state = new Set(Object.keys((graph as Graph).signature?.inputs_to_buffers ?? {}));
    const offsets = offsetsOf(again.plan);
    for (const [id, live] of lives) {
      expect(offsets.get(id), id).toBe(state.has(id) || live.size === 0 ? null : wanted.get(id));
    }
    // What was read back lies apart wherever it is live together.
    const placed = [...lives].filter(([id]) => typeof offsets.get(id) === "number");
    for (const [i, [a, x]] of placed.entries()) {
      for (const [b, y] of placed.slice(i + 1)) {
        const [from, to] = [offsets.get(a) ?? 0, offsets.get(b) ?? 0];
        const apart = from + x.size <= to || to + y.size <= from;
        expect(apart || !overlapInTime(x, y), `${a} and ${b}`).toBe(true);
      }
    }
  });

  it.each(kFiles)("carries memplan's own plan of %s, which verifies when read back", async (file) => {
    const bytes = read(file);
    const { graph } = await importModel(bytes);
    const options = { allocMutableBuffers: false };
    const plan = memplan.plan(graph as Graph, options);
    const again = await importModel(writeOfflinePlan(bytes, plan));
    expect(again.plan?.buffer_sizes).toEqual(plan.buffer_sizes);
    expect(memplan.verify(graph as Graph, again.plan as PlanToVerify, options).errors).toEqual([]);
  });

  it.each([
    ["branches", () => kBranches],
    ["a loop", () => kLoop],
  ])("carries memplan's plan of %s", async (_, rowsOf) => {
    const bytes = tfliteFile(rowsOf());
    const { graph } = await importModel(bytes);
    const again = await importModel(writeOfflinePlan(bytes, memplan.plan(graph as Graph)));
    expect(memplan.verify(graph as Graph, again.plan as PlanToVerify).errors).toEqual([]);
  });

  it("overwrites an entry of the right length and nothing else", async () => {
    const bytes = read("tflm_person_detect.tflite");
    const { graph } = await importModel(bytes);
    const plan = firstFit(lifetimesOf(graph as Graph));
    const first = writeOfflinePlan(bytes, plan);
    const moved = {
      ...plan,
      tensors: plan.tensors.map((row) => ({ ...row, mem_offset: (row.mem_offset ?? 0) + 64 })),
    };
    const second = writeOfflinePlan(first, moved);
    expect(second.length).toBe(first.length);
    const differing = [...second.keys()].filter((index) => first[index] !== second[index]);
    expect((differing.at(-1) ?? 0) - (differing[0] ?? 0)).toBeLessThan(4 * 89);
    expect(writeOfflinePlan(second, plan)).toEqual(first);
  });

  it("does not touch the bytes it was given", () => {
    const bytes = read("tflm_hello_world_int8.tflite");
    const copy = bytes.slice();
    writeOfflinePlan(bytes, { buffer_sizes: [0, 0], tensors: [] });
    expect(bytes).toEqual(copy);
  });

  it("replaces an entry of another length", async () => {
    const list = new Uint8Array(new Int32Array([1, 1, 1, 0]).buffer);
    const file = tfliteFile({
      subgraphs: [kAddTwice],
      buffers: [{ data: list }],
      metadata: [
        { name: "min_runtime_version", buffer: 0 },
        { name: "OfflineMemoryAllocation", buffer: 1 },
      ],
    });
    const before = await importModel(file);
    expect(before.plan).toBeUndefined();
    expect(before.notes.join(" ")).toContain("1 offsets in 16 bytes for 3 tensors");
    const planned = writeOfflinePlan(file, rows({ x: 0, y: 16, z: 0 }));
    expect(inserted(file, planned)).toBeGreaterThan(0);
    expect(offsetsOf((await importModel(planned)).plan)).toEqual(
      new Map([
        ["x", 0],
        ["y", 16],
        ["z", 0],
      ]),
    );
  });

  it("moves offsets from the start of the file along", () => {
    const file = tfliteFile({
      subgraphs: [
        { ...kAddTwice, operators: kAddTwice.operators.map((row) => ({ ...row, customOptions: [64n, 4n] })) },
      ],
      buffers: [
        { offset: 16n, size: 32n },
        { offset: 1n, size: 0n },
      ],
    });
    const planned = writeOfflinePlan(file, rows({ x: 0, y: 16, z: 0 }));
    const shift = BigInt(planned.length - file.length);
    const words = (bytes: Uint8Array) => bigWords(bytes).filter((word) => word !== 0n);
    for (const offset of [16n, 64n]) {
      expect(words(planned)).toContain(offset + shift);
    }
    expect(inserted(file, planned)).toBe(-1);
  });

  it("gives the inputs of called subgraphs their caller's place", async () => {
    const file = tfliteFile(kBranches);
    const plan: PlanToVerify = {
      ...rows({ flag: 0, x: 16, y: 32, z: 48 }),
      submodules: { if_0_then: rows({ then_out: 32 }), if_0_else: rows({ else_out: 32 }) },
    };
    const planned = writeOfflinePlan(file, plan);
    expect(offlineList(planned)).toEqual([0, 16, 32, 48, 16, 32, 16, 32]);
    const again = await importModel(planned);
    expect(again.plan?.submodules?.if_0_then?.tensors).toEqual([
      { id: "then_out", mem_id: 1, mem_offset: 32 },
    ]);
  });

  it("gives what a loop carries the place of its results", () => {
    const planned = writeOfflinePlan(tfliteFile(kLoop), {
      ...rows({ x: 0, y: 16 }),
      submodules: { while_0_cond: rows({ go: 32 }), while_0_body: rows({ next: 48 }) },
    });
    expect(offlineList(planned)).toEqual([0, 16, 16, 32, 16, 48]);
  });

  it("leaves state to the runtime, and the first subgraph's tensor of the same index", () => {
    const [main, cond, body] = kLoop.subgraphs;
    if (!main || !cond || !body) throw new Error("three subgraphs");
    const withState = {
      ...body,
      tensors: [...body.tensors, { name: "s", shape: [4], variable: true }],
      operators: [{ code: 0, inputs: [0, 2], outputs: [1] }],
    };
    const padded = { ...main, tensors: [...main.tensors, { name: "w", shape: [4] }], outputs: [1, 2] };
    padded.operators = [...padded.operators, { code: 0, inputs: [1], outputs: [2] }];
    const planned = writeOfflinePlan(tfliteFile({ subgraphs: [padded, cond, withState] }), {
      ...rows({ x: 0, y: 16, w: 64, s: 80 }),
      submodules: { while_0_cond: rows({ go: 32 }), while_0_body: rows({ next: 48 }) },
    });
    expect(offlineList(planned)).toEqual([0, 16, -1, 16, 32, 16, 48, -1]);
  });

  it.each([
    ["a tensor the model does not have", rows({ other: 0 }), "INVALID_INPUT", "tensors[0].id"],
    ["a negative offset", rows({ x: -16 }), "INVALID_INPUT", "tensors[0].mem_offset"],
    ["an offset past 32 bits", rows({ x: 2 ** 31 }), "UNSUPPORTED", "x"],
    [
      "a second pool",
      { ...rows({}), tensors: [{ id: "x", mem_id: 2, mem_offset: 0 }] },
      "UNSUPPORTED",
      "tensors[0].mem_id",
    ],
  ])("refuses %s", (_, plan, code, path) => {
    expect(() => writeOfflinePlan(tfliteFile({ subgraphs: [kAddTwice] }), plan)).toThrow(
      expect.objectContaining({ name: "MemplanError", code, path }),
    );
  });
});

function rows(offsets: Record<string, number>): PlanToVerify {
  const tensors = Object.entries(offsets).map(([id, mem_offset]) => ({ id, mem_id: 1, mem_offset }));
  return { buffer_sizes: [0, 1024], tensors };
}

/** The offsets of the last entry, found by the words before them; written apart from the reader. */
function offlineList(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 16 <= bytes.length; at += 4) {
    const [length, version, , count] = [0, 4, 8, 12].map((skip) =>
      view.getInt32(at + skip, true),
    ) as number[];
    if (version !== 1 || count === undefined || count < 1 || length !== 12 + 4 * count) continue;
    return Array.from({ length: count }, (_, index) => view.getInt32(at + 16 + 4 * index, true));
  }
  throw new Error("no list");
}

function bigWords(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: Math.floor(bytes.length / 4) - 1 }, (_, index) =>
    view.getBigUint64(4 * index, true),
  );
}

const kAddTwice = {
  tensors: ["x", "y", "z"].map((name) => ({ name, shape: [4] })),
  inputs: [0],
  outputs: [2],
  operators: [
    { code: 0, inputs: [0, 0], outputs: [1] },
    { code: 0, inputs: [1, 1], outputs: [2] },
  ],
};

const kBranches = {
  subgraphs: [
    {
      tensors: [
        { name: "flag", type: 6, shape: [1] },
        { name: "x", shape: [4] },
        { name: "y", shape: [4] },
        { name: "z", shape: [4] },
      ],
      inputs: [0, 1],
      outputs: [3],
      operators: [
        { code: 118, inputs: [0, 1], outputs: [2], calls: [kIfOptions, 1, 2] as [number, number, number] },
        { code: 0, inputs: [2, 2], outputs: [3] },
      ],
    },
    ...["then", "else"].map((side) => ({
      tensors: [
        { name: `${side}_in`, shape: [4] },
        { name: `${side}_out`, shape: [4] },
      ],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 0, inputs: [0, 0], outputs: [1] }],
    })),
  ],
};

const kLoop = {
  subgraphs: [
    {
      tensors: [
        { name: "x", shape: [4] },
        { name: "y", shape: [4] },
      ],
      inputs: [0],
      outputs: [1],
      operators: [
        { code: 119, inputs: [0], outputs: [1], calls: [kWhileOptions, 1, 2] as [number, number, number] },
      ],
    },
    {
      tensors: [
        { name: "now", shape: [4] },
        { name: "go", type: 6, shape: [1] },
      ],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 58, inputs: [0], outputs: [1] }],
    },
    {
      tensors: [
        { name: "now", shape: [4] },
        { name: "next", shape: [4] },
      ],
      inputs: [0],
      outputs: [1],
      operators: [{ code: 0, inputs: [0, 0], outputs: [1] }],
    },
  ],
};
