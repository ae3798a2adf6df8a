import { listNames } from "../name_list.js";
import type { TfliteModel, TfliteTensor } from "./model.js";
import { kVarHandle } from "./operators.js";

/** What a .tflite file leaves unsaid about memory. */
export function notesOf(model: TfliteModel): string[] {
  const notes = [
    "Scratch that kernels ask for while they prepare is not in the file, so it is not in the graph.",
  ];
  const tensors = model.subgraphs.flatMap((subgraph) => subgraph.tensors);
  const named = (which: (tensor: TfliteTensor) => boolean) => tensors.filter(which).map(({ name }) => name);

  const unsized = named((tensor) => tensor.nbytes === null && !tensor.constant);
  if (unsized.length > 0) notes.push(`Size unknown until it runs, not planned: ${listNames(unsized)}.`);

  const unpacked = model.subgraphs.flatMap((subgraph) =>
    subgraph.unpacked.map((index) => subgraph.tensors[index]),
  );
  if (unpacked.length > 0) {
    const bytes = unpacked.reduce((sum, tensor) => sum + (tensor?.nbytes ?? 0), 0);
    notes.push(
      `${unpacked.length} constants are unpacked once and kept (${bytes} bytes); they are not planned.`,
    );
  }
  const packed = named((tensor) => tensor.packed && !tensor.constant && tensor.nbytes !== 0);
  if (packed.length > 0) {
    notes.push(`Counted as packed; TFLite Micro keeps a byte an element: ${listNames(packed)}.`);
  }
  for (const { inputs, tensors: own } of model.subgraphs.slice(0, 1)) {
    for (const input of inputs) {
      const tensor = own[input];
      if (tensor === undefined || tensor.openAxes.length === 0) continue;
      const axes = tensor.openAxes.join(", ");
      notes.push(`Input "${tensor.name}" leaves axis ${axes} open; planned as [${tensor.shape.join(", ")}].`);
    }
  }
  const operators = model.subgraphs.flatMap((subgraph) => subgraph.operators);
  if (operators.some(({ code }) => code === kVarHandle)) {
    notes.push("Resource variables are kept by the runtime outside the arena and are not in the graph.");
  }
  const inner = model.subgraphs.flatMap((subgraph) =>
    subgraph.operators.flatMap(({ intermediates }) =>
      intermediates
        .map((index) => subgraph.tensors[index])
        .filter((tensor) => tensor !== undefined && tensor.nbytes !== 0),
    ),
  );
  if (inner.length > 0) {
    notes.push(
      `Internal to an operator, not planned: ${listNames(inner.map((tensor) => tensor?.name ?? ""))}.`,
    );
  }
  return notes;
}
