import type { OnnxTensor } from "./model.js";

/** An extent or a small integer: a number, or the symbol of one that is not known. */
export type Dim = number | string;

/** What is known of one value. */
export interface Value {
  /** Name as in graph JSON; undefined where the value is no tensor or its type is not known. */
  dtype: string | undefined;
  /** Undefined where not even the rank is known. */
  shape: Dim[] | undefined;
  /** The elements in order, of small tensors that come from constants and shapes; booleans are 0 and 1. */
  content: Dim[] | undefined;
}

/** Contents longer than this are not followed: no shape or index list is. */
export const kMostContent = 1024;
/** The same of floats, of which only scales and the ends of ranges matter. */
const kMostFloats = 16;

/** Whether so many elements of this type are worth following. */
export function isFollowed(dtype: string | undefined, count: number): boolean {
  return count <= (dtype?.includes("float") ? kMostFloats : kMostContent);
}

interface DataType {
  dtype: string;
  bits: number;
}

/** TensorProto.DataType by number, IR version 13. Strings have no size. */
const kDataTypes: readonly (DataType | undefined)[] = [
  undefined,
  { dtype: "float32", bits: 32 },
  { dtype: "uint8", bits: 8 },
  { dtype: "int8", bits: 8 },
  { dtype: "uint16", bits: 16 },
  { dtype: "int16", bits: 16 },
  { dtype: "int32", bits: 32 },
  { dtype: "int64", bits: 64 },
  { dtype: "string", bits: 0 },
  { dtype: "bool", bits: 8 },
  { dtype: "float16", bits: 16 },
  { dtype: "float64", bits: 64 },
  { dtype: "uint32", bits: 32 },
  { dtype: "uint64", bits: 64 },
  { dtype: "complex64", bits: 64 },
  { dtype: "complex128", bits: 128 },
  { dtype: "bfloat16", bits: 16 },
  { dtype: "float8_e4m3fn", bits: 8 },
  { dtype: "float8_e4m3fnuz", bits: 8 },
  { dtype: "float8_e5m2", bits: 8 },
  { dtype: "float8_e5m2fnuz", bits: 8 },
  { dtype: "uint4", bits: 4 },
  { dtype: "int4", bits: 4 },
  { dtype: "float4_e2m1", bits: 4 },
  { dtype: "float8_e8m0", bits: 8 },
  { dtype: "uint2", bits: 2 },
  { dtype: "int2", bits: 2 },
];

const kBits = new Map(
  kDataTypes.flatMap((type) => (type === undefined ? [] : [[type.dtype, type.bits] as const])),
);

/** The name of a TensorProto.DataType; undefined for one that the format does not have. */
export function dataTypeName(code: number): string | undefined {
  return kDataTypes[code]?.dtype;
}

/** Bits an element; undefined where the type has no size of its own. */
export function bitsOf(dtype: string): number | undefined {
  return kBits.get(dtype) || undefined;
}

export function isKnownShape(shape: Dim[] | undefined): shape is number[] {
  return shape?.every((dim) => typeof dim === "number") ?? false;
}

/** What is known of a constant: its elements too where they are few and lie in the file. */
export function constantValue(tensor: OnnxTensor): Value {
  return { dtype: dataTypeName(tensor.dataType), shape: tensor.dims, content: contentOf(tensor) };
}

/** A half from its bits; `significant` counts the fraction's, 10 in float16. Neither is an infinity here. */
function half(bits: number, significant: number, bias: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> significant;
  const fraction = (bits & ((1 << significant) - 1)) / 2 ** significant;
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
}

/** Halves by their bits, which is what a file's list of integers has of them. */
const kHalves: ReadonlyMap<string, (bits: number) => number> = new Map([
  ["float16", (bits) => half(bits, 10, 15)],
  ["bfloat16", (bits) => half(bits, 7, 127)],
]);

type Reader = (view: DataView, at: number) => number;

/** Little-endian elements of the types whose values are followed. */
const kReaders: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    int64: (view, at) => Number(view.getBigInt64(at, true)),
    int32: (view, at) => view.getInt32(at, true),
    int16: (view, at) => view.getInt16(at, true),
    int8: (view, at) => view.getInt8(at),
    uint8: (view, at) => view.getUint8(at),
    uint16: (view, at) => view.getUint16(at, true),
    uint32: (view, at) => view.getUint32(at, true),
    uint64: (view, at) => Number(view.getBigUint64(at, true)),
    bool: (view, at) => view.getUint8(at),
    float32: (view, at) => view.getFloat32(at, true),
    float64: (view, at) => view.getFloat64(at, true),
    float16: (view, at) => half(view.getUint16(at, true), 10, 15),
    bfloat16: (view, at) => half(view.getUint16(at, true), 7, 127),
  }),
);

function contentOf(tensor: OnnxTensor): number[] | undefined {
  const dtype = dataTypeName(tensor.dataType);
  const count = tensor.dims.reduce((product, extent) => product * extent, 1);
  if (dtype === undefined || tensor.external || !isFollowed(dtype, count)) return undefined;
  const { raw } = tensor;
  const inRaw = raw !== undefined && raw.length > 0;
  const values = count === 0 ? [] : inRaw ? elements(raw, dtype) : fieldContent(tensor, dtype);
  return values?.length === count ? values : undefined;
}

function elements(bytes: Uint8Array | undefined, dtype: string): number[] | undefined {
  const read = kReaders.get(dtype);
  const width = (kBits.get(dtype) ?? 0) / 8;
  if (bytes === undefined || read === undefined) return undefined;
  if (bytes.length % width !== 0 || bytes.length / width > kMostContent) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / width }, (_, index) => read(view, index * width));
}

/** Fields of TensorProto with floats, doubles, and integers by type; small integers and halves are int32_data. */
const kFloatData = 4;
const kInt32Data = 5;
const kDoubleData = 10;
const kWideData: ReadonlyMap<string, number> = new Map([
  ["int64", 7],
  ["uint32", 11],
  ["uint64", 11],
]);

function fieldContent(tensor: OnnxTensor, dtype: string): number[] | undefined {
  if (dtype === "float64") return elements(tensor.packed.get(kDoubleData), dtype);
  if (dtype === "float32" && tensor.single.length === 0)
    return elements(tensor.packed.get(kFloatData), dtype);
  const packed = tensor.packed.get(kWideData.get(dtype) ?? kInt32Data);
  const values = tensor.single.length > 0 ? tensor.single : packed && varints(packed);
  const halved = kHalves.get(dtype);
  return kReaders.has(dtype) ? (halved === undefined ? values : values?.map(halved)) : undefined;
}

function varints(bytes: Uint8Array): number[] | undefined {
  const values: number[] = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80 && shift < 70n) continue;
    values.push(Number(BigInt.asIntN(64, value)));
    if (values.length > kMostContent) return undefined;
    value = 0n;
    shift = 0n;
  }
  return values;
}
