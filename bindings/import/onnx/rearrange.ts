/** Contents of operators that pick or replace elements of small tensors. */
import type { Operator } from "./operator.js";
import { type Dim, isKnownShape } from "./value.js";

type Picker = (op: Operator, data: Picked, shape: readonly number[]) => Dim[] | undefined;

interface Picked {
  content: Dim[];
  shape: number[];
}

/** A tensor whose extents and elements are known; undefined where they are not. */
function known(op: Operator, input: number): Picked | undefined {
  const { content, shape } = op.inputs[input] ?? {};
  return content !== undefined && isKnownShape(shape) ? { content, shape } : undefined;
}

/** The same where every element is a number. */
function numbers(op: Operator, input: number): { content: number[]; shape: number[] } | undefined {
  const tensor = known(op, input);
  const content = tensor?.content.filter((value) => typeof value === "number");
  return tensor !== undefined && content?.length === tensor.content.length
    ? { content, shape: tensor.shape }
    : undefined;
}

/** The index along each axis of an element. */
export function coordinates(flat: number, shape: readonly number[]): number[] {
  const result: number[] = [];
  let rest = flat;
  for (const extent of [...shape].reverse()) {
    result.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return result;
}

/** The element at these indices, of which negative ones count from the end; -1 where there is none. */
function flatOf(indices: readonly number[], shape: readonly number[]): number {
  let flat = 0;
  for (const [axis, extent] of shape.entries()) {
    const given = indices[axis] ?? 0;
    const index = given < 0 ? given + extent : given;
    if (!Number.isInteger(index) || index < 0 || index >= extent) return -1;
    flat = flat * extent + index;
  }
  return flat;
}

/** The elements at `places` of the output; undefined where one lies outside. */
function picked(
  { content, shape: from }: Picked,
  shape: readonly number[],
  place: (at: number[], flat: number) => number[],
): Dim[] | undefined {
  const count = shape.reduce((product, extent) => product * extent, 1);
  const values: Dim[] = [];
  for (let flat = 0; flat < count; flat++) {
    const value = content[flatOf(place(coordinates(flat, shape), flat), from)];
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** `at` with the index along one axis replaced. */
const along = (at: number[], axis: number, index = Number.NaN) =>
  at.map((own, other) => (other === axis ? index : own));

const expand: Picker = (_, data, shape) =>
  picked(data, shape, (at) =>
    at.slice(shape.length - data.shape.length).map((index, axis) => (data.shape[axis] === 1 ? 0 : index)),
  );

const tile: Picker = (_, data, shape) =>
  picked(data, shape, (at) => at.map((index, axis) => index % (data.shape[axis] ?? 1)));

const gatherElements: Picker = (op, data, shape) => {
  const indices = numbers(op, 1);
  const axis = op.axis(op.int("axis", 0), data.shape.length);
  return indices && picked(data, shape, (at, flat) => along(at, axis, indices.content[flat]));
};

const gatherNd: Picker = (op, data, shape) => {
  const indices = numbers(op, 1);
  const depth = indices?.shape.at(-1);
  if (indices === undefined || depth === undefined || op.int("batch_dims", 0) !== 0) return undefined;
  const outer = indices.shape.length - 1;
  return picked(data, shape, (at) => {
    const row = flatOf([...at.slice(0, outer), 0], indices.shape);
    return [...indices.content.slice(row, row + depth), ...at.slice(outer)];
  });
};

/** Writes the elements of `updates` over those of the data; `place` says where each goes. */
function scattered(data: Picked, updates: Picked, place: (flat: number) => number[]): Dim[] | undefined {
  const result = [...data.content];
  for (const [flat, value] of updates.content.entries()) {
    const at = flatOf(place(flat), data.shape);
    if (at < 0) return undefined;
    result[at] = value;
  }
  return result;
}

const scatterElements: Picker = (op, data) => {
  const [indices, updates] = [numbers(op, 1), known(op, 2)];
  const axis = op.axis(op.int("axis", 0), data.shape.length);
  if (indices === undefined || updates === undefined || op.text("reduction", "none") !== "none")
    return undefined;
  return scattered(data, updates, (flat) =>
    along(coordinates(flat, updates.shape), axis, indices.content[flat]),
  );
};

const scatterNd: Picker = (op, data) => {
  const [indices, updates] = [numbers(op, 1), known(op, 2)];
  const depth = indices?.shape.at(-1);
  if (indices === undefined || updates === undefined || depth === undefined) return undefined;
  if (op.text("reduction", "none") !== "none") return undefined;
  const outer = indices.shape.length - 1;
  return scattered(data, updates, (flat) => {
    const at = coordinates(flat, updates.shape);
    const row = flatOf([...at.slice(0, outer), 0], indices.shape);
    return [...indices.content.slice(row, row + depth), ...at.slice(outer)];
  });
};

const kPickers: ReadonlyMap<string, Picker> = new Map(
  Object.entries<Picker>({
    Expand: expand,
    Tile: tile,
    GatherElements: gatherElements,
    GatherND: gatherNd,
    Scatter: scatterElements,
    ScatterElements: scatterElements,
    ScatterND: scatterNd,
  }),
);

/** The elements of the first output, where they are elements of the inputs; `shape` is that output's. */
export function rearranged(op: Operator, shape: readonly number[]): Dim[] | undefined {
  const picker = kPickers.get(op.node.op);
  const data = picker && known(op, 0);
  return data && picker(op, data, shape);
}
