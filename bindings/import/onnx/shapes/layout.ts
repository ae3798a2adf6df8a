/** Operators that move elements around without computing on them. */
import { broadcast, NotKnown, type Operator, product, type Rule, whole } from "../operator.js";
import { type Dim, isKnownShape, kMostContent } from "../value.js";

/** Reshape's wish, with 0 for "as it was" and -1 for "what is left". */
function reshape(op: Operator, wish: Dim[], allowZero: boolean): Dim[] {
  const input = op.inputs[0]?.shape;
  const shape = wish.map((extent, axis) => {
    if (extent !== 0 || allowZero) return extent;
    if (input === undefined) return op.fresh();
    const kept = input[axis];
    if (kept === undefined) throw new NotKnown(`there is no axis ${axis} to copy`);
    return kept;
  });
  const open = shape.indexOf(-1);
  if (open < 0) {
    for (const extent of shape) if (typeof extent === "number") whole(extent, "an extent");
    return shape;
  }
  if (shape.lastIndexOf(-1) !== open) throw new NotKnown("two extents are -1");
  const rest = shape.filter((_, axis) => axis !== open);
  shape[open] = input === undefined ? op.fresh() : remainder(op, input, rest);
  return shape;
}

/** `total` divided by `rest`, symbols that are in both cancelled. */
function remainder(op: Operator, total: readonly Dim[], rest: readonly Dim[]): Dim {
  const left = [...total];
  const divisors: Dim[] = [];
  for (const dim of rest) {
    const at = typeof dim === "string" ? left.indexOf(dim) : -1;
    if (at >= 0) left.splice(at, 1);
    else divisors.push(dim);
  }
  const numerator = product(left, op.fresh);
  const denominator = product(divisors, op.fresh);
  if (denominator === 1) return numerator;
  if (typeof numerator !== "number" || typeof denominator !== "number") return op.fresh();
  if (denominator === 0) throw new NotKnown("-1 beside an extent of 0");
  return whole(numerator / denominator, "an extent");
}

const flatten: Rule = (op) => {
  const shape = op.shape(0);
  const axis = op.int("axis", 1);
  const at = axis < 0 ? axis + shape.length : axis;
  if (at < 0 || at > shape.length) throw new NotKnown(`there is no axis ${axis}`);
  return [
    {
      dtype: op.dtype(0),
      shape: [product(shape.slice(0, at), op.fresh), product(shape.slice(at), op.fresh)],
    },
  ];
};

const squeeze: Rule = (op) => {
  const shape = op.shape(0);
  const axes = op.axes(1)?.map((axis) => op.axis(axis, shape.length));
  if (axes === undefined && shape.some((dim) => typeof dim === "string")) {
    throw new NotKnown("which extents are 1 is not known");
  }
  for (const axis of axes ?? []) {
    const extent = shape[axis];
    if (typeof extent === "number" && extent !== 1)
      throw new NotKnown(`axis ${axis} of ${extent} is squeezed`);
  }
  const kept = (dim: Dim, axis: number) => (axes === undefined ? dim !== 1 : !axes.includes(axis));
  return [{ dtype: op.dtype(0), shape: shape.filter(kept), content: op.content(0) }];
};

const unsqueeze: Rule = (op) => {
  const shape = op.shape(0);
  const axes = op.axes(1);
  if (axes === undefined) throw new NotKnown("axes are missing");
  const rank = shape.length + axes.length;
  const added = new Set(axes.map((axis) => op.axis(axis, rank)));
  const rest = [...shape];
  const result = Array.from({ length: rank }, (_, axis) =>
    added.has(axis) ? 1 : (rest.shift() ?? op.fresh()),
  );
  return [{ dtype: op.dtype(0), shape: result, content: op.content(0) }];
};

const transpose: Rule = (op) => {
  const shape = op.shape(0);
  const order = op.ints("perm") ?? [...shape.keys()].reverse();
  if (order.length !== shape.length) throw new NotKnown("perm is of another rank");
  const picked = order.map((axis) => shape[op.axis(axis, shape.length)] ?? op.fresh());
  const content = op.content(0);
  const known = content !== undefined && isKnownShape(shape);
  return [
    { dtype: op.dtype(0), shape: picked, content: known ? transposed(content, shape, order) : undefined },
  ];
};

const concat: Rule = (op) => {
  const first = op.shape(0);
  const axis = op.axis(op.int("axis", op.version < 4 ? 1 : 0), first.length);
  let sum: Dim = 0;
  const shape = [...first];
  for (const index of op.inputs.keys()) {
    const part = op.shape(index);
    if (part.length !== first.length) throw new NotKnown("parts differ in rank");
    for (const [at, dim] of part.entries()) {
      if (typeof shape[at] === "string" && typeof dim === "number") shape[at] = dim;
    }
    const extent: Dim = part[axis] ?? op.fresh();
    sum = typeof sum === "number" && typeof extent === "number" ? sum + extent : op.fresh();
  }
  shape[axis] = sum;
  const result = { dtype: op.dtype(0), shape };
  return [isKnownShape(shape) ? { ...result, content: joined(op, shape, axis) } : result];
};

const split: Rule = (op) => {
  const shape = op.shape(0);
  const axis = op.axis(op.int("axis", 0), shape.length);
  const extent = shape[axis] ?? op.fresh();
  const given = op.has(1) ? op.numbers(1) : op.ints("split");
  const parts = given?.length ?? op.int("num_outputs", op.outputs);
  const size = (index: number): Dim => {
    if (given !== undefined) return given[index] ?? op.fresh();
    if (typeof extent !== "number") return op.fresh();
    const each = Math.ceil(extent / parts);
    return index < parts - 1 ? each : whole(extent - each * (parts - 1), "the last part");
  };
  let from = 0;
  return Array.from({ length: op.outputs }, (_, index) => {
    const length = size(index);
    const result = { dtype: op.dtype(0), shape: shape.map((dim, at) => (at === axis ? length : dim)) };
    if (typeof length !== "number" || !isKnownShape(shape)) return result;
    const indices = length <= kMostContent ? Array.from({ length }, (_, at) => from + at) : undefined;
    from += length;
    const content = op.content(0);
    return { ...result, content: content && indices && taken(content, shape, axis, indices) };
  });
};

/** Elements of a small tensor along one axis, in the order of `indices`; undefined where they are too many. */
function taken(content: Dim[], shape: readonly number[], axis: number, indices: number[]): Dim[] | undefined {
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  const extent = shape[axis] ?? 1;
  if (outer * indices.length * inner > kMostContent) return undefined;
  const values: Dim[] = [];
  for (let block = 0; block < outer; block++) {
    for (const index of indices) {
      const start = (block * extent + index) * inner;
      values.push(...content.slice(start, start + inner));
    }
  }
  return values.length === outer * indices.length * inner ? values : undefined;
}

function transposed(content: Dim[], shape: readonly number[], order: readonly number[]): Dim[] {
  const steps = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  return content.map((_, flat) => {
    let [rest, at] = [flat, 0];
    for (const axis of [...order].reverse()) {
      const extent = shape[axis < 0 ? axis + shape.length : axis] ?? 1;
      at += (rest % extent) * (steps[axis < 0 ? axis + shape.length : axis] ?? 1);
      rest = Math.floor(rest / extent);
    }
    return content[at] ?? 0;
  });
}

/** The elements of a concatenation of small tensors; undefined where one is not known. */
function joined(op: Operator, shape: readonly number[], axis: number): Dim[] | undefined {
  const total = shape.reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  if (total > kMostContent || op.inputs.some((input) => input?.content === undefined)) return undefined;
  const values: Dim[] = [];
  for (let block = 0; block < outer; block++) {
    for (const input of op.inputs) {
      const part = input?.content ?? [];
      const length = part.length / outer;
      values.push(...part.slice(block * length, (block + 1) * length));
    }
  }
  return values;
}

interface Cut {
  start: number;
  end: number;
  step: number;
}

/** Slice's start and end moved into the extent (Slice-13). */
function cutOf({ start, end, step }: Cut, extent: number): { from: number; count: number } {
  const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
  const wrap = (value: number) => (value < 0 ? value + extent : value);
  if (step === 0) throw new NotKnown("a step of 0");
  const from = step > 0 ? clamp(wrap(start), 0, extent) : clamp(wrap(start), 0, extent - 1);
  const to = step > 0 ? clamp(wrap(end), 0, extent) : clamp(wrap(end), -1, extent - 1);
  return { from, count: Math.max(0, Math.ceil((to - from) / step)) };
}

const slice: Rule = (op) => {
  const shape = [...op.shape(0)];
  const before10 = op.version < 10;
  const starts = before10 ? op.ints("starts") : op.content(1);
  const ends = before10 ? op.ints("ends") : op.content(2);
  const axes = before10 ? op.ints("axes") : op.has(3) ? op.numbers(3) : undefined;
  const steps = !before10 && op.has(4) ? op.numbers(4) : undefined;
  const count = axes?.length ?? starts?.length;
  if (count === undefined) throw new NotKnown("which axes are cut is not known");
  let content = isKnownShape(op.inputs[0]?.shape) ? op.content(0) : undefined;
  for (let index = 0; index < count; index++) {
    const axis = op.axis(axes?.[index] ?? index, shape.length);
    const [start, end, step] = [starts?.[index], ends?.[index], steps?.[index] ?? 1];
    const extent = shape[axis];
    if (typeof start !== "number" || typeof end !== "number" || typeof extent !== "number") {
      const all = start === 0 && typeof end === "number" && end >= 2 ** 31 - 1 && step === 1;
      if (!all) shape[axis] = op.fresh();
      content = undefined;
      continue;
    }
    const { from, count: length } = cutOf({ start, end, step }, extent);
    if (content !== undefined) {
      const indices = Array.from({ length }, (_, at) => from + at * step);
      content = taken(content, shape as number[], axis, indices);
    }
    shape[axis] = length;
  }
  return [{ dtype: op.dtype(0), shape, content }];
};

const gather: Rule = (op) => {
  const data = op.shape(0);
  const axis = op.axis(op.int("axis", 0), data.length);
  const shape = [...data.slice(0, axis), ...op.shape(1), ...data.slice(axis + 1)];
  return [{ dtype: op.dtype(0), shape, content: gathered(op, data, axis) }];
};

function gathered(op: Operator, data: Dim[], axis: number): Dim[] | undefined {
  const [values, indices] = [op.content(0), op.content(1)];
  const extent = data[axis];
  if (values === undefined || indices === undefined || !isKnownShape(data)) return undefined;
  if (indices.some((index) => typeof index !== "number") || typeof extent !== "number") return undefined;
  return taken(
    values,
    data,
    axis,
    (indices as number[]).map((index) => (index < 0 ? index + extent : index)),
  );
}

const gatherNd: Rule = (op) => {
  const [data, indices] = [op.shape(0), op.shape(1)];
  const batch = op.int("batch_dims", 0);
  const depth = indices.at(-1);
  if (typeof depth !== "number") throw new NotKnown("how deep the indices go is not known");
  return [{ dtype: op.dtype(0), shape: [...indices.slice(0, -1), ...data.slice(batch + depth)] }];
};

const expand: Rule = (op) => {
  const wish = op.content(1);
  if (wish === undefined) throw new NotKnown("the values of input 1 are not known");
  return [{ dtype: op.dtype(0), shape: broadcast(op.shape(0), wish, op.fresh) }];
};

const tile: Rule = (op) => {
  const shape = op.shape(0);
  const repeats = op.content(1);
  if (repeats === undefined) return [{ dtype: op.dtype(0), shape: shape.map(() => op.fresh()) }];
  return [
    {
      dtype: op.dtype(0),
      shape: shape.map((dim, axis) => product([dim, repeats[axis] ?? op.fresh()], op.fresh)),
    },
  ];
};

const pad: Rule = (op) => {
  const shape = op.shape(0);
  const pads = op.version < 11 ? (op.ints("pads") ?? op.ints("paddings")) : op.numbers(1);
  const axes = op.has(3) ? op.numbers(3).map((axis) => op.axis(axis, shape.length)) : [...shape.keys()];
  if (pads?.length !== 2 * axes.length) throw new NotKnown("pads are of another rank");
  const result = [...shape];
  for (const [index, axis] of axes.entries()) {
    const extent = shape[axis];
    const added = (pads[index] ?? 0) + (pads[index + axes.length] ?? 0);
    if (added === 0) continue;
    result[axis] = typeof extent === "number" ? whole(extent + added, "an extent") : op.fresh();
  }
  return [{ dtype: op.dtype(0), shape: result }];
};

/** Of opsets before 10: borders are left, top, right and bottom; a size counts from the left top one. */
const crop: Rule = (op) => {
  const shape = [...op.shape(0)];
  if (shape.length !== 4) throw new NotKnown(`there are no rows and columns in ${shape.length} axes`);
  const [left = 0, top = 0, right = 0, bottom = 0] = op.ints("border") ?? [];
  const size = op.ints("scale");
  for (const [at, cut] of [top + bottom, left + right].entries()) {
    const extent = shape[at + 2];
    const rest = typeof extent === "number" ? whole(extent - cut, "an extent") : op.fresh();
    shape[at + 2] = size === undefined ? rest : (size[at] ?? op.fresh());
  }
  return [{ dtype: op.dtype(0), shape }];
};

/** Shrinks (`by` < 1) or grows the spatial axes against the channels. */
function blocks(op: Operator, toDepth: boolean) {
  const [batch = op.fresh(), channels = op.fresh(), ...spatial] = op.shape(0);
  const block = whole(op.int("blocksize", 0), "blocksize", 1);
  const divide = (dim: Dim, by: number) =>
    typeof dim === "number" ? whole(dim / by, "an extent") : op.fresh();
  const square = block * block;
  const shape = toDepth
    ? [batch, product([channels, square], op.fresh), ...spatial.map((dim) => divide(dim, block))]
    : [batch, divide(channels, square), ...spatial.map((dim) => product([dim, block], op.fresh))];
  return [{ dtype: op.dtype(0), shape }];
}

const resize: Rule = (op) => {
  const shape = op.shape(0);
  const sizesAt = op.version < 11 ? -1 : 3;
  const scalesAt = op.version < 11 ? 1 : 2;
  const axes = op.ints("axes")?.map((axis) => op.axis(axis, shape.length)) ?? [...shape.keys()];
  const result = [...shape];
  const sizes = op.inputs[sizesAt]?.shape?.[0] === 0 ? undefined : op.content(sizesAt);
  if (sizes !== undefined) {
    const policy = op.text("keep_aspect_ratio_policy", "stretch");
    if (policy !== "stretch") return [{ dtype: op.dtype(0), shape: keepAspect(shape, axes, sizes, policy) }];
    for (const [index, axis] of axes.entries()) result[axis] = sizes[index] ?? op.fresh();
    return [{ dtype: op.dtype(0), shape: result }];
  }
  const scales = op.floats("scales") ?? op.numbers(scalesAt);
  for (const [index, axis] of axes.entries()) {
    const extent = shape[axis];
    const scale = scales[index] ?? Number.NaN;
    if (scale === 1) continue;
    result[axis] =
      typeof extent === "number" ? whole(Math.floor(Math.fround(extent * scale)), "an extent") : op.fresh();
  }
  return [{ dtype: op.dtype(0), shape: result }];
};

function keepAspect(shape: Dim[], axes: number[], sizes: Dim[], policy: string): Dim[] {
  const ratios = axes.map((axis, index) => {
    const [extent, size] = [shape[axis], sizes[index]];
    if (typeof extent !== "number" || typeof size !== "number") throw new NotKnown("extents are not known");
    return size / extent;
  });
  const scale = policy === "not_larger" ? Math.min(...ratios) : Math.max(...ratios);
  return shape.map((dim, axis) =>
    axes.includes(axis) && typeof dim === "number" ? Math.round(dim * scale) : dim,
  );
}

const centerCropPad: Rule = (op) => {
  const shape = [...op.shape(0)];
  const wish = op.numbers(1);
  const axes = op.ints("axes")?.map((axis) => op.axis(axis, shape.length)) ?? [...shape.keys()];
  for (const [index, axis] of axes.entries()) shape[axis] = wish[index] ?? op.fresh();
  return [{ dtype: op.dtype(0), shape }];
};

export const kLayoutRules: Record<string, Rule> = {
  Reshape: (op) => {
    const wish = op.version < 5 ? op.ints("shape") : op.content(1);
    const rank = op.inputs[1]?.shape?.[0];
    if (wish === undefined && typeof rank === "number" && rank < 64) {
      return [{ dtype: op.dtype(0), shape: Array.from({ length: rank }, op.fresh) }];
    }
    if (wish === undefined) throw new NotKnown("the wished shape is not known");
    return [
      { dtype: op.dtype(0), shape: reshape(op, wish, op.int("allowzero", 0) === 1), content: op.content(0) },
    ];
  },
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: transpose,
  Concat: concat,
  Split: split,
  Slice: slice,
  Gather: gather,
  GatherElements: (op) => [{ dtype: op.dtype(0), shape: op.shape(1) }],
  GatherND: gatherNd,
  Expand: expand,
  Tile: tile,
  Pad: pad,
  DepthToSpace: (op) => blocks(op, false),
  SpaceToDepth: (op) => blocks(op, true),
  Resize: resize,
  Upsample: resize,
  CenterCropPad: centerCropPad,
  Crop: crop,
};
