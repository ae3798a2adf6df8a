/** Operators whose output is no rearrangement of an input: constants, ranges, selections. */
import { NotKnown, product, type Rule, whole } from "../operator.js";
import { coordinates } from "../rearrange.js";
import { type Dim, isFollowed, isKnownShape, kMostContent } from "../value.js";
import { typeAttribute } from "./elementwise.js";

const constant: Rule = (op) => {
  const tensor = op.tensor("value");
  if (tensor !== undefined) return [tensor];
  const scalar = (dtype: string, value: number) => [{ dtype, shape: [], content: [value] }];
  if (op.hasAttribute("value_int")) return scalar("int64", op.int("value_int", 0));
  if (op.hasAttribute("value_float")) return scalar("float32", op.float("value_float", 0));
  if (op.hasAttribute("value_string")) return [{ dtype: "string", shape: [] }];
  const list = (dtype: string, content: number[]) => [{ dtype, shape: [content.length], content }];
  if (op.hasAttribute("value_ints")) return list("int64", op.ints("value_ints") ?? []);
  if (op.hasAttribute("value_floats")) return list("float32", op.floats("value_floats") ?? []);
  if (op.hasAttribute("value_strings")) return [{ dtype: "string", shape: [op.strings("value_strings")] }];
  throw new NotKnown("its value is not a dense tensor");
};

const shapeOf: Rule = (op) => {
  const shape = op.shape(0);
  const rank = shape.length;
  const clamp = (axis: number) => Math.min(Math.max(axis < 0 ? axis + rank : axis, 0), rank);
  const content = shape.slice(clamp(op.int("start", 0)), clamp(op.int("end", rank)));
  return [{ dtype: "int64", shape: [content.length], content }];
};

const constantOfShape: Rule = (op) => {
  const value = op.tensor("value");
  const shape = op.content(0);
  if (shape === undefined) {
    const rank = op.inputs[0]?.shape?.[0];
    if (typeof rank !== "number" || rank > 64) throw new NotKnown("the wished shape is not known");
    return [{ dtype: value?.dtype ?? "float32", shape: Array.from({ length: rank }, op.fresh) }];
  }
  for (const extent of shape) if (typeof extent === "number") whole(extent, "an extent");
  const total = product(shape, op.fresh);
  const filled = typeof total === "number" && isFollowed(value?.dtype ?? "float32", total);
  const [fill] = value === undefined ? [0] : (value.content ?? []);
  const content = filled && fill !== undefined ? new Array<Dim>(total).fill(fill) : undefined;
  return [{ dtype: value?.dtype ?? "float32", shape, content }];
};

const range: Rule = (op) => {
  const [start, limit] = [op.content(0)?.[0], op.content(1)?.[0]];
  // Only com.microsoft's may leave the step out.
  const step = op.has(2) ? op.content(2)?.[0] : 1;
  if (typeof start !== "number" || typeof limit !== "number" || typeof step !== "number" || step === 0) {
    // Counting to a symbol by one gives as many as the symbol says.
    const extent = start === 0 && step === 1 && limit !== undefined ? limit : op.fresh();
    return [{ dtype: op.dtype(0), shape: [extent] }];
  }
  const count = whole(Math.max(0, Math.ceil((limit - start) / step)), "the count");
  const content =
    count <= kMostContent ? Array.from({ length: count }, (_, index) => start + index * step) : undefined;
  return [{ dtype: op.dtype(0), shape: [count], content }];
};

const oneHot: Rule = (op) => {
  const indices = op.shape(0);
  const rank = indices.length + 1;
  const axis = op.axis(op.int("axis", -1), rank);
  const depth = op.content(1)?.[0] ?? op.fresh();
  return [{ dtype: op.dtype(2), shape: [...indices.slice(0, axis), depth, ...indices.slice(axis)] }];
};

const random: Rule = (op) => [{ dtype: typeAttribute(op, "dtype", "float32"), shape: op.ints("shape") }];

const unique: Rule = (op) => {
  const count = op.fresh();
  const shape = op.shape(0);
  const along = op.hasAttribute("axis") ? op.axis(op.int("axis", 0), shape.length) : -1;
  const values = along < 0 ? [count] : shape.map((dim, axis) => (axis === along ? count : dim));
  const whole = along < 0 ? product(shape, op.fresh) : (shape[along] ?? op.fresh());
  return [
    { dtype: op.dtype(0), shape: values },
    { dtype: "int64", shape: [count] },
    { dtype: "int64", shape: [whole] },
    { dtype: "int64", shape: [count] },
  ];
};

const compress: Rule = (op) => {
  const shape = op.shape(0);
  if (!op.hasAttribute("axis")) return [{ dtype: op.dtype(0), shape: [op.fresh()] }];
  const along = op.axis(op.int("axis", 0), shape.length);
  return [{ dtype: op.dtype(0), shape: shape.map((dim, axis) => (axis === along ? op.fresh() : dim)) }];
};

const windowFunction: Rule = (op) => {
  const [size = op.fresh()] = op.content(0) ?? [];
  return [{ dtype: typeAttribute(op, "output_datatype", "float32"), shape: [size] }];
};

const melWeights: Rule = (op) => {
  const bins = op.content(0)?.[0] ?? op.fresh();
  const length = op.content(1)?.[0];
  const spectrum = typeof length === "number" ? Math.floor(length / 2) + 1 : op.fresh();
  return [{ dtype: typeAttribute(op, "output_datatype", "float32"), shape: [spectrum, bins] }];
};

const dft: Rule = (op) => {
  const shape = [...op.shape(0)];
  const axis = op.axis(
    op.has(2) ? (op.numbers(2)[0] ?? -2) : op.int("axis", op.version < 20 ? 1 : -2),
    shape.length,
  );
  const given = shape[axis] ?? op.fresh();
  const onesided = op.int("onesided", 0) === 1;
  const inverse = op.int("inverse", 0) === 1;
  // A one-sided inverse has the half spectrum as input, and a real signal comes out.
  const whole = inverse && onesided && typeof given === "number" ? 2 * (given - 1) : given;
  const length = op.has(1) ? (op.content(1)?.[0] ?? op.fresh()) : whole;
  const half = typeof length === "number" ? Math.floor(length / 2) + 1 : op.fresh();
  shape[axis] = onesided && !inverse ? half : length;
  shape[shape.length - 1] = onesided && inverse ? 1 : 2;
  return [{ dtype: op.dtype(0), shape }];
};

const stft: Rule = (op) => {
  const [batch = op.fresh(), length] = op.shape(0);
  const step = op.content(1)?.[0];
  const frame = op.has(2) ? op.shape(2)[0] : op.content(3)?.[0];
  const known = typeof length === "number" && typeof step === "number" && typeof frame === "number";
  const frames = known ? whole(Math.floor((length - frame) / step) + 1, "the frames") : op.fresh();
  const onesided = op.int("onesided", 1) === 1;
  const bins = typeof frame !== "number" ? op.fresh() : onesided ? Math.floor(frame / 2) + 1 : frame;
  return [{ dtype: op.dtype(0), shape: [batch, frames, bins, 2] }];
};

const gridSample: Rule = (op) => {
  const [batch = op.fresh(), channels = op.fresh()] = op.shape(0);
  return [{ dtype: op.dtype(0), shape: [batch, channels, ...op.shape(1).slice(1, -1)] }];
};

const affineGrid: Rule = (op) => {
  const size = op.content(1);
  if (size === undefined) throw new NotKnown("the wished size is not known");
  const [batch = op.fresh(), , ...spatial] = size;
  return [{ dtype: op.dtype(0), shape: [batch, ...spatial, spatial.length] }];
};

const multinomial: Rule = (op) => {
  const [batch = op.fresh()] = op.shape(0);
  return [{ dtype: typeAttribute(op, "dtype", "int32"), shape: [batch, op.int("sample_size", 1)] }];
};

/** The indices of what is not zero, an axis a row. Exporters count up to a number with it. */
const nonZero: Rule = (op) => {
  const shape = op.shape(0);
  const content = op.content(0);
  if (content === undefined || !isKnownShape(shape) || content.some((value) => typeof value === "string")) {
    return [{ dtype: "int64", shape: [shape.length, op.fresh()] }];
  }
  const found = [...content.keys()].filter((at) => content[at] !== 0).map((at) => coordinates(at, shape));
  const rows = shape.map((_, axis) => found.map((at) => at[axis] ?? 0));
  return [{ dtype: "int64", shape: [shape.length, found.length], content: rows.flat() }];
};

const size: Rule = (op) => {
  const total = product(op.shape(0), op.fresh);
  return [{ dtype: "int64", shape: [], content: [total] }];
};

export const kGenerateRules: Record<string, Rule> = {
  Constant: constant,
  Shape: shapeOf,
  Size: size,
  ConstantOfShape: constantOfShape,
  Range: range,
  OneHot: oneHot,
  RandomNormal: random,
  RandomUniform: random,
  Multinomial: multinomial,
  NonZero: nonZero,
  // How many come out is only known from the values.
  NonMaxSuppression: (op) => [{ dtype: "int64", shape: [op.fresh(), 3] }],
  Unique: unique,
  Compress: compress,
  HannWindow: windowFunction,
  HammingWindow: windowFunction,
  BlackmanWindow: windowFunction,
  MelWeightMatrix: melWeights,
  DFT: dft,
  STFT: stft,
  GridSample: gridSample,
  AffineGrid: affineGrid,
};
