/** Products of matrices, and reductions along axes. */
import { broadcast, NotKnown, type Operator, type Rule } from "../operator.js";
import type { Dim } from "../value.js";

/** numpy's matmul: the last two axes multiply, those before broadcast, one axis counts as a row or column. */
export function matmulShape(op: Operator, a: readonly Dim[], b: readonly Dim[]): Dim[] {
  if (a.length === 0 || b.length === 0) throw new NotKnown("a scalar is no matrix");
  const left = a.length === 1 ? [1, ...a] : a;
  const right = b.length === 1 ? [...b, 1] : b;
  const batch = broadcast(left.slice(0, -2), right.slice(0, -2), op.fresh);
  const rows = a.length === 1 ? [] : [left.at(-2) ?? op.fresh()];
  const columns = b.length === 1 ? [] : [right.at(-1) ?? op.fresh()];
  return [...batch, ...rows, ...columns];
}

const gemm: Rule = (op) => {
  const [a, b] = [op.shape(0), op.shape(1)];
  const rows = a[op.int("transA", 0) === 1 ? 1 : 0] ?? op.fresh();
  const columns = b[op.int("transB", 0) === 1 ? 0 : 1] ?? op.fresh();
  return [{ dtype: op.dtype(0), shape: [rows, columns] }];
};

const einsum: Rule = (op) => {
  const equation = op.text("equation", "").replaceAll(/\s/g, "");
  if (equation.length > 256) throw new NotKnown("the equation is too long");
  const [left = "", right] = equation.split("->");
  const dims = new Map<string, Dim>();
  let batch: Dim[] = [];
  for (const [index, term] of left.split(",").entries()) {
    const shape = op.shape(index);
    const letters = [...term.replace("...", "")];
    const extra = shape.length - letters.length;
    if (extra < 0 || (extra > 0 && !term.includes("..."))) throw new NotKnown(`"${term}" is of another rank`);
    const at = term.includes("...") ? term.indexOf("...") : letters.length;
    batch = broadcast(batch, shape.slice(at, at + extra), op.fresh);
    const rest = [...shape.slice(0, at), ...shape.slice(at + extra)];
    for (const [axis, letter] of letters.entries()) {
      const dim = rest[axis] ?? op.fresh();
      const known = dims.get(letter);
      dims.set(letter, known === undefined || known === 1 || typeof known === "string" ? dim : known);
    }
  }
  const letters = left.replaceAll(/[,.]/g, "");
  const once = [...new Set(letters)].filter((letter) => letters.split(letter).length === 2).sort();
  const output = right ?? `${left.includes("...") ? "..." : ""}${once.join("")}`;
  const at = output.includes("...") ? output.indexOf("...") : 0;
  const named = [...output.replace("...", "")].map((letter) => dims.get(letter) ?? op.fresh());
  return [{ dtype: op.dtype(0), shape: output.includes("...") ? named.toSpliced(at, 0, ...batch) : named }];
};

/** Extents after the axes are reduced to 1 or dropped. */
export function reduced(op: Operator, axes: number[] | undefined, keep: boolean): Dim[] {
  const shape = op.shape(0);
  const gone = new Set((axes ?? [...shape.keys()]).map((axis) => op.axis(axis, shape.length)));
  if (keep) return shape.map((dim, axis) => (gone.has(axis) ? 1 : dim));
  return shape.filter((_, axis) => !gone.has(axis));
}

const reduce: Rule = (op) => {
  const axes = op.axes(1);
  const empty = axes === undefined || axes.length === 0;
  const noop = empty && op.int("noop_with_empty_axes", 0) === 1;
  const shape = noop ? op.shape(0) : reduced(op, empty ? undefined : axes, op.int("keepdims", 1) === 1);
  return [{ dtype: op.dtype(0), shape }];
};

const argument: Rule = (op) => [
  { dtype: "int64", shape: reduced(op, [op.int("axis", 0)], op.int("keepdims", 1) === 1) },
];

const topK: Rule = (op) => {
  const shape = [...op.shape(0)];
  const axis = op.axis(op.int("axis", -1), shape.length);
  const count = op.version < 10 ? op.int("k", -1) : op.content(1)?.[0];
  shape[axis] = count === undefined || count === -1 ? op.fresh() : count;
  return [
    { dtype: op.dtype(0), shape },
    { dtype: "int64", shape },
  ];
};

/** The loss and, as a second output, the log-probabilities. */
const crossEntropy: Rule = (op) => [
  { dtype: op.dtype(0), shape: op.text("reduction", "mean") === "none" ? op.inputs[1]?.shape : [] },
  { dtype: op.dtype(0), shape: op.inputs[0]?.shape },
];

const kReductions =
  "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare";

export const kProductRules: Record<string, Rule> = {
  ...Object.fromEntries(kReductions.split(" ").map((name) => [name, reduce])),
  MatMul: (op) => [{ dtype: op.dtype(0), shape: matmulShape(op, op.shape(0), op.shape(1)) }],
  MatMulInteger: (op) => [{ dtype: "int32", shape: matmulShape(op, op.shape(0), op.shape(1)) }],
  QLinearMatMul: (op) => [{ dtype: op.dtype(7), shape: matmulShape(op, op.shape(0), op.shape(3)) }],
  Gemm: gemm,
  Einsum: einsum,
  ArgMax: argument,
  ArgMin: argument,
  TopK: topK,
  Det: (op) => [{ dtype: op.dtype(0), shape: op.shape(0).slice(0, -2) }],
  SoftmaxCrossEntropyLoss: crossEntropy,
  NegativeLogLikelihoodLoss: crossEntropy,
};
