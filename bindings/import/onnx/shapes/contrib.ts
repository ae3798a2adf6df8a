/** Operators of com.microsoft, which optimised and quantised exports use. */
import { broadcast, type Operator, product, type Rule } from "../operator.js";
import type { Dim } from "../value.js";
import { matmulShape } from "./product.js";

const like: Rule = (op) => [{ dtype: op.dtype(0), shape: op.inputs[0]?.shape }];

/** Sum of input and skip, normalised; the last output is the sum itself. */
const skipNormalization: Rule = (op) => {
  const shape = op.inputs[0]?.shape;
  const statistics = shape && [...shape.slice(0, -1), 1];
  return [
    { dtype: op.dtype(0), shape },
    { dtype: "float32", shape: statistics },
    { dtype: "float32", shape: statistics },
    { dtype: op.dtype(0), shape },
  ];
};

const embedNormalization: Rule = (op) => {
  const ids = op.shape(0);
  const hidden = op.shape(2)[1] ?? op.fresh();
  const shape = [...ids, hidden];
  return [
    { dtype: op.dtype(2), shape },
    { dtype: "int32", shape: [ids[0] ?? op.fresh()] },
    { dtype: op.dtype(2), shape },
  ];
};

/** A and B come with scale and zero point each, so B is input 3. */
const quantizedBinary: Rule = (op) => [
  { dtype: op.dtype(0), shape: broadcast(op.shape(0), op.shape(3), op.fresh) },
];

const quantizedConcat: Rule = (op) => {
  const first = op.shape(2);
  const axis = op.axis(op.int("axis", 0), first.length);
  let sum: Dim = 0;
  for (let index = 2; index < op.inputs.length; index += 3) {
    const extent: Dim = op.shape(index)[axis] ?? op.fresh();
    sum = typeof sum === "number" && typeof extent === "number" ? sum + extent : op.fresh();
  }
  return [{ dtype: op.dtype(2), shape: first.map((dim, at) => (at === axis ? sum : dim)) }];
};

/** Rows and columns of a factor of FusedMatMul: a batch axis in their place first, then both swapped. */
function factor(shape: readonly Dim[], transposed: boolean, batchInside: boolean): readonly Dim[] {
  if (shape.length < 2) return shape;
  const [rows = 1, columns = 1] = shape.slice(-2);
  const [first = 1, ...batch] = shape.slice(0, -2);
  const [outer, row] =
    batchInside && shape.length > 2 ? [[...batch, rows], first] : [shape.slice(0, -2), rows];
  return transposed ? [...outer, columns, row] : [...outer, row, columns];
}

const fusedMatmul: Rule = (op) => {
  const a = factor(op.shape(0), op.int("transA", 0) === 1, op.int("transBatchA", 0) === 1);
  const b = factor(op.shape(1), op.int("transB", 0) === 1, op.int("transBatchB", 0) === 1);
  return [{ dtype: op.dtype(0), shape: matmulShape(op, a, b) }];
};

const quantizedWhere: Rule = (op) => [
  {
    dtype: op.dtype(1),
    shape: broadcast(broadcast(op.shape(0), op.shape(1), op.fresh), op.shape(4), op.fresh),
  },
];

/** Back from blocks of channels, of which the last may have been filled up. */
const reorderOutput: Rule = (op) => {
  const [batch = op.fresh(), , ...spatial] = op.shape(0);
  const channels = op.int("channels", 0);
  const last = op.int("channels_last", 0) === 1;
  return [
    { dtype: op.dtype(0), shape: last ? [batch, ...spatial, channels] : [batch, channels, ...spatial] },
  ];
};

/** To blocks of channels; `channels_last` is of the input. */
const reorderInput: Rule = (op) => {
  const shape = op.shape(0);
  if (op.int("channels_last", 0) !== 1) return like(op);
  return [{ dtype: op.dtype(0), shape: [...shape.slice(0, 1), ...shape.slice(-1), ...shape.slice(1, -1)] }];
};

/** In blocks of channels, by whole numbers. */
const blockedUpsample: Rule = (op) => [
  {
    dtype: op.dtype(0),
    shape: op.shape(0).map((dim, axis) => product([dim, op.ints("scales")?.[axis] ?? op.fresh()], op.fresh)),
  },
];

function projected(op: Operator): Dim[] {
  return [...op.shape(0).slice(0, -1), op.int("N", 0)];
}

const quantizedGemm: Rule = (op) => {
  const [a, b] = [op.shape(0), op.shape(3)];
  const rows = a[op.int("transA", 0) === 1 ? 1 : 0] ?? op.fresh();
  const columns = b[op.int("transB", 0) === 1 ? 0 : 1] ?? op.fresh();
  return [{ dtype: op.has(8) ? op.dtype(8) : "float32", shape: [rows, columns] }];
};

export const kContribRules: Record<string, Rule> = {
  FastGelu: like,
  BiasGelu: like,
  QuickGelu: like,
  BiasAdd: like,
  BiasSplitGelu: (op) => [
    {
      dtype: op.dtype(0),
      shape: op
        .shape(0)
        .map((dim, axis, all) => (axis === all.length - 1 && typeof dim === "number" ? dim / 2 : dim)),
    },
  ],
  SkipLayerNormalization: skipNormalization,
  SkipSimplifiedLayerNormalization: skipNormalization,
  EmbedLayerNormalization: embedNormalization,
  QLinearAdd: quantizedBinary,
  QLinearMul: quantizedBinary,
  QLinearSigmoid: like,
  QLinearLeakyRelu: like,
  QLinearSoftmax: like,
  QLinearWhere: quantizedWhere,
  QLinearConcat: quantizedConcat,
  ReorderInput: reorderInput,
  ReorderOutput: reorderOutput,
  Upsample: blockedUpsample,
  QGemm: quantizedGemm,
  MatMulNBits: (op) => [{ dtype: op.dtype(0), shape: projected(op) }],
  MatMulBnb4: (op) => [{ dtype: op.dtype(0), shape: projected(op) }],
  MatMulInteger16: (op) => [{ dtype: "int32", shape: matmulShape(op, op.shape(0), op.shape(1)) }],
  FusedMatMul: fusedMatmul,
  TransposeMatMul: fusedMatmul,
  MatMulIntegerToFloat: (op) => [{ dtype: op.dtype(2), shape: matmulShape(op, op.shape(0), op.shape(1)) }],
  DynamicQuantizeMatMul: (op) => [{ dtype: op.dtype(0), shape: matmulShape(op, op.shape(0), op.shape(1)) }],
  Inverse: like,
  ExpandDims: (op) => {
    const shape = op.shape(0);
    const [axis = 0] = op.numbers(1);
    return [{ dtype: op.dtype(0), shape: shape.toSpliced(op.axis(axis, shape.length + 1), 0, 1) }];
  },
};
