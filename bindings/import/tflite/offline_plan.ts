/**
 * The offline memory plan of TFLite Micro: a metadata entry OfflineMemoryAllocation whose buffer holds 32-bit
 * words: version, number of subgraphs, number of offsets, then an offset for each tensor of each subgraph in
 * order, -1 where the runtime is to place it. Source: tflite-micro docs/memory_management.md and
 * micro_allocation_info.cc.
 */
import type { Graph, Methods, PlanToVerify } from "../../types.js";
import { invalidInput, unsupported } from "../invalid_input.js";
import { listNames } from "../name_list.js";
import { type TfliteGraph, type TflitePlace, tfliteGraph } from "./graph.js";
import { readTfliteModel, type TfliteModel, type TfliteTensor } from "./model.js";
import { replaceOfflineEntry } from "./offline_entry.js";
import { type PlacedGraph, placedGraphs } from "./placed_graph.js";

const kHeaderWords = 3;
const kOnline = -1;
/** TFLite Micro's arena alignment, which it rounds each size up to. */
const kAlignment = 16;

/** Index of a subgraph's first tensor in the list, one more entry for the total. */
function firstOffsets(model: TfliteModel): number[] {
  const first = [0];
  for (const { tensors } of model.subgraphs) first.push((first.at(-1) ?? 0) + tensors.length);
  return first;
}

/** The plan that a file carries. Undefined where it has no such entry; notes only where the runtime refuses it. */
export function readOfflinePlan(
  bytes: Uint8Array,
  model: TfliteModel,
  { graph, places }: TfliteGraph,
): { plan?: PlanToVerify; notes: string[] } | undefined {
  if (model.offlinePlan === null) return undefined;
  const { start, length } = model.offlinePlan;
  const words = new DataView(bytes.buffer, bytes.byteOffset + start, length);
  const first = firstOffsets(model);
  const total = first.at(-1) ?? 0;
  const count = length < 4 * kHeaderWords ? -1 : words.getUint32(8, true);
  if (count !== total || length < 4 * (kHeaderWords + total)) {
    const claims = `its offline memory plan has ${Math.max(0, count)} offsets in ${length} bytes for ${total} tensors`;
    return { notes: [`Ignored: ${claims}.`] };
  }
  const plan = new PlanOfFile(model, places, (place) =>
    words.getInt32(4 * (kHeaderWords + (first[place.subgraph] ?? 0) + place.tensor), true),
  );
  return plan.read(graph);
}

/** Sorts a file's offsets into the shape of a plan. */
class PlanOfFile {
  private readonly byGraph = new Map<string, TflitePlace[]>();
  private readonly online: string[] = [];
  private readonly negative: string[] = [];

  constructor(
    private readonly model: TfliteModel,
    places: TflitePlace[],
    private readonly offsetOf: (place: TflitePlace) => number,
  ) {
    for (const place of places) {
      const key = keyOf(place.method, place.path);
      const list = this.byGraph.get(key);
      if (list === undefined) this.byGraph.set(key, [place]);
      else list.push(place);
    }
  }

  read(graph: Graph | Methods): { plan?: PlanToVerify; notes: string[] } {
    let plan: PlanToVerify;
    if ("methods" in graph) {
      const methods = Object.entries(graph.methods).map(([name, method]): [string, PlanToVerify] => [
        name,
        this.planOf(method, name, []),
      ]);
      const size = Math.max(0, ...methods.map(([, { buffer_sizes }]) => buffer_sizes?.[1] ?? 0));
      plan = { buffer_sizes: [0, size], tensors: [], methods: Object.fromEntries(methods) };
    } else {
      plan = this.planOf(graph, undefined, []);
    }
    if (this.negative.length > 0) {
      return {
        notes: [`Ignored: its offline memory plan has negative offsets, for ${listNames(this.negative)}.`],
      };
    }
    const notes = ["The file carries an offline memory plan (OfflineMemoryAllocation)."];
    if (this.online.length > 0) notes.push(`It leaves to the runtime: ${listNames(this.online)}.`);
    return { plan, notes };
  }

  private planOf(graph: Graph, method: string | undefined, path: string[]): PlanToVerify {
    const tensors: PlanToVerify["tensors"] = [];
    const bound = path.length === 0 ? new Set<string | null>() : placeholderIds(graph);
    let size = 0;
    for (const place of this.byGraph.get(keyOf(method, path)) ?? []) {
      const tensor = tensorAt(this.model, place);
      // What a submodule is handed has its caller's bytes and no place of its own.
      if (tensor.constant || bound.has(place.id)) continue;
      const offset = this.offsetOf(place);
      if (offset < kOnline) this.negative.push(place.id);
      const planned = offset >= 0 && tensor.nbytes !== null;
      if (planned) size = Math.max(size, alignUp(offset + (tensor.nbytes ?? 0)));
      else if (tensor.nbytes !== 0) this.online.push(place.id);
      tensors.push({ id: place.id, mem_id: planned ? 1 : null, mem_offset: planned ? offset : null });
    }
    const plan: PlanToVerify = { buffer_sizes: [0, size], tensors };
    const inner = Object.entries(graph.submodules ?? {});
    if (inner.length === 0) return plan;
    plan.submodules = Object.fromEntries(
      inner.map(([name, submodule]) => [name, this.planOf(submodule, method, [...path, name])]),
    );
    for (const { buffer_sizes } of Object.values(plan.submodules))
      size = Math.max(size, buffer_sizes?.[1] ?? 0);
    plan.buffer_sizes = [0, size];
    return plan;
  }
}

function placeholderIds(graph: Graph): Set<string | null> {
  return new Set(graph.nodes.flatMap(({ op, specs }) => (op === "placeholder" ? (specs ?? []) : [])));
}

const keyOf = (method: string | undefined, path: readonly string[]) => JSON.stringify([method ?? null, path]);

const alignUp = (bytes: number) => Math.ceil(bytes / kAlignment) * kAlignment;

function tensorAt(model: TfliteModel, { subgraph, tensor }: TflitePlace): TfliteTensor {
  const found = model.subgraphs[subgraph]?.tensors[tensor];
  if (found === undefined) throw invalidInput(`subgraphs[${subgraph}]`, `there is no tensor ${tensor}`);
  return found;
}

/**
 * A copy of a .tflite file whose metadata holds the offsets of a plan of the same file's graph, so that TFLite
 * Micro places its tensors there. All other bytes are kept: where the file has such an entry of the right length
 * it is overwritten; else the entry, a new root table and new lists of buffers and metadata are put in behind the
 * eight bytes of the header, and the rest moves back by a multiple of 64.
 *
 * Left to the runtime (-1): constants; tensors that the plan does not place; state, since TFLite Micro keeps it
 * apart from the arena (plan with `allocMutableBuffers: false`, or its bytes stay unused); types narrower than a
 * byte, which it keeps unpacked; tensors of a subgraph that several plans place differently.
 *
 * Throws INVALID_INPUT for a file that is none or a plan of another graph, UNSUPPORTED for what the format cannot
 * say: several pools, offsets past 2^31 - 1.
 */
export function writeOfflinePlan(tflite: Uint8Array, plan: PlanToVerify): Uint8Array {
  const model = readTfliteModel(tflite);
  const imported = tfliteGraph(model);
  const first = firstOffsets(model);
  const offsets = new Int32Array(first.at(-1) ?? 0).fill(kOnline);
  const written = new Uint8Array(offsets.length);
  const graphs = new Map<string, PlacedGraph>();
  for (const placed of placedGraphs(imported.graph, plan))
    graphs.set(keyOf(placed.method, placed.path), placed);
  for (const place of imported.places) {
    const tensor = tensorAt(model, place);
    const word = (first[place.subgraph] ?? 0) + place.tensor;
    if (tensor.constant || tensor.variable || tensor.packed || !tensor.nbytes) continue;
    const offset = graphs.get(keyOf(place.method, place.path))?.offsets.get(place.id) ?? kOnline;
    if (offset > 0x7fffffff) throw unsupported(place.id, `offset ${offset} does not fit 32 bits`);
    offsets[word] = written[word] === 0 || offsets[word] === offset ? offset : kOnline;
    written[word] = 1;
  }
  leaveToVariables(model, offsets);
  return replaceOfflineEntry(tflite, model, offlineWords(model.subgraphs.length, offsets));
}

/**
 * TFLite Micro asks for the offset of a variable tensor by its index within its subgraph, whichever that is
 * (MicroAllocator::AllocateVariables), so for a variable of a later subgraph it looks at the first one's entry.
 * That entry must be -1 too, or the variable gets no memory.
 */
function leaveToVariables(model: TfliteModel, offsets: Int32Array): void {
  for (const { tensors } of model.subgraphs.slice(1)) {
    for (const [index, { variable }] of tensors.entries()) {
      if (variable) offsets[index] = kOnline;
    }
  }
}

function offlineWords(subgraphs: number, offsets: Int32Array): Uint8Array {
  const words = new DataView(new ArrayBuffer(4 * (kHeaderWords + offsets.length)));
  words.setInt32(0, 1, true);
  words.setInt32(4, subgraphs, true);
  words.setInt32(8, offsets.length, true);
  for (const [index, offset] of offsets.entries()) words.setInt32(4 * (kHeaderWords + index), offset, true);
  return new Uint8Array(words.buffer);
}
