import type { ImportedModel, ImportOptions } from "../imported_model.js";
import { tfliteGraph } from "./graph.js";
import { readTfliteModel } from "./model.js";
import { readOfflinePlan } from "./offline_plan.js";

/** Reads a .tflite file: its graph and, where its metadata holds one, its offline memory plan. */
export function importTflite(bytes: Uint8Array, options: ImportOptions): ImportedModel {
  const model = readTfliteModel(bytes);
  const imported = tfliteGraph(model, options.name ?? (model.subgraphs[0]?.name || undefined));
  const { graph, notes } = imported;
  if (options.dims !== undefined) {
    notes.push("A .tflite file has its shapes written out; sizes for dimensions were not used.");
  }
  const offline = readOfflinePlan(bytes, model, imported);
  if (offline === undefined) return { format: "tflite", graph, notes };
  notes.push(...offline.notes);
  return { format: "tflite", graph, ...(offline.plan === undefined ? {} : { plan: offline.plan }), notes };
}
