/** Makes small .tflite files for tests, with the builders that stand beside the generated readers. */
import * as flatbuffers from "flatbuffers";
import { Buffer as BufferTable } from "../../build/readers/tflite/buffer.js";
import { CalledSubgraphs } from "../../build/readers/tflite/called-subgraphs.js";
import { Metadata } from "../../build/readers/tflite/metadata.js";
import { Model } from "../../build/readers/tflite/model.js";
import { Operator } from "../../build/readers/tflite/operator.js";
import { OperatorCode } from "../../build/readers/tflite/operator-code.js";
import { SignatureDef } from "../../build/readers/tflite/signature-def.js";
import { SubGraph } from "../../build/readers/tflite/sub-graph.js";
import { Tensor } from "../../build/readers/tflite/tensor.js";

export interface TensorRow {
  name?: string;
  /** Type code; default float32. */
  type?: number;
  shape: number[];
  signature?: number[];
  buffer?: number;
  variable?: boolean;
}

export interface OperatorRow {
  code: number;
  custom?: string;
  inputs: number[];
  outputs: number[];
  intermediates?: number[];
  /** Option union type and the subgraphs it names. */
  calls?: [type: number, first: number, second: number];
  customOptions?: [offset: bigint, size: bigint];
}

export interface SubgraphRow {
  name?: string;
  tensors: TensorRow[];
  inputs: number[];
  outputs: number[];
  operators: OperatorRow[];
}

export interface FileRows {
  subgraphs: SubgraphRow[];
  /** Buffer 0 is always there and empty; these follow. */
  buffers?: { data?: Uint8Array; offset?: bigint; size?: bigint }[];
  metadata?: { name: string; buffer: number }[];
  signatures?: { key: string; subgraph: number }[];
}

export const kIfOptions = 92;
export const kWhileOptions = 93;
export const kCallOnceOptions = 103;

function addTensor(b: flatbuffers.Builder, row: TensorRow): number {
  const name = row.name === undefined ? 0 : b.createString(row.name);
  const shape = Tensor.createShapeVector(b, row.shape);
  const signature = row.signature === undefined ? 0 : Tensor.createShapeSignatureVector(b, row.signature);
  Tensor.startTensor(b);
  Tensor.addShape(b, shape);
  Tensor.addType(b, row.type ?? 0);
  Tensor.addBuffer(b, row.buffer ?? 0);
  if (name !== 0) Tensor.addName(b, name);
  if (signature !== 0) Tensor.addShapeSignature(b, signature);
  Tensor.addIsVariable(b, row.variable ?? false);
  return Tensor.endTensor(b);
}

function addOperator(b: flatbuffers.Builder, row: OperatorRow, opcode: number): number {
  const inputs = Operator.createInputsVector(b, row.inputs);
  const outputs = Operator.createOutputsVector(b, row.outputs);
  const intermediates = row.intermediates ? Operator.createIntermediatesVector(b, row.intermediates) : 0;
  let options = 0;
  if (row.calls !== undefined) {
    CalledSubgraphs.startCalledSubgraphs(b);
    CalledSubgraphs.addFirst(b, row.calls[1]);
    CalledSubgraphs.addSecond(b, row.calls[2]);
    options = CalledSubgraphs.endCalledSubgraphs(b);
  }
  Operator.startOperator(b);
  Operator.addOpcodeIndex(b, opcode);
  Operator.addInputs(b, inputs);
  Operator.addOutputs(b, outputs);
  if (intermediates !== 0) Operator.addIntermediates(b, intermediates);
  if (row.calls !== undefined) {
    Operator.addBuiltinOptionsType(b, row.calls[0]);
    Operator.addBuiltinOptions(b, options);
  }
  if (row.customOptions !== undefined) {
    Operator.addLargeCustomOptionsOffset(b, row.customOptions[0]);
    Operator.addLargeCustomOptionsSize(b, row.customOptions[1]);
  }
  return Operator.endOperator(b);
}

function addOperatorCode(b: flatbuffers.Builder, { code, custom }: OperatorRow): number {
  const name = custom === undefined ? 0 : b.createString(custom);
  OperatorCode.startOperatorCode(b);
  OperatorCode.addDeprecatedBuiltinCode(b, Math.min(code, 127));
  if (name !== 0) OperatorCode.addCustomCode(b, name);
  OperatorCode.addBuiltinCode(b, code);
  return OperatorCode.endOperatorCode(b);
}

function addSubgraph(b: flatbuffers.Builder, row: SubgraphRow, codes: OperatorRow[]): number {
  const tensors = SubGraph.createTensorsVector(
    b,
    row.tensors.map((tensor) => addTensor(b, tensor)),
  );
  const operators = SubGraph.createOperatorsVector(
    b,
    row.operators.map((operator) => addOperator(b, operator, codes.push(operator) - 1)),
  );
  const inputs = SubGraph.createInputsVector(b, row.inputs);
  const outputs = SubGraph.createOutputsVector(b, row.outputs);
  const name = row.name === undefined ? 0 : b.createString(row.name);
  SubGraph.startSubGraph(b);
  SubGraph.addTensors(b, tensors);
  SubGraph.addInputs(b, inputs);
  SubGraph.addOutputs(b, outputs);
  SubGraph.addOperators(b, operators);
  if (name !== 0) SubGraph.addName(b, name);
  return SubGraph.endSubGraph(b);
}

function addBuffer(
  b: flatbuffers.Builder,
  { data, offset, size }: NonNullable<FileRows["buffers"]>[number],
): number {
  let vector = 0;
  if (data !== undefined) {
    b.startVector(1, data.length, 16);
    for (const byte of [...data].reverse()) b.addInt8(byte);
    vector = b.endVector();
  }
  BufferTable.startBuffer(b);
  if (vector !== 0) BufferTable.addData(b, vector);
  if (offset !== undefined) BufferTable.addOffset(b, offset);
  if (size !== undefined) BufferTable.addSize(b, size);
  return BufferTable.endBuffer(b);
}

export function tfliteFile(rows: FileRows): Uint8Array {
  const b = new flatbuffers.Builder(1024);
  const codes: OperatorRow[] = [];
  const subgraphs = rows.subgraphs.map((subgraph) => addSubgraph(b, subgraph, codes));
  const operatorCodes = codes.map((row) => addOperatorCode(b, row));
  const buffers = [{}, ...(rows.buffers ?? [])].map((buffer) => addBuffer(b, buffer));
  const metadata = (rows.metadata ?? []).map(({ name, buffer }) => {
    const string = b.createString(name);
    Metadata.startMetadata(b);
    Metadata.addName(b, string);
    Metadata.addBuffer(b, buffer);
    return Metadata.endMetadata(b);
  });
  const signatures = (rows.signatures ?? []).map(({ key, subgraph }) => {
    const string = b.createString(key);
    SignatureDef.startSignatureDef(b);
    SignatureDef.addSignatureKey(b, string);
    SignatureDef.addSubgraphIndex(b, subgraph);
    return SignatureDef.endSignatureDef(b);
  });
  const vectors = [
    Model.createOperatorCodesVector(b, operatorCodes),
    Model.createSubgraphsVector(b, subgraphs),
    Model.createBuffersVector(b, buffers),
    metadata.length === 0 ? 0 : Model.createMetadataVector(b, metadata),
    signatures.length === 0 ? 0 : Model.createSignatureDefsVector(b, signatures),
  ] as const;
  Model.startModel(b);
  Model.addVersion(b, 3);
  Model.addOperatorCodes(b, vectors[0]);
  Model.addSubgraphs(b, vectors[1]);
  Model.addBuffers(b, vectors[2]);
  if (vectors[3] !== 0) Model.addMetadata(b, vectors[3]);
  if (vectors[4] !== 0) Model.addSignatureDefs(b, vectors[4]);
  Model.finishModelBuffer(b, Model.endModel(b));
  return b.asUint8Array().slice();
}
