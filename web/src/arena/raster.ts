import { type Lane, type Rects, stepAt } from "./model";

/** Where a lane lies on the picture, in device pixels, and what part of it is seen. */
export interface LaneView {
  lane: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Time range across, [t0, t1). */
  t0: number;
  t1: number;
  /** Byte range upward, [b0, b1). */
  b0: number;
  b1: number;
}

export interface Picture {
  width: number;
  height: number;
  /** RGBA, little endian. */
  pixels: Uint32Array<ArrayBuffer>;
  /** Tensor + 1 at each pixel, 0 where there is none: hover in one look-up. */
  ids: Uint32Array<ArrayBuffer>;
  /** Rectangles large enough for a label: tensor, x, y, width, height in pixels, five entries each. */
  labels: Float64Array<ArrayBuffer>;
}

/** Colours as they lie in memory: 0xAABBGGRR. */
export interface Inks {
  /** Fill and edge of each palette entry. */
  fill: Uint32Array<ArrayBuffer>;
  edge: Uint32Array<ArrayBuffer>;
  hole: number;
  hatch: number;
}

export const kLabelWidth = 44;
export const kLabelHeight = 13;
const kMostLabels = 400;

/**
 * Draws all lanes. A pixel shows the tensor at its centre, so a sound plan paints none twice, and the cost is one
 * pass over the rectangles plus the picture's area. A tensor that meets no centre gets one pixel where it lies,
 * unless another is there: nothing disappears from free space.
 */
export function rasterise(
  width: number,
  height: number,
  views: readonly LaneView[],
  lanes: readonly Lane[],
  rects: Rects,
  /** Palette entry of each tensor. */
  colours: Uint8Array,
  inks: Inks,
  reuse: Pick<Picture, "pixels" | "ids"> | null,
): Picture {
  const count = width * height;
  const fits = reuse && reuse.pixels.length === count;
  const pixels = fits ? reuse.pixels.fill(0) : new Uint32Array(count);
  const ids = fits ? reuse.ids.fill(0) : new Uint32Array(count);
  const labels: number[] = [];
  for (const view of views) {
    const lane = lanes[view.lane];
    if (!lane || view.width < 1 || view.height < 1) continue;
    fillLane(pixels, ids, width, view, lane, rects, colours, inks, labels);
    shadeHoles(pixels, ids, width, view, lane, inks);
  }
  return { width, height, pixels, ids, labels: Float64Array.from(labels) };
}

function fillLane(
  pixels: Uint32Array,
  ids: Uint32Array,
  stride: number,
  view: LaneView,
  lane: Lane,
  rects: Rects,
  colours: Uint8Array,
  inks: Inks,
  labels: number[],
): void {
  const { tensor, t0, t1, b0, b1 } = rects;
  const { fill, edge } = inks;
  const scaleX = view.width / (view.t1 - view.t0);
  const scaleY = view.height / (view.b1 - view.b0);
  const right = view.x + view.width;
  const bottom = view.y + view.height;
  const end = lane.firstRect + lane.rectCount;
  for (let r = lane.firstRect; r < end; r++) {
    const from = t0[r] as number;
    const to = t1[r] as number;
    if (to <= view.t0 || from >= view.t1) continue;
    const low = b0[r] as number;
    const high = b1[r] as number;
    if (high <= view.b0 || low >= view.b1) continue;
    const left = view.x + (from - view.t0) * scaleX;
    const top = bottom - (high - view.b0) * scaleY;
    const x0 = Math.ceil(left - 0.5);
    const x1 = Math.ceil(view.x + (to - view.t0) * scaleX - 0.5);
    const y0 = Math.ceil(top - 0.5);
    const y1 = Math.ceil(bottom - (low - view.b0) * scaleY - 0.5);
    const id = tensor[r] as number;
    const ink = colours[id] as number;
    if (x1 <= x0 || y1 <= y0) {
      const x = Math.min(right - 1, Math.max(view.x, Math.floor(left)));
      const y = Math.min(bottom - 1, Math.max(view.y, Math.floor(top)));
      const at = y * stride + x;
      if (ids[at] === 0) {
        ids[at] = id + 1;
        pixels[at] = fill[ink] as number;
      }
      continue;
    }
    const edgeX = x1 - x0 > 2 ? x1 - 1 : -1;
    const edgeY = y1 - y0 > 2 ? y0 : -1;
    const box = {
      x0: Math.max(x0, view.x),
      x1: Math.min(x1, right),
      y0: Math.max(y0, view.y),
      y1: Math.min(y1, bottom),
    };
    paint(pixels, ids, stride, box, edgeX, edgeY, fill[ink] as number, edge[ink] as number, id + 1);
    const width = box.x1 - box.x0;
    const height = box.y1 - box.y0;
    if (width >= kLabelWidth && height >= kLabelHeight && labels.length < kMostLabels * 5)
      labels.push(id, box.x0, box.y0, width, height);
  }
}

/** Below so many pixels a loop is faster than two calls of `fill`. */
const kShortRow = 24;

function paint(
  pixels: Uint32Array,
  ids: Uint32Array,
  stride: number,
  box: { x0: number; x1: number; y0: number; y1: number },
  edgeX: number,
  edgeY: number,
  fill: number,
  edge: number,
  id: number,
): void {
  const { x0, x1 } = box;
  for (let y = box.y0; y < box.y1; y++) {
    const row = y * stride;
    const colour = y === edgeY ? edge : fill;
    if (x1 - x0 < kShortRow) {
      for (let at = row + x0; at < row + x1; at++) {
        pixels[at] = colour;
        ids[at] = id;
      }
    } else {
      pixels.fill(colour, row + x0, row + x1);
      ids.fill(id, row + x0, row + x1);
    }
    if (edgeX >= x0 && edgeX < x1) pixels[row + edgeX] = edge;
  }
}

/** Marks free bytes below a live tensor: memory that the plan pays for and does not use at that time. */
function shadeHoles(
  pixels: Uint32Array,
  ids: Uint32Array,
  stride: number,
  view: LaneView,
  lane: Lane,
  inks: Inks,
): void {
  const highs = columnMost(view, lane, "high");
  const scaleY = view.height / (view.b1 - view.b0);
  const bottom = view.y + view.height;
  for (let x = 0; x < view.width; x++) {
    const high = highs[x] as number;
    if (high <= view.b0) continue;
    const top = Math.max(view.y, Math.ceil(bottom - (high - view.b0) * scaleY));
    for (let y = top; y < bottom; y++) {
      const at = y * stride + view.x + x;
      if (ids[at] === 0) pixels[at] = (x + y) % 6 === 0 ? inks.hatch : inks.hole;
    }
  }
}

/** Most of a step function in each pixel column: the highest live end, or the bytes live. */
export function columnMost(view: LaneView, lane: Lane, of: "high" | "live"): Float64Array<ArrayBuffer> {
  const { at } = lane.steps;
  const values = lane.steps[of];
  const most = new Float64Array(view.width);
  const scale = view.width / (view.t1 - view.t0);
  for (let i = Math.max(0, stepAt(lane.steps, view.t0)); i < at.length; i++) {
    const from = at[i] as number;
    if (from >= view.t1) break;
    const to = at[i + 1] ?? from;
    const x0 = Math.max(0, Math.floor((from - view.t0) * scale));
    const x1 = Math.min(view.width, Math.max(x0 + 1, Math.floor((to - view.t0) * scale)));
    const value = values[i] as number;
    for (let x = x0; x < x1; x++) if (value > (most[x] as number)) most[x] = value;
  }
  return most;
}
