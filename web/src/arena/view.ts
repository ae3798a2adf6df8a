import type { Model } from "./model";

/** Half-open range in a unit of the model: node indexes across, bytes upward. */
export interface Range {
  from: number;
  to: number;
}

/** What part of the model is seen: times per scope, bytes per lane. */
export interface View {
  x: readonly Range[];
  y: readonly Range[];
}

/** A lane's place on the stage, in CSS pixels; the title is above it. */
export interface LaneBox {
  lane: number;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}

export interface StageLayout {
  width: number;
  height: number;
  /** Root font size over 16: text and margins grow with it. */
  scale: number;
  boxes: LaneBox[];
}

const kGutter = 66;
const kAxisHeight = 22;
const kTitleHeight = 22;
const kLaneGap = 10;
const kNestedHeight = 92;
const kIndent = 14;

/** Lanes stacked: those of top graphs share the height, nested ones below with a fixed height each. */
export function layoutStage(model: Model, width: number, height: number, scale: number): StageLayout {
  const gutter = (width < 520 ? kGutter * 0.84 : kGutter) * scale;
  const axis = kAxisHeight * scale;
  const nestedHeight = kNestedHeight * scale;
  const gap = kLaneGap * scale;
  const depths = model.lanes.map((lane) => depthOf(model, lane.scope));
  const topCount = Math.max(1, depths.filter((d) => d === 0).length);
  const title = model.lanes.length > 1 ? kTitleHeight * scale : 0;
  const nested = (model.lanes.length - topCount) * (nestedHeight + title + gap);
  const free = height - axis - topCount * (title + gap) - Math.min(nested, height * 0.45);
  const topHeight = Math.max(topCount > 3 ? 84 : 130, Math.floor(free / topCount));
  const boxes: LaneBox[] = [];
  let y = axis;
  model.lanes.forEach((_, lane) => {
    const depth = depths[lane] as number;
    const x = gutter + depth * kIndent * scale;
    y += title;
    const own = depth === 0 ? topHeight : nestedHeight;
    boxes.push({ lane, x, y, width: Math.max(1, width - x), height: own, depth });
    y += own + gap;
  });
  return { width, height: Math.ceil(Math.max(y, axis + 60)), scale, boxes };
}

export function depthOf(model: Model, scope: number): number {
  let depth = 0;
  for (let s = model.scopes[scope]; s && s.parent >= 0; s = model.scopes[s.parent]) depth++;
  return depth;
}

/** All of the time that computes, and all bytes with the capacity where that is near. */
export function fitView(model: Model, scale: readonly Range[] | null = null): View {
  return {
    x: model.scopes.map((_, scope) => fullRange(model, scope)),
    y: model.lanes.map((_, lane) => fitBytes(model, lane, scale)),
  };
}

/** A lane's own bytes, and those of `scale` too where it is given. */
export function fitBytes(model: Model, index: number, scale: readonly Range[] | null = null): Range {
  const own = ownBytes(model, index);
  const other = scale?.[index];
  return other ? { from: Math.min(own.from, other.from), to: Math.max(own.to, other.to) } : own;
}

function ownBytes(model: Model, index: number): Range {
  const lane = model.lanes[index];
  if (!lane) return { from: 0, to: 1 };
  const pool = model.pools[lane.pool];
  const nested = (model.scopes[lane.scope]?.parent ?? -1) >= 0;
  if (nested) {
    const pad = Math.max(1, (lane.top - lane.bottom) * 0.06);
    return { from: Math.max(0, lane.bottom - pad), to: lane.top + pad };
  }
  const used = Math.max(lane.top, pool?.size ?? 0, 1);
  const ceiling = pool?.capacity;
  const near =
    ceiling !== null && ceiling !== undefined && ceiling <= used * 2.5 ? Math.max(used, ceiling) : used;
  return { from: 0, to: near * 1.05 };
}

/**
 * How far one can zoom out. Before the first node that computes there are only placeholders, so that time is cut
 * to a margin: what lives there lives on.
 */
export function fullRange(model: Model, scope: number): Range {
  const s = model.scopes[scope];
  if (!s) return { from: 0, to: 1 };
  const margin = Math.max(1, Math.round((s.end - s.foldStart) * 0.02));
  return { from: Math.max(0, s.foldStart - margin), to: Math.max(s.end, s.foldStart + 1) };
}

/** Scales a range about a point (0 to 1 across it) and keeps it inside `bounds`. */
export function zoomRange(range: Range, factor: number, about: number, bounds: Range, least: number): Range {
  const span = range.to - range.from;
  const wanted = Math.min(bounds.to - bounds.from, Math.max(least, span * factor));
  const centre = range.from + span * about;
  return clampRange({ from: centre - wanted * about, to: centre + wanted * (1 - about) }, bounds);
}

export function panRange(range: Range, by: number, bounds: Range): Range {
  return clampRange({ from: range.from + by, to: range.to + by }, bounds);
}

function clampRange(range: Range, bounds: Range): Range {
  const span = Math.min(range.to - range.from, bounds.to - bounds.from);
  const from = Math.min(Math.max(range.from, bounds.from), bounds.to - span);
  return { from, to: from + span };
}

export function withX(view: View, scope: number, range: Range): View {
  return { x: view.x.map((r, i) => (i === scope ? range : r)), y: view.y };
}

export function withY(view: View, lane: number, range: Range): View {
  return { x: view.x, y: view.y.map((r, i) => (i === lane ? range : r)) };
}
