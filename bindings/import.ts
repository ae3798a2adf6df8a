/**
 * `memplan/import`: reads model files (.tflite, .pte, .onnx, printed FX graphs) into graph JSON, told by
 * content, without copying weights. Each reader is loaded when a file of its kind comes.
 */
import { formatOf } from "./import/format.js";
import type { ImportedModel, ImportOptions } from "./import/imported_model.js";

export { MemplanError } from "./error.js";
export type { ImportedModel, ImportFormat, ImportOptions } from "./import/imported_model.js";
export { writeOfflinePlan } from "./import/tflite/offline_plan.js";

/**
 * Reads a model file. Truncated, hostile and random bytes throw `MemplanError` with code INVALID_INPUT and the
 * table or byte as `path`. CSV and JSON are named as such and left to the planner.
 */
export async function importModel(bytes: Uint8Array, options: ImportOptions = {}): Promise<ImportedModel> {
  const format = formatOf(bytes);
  switch (format) {
    case "tflite":
      return (await import("./import/tflite/import.js")).importTflite(bytes, options);
    case "onnx":
      return (await import("./import/onnx/import.js")).importOnnx(bytes, options);
    case "pte":
      return (await import("./import/pte/import.js")).importPte(bytes, options);
    case "fx":
      return (await import("./import/fx/import.js")).importFx(bytes, options);
    default:
      return { format, notes: [] };
  }
}
