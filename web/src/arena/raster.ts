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
 * Draws all lanes. Anything smaller than a pixel is drawn as one, so nothing disappears. Costs one pass
 * over the rectangles plus the pixels they cover, which for a sound plan is at most the picture's area.
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
    let x0 = Math.floor(view.x + (from - view.t0) * scaleX);
    let x1 = Math.floor(view.x + (to - view.t0) * scaleX);
    let y0 = Math.floor(bottom - (high - view.b0) * scaleY);
    let y1 = Math.floor(bottom - (low - view.b0) * scaleY);
    if (x1 <= x0) x1 = x0 + 1;
    if (y1 <= y0) y1 = y0 + 1;
    const id = tensor[r] as number;
    const ink = colours[id] as number;
    const colour = fill[ink] as number;
    const wide = x1 - x0 > 2;
    const tall = y1 - y0 > 2;
    const edgeX = wide ? x1 - 1 : -1;
    const edgeY = tall ? y0 : -1;
    if (x0 < view.x) x0 = view.x;
    if (x1 > right) x1 = right;
    if (y0 < view.y) y0 = view.y;
    if (y1 > bottom) y1 = bottom;
    if (x1 - x0 === 1 && y1 - y0 === 1) {
      const at = y0 * stride + x0;
      pixels[at] = colour;
      ids[at] = id + 1;
      continue;
    }
    for (let y = y0; y < y1; y++) {
      const row = y * stride;
      pixels.fill(y === edgeY ? (edge[ink] as number) : colour, row + x0, row + x1);
      ids.fill(id + 1, row + x0, row + x1);
      if (edgeX >= x0 && edgeX < x1) pixels[row + edgeX] = edge[ink] as number;
    }
    if (x1 - x0 >= kLabelWidth && y1 - y0 >= kLabelHeight && labels.length < kMostLabels * 5)
      labels.push(id, x0, y0, x1 - x0, y1 - y0);
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
