/** Makes small .onnx files for tests. Field numbers are those of onnx.proto, written apart from the reader. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

export interface TensorRow {
  /** TensorProto.DataType. */
  type: number;
  shape: (number | string | null)[];
}

export interface AttributeRow {
  i?: number;
  f?: number;
  s?: string;
  ints?: number[];
  floats?: number[];
  tensor?: ConstantRow;
  graph?: GraphRow;
  /** Name of the function attribute it stands for. */
  ref?: string;
}

export interface ConstantRow {
  type: number;
  shape: number[];
  values?: number[];
  external?: boolean;
}

export interface NodeRow {
  op: string;
  domain?: string;
  name?: string;
  inputs: string[];
  outputs: string[];
  attributes?: Record<string, AttributeRow>;
}

export interface GraphRow {
  name?: string;
  nodes: NodeRow[];
  inputs?: Record<string, TensorRow | null>;
  outputs: Record<string, TensorRow | null>;
  valueInfo?: Record<string, TensorRow>;
  constants?: Record<string, ConstantRow>;
}

export interface FunctionRow {
  name: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  nodes: NodeRow[];
  defaults?: Record<string, AttributeRow>;
}

export interface ModelRow {
  graph: GraphRow;
  opset?: number;
  domains?: Record<string, number>;
  functions?: FunctionRow[];
}

type Fields = (writer: BinaryWriter) => void;

function nested(writer: BinaryWriter, field: number, fields: Fields): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  fields(writer);
  writer.join();
}

const text = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value);
const int = (writer: BinaryWriter, field: number, value: number) =>
  writer.tag(field, WireType.Varint).int64(value);

/** Bytes of an element by TensorProto.DataType, for raw_data. */
const kWriters: Record<number, [number, (view: DataView, at: number, value: number) => void]> = {
  1: [4, (view, at, value) => view.setFloat32(at, value, true)],
  2: [1, (view, at, value) => view.setUint8(at, value)],
  3: [1, (view, at, value) => view.setInt8(at, value)],
  4: [2, (view, at, value) => view.setUint16(at, value, true)],
  5: [2, (view, at, value) => view.setInt16(at, value, true)],
  6: [4, (view, at, value) => view.setInt32(at, value, true)],
  7: [8, (view, at, value) => view.setBigInt64(at, BigInt(value), true)],
  9: [1, (view, at, value) => view.setUint8(at, value)],
  11: [8, (view, at, value) => view.setFloat64(at, value, true)],
  12: [4, (view, at, value) => view.setUint32(at, value, true)],
  13: [8, (view, at, value) => view.setBigUint64(at, BigInt(value), true)],
};

function raw({ type, values = [] }: ConstantRow): Uint8Array {
  const [size, set] = kWriters[type] ?? [0, () => {}];
  const view = new DataView(new ArrayBuffer(size * values.length));
  for (const [index, value] of values.entries()) set(view, index * size, value);
  return new Uint8Array(view.buffer);
}

function constant(writer: BinaryWriter, row: ConstantRow, name = ""): void {
  for (const extent of row.shape) int(writer, 1, extent);
  int(writer, 2, row.type);
  if (name !== "") text(writer, 8, name);
  if (row.values !== undefined) writer.tag(9, WireType.LengthDelimited).bytes(raw(row));
  if (row.external) int(writer, 14, 1);
}

function valueInfo(writer: BinaryWriter, name: string, row: TensorRow | null): void {
  text(writer, 1, name);
  if (row === null) return;
  nested(writer, 2, (type) =>
    nested(type, 1, (tensor) => {
      int(tensor, 1, row.type);
      nested(tensor, 2, (shape) => {
        for (const dim of row.shape) {
          nested(shape, 1, (inner) => {
            if (typeof dim === "number") int(inner, 1, dim);
            else if (dim !== null) text(inner, 2, dim);
          });
        }
      });
    }),
  );
}

function attribute(writer: BinaryWriter, name: string, row: AttributeRow): void {
  text(writer, 1, name);
  if (row.f !== undefined) writer.tag(2, WireType.Bit32).float(row.f);
  if (row.i !== undefined) int(writer, 3, row.i);
  if (row.s !== undefined) text(writer, 4, row.s);
  const { tensor, graph: inner } = row;
  if (tensor !== undefined) nested(writer, 5, (fields) => constant(fields, tensor));
  if (inner !== undefined) nested(writer, 6, (fields) => graph(fields, inner));
  for (const value of row.floats ?? []) writer.tag(7, WireType.Bit32).float(value);
  if (row.ints !== undefined && row.ints.length > 0) {
    const { ints } = row;
    nested(writer, 8, (packed) => {
      for (const value of ints) packed.int64(value);
    });
  }
  if (row.ref !== undefined) text(writer, 21, row.ref);
}

function node(writer: BinaryWriter, row: NodeRow): void {
  for (const name of row.inputs) text(writer, 1, name);
  for (const name of row.outputs) text(writer, 2, name);
  if (row.name !== undefined) text(writer, 3, row.name);
  text(writer, 4, row.op);
  for (const [name, value] of Object.entries(row.attributes ?? {})) {
    nested(writer, 5, (fields) => attribute(fields, name, value));
  }
  if (row.domain !== undefined) text(writer, 7, row.domain);
}

function graph(writer: BinaryWriter, row: GraphRow): void {
  for (const item of row.nodes) nested(writer, 1, (fields) => node(fields, item));
  text(writer, 2, row.name ?? "g");
  for (const [name, item] of Object.entries(row.constants ?? {})) {
    nested(writer, 5, (fields) => constant(fields, item, name));
  }
  const infos = [
    [11, row.inputs ?? {}],
    [12, row.outputs],
    [13, row.valueInfo ?? {}],
  ] as const;
  for (const [field, list] of infos) {
    for (const [name, item] of Object.entries(list))
      nested(writer, field, (fields) => valueInfo(fields, name, item));
  }
}

function functionProto(writer: BinaryWriter, row: FunctionRow): void {
  text(writer, 1, row.name);
  for (const name of row.inputs) text(writer, 4, name);
  for (const name of row.outputs) text(writer, 5, name);
  for (const item of row.nodes) nested(writer, 7, (fields) => node(fields, item));
  nested(writer, 9, (fields) => int(fields, 2, 18));
  text(writer, 10, row.domain);
  for (const [name, value] of Object.entries(row.defaults ?? {})) {
    nested(writer, 11, (fields) => attribute(fields, name, value));
  }
}

export function onnxFile(row: ModelRow): Uint8Array {
  const writer = new BinaryWriter();
  int(writer, 1, 9);
  for (const [domain, version] of Object.entries({ "": row.opset ?? 18, ...row.domains })) {
    nested(writer, 8, (fields) => {
      if (domain !== "") text(fields, 1, domain);
      int(fields, 2, version);
    });
  }
  nested(writer, 7, (fields) => graph(fields, row.graph));
  for (const item of row.functions ?? []) nested(writer, 25, (fields) => functionProto(fields, item));
  return writer.finish();
}
