import type { Graph, Methods, PlanToVerify } from "../types.js";

/** `csv` and `json` are the planner's own formats, told apart here only so that a caller may pass anything. */
export type ImportFormat = "tflite" | "pte" | "onnx" | "fx" | "csv" | "json";

/** What {@link importModel} read. */
export interface ImportedModel {
  /** Told by the bytes. */
  format: ImportFormat;
  /** Absent for `csv` and `json`: the planner takes those bytes as they are. */
  graph?: Graph | Methods;
  /** The plan that the file carries, if it carries one; for `verify` to check and to compare with. */
  plan?: PlanToVerify;
  /** What the file does not tell, and what was read otherwise than written; sentences for people. */
  notes: string[];
  /** Dimensions that the file leaves open and `dims` did not give: symbols, or an input and axis (`input:0`). */
  symbols?: string[];
}

/** How to import; all optional. */
export interface ImportOptions {
  /** The graph's name; default: what the file says. */
  name?: string;
  /** Sizes for symbolic dimensions: by symbol (`batch`), or by input and axis (`input:0`). */
  dims?: Record<string, number>;
}
