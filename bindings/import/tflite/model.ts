import { Model } from "../../../build/readers/tflite/model.js";
import type { Operator as OperatorTable } from "../../../build/readers/tflite/operator.js";
import type { SubGraph as SubgraphTable } from "../../../build/readers/tflite/sub-graph.js";
import type { Tensor as TensorTable } from "../../../build/readers/tflite/tensor.js";
import { CheckedBytes, safeNumber, vector } from "../checked_bytes.js";
import { packedBytes } from "../graph_builder.js";
import { kCustom, kDensify, kDequantize, operatorName, tensorType } from "./operators.js";

export interface TfliteTensor {
  name: string;
  dtype: string;
  shape: number[];
  /** Bytes as stored, packed types packed; null where the type has no size of its own. */
  nbytes: number | null;
  /** Whether elements are narrower than a byte. */
  packed: boolean;
  buffer: number;
  constant: boolean;
  variable: boolean;
  sparse: boolean;
  /** Axes that the file leaves open; their extent in `shape` is what the converter put there. */
  openAxes: number[];
}

export interface TfliteOperator {
  /** Its place in the file's list. */
  index: number;
  /** `CONV_2D`, or `custom:Name`. */
  name: string;
  code: number;
  /** Tensor indices; -1 where an optional input is absent. */
  inputs: number[];
  outputs: number[];
  intermediates: number[];
  /** Indices of the subgraphs it calls, as far as its options name them. */
  called: [number, number] | null;
}

export interface TfliteSubgraph {
  name: string;
  tensors: TfliteTensor[];
  inputs: number[];
  outputs: number[];
  /** In order, without those that {@link unpacked} stands for. */
  operators: TfliteOperator[];
  /** Constants that operators unpack once before the first run (DEQUANTIZE, DENSIFY), by tensor index. */
  unpacked: number[];
}

export interface TfliteModel {
  subgraphs: TfliteSubgraph[];
  signatures: { key: string; subgraph: number }[];
  offlinePlan: OfflineEntry | null;
}

/** The OfflineMemoryAllocation entry of the metadata. */
export interface OfflineEntry {
  /** Its place in the metadata list. */
  index: number;
  /** First byte and length of its buffer's data; length 0 where it has none. */
  start: number;
  length: number;
  /** Whether another buffer or a tensor lies on the same bytes. */
  shared: boolean;
}

interface OperatorCode {
  code: number;
  name: string;
}

/** Bytes that a row counts for: less than it takes in a real file, and no less than it takes in memory by much. */
const kRowCost = 48;
const kBufferCost = 8;
const kOfflinePlanName = "OfflineMemoryAllocation";

/** Reads a .tflite file without copying weights. Throws INVALID_INPUT with the table and byte. */
export function readTfliteModel(bytes: Uint8Array): TfliteModel {
  return new TfliteReader(bytes).read();
}

function isUnpacked({ code, outputs }: TfliteOperator, unpacked: ReadonlySet<number>): boolean {
  return (code === kDequantize || code === kDensify) && unpacked.has(outputs[0] ?? -1);
}

/** Marks as constant what only unpacks a constant: TensorFlow Lite does that once and keeps the result. */
function unpackConstants(
  tensors: TfliteTensor[],
  operators: TfliteOperator[],
  outside: number[],
): Set<number> {
  const fixed = new Set(outside);
  const unpacked = new Set<number>();
  for (const { code, inputs, outputs } of operators) {
    if ((code !== kDequantize && code !== kDensify) || inputs.length !== 1 || outputs.length !== 1) continue;
    const [input, output] = [tensors[inputs[0] ?? -1], outputs[0] ?? -1];
    const result = tensors[output];
    if (!input?.constant || result === undefined || result.constant || fixed.has(output)) continue;
    result.constant = true;
    unpacked.add(output);
  }
  return unpacked;
}

class TfliteReader {
  private readonly bytes: CheckedBytes;
  private model: Model;
  private constantBuffers: boolean[] = [];
  private codes: OperatorCode[] = [];

  constructor(bytes: Uint8Array) {
    this.bytes = new CheckedBytes(bytes);
    this.bytes.enter("model");
    this.model = Model.getRootAsModel(this.bytes);
  }

  read(): TfliteModel {
    const version = this.model.version();
    if (version !== 3) throw this.bytes.error(`schema version ${version} is not 3`);
    this.constantBuffers = this.readBuffers();
    this.codes = this.readOperatorCodes();
    const subgraphs: TfliteSubgraph[] = [];
    const count = this.bytes.walk(this.model.subgraphsLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter("subgraphs", index);
      const table = this.model.subgraphs(index);
      if (table === null) throw this.bytes.error("is missing");
      subgraphs.push(this.readSubgraph(table, index));
    }
    this.bytes.enter("model");
    if (subgraphs.length === 0) throw this.bytes.error("has no subgraphs");
    return {
      subgraphs,
      signatures: this.readSignatures(count),
      offlinePlan: this.readOfflinePlan(subgraphs),
    };
  }

  /** Which buffers hold data. The data itself is never looked at. */
  private readBuffers(): boolean[] {
    const count = this.bytes.walk(this.model.buffersLength(), kBufferCost);
    const constant: boolean[] = [];
    for (let index = 0; index < count; index++) {
      this.bytes.enter("buffers", index);
      const buffer = this.model.buffers(index);
      if (buffer === null) throw this.bytes.error("is missing");
      const offset = safeNumber(this.bytes, buffer.offset());
      const size = safeNumber(this.bytes, buffer.size());
      this.checkOutside(offset, size);
      constant.push(buffer.dataLength() > 0 || offset > 1);
    }
    return constant;
  }

  /** Past 2 GB data lies outside the FlatBuffer, at an offset from the start of the file; 0 and 1 mean none. */
  private checkOutside(offset: number, size: number): void {
    if (offset > 1 && offset + size > this.bytes.capacity()) {
      throw this.bytes.error(`its ${size} bytes of data end past the file`, offset);
    }
  }

  private readOperatorCodes(): OperatorCode[] {
    const count = this.bytes.walk(this.model.operatorCodesLength(), kRowCost);
    const codes: OperatorCode[] = [];
    for (let index = 0; index < count; index++) {
      this.bytes.enter("operator_codes", index);
      const table = this.model.operatorCodes(index);
      if (table === null) throw this.bytes.error("is missing");
      // The old one-byte field holds 127 for all codes past it, and old files have no other.
      const code = Math.max(table.deprecatedBuiltinCode(), table.builtinCode());
      if (code < 0) throw this.bytes.error(`operator code ${code} is negative`);
      const custom = code === kCustom ? (table.customCode() ?? "") : "";
      codes.push({ code, name: code === kCustom ? `custom:${custom}` : operatorName(code) });
    }
    return codes;
  }

  private readSubgraph(table: SubgraphTable, index: number): TfliteSubgraph {
    const path = `subgraphs[${index}]`;
    const name = table.name() ?? "";
    const tensors: TfliteTensor[] = [];
    const tensorCount = this.bytes.walk(table.tensorsLength(), kRowCost);
    for (let i = 0; i < tensorCount; i++) {
      this.bytes.enter(`${path}.tensors`, i);
      const tensor = table.tensors(i);
      if (tensor === null) throw this.bytes.error("is missing");
      tensors.push(this.readTensor(tensor));
    }
    const operators: TfliteOperator[] = [];
    const operatorCount = this.bytes.walk(table.operatorsLength(), kRowCost);
    for (let i = 0; i < operatorCount; i++) {
      this.bytes.enter(`${path}.operators`, i);
      const operator = table.operators(i);
      if (operator === null) throw this.bytes.error("is missing");
      operators.push(this.readOperator(operator, i, tensorCount));
    }
    this.bytes.enter(path);
    const inputs = vector(this.bytes, table.inputsLength(), 4, (i) => table.inputs(i));
    const outputs = vector(this.bytes, table.outputsLength(), 4, (i) => table.outputs(i));
    this.checkIndices("inputs", inputs, 0, tensorCount);
    this.checkIndices("outputs", outputs, 0, tensorCount);
    const unpacked = unpackConstants(tensors, operators, [...inputs, ...outputs]);
    const kept = operators.filter((operator) => !isUnpacked(operator, unpacked));
    return { name, tensors, inputs, outputs, operators: kept, unpacked: [...unpacked] };
  }

  private readTensor(table: TensorTable): TfliteTensor {
    const type = tensorType(table.type());
    if (type === undefined) throw this.bytes.error(`tensor type ${table.type()} is not known`);
    const shape = vector(this.bytes, table.shapeLength(), 4, (i) => table.shape(i));
    const signature = vector(this.bytes, table.shapeSignatureLength(), 4, (i) => table.shapeSignature(i));
    const openAxes: number[] = [];
    for (const [axis, extent] of (signature.length === shape.length ? signature : shape).entries()) {
      if (extent < 0) openAxes.push(axis);
    }
    // Old converters wrote -1 into the shape itself; runtimes then take 1.
    const extents = shape.map((extent) => (extent === -1 ? 1 : extent));
    if (extents.some((extent) => extent < 0))
      throw this.bytes.error(`shape [${shape.join(", ")}] is negative`);
    const buffer = table.buffer();
    if (buffer > 0 && buffer >= this.constantBuffers.length)
      throw this.bytes.error(`there is no buffer ${buffer}`);
    return {
      name: table.name() ?? "",
      dtype: type.dtype,
      shape: extents,
      nbytes: type.bits === null ? null : packedBytes(extents, type.bits, this.bytes.where),
      packed: type.bits !== null && type.bits < 8,
      buffer,
      constant: this.constantBuffers[buffer] === true || table.externalBuffer() > 0,
      variable: table.isVariable(),
      sparse: table.sparsity() !== null,
      openAxes,
    };
  }

  private readOperator(table: OperatorTable, index: number, tensorCount: number): TfliteOperator {
    const opcode = this.codes[table.opcodeIndex()];
    if (opcode === undefined) throw this.bytes.error(`there is no operator code ${table.opcodeIndex()}`);
    const inputs = vector(this.bytes, table.inputsLength(), 4, (i) => table.inputs(i));
    const outputs = vector(this.bytes, table.outputsLength(), 4, (i) => table.outputs(i));
    const intermediates = vector(this.bytes, table.intermediatesLength(), 4, (i) => table.intermediates(i));
    this.checkIndices("inputs", inputs, -1, tensorCount);
    this.checkIndices("outputs", outputs, 0, tensorCount);
    this.checkIndices("intermediates", intermediates, 0, tensorCount);
    const optionsOffset = safeNumber(this.bytes, table.largeCustomOptionsOffset());
    this.checkOutside(optionsOffset, safeNumber(this.bytes, table.largeCustomOptionsSize()));
    return { index, ...opcode, inputs, outputs, intermediates, called: this.readCalled(table) };
  }

  /** The subgraphs of IF, WHILE, CALL_ONCE and STABLEHLO_WHILE: by union type, since all share one layout. */
  private readCalled(table: OperatorTable): [number, number] | null {
    const kIfOptions = 92;
    const kWhileOptions = 93;
    const kCallOnceOptions = 103;
    const kStablehloWhileOptions = 15;
    const type = table.builtinOptionsType();
    let options = null;
    if (type === kIfOptions || type === kWhileOptions || type === kCallOnceOptions)
      options = table.builtinOptions();
    else if (table.builtinOptions2Type() === kStablehloWhileOptions) options = table.builtinOptions2();
    return options === null ? null : [options.first(), type === kCallOnceOptions ? -1 : options.second()];
  }

  private checkIndices(list: string, indices: number[], least: number, count: number): void {
    for (const [i, index] of indices.entries()) {
      if (index < least || index >= count)
        throw this.bytes.error(`${list}[${i}] is ${index}, of ${count} tensors`);
    }
  }

  private readSignatures(subgraphs: number): { key: string; subgraph: number }[] {
    const count = this.bytes.walk(this.model.signatureDefsLength(), kRowCost);
    const signatures = [];
    for (let index = 0; index < count; index++) {
      this.bytes.enter("signature_defs", index);
      const table = this.model.signatureDefs(index);
      if (table === null) throw this.bytes.error("is missing");
      const subgraph = table.subgraphIndex();
      if (subgraph >= subgraphs) throw this.bytes.error(`there is no subgraph ${subgraph}`);
      signatures.push({ key: table.signatureKey() ?? "", subgraph });
    }
    return signatures;
  }

  /** TFLite Micro takes the last entry of that name (micro_allocation_info.cc). */
  private readOfflinePlan(subgraphs: TfliteSubgraph[]): OfflineEntry | null {
    const count = this.bytes.walk(this.model.metadataLength(), kRowCost);
    let found: OfflineEntry | null = null;
    for (let index = 0; index < count; index++) {
      this.bytes.enter("metadata", index);
      const table = this.model.metadata(index);
      if (table === null) throw this.bytes.error("is missing");
      if (table.name() !== kOfflinePlanName) continue;
      const buffer = table.buffer();
      if (buffer >= this.constantBuffers.length) throw this.bytes.error(`there is no buffer ${buffer}`);
      const [start, length] = this.bufferData(buffer);
      found = { index, start, length, shared: this.isShared(buffer, start, subgraphs) };
    }
    return found;
  }

  /** First byte and length of a buffer's data within the file. */
  private bufferData(index: number): [number, number] {
    const data = this.model.buffers(index)?.dataArray() ?? null;
    return data === null ? [0, 0] : [data.byteOffset - this.bytes.bytes().byteOffset, data.length];
  }

  private isShared(buffer: number, start: number, subgraphs: TfliteSubgraph[]): boolean {
    if (subgraphs.some(({ tensors }) => tensors.some((tensor) => tensor.buffer === buffer))) return true;
    for (let index = 0; index < this.constantBuffers.length; index++) {
      if (index !== buffer && this.constantBuffers[index] && this.bufferData(index)[0] === start) return true;
    }
    return false;
  }
}
