import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph } from "../../bindings/types.js";
import { type AttributeRow, type ConstantRow, onnxFile, type TensorRow } from "./import_onnx_file.js";

interface NodeCase {
  case: string;
  op: string;
  /** Left out for ai.onnx. */
  domain?: string;
  /** Version of the domain's operator set. */
  opset: number;
  attributes: Record<string, AttributeRow>;
  inputs: ([type: number, shape: number[], values?: number[]] | null)[];
  outputs: ([type: number, shape: number[]] | null)[];
}

const rowsOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../data/onnx/${name}.json`, import.meta.url), "utf8")) as NodeCase[];

const kCases = rowsOf("node_shapes");
const kRuntimeCases = rowsOf("runtime_shapes");

/** TensorProto.DataType by number, written apart from the reader. */
const kTypes = [
  "?",
  "float32",
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
  "string",
  "bool",
  "float16",
  "float64",
  "uint32",
  "uint64",
  "complex64",
  "complex128",
  "bfloat16",
  "float8_e4m3fn",
  "float8_e4m3fnuz",
  "float8_e5m2",
  "float8_e5m2fnuz",
  "uint4",
  "int4",
  "float4_e2m1",
  "float8_e8m0",
  "uint2",
  "int2",
];

/**
 * A model of one node, its inputs with values as initialisers, its outputs without shapes. `open` leaves the extents
 * of the other inputs out.
 */
function fileOf({ op, domain, opset, attributes, inputs, outputs }: NodeCase, open = false): Uint8Array {
  const names = inputs.map((input, index) => (input === null ? "" : `x${index}`));
  const results = outputs.map((output, index) => (output === null ? "" : `y${index}`));
  const constants: Record<string, ConstantRow> = {};
  const infos: Record<string, TensorRow> = {};
  for (const [index, input] of inputs.entries()) {
    if (input === null) continue;
    const [type, shape, values] = input;
    if (values === undefined) infos[`x${index}`] = { type, shape: open ? shape.map(() => null) : shape };
    else constants[`x${index}`] = { type, shape, values };
  }
  const named = results.filter((name) => name !== "");
  return onnxFile({
    ...(domain === undefined ? { opset } : { opset: 21, domains: { [domain]: opset } }),
    graph: {
      nodes: [{ op, ...(domain && { domain }), inputs: names, outputs: results, attributes }],
      inputs: infos,
      constants,
      outputs: Object.fromEntries(named.map((name) => [name, null])),
    },
  });
}

/** The tensors that the node yields. */
async function importedOutputs(file: Uint8Array, dims?: Record<string, number>) {
  const { graph, notes } = await importModel(file, dims && { dims });
  const { nodes, tensors } = graph as Graph;
  const byId = new Map(tensors.map((tensor) => [tensor.id, tensor]));
  return { found: (nodes.at(-1)?.specs ?? []).map((id) => byId.get(id ?? "")), notes: notes.join(" ") };
}

async function expectShapes(row: NodeCase): Promise<void> {
  const { found, notes } = await importedOutputs(fileOf(row));
  const expected = row.outputs.filter((output) => output !== null);
  expect(
    found.map((tensor) => tensor?.shape),
    notes,
  ).toEqual(expected.map(([, shape]) => shape));
  expect(found.map((tensor) => tensor?.dtype)).toEqual(expected.map(([type]) => kTypes[type]));
}

describe("shapes of ONNX's own node tests", () => {
  it.each(kCases)("$case", expectShapes);
});

describe("shapes that ONNX Runtime computes", () => {
  it.each(kRuntimeCases)("$case", expectShapes);
});

describe("a node whose inputs have open extents", () => {
  it.each([...kCases, ...kRuntimeCases])(
    "$case: open or the same, and the same where they are told",
    async (row) => {
      const file = fileOf(row, true);
      const expected = row.outputs.flatMap((output) => (output === null ? [] : [output[1]]));
      const { found } = await importedOutputs(file);
      expect(found.map((tensor, index) => tensor?.shape ?? expected[index])).toEqual(expected);
      const dims = row.inputs.flatMap((input, index) =>
        input === null || input.length === 3
          ? []
          : input[1].map((extent, axis): [string, number] => [`x${index}:${axis}`, extent]),
      );
      const told = await importedOutputs(file, Object.fromEntries(dims));
      expect(
        told.found.map((tensor) => tensor?.shape),
        told.notes,
      ).toEqual(expected);
    },
  );
});

const kShapes: TensorRow["shape"][] = [[], [0], [2, 3], [1, "n", 4, 4], [2, 2, 2, 2, 2]];

describe("a node whose attributes and constants do not fit an input", () => {
  it.each([...kCases, ...kRuntimeCases].filter(({ inputs }) => inputs.length > 0))(
    "$case leaves its results open and is no error",
    async (row) => {
      for (const at of row.inputs.keys()) {
        for (const shape of kShapes) {
          const extents = shape.map((dim) => (typeof dim === "number" ? dim : 7));
          const inputs = row.inputs.map((input, index): NodeCase["inputs"][number] =>
            index === at && input !== null ? [input[0], extents] : input,
          );
          const { graph } = await importModel(fileOf({ ...row, inputs }));
          expect((graph as Graph).nodes.at(-1)?.op).toBe("output");
        }
      }
    },
  );
});

describe("an operator that is given too little, or what does not fit", () => {
  const operators = [
    ...new Map(
      [...kCases, ...kRuntimeCases].map(({ op, domain }) => [`${domain ?? ""}:${op}`, { op, domain }]),
    ).values(),
  ];

  it.each(operators)("$domain $op leaves its results open and is no error", async ({ op, domain }) => {
    for (const shape of kShapes) {
      for (let count = 0; count <= 5; count++) {
        // The constants are the inputs from the second on, or all of them.
        for (const [values, from] of [[undefined], [0, 1], [-1, 1], [1, 0]] as const) {
          const names = Array.from({ length: count }, (_, index) => `x${index}`);
          const size = shape.reduce(
            (product: number, dim) => product * (typeof dim === "number" ? dim : 1),
            1,
          );
          const rest = names.slice(from);
          const constants = Object.fromEntries(
            (values === undefined ? [] : rest).map((name): [string, ConstantRow] => [
              name,
              {
                type: 7,
                shape: shape.map((dim) => (typeof dim === "number" ? dim : 1)),
                values: Array(size).fill(values),
              },
            ]),
          );
          const inputs = values === undefined ? names : names.slice(0, from);
          const model = onnxFile({
            graph: {
              nodes: [
                { op, ...(domain && { domain }), inputs: names, outputs: ["a", "b", "c"], attributes: {} },
              ],
              inputs: Object.fromEntries(inputs.map((name) => [name, { type: 1, shape }])),
              constants,
              outputs: { a: null },
            },
          });
          const { graph } = await importModel(model);
          expect((graph as Graph).nodes.at(-1)?.op).toBe("output");
        }
      }
    }
  });
});
