import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { MemplanError } from "../../error.js";
import { invalidInput } from "../invalid_input.js";

/** Deepest nesting of messages; a model's If in an If in a Loop takes three levels each. */
const kDeepest = 100;
/** Most rows (nodes, tensors, attributes, …) of one file: what fits in memory however short the rows are. */
const kMostRows = 2 ** 21;
const kMostNumbers = 2 ** 20;

/**
 * Reads protobuf messages field by field, each within the bytes of the one around it. Bytes fields are views, so
 * weights are skipped without a copy. Errors are INVALID_INPUT with the field path and the byte.
 */
export class ProtoCursor {
  private readonly reader: BinaryReader;
  private readonly path: string[] = [];
  private rows = 0;

  constructor(bytes: Uint8Array) {
    this.reader = new BinaryReader(bytes);
  }

  /** Reads the whole file as one message. */
  read<T>(message: (end: number) => T): T {
    try {
      return message(this.reader.len);
    } catch (error) {
      if (error instanceof MemplanError) throw error;
      throw this.error(error instanceof Error ? error.message : String(error));
    }
  }

  /** The path of the message being read, as `graph.node[3]`. */
  get where(): string {
    return this.path.join(".") || "model";
  }

  error(message: string): MemplanError {
    return invalidInput(`${this.where}, byte ${this.reader.pos}`, message);
  }

  /** Calls `visit` for each field up to `end`; a field that it does not take (false) is skipped. */
  fields(end: number, visit: (field: number, wire: WireType) => boolean): void {
    while (this.reader.pos < end) {
      const [field, wire] = this.reader.tag();
      if (!visit(field, wire)) this.reader.skip(wire, field);
    }
    if (this.reader.pos !== end) throw this.error("a field ends outside its message");
  }

  /** A message within this one, under the name `step` of the path. */
  nested<T>(wire: WireType, step: string, message: (end: number) => T): T {
    if (this.path.length >= kDeepest) throw this.error(`messages nest deeper than ${kDeepest}`);
    if (++this.rows > kMostRows) throw this.error(`more than ${kMostRows} messages`);
    const end = this.span(wire);
    this.path.push(step);
    const value = message(end);
    this.path.pop();
    return value;
  }

  /** Length-delimited: the position past its end. */
  private span(wire: WireType): number {
    this.expect(wire, WireType.LengthDelimited);
    const length = this.reader.uint32();
    const end = this.reader.pos + length;
    if (end > this.reader.len) throw this.error(`${length} bytes end past the file`);
    return end;
  }

  private expect(wire: WireType, expected: WireType): void {
    if (wire !== expected) throw this.error(`wire type ${wire} where ${expected} is due`);
  }

  string(wire: WireType): string {
    this.expect(wire, WireType.LengthDelimited);
    return this.reader.string();
  }

  /** A view into the file. */
  bytes(wire: WireType): Uint8Array {
    this.expect(wire, WireType.LengthDelimited);
    return this.reader.bytes();
  }

  /** A 64-bit integer; beyond ±2^53 it loses its last digits, which no size or axis has. */
  int(wire: WireType): number {
    this.expect(wire, WireType.Varint);
    return Number(this.reader.int64());
  }

  float(wire: WireType): number {
    this.expect(wire, WireType.Bit32);
    return this.reader.float();
  }

  /** A repeated integer, packed or one at a time. */
  ints(wire: WireType, into: number[]): void {
    this.repeated(wire, WireType.Varint, into, () => Number(this.reader.int64()));
  }

  floats(wire: WireType, into: number[]): void {
    this.repeated(wire, WireType.Bit32, into, () => this.reader.float());
  }

  private repeated(wire: WireType, single: WireType, into: number[], next: () => number): void {
    const end = wire === WireType.LengthDelimited ? this.span(wire) : -1;
    if (end < 0) {
      this.expect(wire, single);
      into.push(next());
    }
    while (this.reader.pos < end) into.push(next());
    if (end >= 0 && this.reader.pos !== end) throw this.error("a number ends outside its list");
    if (into.length > kMostNumbers) throw this.error(`a list of more than ${kMostNumbers} numbers`);
  }
}
