/**
 * Mutated files through each reader: truncations, bit flips, swapped and overwritten words, spliced parts. What
 * comes out is either a graph that holds together or MemplanError with INVALID_INPUT or UNSUPPORTED, never another
 * error. IMPORT_MUTATIONS sets how many per reader (default 400; a large run prints
 * the slowest file and the most memory).
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel, MemplanError, writeOfflinePlan } from "../../bindings/import.js";
import type { Graph } from "../../bindings/types.js";

const kMutations = Number(process.env.IMPORT_MUTATIONS ?? 400);
const kModels = new URL("../data/corpus/models/", import.meta.url);
const model = (name: string) => new Uint8Array(readFileSync(new URL(name, kModels)));

const kFxText = `class GraphModule(torch.nn.Module):
    def forward(self, p_w: "f32[8, 8]", b_cache: "f32[4, s0]", x: "f32[4, 8]"):
        # File: model.py:3 in forward, code: x + 1
        add: "f32[4, 8]" = torch.ops.aten.add.Tensor(b_cache, x);  b_cache = x = None
        split = torch.ops.aten.split.Tensor(add, 2)
        getitem: "f32[2, 8]" = split[0]
        return (add, getitem)
%alloc : [num_users=1] = call_function[target=executorch.exir.memory.alloc](args = (((2, 8), torch.float32),), kwargs = {})
%relu : f32[2, 8] = call_function[target=torch.ops.aten.relu.out](args = (%x,), kwargs = {out: %alloc})
b_cache: BUFFER target='cache' persistent=True
add: BUFFER_MUTATION target='cache'
`;

const kSeeds: Record<string, Uint8Array[]> = {
  tflite: [
    model("tflm_hello_world_int8.tflite"),
    model("tflm_audio_preprocessor_int8.tflite"),
    model("coral_keras_lstm_mnist_ptq.tflite"),
  ],
  pte: [model("keyword_spotting.pte")],
  onnx: [
    model("onnx_node_test_if.onnx"),
    model("onnx_node_test_scan9_sum.onnx"),
    model("onnx_node_test_range_float_type_positive_delta_expanded.onnx"),
    model("light_bvlc_alexnet.onnx"),
    model("light_squeezenet.onnx"),
  ],
  fx: [new TextEncoder().encode(kFxText)],
};

/** The same numbers on every machine. */
function randomizer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const kWords = [
  0, 1, 2, 4, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
];

/** Metadata stands at both ends of the formats, weights in the middle, so places near the ends come more often. */
function place(random: (below: number) => number, length: number): number {
  const near = random(4);
  if (near === 0) return random(Math.min(length, 256));
  if (near === 1) return length - 1 - random(Math.min(length, 4096));
  return random(length);
}

function mutate(seed: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = seed.slice();
  const view = () => new DataView(bytes.buffer);
  for (let changes = 1 + random(3); changes > 0 && bytes.length > 8; changes--) {
    const at = place(random, bytes.length - 4);
    const word = at & ~3;
    switch (random(7)) {
      case 0:
        bytes = bytes.slice(0, random(bytes.length));
        break;
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
        break;
      case 2:
        bytes[at] = random(256);
        break;
      case 3:
        view().setUint32(word, kWords[random(kWords.length)] ?? 0, true);
        break;
      case 4: {
        // Two offsets change places.
        const other = place(random, bytes.length - 4) & ~3;
        const [a, b] = [view().getUint32(word, true), view().getUint32(other, true)];
        view().setUint32(word, b, true);
        view().setUint32(other, a, true);
        break;
      }
      case 5:
        view().setInt32(word, view().getInt32(word, true) + random(33) - 16, true);
        break;
      case 6: {
        const length = random(64);
        bytes.copyWithin(at, place(random, bytes.length - 4), place(random, bytes.length - 4) + length);
        break;
      }
    }
  }
  return bytes;
}

/** Whether ids and names are unique, and args and specs name what is there before. */
function holdsTogether(graph: Graph): boolean {
  const ids = new Set(graph.tensors.map(({ id }) => id));
  const names = new Set<string>();
  if (ids.size !== graph.tensors.length) return false;
  for (const { name, args = [], specs = [] } of graph.nodes) {
    if (names.has(name) || !args.every((arg) => names.has(arg))) return false;
    if (!specs.every((id) => id === null || ids.has(id))) return false;
    names.add(name);
  }
  for (const { nbytes, shape } of graph.tensors) {
    if (nbytes !== undefined && !(Number.isSafeInteger(nbytes) && nbytes >= 0)) return false;
    if (!(shape ?? []).every((extent) => Number.isSafeInteger(extent) && extent >= 0)) return false;
  }
  return Object.values(graph.submodules ?? {}).every(holdsTogether);
}

interface Outcome {
  read: number;
  refused: number;
  slowest: number;
  mostHeap: number;
}

async function tryOne(bytes: Uint8Array, outcome: Outcome): Promise<void> {
  const start = performance.now();
  try {
    const { graph, format } = await importModel(bytes);
    const graphs = graph === undefined ? [] : "methods" in graph ? Object.values(graph.methods) : [graph];
    for (const one of graphs) expect(holdsTogether(one)).toBe(true);
    if (format === "tflite" && outcome.read % 8 === 0) {
      writeOfflinePlan(bytes, { buffer_sizes: [0, 0], tensors: [], methods: methodPlans(graph) });
    }
    outcome.read++;
  } catch (error) {
    if (!(error instanceof MemplanError) || !/^(INVALID_INPUT|UNSUPPORTED)$/.test(error.code)) throw error;
    if (error.path === undefined) throw error;
    outcome.refused++;
  }
  outcome.slowest = Math.max(outcome.slowest, performance.now() - start);
  if ((outcome.read + outcome.refused) % 256 === 0) {
    outcome.mostHeap = Math.max(outcome.mostHeap, process.memoryUsage().rss);
  }
}

function methodPlans(graph: Graph | { methods: Record<string, Graph> } | undefined) {
  const names = graph !== undefined && "methods" in graph ? Object.keys(graph.methods) : [];
  return Object.fromEntries(names.map((name) => [name, { buffer_sizes: [0, 0], tensors: [] }]));
}

describe("mutated files", () => {
  it.each(Object.keys(kSeeds))(
    "%s",
    async (format) => {
      const seeds = kSeeds[format] ?? [];
      const random = randomizer(format.length * 7919 + format.charCodeAt(0));
      const outcome: Outcome = { read: 0, refused: 0, slowest: 0, mostHeap: 0 };
      for (let count = 0; count < kMutations; count++) {
        const seed = seeds[count % seeds.length] ?? new Uint8Array();
        const bytes = mutate(seed, random);
        try {
          await tryOne(bytes, outcome);
        } catch (error) {
          throw new Error(`mutation ${count} of ${format}`, { cause: error });
        }
      }
      if (kMutations > 10000) console.log(format, outcome);
      expect(outcome.read + outcome.refused).toBe(kMutations);
      // A mutation rate at which nothing is refused, or everything, would try nothing.
      expect(outcome.refused).toBeGreaterThan(0);
    },
    3_600_000,
  );

  it("whatever is no bytes is refused, and null is no options", async () => {
    for (const value of [
      undefined,
      null,
      5,
      "model.onnx",
      {},
      [8, 1],
      Promise.resolve(),
      new Float64Array(4),
    ]) {
      const error = await importModel(value as never).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(MemplanError);
      expect(error.code).toBe("INVALID_INPUT");
    }
    for (const [seed] of Object.values(kSeeds)) {
      const bytes = (seed as Uint8Array).slice();
      const read = await importModel(bytes, null as never);
      expect(await importModel(bytes.buffer as never)).toEqual(read);
    }
  });

  it("random bytes are of no format, or refused", async () => {
    const random = randomizer(1);
    const outcome: Outcome = { read: 0, refused: 0, slowest: 0, mostHeap: 0 };
    for (let count = 0; count < kMutations; count++) {
      const bytes = Uint8Array.from({ length: random(400) }, () => random(256));
      const marks = [undefined, "TFL3", "ET12", "eh00"];
      const mark = marks[random(4)];
      if (mark !== undefined && bytes.length > 8) bytes.set(new TextEncoder().encode(mark), 4);
      await tryOne(bytes, outcome);
    }
    expect(outcome.refused).toBeGreaterThan(kMutations / 2);
  });
});
