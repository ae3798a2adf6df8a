import type { ImportedModel, ImportOptions } from "../imported_model.js";
import { onnxGraph } from "./graph.js";
import { readOnnxModel } from "./model.js";

/** Reads an .onnx file. Shapes come from the file where it gives them, else from the operators' rules. */
export function importOnnx(bytes: Uint8Array, options: ImportOptions): ImportedModel {
  return { format: "onnx", ...onnxGraph(readOnnxModel(bytes), options) };
}
