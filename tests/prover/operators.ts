/** What operators compute in a run: bytes that depend on every byte read. */
import type { Node } from "../../bindings/types.ts";
import { hashBytes, type Location, Misread, mix, type Value } from "./memory.ts";

/** Operators whose byte i of the result needs byte i of each input only, so that they may write over one. */
export const ELEMENT_WISE = [
  "aten::relu.out",
  "aten::sigmoid.out",
  "aten::tanh.out",
  "aten::neg.out",
  "aten::add.out",
  "aten::sub.out",
  "aten::mul.out",
] as const;

export const CONCAT = "aten::cat.out";

export function isElementWise(node: Node): boolean {
  return (ELEMENT_WISE as readonly string[]).includes(node.target ?? "");
}

export interface Shaped {
  value: Value;
  shape: number[] | undefined;
}

/** One piece of a concatenation: bytes `from` on of an input go to `to` on in the result. */
export interface Piece {
  input: number;
  from: number;
  to: number;
  size: number;
}

/** The pieces in the order they are copied; null where shapes do not add up to a concatenation. */
export function concatPieces(inputs: Shaped[], size: number, shape: number[] | undefined): Piece[] | null {
  const total = inputs.reduce((sum, { value }) => sum + value.bytes.length, 0);
  if (total !== size || inputs.length === 0) return null;
  const axis = shape ? concatAxis(inputs, shape) : 0;
  const outer = (shape ?? []).slice(0, axis).reduce((product, extent) => product * extent, 1);
  if (outer === 0) return [];
  const pieces: Piece[] = [];
  let to = 0;
  for (let row = 0; row < outer; row++) {
    inputs.forEach(({ value }, input) => {
      const chunk = value.bytes.length / outer;
      pieces.push({ input, from: row * chunk, to, size: chunk });
      to += chunk;
    });
  }
  return pieces;
}

function concatAxis(inputs: Shaped[], shape: number[]): number {
  const axis = shape.findIndex((extent, at) => inputs.some((input) => input.shape?.[at] !== extent));
  return Math.max(0, axis);
}

/** Byte i from byte i of each input, shorter inputs repeated. */
export function elementAt(salt: number, index: number, inputs: readonly Uint8Array[]): number {
  let result = salt + index * 29;
  inputs.forEach((input, k) => {
    if (input.length > 0) result += (2 * k + 3) * (input[index % input.length] as number);
  });
  return (result ^ (result >>> 8)) & 255;
}

/** A seed for all bytes of a result, from every byte of every input. */
export function digest(salt: number, inputs: readonly Value[]): number {
  return inputs.reduce((state, { bytes }) => hashBytes(state, bytes), mix(salt, inputs.length));
}

/** Writes an element-wise result byte by byte, and sees whether an input is lost before it is read. */
export function streamElements(
  salt: number,
  output: Location,
  inputs: readonly { value: Value; location: Location }[],
  what: () => string,
): void {
  const expected = inputs.map(({ value }) => value.bytes);
  for (let i = 0; i < output.size; i++) {
    for (const { value, location } of inputs) {
      if (value.bytes.length === 0) continue;
      const at = i % value.bytes.length;
      if (value.known[at] && location.bytes[location.at + at] !== value.bytes[at]) {
        throw new Misread(`${what()}: byte ${at} was overwritten by its own operator`);
      }
    }
    output.bytes[output.at + i] = elementAt(salt, i, expected);
  }
}

/** Copies the pieces of a concatenation one after the other, and sees whether one is lost before its turn. */
export function streamPieces(
  pieces: readonly Piece[],
  output: Location,
  inputs: readonly { value: Value; location: Location }[],
  what: () => string,
): void {
  for (const { input, from, to, size } of pieces) {
    const { value, location } = inputs[input] as { value: Value; location: Location };
    for (let i = from; i < from + size; i++) {
      if (value.known[i] && location.bytes[location.at + i] !== value.bytes[i]) {
        throw new Misread(`${what()}: byte ${i} was overwritten before it was concatenated`);
      }
    }
    output.bytes.set(value.bytes.subarray(from, from + size), output.at + to);
  }
}
