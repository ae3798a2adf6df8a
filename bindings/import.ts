/**
 * `memplan/import`: reads model files (.tflite, .pte, .onnx, printed FX graphs) into graph JSON, told by
 * content, without copying weights. Each reader is loaded when a file of its kind comes.
 */
import { MemplanError } from "./error.js";
import { formatOf } from "./import/format.js";
import type { ImportedModel, ImportOptions } from "./import/imported_model.js";

export type { ImportedModel, ImportFormat, ImportOptions } from "./import/imported_model.js";
export { writeOfflinePlan } from "./import/tflite/offline_plan.js";
export { MemplanError };

/**
 * Reads a model file. Truncated, hostile and random bytes throw `MemplanError` with code INVALID_INPUT and the
 * table or byte as `path`; so does whatever is no bytes. CSV and JSON are named as such and left to the planner.
 */
export async function importModel(bytes: Uint8Array, options?: ImportOptions): Promise<ImportedModel> {
  const file = asBytes(bytes);
  const asked = options ?? {};
  const format = formatOf(file);
  switch (format) {
    case "tflite":
      return (await import("./import/tflite/import.js")).importTflite(file, asked);
    case "onnx":
      return (await import("./import/onnx/import.js")).importOnnx(file, asked);
    case "pte":
      return (await import("./import/pte/import.js")).importPte(file, asked);
    case "fx":
      return (await import("./import/fx/import.js")).importFx(file, asked);
    default:
      return { format, notes: [] };
  }
}

function asBytes(file: unknown): Uint8Array {
  if (file instanceof Uint8Array) return file;
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  throw new MemplanError("INVALID_INPUT", "a model file must be given as its bytes (a Uint8Array)");
}
