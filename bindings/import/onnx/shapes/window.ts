/** Operators that slide a window over the spatial axes: convolutions and pools. */
import { NotKnown, type Operator, product, type Rule, whole } from "../operator.js";
import type { Dim } from "../value.js";

interface Window {
  kernel: Dim[];
  strides: number[];
  dilations: number[];
  /** Begins of all axes, then ends. */
  pads: number[];
  autoPad: string;
}

function windowOf(op: Operator, kernel: Dim[]): Window {
  const rank = kernel.length;
  const list = (name: string, length: number, otherwise: number) => {
    const values = op.ints(name) ?? new Array<number>(length).fill(otherwise);
    if (values.length !== length) throw new NotKnown(`${name} has ${values.length} entries, not ${length}`);
    return values;
  };
  const strides = list("strides", rank, 1).map((stride) => whole(stride, "a stride", 1));
  const dilations = list("dilations", rank, 1).map((dilation) => whole(dilation, "a dilation", 1));
  return {
    kernel,
    strides,
    dilations,
    pads: list("pads", 2 * rank, 0),
    autoPad: op.text("auto_pad", "NOTSET"),
  };
}

/** Extents after a window went over `spatial`. `ceil` is for pools whose last window may hang over the end. */
function slide(op: Operator, spatial: Dim[], window: Window, ceil: boolean): Dim[] {
  return spatial.map((extent, axis) => {
    const stride = window.strides[axis] ?? 1;
    if (window.autoPad === "SAME_UPPER" || window.autoPad === "SAME_LOWER") {
      if (typeof extent !== "number") return stride === 1 ? extent : op.fresh();
      return Math.ceil(extent / stride);
    }
    const kernel = window.kernel[axis];
    if (typeof kernel !== "number") return op.fresh();
    const span = (kernel - 1) * (window.dilations[axis] ?? 1) + 1;
    const begin = window.pads[axis] ?? 0;
    const pads = window.autoPad === "VALID" ? 0 : begin + (window.pads[axis + spatial.length] ?? 0);
    if (typeof extent !== "number") return stride === 1 && pads === span - 1 ? extent : op.fresh();
    const steps = (extent + pads - span) / stride;
    let result = (ceil ? Math.ceil(steps) : Math.floor(steps)) + 1;
    // No window starts in the padding behind the last element.
    if (ceil && (result - 1) * stride >= extent + begin) result--;
    return whole(result, "an extent");
  });
}

function kernelOf(op: Operator, weights: number): Dim[] {
  return op.ints("kernel_shape") ?? op.shape(weights).slice(2);
}

/** ONNX Runtime's own forms may have the channels as the last axis. */
const channelsAreLast = (op: Operator) => op.int("channels_last", 0) === 1 || op.node.op.startsWith("Nhwc");

/** The shape of the first input, its channels behind the batch. */
function channelsFirst(op: Operator): Dim[] {
  const shape = op.shape(0);
  return channelsAreLast(op) ? [...shape.slice(0, 1), ...shape.slice(-1), ...shape.slice(1, -1)] : shape;
}

/** A shape with its channels behind the batch, in the layout of the operator. */
function inLayout(op: Operator, [batch, channels, ...spatial]: Dim[]): Dim[] {
  const known = (dim: Dim | undefined): Dim => dim ?? op.fresh();
  return channelsAreLast(op)
    ? [known(batch), ...spatial, known(channels)]
    : [known(batch), known(channels), ...spatial];
}

function spatialOf(input: readonly Dim[], kernel: Dim[]): Dim[] {
  const spatial = input.slice(2);
  if (spatial.length !== kernel.length) {
    throw new NotKnown(`a window of ${kernel.length} axes over ${spatial.length}`);
  }
  return spatial;
}

function convolution(op: Operator, weights: number, dtype: string | undefined) {
  const kernel = kernelOf(op, weights);
  const window = windowOf(op, kernel);
  const input = channelsFirst(op);
  const [batch = op.fresh()] = input;
  const [channels = op.fresh()] = op.shape(weights);
  const spatial = slide(op, spatialOf(input, kernel), window, false);
  return [{ dtype, shape: inLayout(op, [batch, channels, ...spatial]) }];
}

const convTranspose: Rule = (op) => {
  const kernel = kernelOf(op, 1);
  const window = windowOf(op, kernel);
  const spatial = spatialOf(op.shape(0), kernel);
  const [batch = op.fresh()] = op.shape(0);
  const perGroup = op.shape(1)[1] ?? op.fresh();
  const channels = product([perGroup, whole(op.int("group", 1), "group", 1)], op.fresh);
  const padding = op.ints("output_padding") ?? [];
  const fixed = op.ints("output_shape");
  const extents = spatial.map((extent, axis) => {
    const given = fixed?.slice(-spatial.length)[axis];
    if (given !== undefined) return whole(given, "output_shape");
    const size = kernel[axis];
    if (typeof extent !== "number" || typeof size !== "number") return op.fresh();
    const stride = window.strides[axis] ?? 1;
    const span = (size - 1) * (window.dilations[axis] ?? 1) + 1;
    const full = stride * (extent - 1) + (padding[axis] ?? 0) + span;
    // A window narrower than its stride leaves nothing to cut off.
    if (window.autoPad.startsWith("SAME")) return Math.min(extent * stride, full);
    const pads = (window.pads[axis] ?? 0) + (window.pads[axis + spatial.length] ?? 0);
    return whole(full - pads, "an extent");
  });
  return [{ dtype: op.dtype(0), shape: [batch, channels, ...extents] }];
};

const pool: Rule = (op) => {
  const kernel = op.ints("kernel_shape");
  if (kernel === undefined) throw new NotKnown("kernel_shape is missing");
  const input = channelsFirst(op);
  const spatial = slide(op, spatialOf(input, kernel), windowOf(op, kernel), op.int("ceil_mode", 0) === 1);
  const shape = inLayout(op, [...input.slice(0, 2), ...spatial]);
  return [
    { dtype: op.dtype(0), shape },
    { dtype: "int64", shape },
  ];
};

const globalPool: Rule = (op) => {
  const shape = channelsFirst(op).map((dim, axis) => (axis < 2 ? dim : 1));
  return [{ dtype: op.dtype(0), shape: inLayout(op, shape) }];
};

const maxUnpool: Rule = (op) => {
  if (op.has(2)) return [{ dtype: op.dtype(0), shape: op.numbers(2) }];
  const kernel = op.ints("kernel_shape") ?? [];
  const { strides, pads } = windowOf(op, kernel);
  const spatial = spatialOf(op.shape(0), kernel).map((extent, axis) => {
    if (typeof extent !== "number") return op.fresh();
    const padding = (pads[axis] ?? 0) + (pads[axis + kernel.length] ?? 0);
    return whole((extent - 1) * (strides[axis] ?? 1) - padding + (kernel[axis] ?? 0), "an extent");
  });
  return [{ dtype: op.dtype(0), shape: [...op.shape(0).slice(0, 2), ...spatial] }];
};

const maxRoiPool: Rule = (op) => {
  const [rois = op.fresh()] = op.shape(1);
  const channels = op.shape(0)[1] ?? op.fresh();
  return [{ dtype: op.dtype(0), shape: [rois, channels, ...(op.ints("pooled_shape") ?? [])] }];
};

const roiAlign: Rule = (op) => {
  const [rois = op.fresh()] = op.shape(1);
  const channels = op.shape(0)[1] ?? op.fresh();
  const shape = [rois, channels, op.int("output_height", 1), op.int("output_width", 1)];
  return [{ dtype: op.dtype(0), shape }];
};

const col2im: Rule = (op) => {
  const image = op.numbers(1);
  const block = op.numbers(2).reduce((a, b) => a * b, 1);
  const [batch = op.fresh(), columns] = op.shape(0);
  const channels = typeof columns === "number" ? whole(columns / block, "a channel count") : op.fresh();
  return [{ dtype: op.dtype(0), shape: [batch, channels, ...image] }];
};

export const kWindowRules: Record<string, Rule> = {
  Conv: (op) => convolution(op, 1, op.dtype(0)),
  ConvInteger: (op) => convolution(op, 1, "int32"),
  QLinearConv: (op) => convolution(op, 3, op.dtype(7)),
  DeformConv: (op) => convolution(op, 1, op.dtype(0)),
  ConvTranspose: convTranspose,
  MaxPool: pool,
  AveragePool: pool,
  LpPool: pool,
  QLinearAveragePool: pool,
  QLinearGlobalAveragePool: globalPool,
  NhwcMaxPool: pool,
  GlobalAveragePool: globalPool,
  GlobalMaxPool: globalPool,
  GlobalLpPool: globalPool,
  MaxUnpool: maxUnpool,
  MaxRoiPool: maxRoiPool,
  RoiAlign: roiAlign,
  Col2Im: col2im,
};
