/** Shapes that a model computes with small integers and floats, against what ONNX Runtime gave. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph } from "../../bindings/types.js";
import { type AttributeRow, onnxFile } from "./import_onnx_file.js";

interface GraphCase {
  case: string;
  opset: number;
  inputs: Record<string, [type: number, shape: number[]]>;
  constants: Record<string, [type: number, shape: number[], values: (number | boolean)[]]>;
  nodes: [op: string, inputs: string[], outputs: string[], attributes: Record<string, AttributeRow>][];
  output: [name: string, type: number, shape: number[]];
}

const kCases = JSON.parse(
  readFileSync(new URL("../data/onnx/computed_shapes.json", import.meta.url), "utf8"),
) as GraphCase[];

function fileOf({ opset, inputs, constants, nodes, output }: GraphCase): Uint8Array {
  return onnxFile({
    opset,
    graph: {
      nodes: nodes.map(([op, ins, outputs, attributes]) => ({ op, inputs: ins, outputs, attributes })),
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, [type, shape]]) => [name, { type, shape }]),
      ),
      constants: Object.fromEntries(
        Object.entries(constants).map(([name, [type, shape, values]]) => [
          name,
          { type, shape, values: values.map(Number) },
        ]),
      ),
      outputs: { [output[0]]: null },
    },
  });
}

describe("shapes that ONNX Runtime computes from values", () => {
  it.each(kCases)("$case", async (row) => {
    const { graph, notes } = await importModel(fileOf(row));
    const { nodes, tensors } = graph as Graph;
    const [id] = nodes.at(-1)?.specs ?? [];
    expect(tensors.find((tensor) => tensor.id === id)?.shape, notes.join(" ")).toEqual(row.output[2]);
  });
});
