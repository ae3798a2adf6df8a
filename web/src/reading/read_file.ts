import type { PlanToVerify } from "memplan";
import { MemplanError } from "memplan/worker";
import type { ImportAnswer, ImportRequest } from "./import.worker";

/** A file made ready for the planner. */
export interface ReadModel {
  /** UTF-8 of graph JSON, interval JSON or CSV. */
  bytes: Uint8Array;
  format: "json" | "csv" | "tflite" | "pte" | "onnx" | "fx";
  /** The plan that the file carries. */
  carried: PlanToVerify | null;
  /** What the file does not tell. */
  notes: string[];
  /** Symbolic dimensions that the file names. */
  symbols: OpenDimension[];
}

/** A dimension that the model leaves open, with the sizes worth trying. */
export interface OpenDimension {
  name: string;
  value: number;
  least: number;
  most: number;
}

/**
 * JSON and CSV go to the planner as they are. Everything else is read by `memplan/import`, which is loaded only
 * then, in a worker of its own that ends with the file.
 */
export async function readModel(
  name: string,
  bytes: Uint8Array,
  dims: Record<string, number> = {},
): Promise<ReadModel> {
  const own = ownFormat(bytes);
  if (own) return { bytes, format: own, carried: null, notes: [], symbols: [] };
  const request = { bytes, name: name.replace(/\.[^.]*$/, ""), dims };
  const answer = await importInWorker(request);
  if (!answer.ok) throw new MemplanError(answer.code, answer.message, { path: answer.path });
  const open = answer.imported.symbols ?? [];
  return open.length > 0 ? withFirstSizes(request, answer, open) : asRead(bytes, answer, dims);
}

type Imported = Extract<ImportAnswer, { ok: true }>;

function asRead(bytes: Uint8Array, { imported, graph }: Imported, dims: Record<string, number>): ReadModel {
  const { format, plan, notes } = imported;
  return { bytes: graph ?? bytes, format, carried: plan ?? null, notes, symbols: symbolsOf(dims) };
}

/** Sizes tried for dimensions that a model leaves open, until its operators accept them; a batch is 1. */
const kFirstSizes = [1, 128, 224];

async function withFirstSizes(request: ImportRequest, unsized: Imported, open: string[]): Promise<ReadModel> {
  for (const size of kFirstSizes) {
    const first = Object.fromEntries(open.map((s) => [s, /^(n|b|batch.*|.*:0)$/i.test(s) ? 1 : size]));
    const dims = { ...first, ...request.dims };
    const answer = await importInWorker({ ...request, dims });
    if (!answer.ok) continue;
    const note = `The model leaves ${open.join(", ")} open; ${size === 1 ? "1" : `${size} (a batch: 1)`} is taken until you choose.`;
    answer.imported.notes.unshift(note);
    return asRead(request.bytes, answer, dims);
  }
  return asRead(request.bytes, unsized, request.dims);
}

function symbolsOf(dims: Record<string, number>): OpenDimension[] {
  return Object.entries(dims).map(([name, value]) => ({
    name,
    value,
    least: 1,
    most: Math.max(16, 2 ** Math.ceil(Math.log2(value + 1)) * 2),
  }));
}

/** Told by the first characters; null where an import has to look. */
function ownFormat(bytes: Uint8Array): "json" | "csv" | null {
  const head = new TextDecoder().decode(bytes.subarray(0, 512)).trimStart();
  if (/^[{[]/.test(head)) return "json";
  const columns = (head.split(/\r?\n/, 1)[0] ?? "").split(",").map((c) => c.trim().toLowerCase());
  return columns.includes("id") && columns.includes("size") ? "csv" : null;
}

function importInWorker(request: ImportRequest): Promise<ImportAnswer> {
  const worker = new Worker(new URL("./import.worker.ts", import.meta.url), { type: "module" });
  const answer = new Promise<ImportAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportAnswer>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message || "The model reader could not be loaded."));
  });
  worker.postMessage(request);
  return answer.finally(() => worker.terminate());
}

/** Whether JSON is a plan and not something to be planned. */
export function looksLikePlan(bytes: Uint8Array): boolean {
  if (ownFormat(bytes) !== "json" || bytes.length > 200_000_000) return false;
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"buffer_sizes"') || !text.includes('"tensors"')) return false;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return "buffer_sizes" in value && !("nodes" in value) && !("buffers" in value);
  } catch {
    return false;
  }
}
