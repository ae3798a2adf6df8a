import type { ImportedModel, ImportOptions } from "../imported_model.js";
import { invalidInput } from "../invalid_input.js";
import { fxGraph } from "./graph.js";
import { readFxText } from "./text.js";

/** Reads the printed text of an FX graph, as pasted from a terminal or an issue. */
export function importFx(bytes: Uint8Array, options: ImportOptions): ImportedModel {
  const text = readFxText(new TextDecoder("utf-8").decode(bytes));
  if (text.functions.every(({ statements }) => statements.length === 0)) {
    throw invalidInput("line 1", "no line is a node of an FX graph");
  }
  return { format: "fx", ...fxGraph(text, options.dims ?? {}, options.name) };
}
