/** Small integers and floats computed while reading, so that shapes that a model computes are known. */
import type { Operator } from "./operator.js";
import { bitsOf, type Dim, isKnownShape, type Value } from "./value.js";

type Unary = (x: number) => number;
type Binary = (a: number, b: number) => number;

/** To the nearest, halves to the even one. */
function roundToEven(x: number): number {
  const up = Math.round(x);
  return Math.abs(x % 1) === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

const kUnary: ReadonlyMap<string, Unary> = new Map(
  Object.entries<Unary>({
    Neg: (x) => -x,
    Abs: Math.abs,
    Floor: Math.floor,
    Ceil: Math.ceil,
    Round: roundToEven,
    Sqrt: Math.sqrt,
    Reciprocal: (x) => 1 / x,
    Not: (x) => (x === 0 ? 1 : 0),
    Sign: Math.sign,
    Exp: Math.exp,
    Log: Math.log,
    Relu: (x) => Math.max(0, x),
  }),
);

const kBinary: ReadonlyMap<string, Binary> = new Map(
  Object.entries<Binary>({
    Add: (a, b) => a + b,
    Sub: (a, b) => a - b,
    Mul: (a, b) => a * b,
    Pow: (a, b) => a ** b,
    Sum: (a, b) => a + b,
    Min: Math.min,
    Max: Math.max,
    Equal: (a, b) => (a === b ? 1 : 0),
    Less: (a, b) => (a < b ? 1 : 0),
    LessOrEqual: (a, b) => (a <= b ? 1 : 0),
    Greater: (a, b) => (a > b ? 1 : 0),
    GreaterOrEqual: (a, b) => (a >= b ? 1 : 0),
    And: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
    Or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
    Xor: (a, b) => ((a !== 0) === (b !== 0) ? 0 : 1),
  }),
);

/** The operation, and what it starts from. */
const kReduce: ReadonlyMap<string, readonly [Binary, number]> = new Map(
  Object.entries<readonly [Binary, number]>({
    ReduceSum: [(a, b) => a + b, 0],
    ReduceMean: [(a, b) => a + b, 0],
    ReduceProd: [(a, b) => a * b, 1],
    ReduceMax: [Math.max, Number.NEGATIVE_INFINITY],
    ReduceMin: [Math.min, Number.POSITIVE_INFINITY],
  }),
);

/** Elements times operands: no shape arithmetic is longer. */
const kMostSteps = 16384;

const isFloat = (dtype: string | undefined) => dtype?.includes("float") ?? false;

const sizeOf = (shape: readonly number[]) => shape.reduce((product, extent) => product * extent, 1);

/** The elements of the first output, where the inputs' tell; `shape` is that output's. */
export function foldContent(op: Operator, { dtype }: Value, shape: readonly number[]): Dim[] | undefined {
  const values = computed(op, shape);
  return values?.map((value) => (typeof value === "number" ? (held(value, dtype) ?? op.fresh()) : value));
}

function computed(op: Operator, shape: readonly number[]): Dim[] | undefined {
  const name = op.node.op;
  const [a] = op.inputs.map((input) => input?.content);
  if (a === undefined) return undefined;
  if (kAsTheyAre.has(name)) return a;
  if (name === "Where") return where(op, a, shape);
  if (name === "Clip") return clip(op, a);
  const reduction = kReduce.get(name);
  if (reduction !== undefined) return reduce(op, reduction, shape);
  const unary = kUnary.get(name);
  if (unary !== undefined) return a.map((x) => (typeof x === "number" ? unary(x) : op.fresh()));
  const binary = name === "Div" || name === "Mod" ? division(op) : kBinary.get(name);
  return binary === undefined ? undefined : combine(op, binary, shape);
}

/** A cast is what the type of the output holds of the input. */
const kAsTheyAre = new Set(["Identity", "Dropout", "Cast", "CastLike", "Flatten"]);

/** Significant bits of the floats that the language does not have. */
const kSignificant: ReadonlyMap<string, number> = new Map([
  ["float16", 11],
  ["bfloat16", 8],
]);

/**
 * What a tensor of the type holds of a number: floats round to the nearest, integers lose their fraction and wrap.
 * Undefined where an integer can be no such number. Integers of 64 bits are followed as far as 2^53.
 */
function held(value: number, dtype: string | undefined): number | undefined {
  if (dtype === "bool") return Number(value !== 0);
  if (dtype === "float32") return Math.fround(value);
  const significant = kSignificant.get(dtype ?? "");
  if (significant !== undefined) return rounded(value, significant);
  if (!dtype?.includes("int")) return value;
  if (!Number.isFinite(value)) return undefined;
  // Adding 0 makes a negative zero positive.
  const integer = Math.trunc(value) + 0;
  const bits = bitsOf(dtype) ?? 64;
  if (bits === 64) return integer;
  const wrap = dtype.startsWith("u") ? BigInt.asUintN : BigInt.asIntN;
  return Number(wrap(bits, BigInt(integer)));
}

function rounded(value: number, significant: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - significant + 1);
  return roundToEven(value / unit) * unit;
}

/** Integers divide towards zero; `fmod` and the sign of Mod follow the operator's attribute. */
function division(op: Operator): Binary {
  if (op.node.op === "Mod") {
    const sameSign = op.int("fmod", 0) === 1;
    return (a, b) => (sameSign ? a % b : a - b * Math.floor(a / b));
  }
  return isFloat(op.dtype(0)) ? (a, b) => a / b : (a, b) => Math.trunc(a / b);
}

/** Before version 11 the ends are attributes. */
function clip(op: Operator, values: Dim[]): Dim[] | undefined {
  const end = (input: number, name: string, otherwise: number) =>
    op.has(input) ? op.content(input)?.[0] : op.float(name, otherwise);
  const [least, most] = [end(1, "min", Number.NEGATIVE_INFINITY), end(2, "max", Number.POSITIVE_INFINITY)];
  if (typeof least !== "number" || typeof most !== "number") return undefined;
  return values.map((x) => (typeof x === "number" ? Math.min(Math.max(x, least), most) : op.fresh()));
}

/** The element of a tensor at an index of the shape that it broadcasts to. */
export function element(
  content: Dim[],
  from: readonly Dim[],
  to: readonly number[],
  flat: number,
): Dim | undefined {
  return content[broadcastIndex(from, to, flat)];
}

/** The index in `from` of what an index of `to`, which it broadcasts to, shows. */
function broadcastIndex(from: readonly Dim[], to: readonly number[], flat: number): number {
  let [at, scale, rest] = [0, 1, flat];
  for (let axis = to.length - 1; axis >= 0; axis--) {
    const extent = to[axis] ?? 1;
    const index = rest % extent;
    rest = Math.floor(rest / extent);
    const own = from[axis - to.length + from.length];
    if (typeof own !== "number") continue;
    if (own !== 1) at += index * scale;
    scale *= own;
  }
  return at;
}

function combine(op: Operator, binary: Binary, shape: readonly number[]): Dim[] | undefined {
  const operands = op.inputs.map((input) => ({ content: input?.content, shape: input?.shape }));
  const count = sizeOf(shape);
  if (count * operands.length > kMostSteps) return undefined;
  const values: Dim[] = [];
  for (let flat = 0; flat < count; flat++) {
    let result: Dim | undefined;
    for (const operand of operands) {
      if (operand.content === undefined || operand.shape === undefined) return undefined;
      const value = element(operand.content, operand.shape, shape, flat);
      if (value === undefined) return undefined;
      result = result === undefined ? value : both(op, binary, result, value);
    }
    values.push(result ?? op.fresh());
  }
  return values;
}

/** Two elements; a symbol survives what leaves it as it is. */
function both(op: Operator, binary: Binary, a: Dim, b: Dim): Dim {
  if (typeof a === "number" && typeof b === "number") return binary(a, b);
  const name = op.node.op;
  if ((name === "Mul" || name === "Div") && b === 1) return a;
  if (name === "Mul" && a === 1) return b;
  if ((name === "Add" || name === "Sub") && b === 0) return a;
  if (name === "Add" && a === 0) return b;
  if (name === "Equal" && a === b) return 1;
  return op.fresh();
}

function where(op: Operator, condition: Dim[], shape: readonly number[]): Dim[] | undefined {
  const [, yes, no] = op.inputs;
  if (yes?.content === undefined || no?.content === undefined) return undefined;
  const count = sizeOf(shape);
  return Array.from({ length: count }, (_, flat) => {
    const chosen = element(condition, op.inputs[0]?.shape ?? [], shape, flat);
    if (typeof chosen !== "number") return op.fresh();
    const side = chosen === 0 ? no : yes;
    return element(side.content ?? [], side.shape ?? [], shape, flat) ?? op.fresh();
  });
}

function reduce(
  op: Operator,
  [binary, start]: readonly [Binary, number],
  shape: readonly number[],
): Dim[] | undefined {
  const { content, shape: from } = op.inputs[0] ?? {};
  if (content === undefined || !isKnownShape(from)) return undefined;
  const axes = op.axes(1)?.map((axis) => op.axis(axis, from.length)) ?? [];
  if (axes.length === 0 && op.int("noop_with_empty_axes", 0) === 1) return content;
  const kept = from.map((extent, axis) => (axes.length === 0 || axes.includes(axis) ? 1 : extent));
  const results = new Array<number>(sizeOf(shape)).fill(start);
  for (const [flat, value] of content.entries()) {
    if (typeof value !== "number") return undefined;
    const at = broadcastIndex(kept, from, flat);
    results[at] = binary(results[at] ?? start, value);
  }
  if (op.node.op !== "ReduceMean") return results;
  return results.map((sum) => sum / (content.length / results.length));
}
