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
  /** Extents (input:axis) that the output's do not depend on. */
  open?: string[];
  output: [name: string, type: number, shape: number[]];
}

const kCases = JSON.parse(
  readFileSync(new URL("../data/onnx/computed_shapes.json", import.meta.url), "utf8"),
) as GraphCase[];

/** The model of a row, without the extents (input:axis) that `isOpen` says. */
function fileOf(
  { opset, inputs, constants, nodes, output }: GraphCase,
  isOpen: (extent: string) => boolean = () => false,
): Uint8Array {
  return onnxFile({
    opset,
    graph: {
      nodes: nodes.map(([op, ins, outputs, attributes]) => ({ op, inputs: ins, outputs, attributes })),
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, [type, shape]]) => [
          name,
          { type, shape: shape.map((extent, axis) => (isOpen(`${name}:${axis}`) ? null : extent)) },
        ]),
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

async function importedShape(file: Uint8Array, dims: Record<string, number> = {}) {
  const { graph, notes } = await importModel(file, { dims });
  const { nodes, tensors } = graph as Graph;
  const [id] = nodes.at(-1)?.specs ?? [];
  return { shape: tensors.find((tensor) => tensor.id === id)?.shape, notes: notes.join(" ") };
}

describe("shapes that ONNX Runtime computes from values", () => {
  it.each(kCases)("$case", async (row) => {
    const { shape, notes } = await importedShape(fileOf(row));
    expect(shape, notes).toEqual(row.output[2]);
  });

  const kWithExtents = kCases.filter(({ inputs }) =>
    Object.values(inputs).some(([, shape]) => shape.length > 0),
  );
  it.each(kWithExtents)(
    "$case: open or the same where extents are, and the same where they are told",
    async (row) => {
      const file = fileOf(row, () => true);
      const { shape = row.output[2] } = await importedShape(file);
      expect(shape).toEqual(row.output[2]);
      const dims = Object.entries(row.inputs).flatMap(([name, [, extents]]) =>
        extents.map((extent, axis): [string, number] => [`${name}:${axis}`, extent]),
      );
      const told = await importedShape(file, Object.fromEntries(dims));
      expect(told.shape, told.notes).toEqual(row.output[2]);
    },
  );

  const kWithOpen = kCases.filter(({ open }) => open !== undefined);
  it.each(kWithOpen)("$case: does not depend on $open", async (row) => {
    const { shape, notes } = await importedShape(
      fileOf(row, (extent) => row.open?.includes(extent) ?? false),
    );
    expect(shape, notes).toEqual(row.output[2]);
  });
});

interface FileCase {
  case: string;
  shape: number[];
  /** Base64. */
  file: string;
}

const kFiles = JSON.parse(
  readFileSync(new URL("../data/onnx/written_files.json", import.meta.url), "utf8"),
) as FileCase[];

describe("files as the onnx package writes them", () => {
  it.each(kFiles)("$case", async ({ file, shape: expected }) => {
    const { shape, notes } = await importedShape(Buffer.from(file, "base64"));
    expect(shape, notes).toEqual(expected);
  });
});
