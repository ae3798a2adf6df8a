import type { OnnxAttribute, OnnxNode } from "./model.js";
import { constantValue, type Dim, type Value } from "./value.js";

/** Thrown by a shape rule that cannot tell; the outputs then stay unknown, for the reason given. */
export class NotKnown extends Error {}

/** What a rule says of one output; a shape left out is not known. */
export interface Result {
  dtype: string | undefined;
  shape?: Dim[] | undefined;
  content?: Dim[] | undefined;
}

/** The shape rule of one operator: an entry for each output, in order; further outputs stay unknown. */
export type Rule = (op: Operator) => Result[];

/** One node as a shape rule sees it: what is known of its inputs, and its attributes. */
export class Operator {
  constructor(
    readonly node: OnnxNode,
    readonly inputs: (Value | undefined)[],
    /** Version of ai.onnx that its form is of. */
    readonly version: number,
    /** Gives out a symbol for an extent that nobody knows. */
    readonly fresh: () => string,
  ) {}

  get outputs(): number {
    return this.node.outputs.length;
  }

  has(input: number): boolean {
    return this.inputs[input] !== undefined;
  }

  dtype(input: number): string | undefined {
    return this.inputs[input]?.dtype;
  }

  /** The shape of an input, or NotKnown. */
  shape(input: number): Dim[] {
    const shape = this.inputs[input]?.shape;
    if (shape === undefined) throw new NotKnown(`the rank of input ${input} is not known`);
    return shape;
  }

  content(input: number): Dim[] | undefined {
    return this.inputs[input]?.content;
  }

  /** The elements of an input as numbers, or NotKnown. */
  numbers(input: number): number[] {
    const content = this.content(input);
    if (content === undefined) throw new NotKnown(`the values of input ${input} are not known`);
    return content.map((value) => {
      if (typeof value !== "number") throw new NotKnown(`input ${input} holds ${value}, which is not known`);
      return value;
    });
  }

  private attribute(name: string): OnnxAttribute | undefined {
    return this.node.attributes.get(name);
  }

  hasAttribute(name: string): boolean {
    return this.node.attributes.has(name);
  }

  int(name: string, otherwise: number): number {
    return this.attribute(name)?.i ?? otherwise;
  }

  float(name: string, otherwise: number): number {
    return this.attribute(name)?.f ?? otherwise;
  }

  text(name: string, otherwise: string): string {
    return this.attribute(name)?.s ?? otherwise;
  }

  ints(name: string): number[] | undefined {
    const attribute = this.attribute(name);
    return attribute === undefined ? undefined : attribute.ints;
  }

  floats(name: string): number[] | undefined {
    const attribute = this.attribute(name);
    return attribute === undefined ? undefined : attribute.floats;
  }

  strings(name: string): number {
    return this.attribute(name)?.strings ?? 0;
  }

  tensor(name: string): Value | undefined {
    const tensor = this.attribute(name)?.tensor;
    return tensor === undefined ? undefined : constantValue(tensor);
  }

  /** An axis counted from the front, or NotKnown where there is none such. */
  axis(axis: number, rank: number): number {
    const from = axis < 0 ? axis + rank : axis;
    if (!(from >= 0 && from < rank)) throw new NotKnown(`there is no axis ${axis} of ${rank}`);
    return from;
  }

  /** Axes from the input of that index or, before it was one, from the attribute; undefined where neither is there. */
  axes(input: number, name = "axes"): number[] | undefined {
    if (this.has(input)) return this.numbers(input);
    return this.ints(name);
  }
}

/** The extents multiplied; a symbol where one is not known, 0 where one is. */
export function product(dims: readonly Dim[], fresh: () => string): Dim {
  if (dims.includes(0)) return 0;
  let result = 1;
  const symbols: string[] = [];
  for (const dim of dims) {
    if (typeof dim === "number") result *= dim;
    else symbols.push(dim);
  }
  if (symbols.length === 0) return result;
  return symbols.length === 1 && result === 1 ? (symbols[0] ?? fresh()) : fresh();
}

/** The shape that two broadcast to (numpy rules); NotKnown where they cannot. */
export function broadcast(a: readonly Dim[], b: readonly Dim[], fresh: () => string): Dim[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const x = a[axis - rank + a.length] ?? 1;
    const y = b[axis - rank + b.length] ?? 1;
    if (x === y || y === 1) return x;
    if (x === 1) return y;
    if (typeof x === "number" && typeof y === "number") throw new NotKnown(`${x} and ${y} do not broadcast`);
    if (typeof x === "number") return x;
    return typeof y === "number" ? y : fresh();
  });
}

/** Throws NotKnown unless it is a whole number of at least `least`. */
export function whole(value: number, what: string, least = 0): number {
  if (!Number.isSafeInteger(value) || value < least) throw new NotKnown(`${what} is ${value}`);
  return value;
}
