import { Names } from "../graph_builder.js";
import type { ImportedModel, ImportOptions } from "../imported_model.js";
import { pteGraph } from "./graph.js";
import { readPteMethods } from "./model.js";

/** Reads a .pte file: a graph and ExecuTorch's own plan for each method. */
export function importPte(bytes: Uint8Array, options: ImportOptions): ImportedModel {
  const methods = readPteMethods(bytes);
  const dims =
    options.dims === undefined
      ? []
      : ["A .pte file has its shapes written out; sizes for dimensions were not used."];
  const [only] = methods;
  if (methods.length === 1 && only !== undefined) {
    const { graph, plan, notes } = pteGraph(only, options.name ?? (only.name || undefined));
    return { format: "pte", graph, plan, notes: [...notes, ...dims] };
  }
  const names = new Names();
  const converted = methods.map((method) => {
    const name = names.unique(method.name);
    return { name, ...pteGraph(method, name) };
  });
  return {
    format: "pte",
    graph: { version: 1, methods: Object.fromEntries(converted.map(({ name, graph }) => [name, graph])) },
    plan: {
      // Each method has memory of its own, so there is no size of them all.
      buffer_sizes: null,
      tensors: [],
      methods: Object.fromEntries(converted.map(({ name, plan }) => [name, plan])),
    },
    notes: [...converted.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)), ...dims],
  };
}
