import { ByteBuffer } from "flatbuffers";
import { invalidInput } from "./invalid_input.js";

/**
 * A FlatBuffers buffer that checks every read. Generated readers follow whatever offset the file gives and read
 * `undefined` past its end; under them this class throws INVALID_INPUT with the table and the byte instead.
 *
 * Offsets may lead many readers to one place, so a small file can claim an endless tree. `walk` keeps account:
 * all that is walked, added up, may not exceed twice the file, which a file without such sharing never does.
 */
export class CheckedBytes extends ByteBuffer {
  private readonly size: number;
  private readonly decoder = new TextDecoder("utf-8", { fatal: false });
  private budget: number;
  private table = "";
  private row = -1;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.size = bytes.length;
    this.budget = Math.min(2 * bytes.length + 65536, 2 ** 29);
  }

  /** Names the table being read, for errors. */
  enter(table: string, row = -1): void {
    this.table = table;
    this.row = row;
  }

  /** Where the reader is, as `subgraphs[0].tensors[3]`. */
  get where(): string {
    return this.row < 0 ? this.table : `${this.table}[${this.row}]`;
  }

  error(message: string, at?: number): Error {
    const place = at === undefined ? "" : `byte ${at}`;
    return invalidInput([this.where, place].filter((part) => part !== "").join(", "), message);
  }

  /** Accounts for `count` elements of `elementSize` bytes that are about to be walked. */
  walk(count: number, elementSize: number): number {
    this.budget -= count * elementSize;
    if (this.budget < 0) throw this.error("offsets lead to the same bytes too often");
    return count;
  }

  private check(offset: number, length: number): void {
    if (!(offset >= 0 && offset + length <= this.size)) {
      throw this.error(`points outside the file of ${this.size} bytes`, offset);
    }
  }

  override readUint8(offset: number): number {
    this.check(offset, 1);
    return super.readUint8(offset);
  }

  override readUint16(offset: number): number {
    this.check(offset, 2);
    return super.readUint16(offset);
  }

  override readInt32(offset: number): number {
    this.check(offset, 4);
    return super.readInt32(offset);
  }

  /** Offsets to tables, vectors and strings are unsigned and lead forward. */
  private forward(offset: number): number {
    const target = offset + this.readUint32(offset);
    this.check(target, 4);
    if (target === offset) throw this.error("an offset of 0 leads nowhere", offset);
    return target;
  }

  override __offset(tableStart: number, field: number): number {
    const vtable = tableStart - this.readInt32(tableStart);
    const size = this.readUint16(vtable);
    if (size < 4 || size % 2 !== 0) throw this.error("not a table", tableStart);
    return field < size ? this.readUint16(vtable + field) : 0;
  }

  override __indirect(offset: number): number {
    return this.forward(offset);
  }

  override __vector(offset: number): number {
    return this.forward(offset) + 4;
  }

  override __vector_len(offset: number): number {
    const start = this.forward(offset);
    const length = this.readUint32(start);
    // An element is a byte at least; reading the elements checks the rest.
    this.check(start + 4, length);
    return length;
  }

  override __string(offset: number): string {
    const start = this.forward(offset);
    const length = this.readUint32(start);
    this.check(start + 4, length);
    this.walk(length, 1);
    return this.decoder.decode(this.bytes().subarray(start + 4, start + 4 + length));
  }
}

/** Collects a vector through its generated accessors, `elementSize` bytes each. */
export function vector<T>(
  bytes: CheckedBytes,
  length: number,
  elementSize: number,
  element: (index: number) => T | null,
): T[] {
  const values: T[] = [];
  bytes.walk(length, elementSize);
  for (let index = 0; index < length; index++) {
    const value = element(index);
    if (value === null) throw bytes.error(`element ${index} is missing`);
    values.push(value);
  }
  return values;
}

/** A 64-bit offset or size as a number; throws where it is past 2^53 − 1. */
export function safeNumber(bytes: CheckedBytes, value: bigint): number {
  if (value < 0n || value > 9007199254740991n) throw bytes.error(`${value} is no size`);
  return Number(value);
}
