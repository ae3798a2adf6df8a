import type { Graph, Methods, PlanToVerify } from "../types.js";
import type { TflitePlace } from "./tflite_graph.js";
import { readTfliteModel, type TfliteModel } from "./tflite_model.js";
export function readOfflinePlan(
  _b: Uint8Array,
  _m: TfliteModel,
  _p: TflitePlace[],
): { plan?: PlanToVerify; notes: string[] } | undefined {
  return undefined;
}
export function writeOfflinePlan(bytes: Uint8Array, _plan: PlanToVerify): Uint8Array {
  readTfliteModel(bytes);
  return bytes;
}
export type X = Graph | Methods;
