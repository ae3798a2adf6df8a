import { broadcast, NotKnown, type Operator, type Result, type Rule } from "../operator.js";
import { dataTypeName } from "../value.js";

/** The first output is like the first input. */
const like: Rule = (op) => [{ dtype: op.dtype(0), shape: op.inputs[0]?.shape }];

const likeAsBool: Rule = (op) => [{ dtype: "bool", shape: op.inputs[0]?.shape }];

function broadcastAll(op: Operator): Result["shape"] {
  const [first, ...rest] = op.inputs.map((_, index) => op.shape(index));
  if (first === undefined) throw new NotKnown("has no inputs");
  return rest.reduce((a, b) => broadcast(a, b, op.fresh), first);
}

const broadcasting: Rule = (op) => {
  // Before version 7 the second operand had to be stated to broadcast, to the shape of the first.
  if (op.version < 7 && op.hasAttribute("broadcast")) return like(op);
  return [{ dtype: op.dtype(0), shape: broadcastAll(op) }];
};

const comparing: Rule = (op) => broadcasting(op).map(({ shape }) => ({ dtype: "bool", shape }));

/** The type that an attribute names, or `otherwise`. */
export function typeAttribute(op: Operator, name: string, otherwise: string | undefined): string | undefined {
  const code = op.int(name, 0);
  return code === 0 ? otherwise : dataTypeName(code);
}

/** With statistics or masks behind the first output. */
const normalization: Rule = (op) => {
  const shape = op.inputs[0]?.shape;
  const statistics = { dtype: op.dtype(0), shape: op.inputs[1]?.shape };
  return [{ dtype: op.dtype(0), shape }, statistics, statistics, statistics, statistics];
};

const layerNormalization: Rule = (op) => {
  const shape = op.shape(0);
  const from = op.axis(op.int("axis", -1), shape.length);
  const dtype = typeAttribute(op, "stash_type", "float32");
  const statistics = { dtype, shape: shape.map((dim, axis) => (axis < from ? dim : 1)) };
  return [{ dtype: op.dtype(0), shape }, statistics, statistics];
};

const dropout: Rule = (op) => {
  const shape = op.inputs[0]?.shape;
  return [
    { dtype: op.dtype(0), shape },
    { dtype: op.version < 10 ? op.dtype(0) : "bool", shape },
  ];
};

const kLike =
  `Relu Sigmoid Tanh Exp Log Sqrt Abs Neg Floor Ceil Round Erf Softplus Softsign Sin Cos Tan Asin Acos Atan Sinh
  Cosh Asinh Acosh Atanh Sign Reciprocal HardSigmoid HardSwish LeakyRelu Elu Selu Celu ThresholdedRelu Clip Gelu
  Mish Swish Identity Softmax LogSoftmax Hardmax Not LRN InstanceNormalization GroupNormalization LpNormalization
  MeanVarianceNormalization RMSNormalization CumSum Shrink Trilu ScatterElements Scatter ScatterND ReverseSequence
  BitwiseNot PRelu Affine ScaledTanh ParametricSoftplus Scale ImageScaler TensorScatter CumProd
  OptionalGetElement`.split(/\s+/);

const kBroadcasting =
  "Add Sub Mul Div Pow Mod And Or Xor Min Max Mean Sum BitShift BitwiseAnd BitwiseOr BitwiseXor".split(" ");

const kComparing = "Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor".split(" ");

export const kElementwiseRules: Record<string, Rule> = {
  ...Object.fromEntries(kLike.map((name) => [name, like])),
  ...Object.fromEntries(kBroadcasting.map((name) => [name, broadcasting])),
  ...Object.fromEntries(kComparing.map((name) => [name, comparing])),
  SwiGLU: broadcasting,
  OptionalHasElement: () => [{ dtype: "bool", shape: [] }],
  RegexFullMatch: likeAsBool,
  IsNaN: likeAsBool,
  IsInf: likeAsBool,
  Dropout: dropout,
  BatchNormalization: normalization,
  LayerNormalization: layerNormalization,
  // ONNX Runtime's, though without a domain of its own.
  SimplifiedLayerNormalization: (op) => layerNormalization(op).slice(0, 2),
  Cast: (op) => [{ dtype: typeAttribute(op, "to", undefined), shape: op.inputs[0]?.shape }],
  BitCast: (op) => [{ dtype: typeAttribute(op, "to", undefined), shape: op.inputs[0]?.shape }],
  CastLike: (op) => [{ dtype: op.dtype(1), shape: op.inputs[0]?.shape }],
  Bernoulli: (op) => [{ dtype: typeAttribute(op, "dtype", op.dtype(0)), shape: op.inputs[0]?.shape }],
  EyeLike: (op) => [{ dtype: typeAttribute(op, "dtype", op.dtype(0)), shape: op.inputs[0]?.shape }],
  RandomNormalLike: (op) => [{ dtype: typeAttribute(op, "dtype", op.dtype(0)), shape: op.inputs[0]?.shape }],
  RandomUniformLike: (op) => [{ dtype: typeAttribute(op, "dtype", op.dtype(0)), shape: op.inputs[0]?.shape }],
  Where: (op) => [{ dtype: op.dtype(1), shape: broadcastAll(op) }],
  Pow: (op) => broadcasting(op).map(({ shape }) => ({ dtype: op.dtype(0), shape })),
  QuantizeLinear: (op) => [
    { dtype: op.dtype(2) ?? typeAttribute(op, "output_dtype", "uint8"), shape: op.inputs[0]?.shape },
  ],
  DequantizeLinear: (op) => [
    { dtype: typeAttribute(op, "output_dtype", op.dtype(1)), shape: op.inputs[0]?.shape },
  ],
  DynamicQuantizeLinear: (op) => [
    { dtype: "uint8", shape: op.inputs[0]?.shape },
    { dtype: "float32", shape: [] },
    { dtype: "uint8", shape: [] },
  ],
};
