/** Puts the OfflineMemoryAllocation entry into a .tflite file, leaving all other bytes as they are. */
import { CheckedBytes } from "../checked_bytes.js";
import { unsupported } from "../invalid_input.js";
import type { TfliteModel } from "./model.js";

/** Root offset and file identifier. */
const kHeader = 8;
/** The rest of the file moves by a multiple of this, so that its weights stay aligned. */
const kShift = 64;
/** Fields of Model by position (schema version 3d); all but the version are offsets. */
const kVersion = 0;
const kBuffers = 4;
const kMetadata = 6;
const kModelFields = 10;

/** A copy of `tflite` with `words` as its offline plan. The file must have been read by readTfliteModel. */
export function replaceOfflineEntry(tflite: Uint8Array, model: TfliteModel, words: Uint8Array): Uint8Array {
  const entry = model.offlinePlan;
  if (entry !== null && !entry.shared && entry.length === words.length) {
    const copy = tflite.slice();
    copy.set(words, entry.start);
    return copy;
  }
  return new OfflineEntryWriter(tflite, entry?.index ?? -1).write(words);
}

/** One table of the old file, its fields by position; every read is checked. */
class OldTable {
  constructor(
    private readonly bytes: CheckedBytes,
    readonly start: number,
  ) {}

  get fields(): number {
    return (this.bytes.readUint16(this.start - this.bytes.readInt32(this.start)) - 4) / 2;
  }

  /** Where the field lies, or 0. */
  field(index: number): number {
    const offset = this.bytes.__offset(this.start, 4 + 2 * index);
    return offset === 0 ? 0 : this.start + offset;
  }

  /** What an offset field leads to, or 0. */
  target(index: number): number {
    const field = this.field(index);
    return field === 0 ? 0 : this.bytes.__indirect(field);
  }
}

/**
 * Offsets in a FlatBuffer lead forward only, so the new root table and lists stand before the tables they lead to:
 * between the header and the rest of the file.
 */
class OfflineEntryWriter {
  private readonly old: CheckedBytes;
  private readonly root: OldTable;

  /** First byte past what is laid out so far, in the new file. */
  private end = kHeader;

  constructor(
    private readonly tflite: Uint8Array,
    private readonly entry: number,
  ) {
    this.old = new CheckedBytes(tflite);
    this.old.enter("model");
    this.root = new OldTable(this.old, this.old.__indirect(0));
    for (let index = kModelFields; index < this.root.fields; index++) {
      if (this.root.field(index) !== 0) {
        throw unsupported("model", `has field ${index}, which this schema (version 3d) does not know`);
      }
    }
  }

  write(words: Uint8Array): Uint8Array {
    const vtable = this.take(4 + 2 * kModelFields, 2);
    const table = this.take(4 + 4 * kModelFields, 4);
    const buffers = this.take(4 * (this.length(kBuffers) + 2), 4);
    const replaces = this.entry >= 0;
    const metadata = this.take(4 * (this.length(kMetadata) + (replaces ? 1 : 2)), 4);
    const bufferTable = this.take(6, 2) + 6;
    const buffer = this.take(8, 4);
    const metadataTable = this.take(8, 2) + 8;
    const row = this.take(12, 4);
    const name = "OfflineMemoryAllocation";
    const string = this.take(4 + name.length + 1, 4);
    // The length word stands just before the data, which is aligned to 16.
    const data = this.take(4 + words.length + 12, 16) + 12;
    const shift = Math.ceil((this.end - kHeader) / kShift) * kShift;
    const result = new Uint8Array(this.tflite.length + shift);
    result.set(this.tflite.subarray(0, kHeader));
    result.set(this.tflite.subarray(kHeader), kHeader + shift);
    const view = new DataView(result.buffer);

    view.setUint32(0, table, true);
    this.writeRoot(view, vtable, table, shift, { [kBuffers]: buffers, [kMetadata]: metadata });
    this.writeList(view, buffers, kBuffers, shift, -1, buffer);
    this.writeList(view, metadata, kMetadata, shift, this.entry, row);
    writeTable(view, bufferTable - 6, buffer, [data]);
    writeTable(view, metadataTable - 8, row, [string, this.length(kBuffers)], [1]);
    view.setUint32(string, name.length, true);
    for (let i = 0; i < name.length; i++) view.setUint8(string + 4 + i, name.charCodeAt(i));
    view.setUint32(data, words.length, true);
    result.set(words, data + 4);
    this.moveFileOffsets(view, shift);
    return result;
  }

  private take(bytes: number, alignment: number): number {
    const start = Math.ceil(this.end / alignment) * alignment;
    this.end = start + bytes;
    return start;
  }

  private length(field: number): number {
    const list = this.root.target(field);
    return list === 0 ? 0 : this.old.readUint32(list);
  }

  private writeRoot(
    view: DataView,
    vtable: number,
    table: number,
    shift: number,
    lists: Record<number, number>,
  ): void {
    view.setUint16(vtable, 4 + 2 * kModelFields, true);
    view.setUint16(vtable + 2, 4 + 4 * kModelFields, true);
    view.setInt32(table, table - vtable, true);
    for (let index = 0; index < kModelFields; index++) {
      const field = table + 4 + 4 * index;
      const target = lists[index] ?? this.root.target(index) + shift;
      if (lists[index] === undefined && this.root.field(index) === 0) continue;
      view.setUint16(vtable + 4 + 2 * index, field - table, true);
      const value = index === kVersion ? this.old.readUint32(this.root.field(index)) : target - field;
      view.setUint32(field, value, true);
    }
  }

  /** A list as it was, with `added` in place of row `replaced`, or behind the last. */
  private writeList(
    view: DataView,
    at: number,
    field: number,
    shift: number,
    replaced: number,
    added: number,
  ): void {
    const length = this.length(field);
    const list = this.root.target(field);
    view.setUint32(at, length + (replaced < 0 ? 1 : 0), true);
    for (let index = 0; index < length; index++) {
      const slot = at + 4 + 4 * index;
      const old = list + 4 + 4 * index;
      const target = this.old.__indirect(old) + shift;
      view.setUint32(slot, (index === replaced ? added : target) - slot, true);
    }
    if (replaced < 0) view.setUint32(at + 4 + 4 * length, added - (at + 4 + 4 * length), true);
  }

  /** Past 2 GB, buffers and custom options lie outside the FlatBuffer, at offsets from the start of the file. */
  private moveFileOffsets(view: DataView, shift: number): void {
    const moved = new Set<number>();
    const move = (table: OldTable, index: number) => {
      const field = table.field(index);
      if (field === 0 || moved.has(field)) return;
      moved.add(field);
      const offset = this.old.readUint64(field);
      if (offset > 1n) view.setBigUint64(field + shift, offset + BigInt(shift), true);
    };
    const kBufferOffset = 1;
    const kSubgraphs = 2;
    const kOperators = 3;
    const kLargeCustomOptionsOffset = 9;
    for (const buffer of this.rows(this.root.target(kBuffers))) move(buffer, kBufferOffset);
    for (const subgraph of this.rows(this.root.target(kSubgraphs))) {
      for (const operator of this.rows(subgraph.target(kOperators)))
        move(operator, kLargeCustomOptionsOffset);
    }
  }

  private *rows(list: number): Generator<OldTable> {
    if (list === 0) return;
    const length = this.old.readUint32(list);
    for (let index = 0; index < length; index++) {
      const slot = list + 4 + 4 * index;
      yield new OldTable(this.old, this.old.__indirect(slot));
    }
  }
}

/** A table of 32-bit fields; those in `scalars` are values, the others lead to a place. */
function writeTable(
  view: DataView,
  vtable: number,
  table: number,
  fields: number[],
  scalars: number[] = [],
): void {
  view.setUint16(vtable, 4 + 2 * fields.length, true);
  view.setUint16(vtable + 2, 4 + 4 * fields.length, true);
  view.setInt32(table, table - vtable, true);
  for (const [index, value] of fields.entries()) {
    const field = table + 4 + 4 * index;
    view.setUint16(vtable + 4 + 2 * index, 4 + 4 * index, true);
    view.setUint32(field, scalars.includes(index) ? value : value - field, true);
  }
}
