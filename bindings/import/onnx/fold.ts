/** Small integers and floats computed while reading, so that shapes that a model computes are known. */
import type { Operator } from "./operator.js";
import type { Dim } from "./value.js";

type Unary = (x: number) => number;
type Binary = (a: number, b: number) => number;

const kUnary: ReadonlyMap<string, Unary> = new Map(
  Object.entries<Unary>({
    Neg: (x) => -x,
    Abs: Math.abs,
    Floor: Math.floor,
    Ceil: Math.ceil,
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

const kReduce: ReadonlyMap<string, Binary> = new Map(
  Object.entries<Binary>({
    ReduceSum: (a, b) => a + b,
    ReduceProd: (a, b) => a * b,
    ReduceMax: Math.max,
    ReduceMin: Math.min,
  }),
);

/** Elements times operands: no shape arithmetic is longer. */
const kMostSteps = 16384;

const isFloat = (dtype: string | undefined) => dtype?.includes("float") ?? false;

/** The elements of the first output, where the inputs' tell; `shape` is that output's. */
export function foldContent(op: Operator, shape: readonly number[]): Dim[] | undefined {
  const name = op.node.op;
  const [a] = op.inputs.map((input) => input?.content);
  if (a === undefined) return undefined;
  if (name === "Identity" || name === "Dropout") return a;
  if (name === "Cast" || name === "CastLike") return cast(op, a);
  if (name === "Where") return where(op, a, shape);
  const reduce = kReduce.get(name);
  if (reduce !== undefined) return reduceAll(reduce, a, shape);
  const unary = kUnary.get(name);
  if (unary !== undefined) return a.map((x) => (typeof x === "number" ? unary(x) : op.fresh()));
  const binary = name === "Div" || name === "Mod" ? division(op) : kBinary.get(name);
  return binary === undefined ? undefined : combine(op, binary, shape);
}

/** Integers divide towards zero; `fmod` and the sign of Mod follow the operator's attribute. */
function division(op: Operator): Binary {
  if (op.node.op === "Mod") {
    const sameSign = op.int("fmod", 0) === 1;
    return (a, b) => (sameSign ? a % b : a - b * Math.floor(a / b));
  }
  return isFloat(op.dtype(0)) ? (a, b) => a / b : (a, b) => Math.trunc(a / b);
}

function cast(op: Operator, values: Dim[]): Dim[] {
  const kBool = 9;
  const kFloats = new Set([1, 10, 11, 16]);
  const to = op.int("to", 0);
  return values.map((value) => {
    if (typeof value !== "number" || kFloats.has(to)) return value;
    return to === kBool ? Number(value !== 0) : Math.trunc(value);
  });
}

/** The element of a tensor at an index of the shape that it broadcasts to. */
function element(content: Dim[], from: readonly Dim[], to: readonly number[], flat: number): Dim | undefined {
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
  return content[at];
}

function combine(op: Operator, binary: Binary, shape: readonly number[]): Dim[] | undefined {
  const operands = op.inputs.map((input) => ({ content: input?.content, shape: input?.shape }));
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (count * operands.length > kMostSteps) return undefined;
  const values: Dim[] = [];
  for (let flat = 0; flat < count; flat++) {
    let result: Dim | undefined;
    for (const [index, operand] of operands.entries()) {
      if (operand.content === undefined || operand.shape === undefined) return undefined;
      const value = element(operand.content, operand.shape, shape, flat);
      if (value === undefined) return undefined;
      result = index === 0 || result === undefined ? value : both(op, binary, result, value);
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
  const count = shape.reduce((product, extent) => product * extent, 1);
  return Array.from({ length: count }, (_, flat) => {
    const chosen = element(condition, op.inputs[0]?.shape ?? [], shape, flat);
    if (typeof chosen !== "number") return op.fresh();
    const side = chosen === 0 ? no : yes;
    return element(side.content ?? [], side.shape ?? [], shape, flat) ?? op.fresh();
  });
}

function reduceAll(binary: Binary, values: Dim[], shape: readonly number[]): Dim[] | undefined {
  if (values.length === 0 || shape.some((extent) => extent !== 1)) return undefined;
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === values.length ? [numbers.reduce(binary)] : undefined;
}
