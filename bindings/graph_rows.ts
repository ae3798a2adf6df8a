/**
 * A graph's tensors and nodes as numbers and lines of names, which the core reads several times faster than
 * their JSON can be written and read. src/graph_rows.h is the other end.
 */
export interface GraphRows {
  /** JSON of all else in the graph; its `tensors` and `nodes` are there and empty. */
  rest: string;
  /** Names in the order of {@link numbers}, a line each, as UTF-8. */
  lines: Uint8Array;
  lineCount: number;
  /** The tensors' ids, as the plan will have them. */
  ids: string[];
  numbers: Float64Array;
}

/** What each row begins with, in bits; fields that are left out take no room. */
const TENSOR = {
  isConst: 1,
  dynamism: 2, // two bits
  nbytes: 8,
  memId: 16,
  storageBaseOffset: 32,
  cost: 64,
  shape: 128,
  dtype: 256,
  inplaceBase: 512,
  storageBase: 1024,
  device: 2048,
};
const NODE = {
  op: 1, // three bits
  variant: 8, // two bits
  weightHasGradient: 32,
  target: 64,
  sameTarget: 128,
  backend: 256,
  nullSpecs: 512,
  argBefore: 1024, // the first is the node before
  specsInOrder: 2048, // they are the tensors behind the last one that was told so
};
const OPS = ["placeholder", "get_attr", "call_function", "call_module", "call_method", "output"];
const VARIANTS = ["functional", "out", "inplace"];
const LINE_END = 10;
const DYNAMISMS = ["static", "dynamic_bound", "dynamic_unbound"];

type Row = Record<string, unknown>;

const encoder = new TextEncoder();

/** Where a row is not as simple as can be, JSON.stringify has the say, and the core's JSON reader the verdict. */
class NotPlain extends Error {}

/**
 * The rows of a graph, or null for whatever is not plain data of the right types: inherited keys, toJSON,
 * control flow in the top graph, any mistake. The caller then takes the way through JSON, which says what is wrong.
 * `withShapes`: the core needs the shapes even where `nbytes` says the size.
 */
export function graphRows(input: unknown, withShapes: boolean): GraphRows | null {
  try {
    // Bytes and text, without an error made for each: its stack costs as much as reading a small graph.
    if (!isPlain(input) || !isCleanRealm()) return null;
    const { tensors, nodes, ...others } = input;
    if (!isList(tensors) || !isList(nodes)) return null;
    const rows = new RowWriter(tensors.length, tensors.length + nodes.length);
    rows.addCount(tensors.length);
    for (let t = 0; t < tensors.length; t++) rows.addTensor(tensors[t], withShapes);
    rows.addCount(nodes.length);
    for (let n = 0; n < nodes.length; n++) rows.addNode(nodes[n]);
    return {
      rest: JSON.stringify({ tensors: [], nodes: [], ...others }),
      lines: rows.lines.subarray(0, rows.linesSize),
      lineCount: rows.lineCount,
      ids: rows.ids,
      numbers: rows.numbers.subarray(0, rows.size),
    };
  } catch {
    // Getters and proxies may throw anything; so does whatever has no JSON form.
    return null;
  }
}

class RowWriter {
  lines: Uint8Array;
  linesSize = 0;
  lineCount = 0;
  readonly ids: string[];
  numbers: Float64Array;
  size = 0;
  // Not equal to anything at first.
  #target: unknown = Number.NaN;
  #op: unknown = Number.NaN;
  #opPlace = 0;
  #variant: unknown = Number.NaN;
  #variantPlace = 0;
  #tensors = 0;
  /** The tensor that a node makes next, as a rule. */
  #next = 0;
  #before: unknown = Number.NaN;

  constructor(tensors: number, rows: number) {
    this.ids = new Array<string>(tensors);
    this.numbers = new Float64Array(3 * rows + 16);
    this.lines = new Uint8Array(12 * rows + 64);
  }

  addCount(count: number): void {
    this.#reserve(1);
    this.numbers[this.size++] = count;
  }

  addTensor(value: unknown, withShapes: boolean): void {
    const row = plain(value);
    const { shape, nbytes } = row;
    this.#reserve(7 + (isList(shape) ? shape.length : 0));
    const head = this.size++;
    let bits = row.const === undefined ? 0 : flag(row.const) * TENSOR.isConst;
    bits += TENSOR.dynamism * word(DYNAMISMS, row.dynamism, 0);
    const id = text(row.id);
    this.ids[this.#tensors++] = id;
    this.#name(id);
    bits += this.#size(nbytes, TENSOR.nbytes);
    bits += this.#size(row.mem_id, TENSOR.memId);
    bits += this.#size(row.storage_base_offset, TENSOR.storageBaseOffset);
    bits += this.#size(row.cost, TENSOR.cost);
    const needsShape = withShapes || nbytes === undefined;
    if (shape !== undefined) bits += this.#shape(shape, needsShape);
    if (needsShape) bits += this.#line(row.dtype, TENSOR.dtype);
    else if (row.dtype !== undefined) text(row.dtype);
    bits += this.#line(row.inplace_base, TENSOR.inplaceBase);
    bits += this.#line(row.storage_base, TENSOR.storageBase);
    bits += this.#line(row.device, TENSOR.device);
    this.numbers[head] = bits;
  }

  addNode(value: unknown): void {
    const row = plain(value);
    if (row.carried !== undefined || row.mapped !== undefined) throw new NotPlain();
    none(row.submodules);
    none(row.scratch);
    if (row.source !== undefined) text(row.source);
    if (row.module !== undefined) text(row.module);
    const name = text(row.name);
    this.#name(name);
    if (row.op !== this.#op) {
      this.#opPlace = word(OPS, row.op, -1);
      this.#op = row.op;
    }
    if (row.variant !== this.#variant) {
      this.#variantPlace = word(VARIANTS, row.variant, 0);
      this.#variant = row.variant;
    }
    let bits = this.#opPlace * NODE.op + this.#variantPlace * NODE.variant;
    if (row.weight_has_gradient !== undefined) bits += flag(row.weight_has_gradient) * NODE.weightHasGradient;
    const { target, args, specs } = row;
    if (target !== undefined) {
      if (target === this.#target) {
        bits += NODE.sameTarget;
      } else {
        bits += this.#line(target, NODE.target);
        this.#target = target;
      }
    }
    bits += this.#line(row.backend_id, NODE.backend);
    let argCount = 0;
    if (args !== undefined) {
      if (!isList(args)) throw new NotPlain();
      argCount = args.length;
      const isBefore = argCount > 0 && args[0] === this.#before;
      if (isBefore) bits += NODE.argBefore;
      for (let i = isBefore ? 1 : 0; i < argCount; i++) this.#name(text(args[i]));
    }
    this.#before = name;
    let specCount = 0;
    if (specs !== undefined) {
      if (!isList(specs)) throw new NotPlain();
      if (this.#isInOrder(specs)) {
        bits += NODE.specsInOrder;
        specCount = specs.length;
        this.#next += specCount;
      } else {
        specCount = this.#specs(specs);
      }
    }
    this.#reserve(3 + Math.abs(specCount));
    if (specCount < 0) bits += NODE.nullSpecs;
    this.numbers[this.size++] = bits;
    this.numbers[this.size++] = argCount;
    this.numbers[this.size++] = Math.abs(specCount);
    if (specCount < 0) {
      for (const spec of specs as unknown[]) this.numbers[this.size++] = spec === null ? 0 : 1;
    }
  }

  #reserve(count: number): void {
    if (this.size + count <= this.numbers.length) return;
    const longer = new Float64Array(2 * this.numbers.length + count);
    longer.set(this.numbers);
    this.numbers = longer;
  }

  /** A line. Nearly all names are short and ASCII: their bytes are there before a call of an encoder would be. */
  #name(name: string): void {
    const room = this.linesSize + 3 * name.length + 1;
    if (room > this.lines.length) {
      const longer = new Uint8Array(2 * room);
      longer.set(this.lines);
      this.lines = longer;
    }
    const lines = this.lines;
    let at = this.linesSize;
    if (this.lineCount++ > 0) lines[at++] = LINE_END;
    for (let i = 0; i < name.length; i++) {
      const unit = name.charCodeAt(i);
      if (unit > 127) {
        // JSON refuses half a surrogate pair, which the encoder would replace.
        if (!isWellFormed(name)) throw new NotPlain();
        at += encoder.encodeInto(name.slice(i), lines.subarray(at)).written;
        break;
      }
      lines[at++] = unit;
    }
    this.linesSize = at;
  }

  /** Gives `bit` where the value is there. */
  #size(value: unknown, bit: number): number {
    if (value === undefined) return 0;
    this.numbers[this.size++] = size(value);
    return bit;
  }

  #line(value: unknown, bit: number): number {
    if (value === undefined) return 0;
    this.#name(text(value));
    return bit;
  }

  #shape(value: unknown, isNeeded: boolean): number {
    if (!isList(value)) throw new NotPlain();
    if (isNeeded) this.numbers[this.size++] = value.length;
    for (let i = 0; i < value.length; i++) {
      const dimension = size(value[i]);
      if (isNeeded) this.numbers[this.size++] = dimension;
    }
    return isNeeded ? TENSOR.shape : 0;
  }

  #isInOrder(specs: unknown[]): boolean {
    if (this.#next + specs.length > this.#tensors) return false;
    for (let i = 0; i < specs.length; i++) {
      if (specs[i] !== this.ids[this.#next + i]) return false;
    }
    return true;
  }

  /** How many there are, negative where some are null. */
  #specs(value: unknown[]): number {
    let count = value.length;
    for (let i = 0; i < value.length; i++) {
      const spec = value[i];
      if (spec === null) count = -value.length;
      else this.#name(text(spec));
    }
    return count;
  }
}

function isPlain(value: unknown): value is Row {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    (value as Row).toJSON === undefined
  );
}

function plain(value: unknown): Row {
  if (!isPlain(value)) throw new NotPlain();
  return value;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && (value as unknown as Row).toJSON === undefined;
}

function none(value: unknown): void {
  if (value !== undefined && !(isList(value) && value.length === 0)) throw new NotPlain();
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new NotPlain();
  return value;
}

function size(value: unknown): number {
  if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) return value;
  throw new NotPlain();
}

function flag(value: unknown): number {
  if (typeof value !== "boolean") throw new NotPlain();
  return value ? 1 : 0;
}

function word(words: readonly string[], value: unknown, otherwise: number): number {
  const place = value === undefined ? otherwise : words.indexOf(value as string);
  if (place < 0) throw new NotPlain();
  return place;
}

/** Whether no surrogate stands alone. */
function isWellFormed(name: string): boolean {
  const native = (name as { isWellFormed?: () => boolean }).isWellFormed;
  return native ? native.call(name) : !/\p{Surrogate}/u.test(name);
}

/** Whether rows inherit nothing that JSON.stringify would see, or not see. */
function isCleanRealm(): boolean {
  for (const key in {}) return key === undefined;
  return (
    ("" as unknown as Row).toJSON === undefined &&
    (0 as unknown as Row).toJSON === undefined &&
    (false as unknown as Row).toJSON === undefined
  );
}
