/** The bytes that a run works on: pools as planned, or a buffer for each storage; and what reads must have seen. */
import type { Random } from "./random.ts";

/** A range of bytes. `pool` is 0 for a buffer of its own. */
export interface Location {
  bytes: Uint8Array;
  /** Which bytes were ever written; null where nobody keeps count. */
  known: Uint8Array | null;
  at: number;
  size: number;
  pool: number;
}

/** What a read saw. Bytes that nobody wrote are 0 and not known. */
export interface Value {
  bytes: Uint8Array;
  known: Uint8Array;
}

/** A read that saw something other than what was last written to the tensor. */
export class Misread extends Error {
  override readonly name = "Misread";
}

export function part(location: Location, offset: number, size: number): Location {
  return { ...location, at: location.at + offset, size: Math.max(0, Math.min(size, location.size - offset)) };
}

export function apart(size: number, keepCount: boolean): Location {
  const known = keepCount ? new Uint8Array(size) : null;
  return { bytes: new Uint8Array(size), known, at: 0, size, pool: 0 };
}

/** All reads of one run in order: the reference run records, the planned run compares. */
export class Trace {
  private readonly values: Value[] = [];
  private position = 0;
  recording = true;

  rewind(): void {
    this.position = 0;
    this.recording = false;
  }

  /** What a read of `location` saw in the reference run. */
  expected(location: Location): Value {
    if (!this.recording) {
      const value = this.values[this.position++];
      if (!value) throw new Error("the runs took different ways");
      return value;
    }
    const { bytes, known, at, size } = location;
    const value = { bytes: bytes.slice(at, at + size), known: (known as Uint8Array).slice(at, at + size) };
    for (let i = 0; i < size; i++) if (!value.known[i]) value.bytes[i] = 0;
    this.values.push(value);
    return value;
  }

  /** Throws where `location` holds something other than `value`. */
  compare(value: Value, location: Location, what: () => string): void {
    if (this.recording) return;
    const { bytes, at } = location;
    const size = Math.min(location.size, value.bytes.length);
    for (let i = 0; i < size; i++) {
      if (value.known[i] && value.bytes[i] !== bytes[at + i]) {
        throw new Misread(
          `${what()}: byte ${i} (pool ${location.pool} at ${at + i}) is not what was written`,
        );
      }
    }
  }
}

export function write(location: Location, value: Value): void {
  const size = Math.min(location.size, value.bytes.length);
  if (size === 0) return;
  location.bytes.set(size === value.bytes.length ? value.bytes : value.bytes.subarray(0, size), location.at);
  location.known?.set(value.known.subarray(0, size), location.at);
}

export function certain(bytes: Uint8Array): Value {
  return { bytes, known: new Uint8Array(bytes.length).fill(1) };
}

/** Bytes that follow from a number alone. */
export function bytesOf(seed: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = seed | 1;
  for (let i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state >>> 11;
  }
  return bytes;
}

export function mix(state: number, value: number): number {
  let result = Math.imul(state ^ value, 0x9e3779b1);
  result ^= result >>> 15;
  return Math.imul(result, 0x85ebca77) ^ (result >>> 13);
}

export function hashText(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = mix(state, text.charCodeAt(i));
  return state;
}

export function hashBytes(state: number, bytes: Uint8Array): number {
  let result = mix(state, bytes.length);
  for (let i = 0; i < bytes.length; i++) result = mix(result, bytes[i] as number);
  return result;
}

/** The pools of a plan, full of garbage, with a count of what is live so that the rest can be trashed. */
export class Arena {
  private readonly pools: Uint8Array[];
  private readonly live = new Set<Location>();

  constructor(
    sizes: readonly number[],
    private readonly random: Random,
  ) {
    this.pools = sizes.map((size) => bytesOf(random.next(), size));
  }

  place(pool: number, at: number, size: number): Location {
    const bytes = this.pools[pool];
    if (size > 0 && (!bytes || at < 0 || at + size > bytes.length)) {
      throw new Misread(
        `bytes ${at}..${at + size} are past the end of pool ${pool}, which has ${bytes?.length ?? 0}`,
      );
    }
    return { bytes: bytes ?? new Uint8Array(), known: null, at, size, pool };
  }

  fill(location: Location): void {
    const { bytes, at, size } = location;
    let state = this.random.next();
    for (let i = 0; i < size; i++) {
      state = Math.imul(state, 0x9e3779b1) + 1;
      bytes[at + i] = state >>> 13;
    }
  }

  hold(location: Location): void {
    if (location.pool > 0) this.live.add(location);
  }

  /** Ends a hold; what nobody else holds is overwritten. */
  release(location: Location): void {
    if (!this.live.delete(location)) return;
    this.fillFree(location);
  }

  /** Overwrites everything that nobody holds. */
  trash(): void {
    this.pools.forEach((bytes, pool) => {
      this.fillFree({ bytes, known: null, at: 0, size: bytes.length, pool });
    });
  }

  private fillFree(range: Location): void {
    const end = range.at + range.size;
    const held = [...this.live]
      .filter(({ pool, at, size }) => pool === range.pool && at < end && at + size > range.at)
      .sort((a, b) => a.at - b.at);
    let from = range.at;
    for (const { at, size } of held) {
      if (at > from) this.fill({ ...range, at: from, size: at - from });
      from = Math.max(from, at + size);
    }
    if (from < end) this.fill({ ...range, at: from, size: end - from });
  }
}
