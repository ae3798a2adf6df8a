import { ask } from "../answers";
import { drawOverlay, type OverlayInks } from "./overlay";
import type { Drawn, Picture } from "./picture";
import type { LaneView } from "./raster";
import { type LaneBox, layoutStage, type StageLayout, type View } from "./view";

/** Device pixels beyond which the raster is drawn coarser than the screen. */
const kMostPixels = 9_000_000;

/**
 * Two canvases: below, the last bitmap from the worker, moved and scaled to the view of the moment; above, axes,
 * labels and selection. While a gesture runs only these are redrawn, and the worker sharpens the bitmap behind.
 */
export class Stage {
  layout: StageLayout;
  /** Called after each frame with the milliseconds it took on this thread. */
  onFrame: ((ms: number) => void) | null = null;
  /** Called when a sharper bitmap is on show. */
  onDrawn: ((drawn: Drawn) => void) | null = null;

  #ratio = 1;
  #overlayRatio = 1;
  #drawn: Drawn | null = null;
  /** Buffer of the ids of the picture before the one on show, to be drawn into next. */
  #spare: Uint32Array<ArrayBuffer> | null = null;
  #base: Drawn | null = null;
  #busy = false;
  #stale = true;
  /** To be called when what the view of the moment shows is drawn. */
  #answered: (() => void) | null = null;
  #frame = 0;
  #closed = false;

  constructor(
    readonly picture: Picture,
    readonly ground: HTMLCanvasElement,
    readonly overlay: HTMLCanvasElement,
    public inks: OverlayInks,
  ) {
    this.layout = layoutStage(picture.model, 100, 100, 1);
  }

  /** Sizes in CSS pixels; gives the height that the lanes need. */
  resize(width: number, height: number, scale: number): number {
    this.layout = layoutStage(this.picture.model, width, height, scale);
    const full = this.layout.height;
    const dpr = globalThis.devicePixelRatio || 1;
    this.#ratio = Math.min(dpr, Math.sqrt(kMostPixels / (width * full)));
    this.#overlayRatio = Math.min(dpr, 2);
    size(this.ground, width, full, this.#ratio);
    size(this.overlay, width, full, this.#overlayRatio);
    this.repaintAll();
    return full;
  }

  close(): void {
    this.#closed = true;
    this.#answered?.();
    cancelAnimationFrame(this.#frame);
    this.#drawn?.bitmap.close();
    this.#base?.bitmap.close(); // closing twice does no harm
  }

  /** The view or the colours changed: show at once what there is, and have it sharpened. */
  invalidate(): void {
    if (this.#closed) return;
    this.#stale = true;
    this.#answered ??= ask();
    this.repaint();
  }

  /** Colours changed: old bitmaps are of no more use as a background. */
  repaintAll(): void {
    if (this.#base && this.#base.bitmap !== this.#drawn?.bitmap) this.#base.bitmap.close();
    this.#base = null;
    this.invalidate();
  }

  /** Only what lies above the picture changed. */
  repaint(): void {
    if (this.#frame || this.#closed) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const start = performance.now();
      this.#show();
      this.onFrame?.(performance.now() - start);
    });
  }

  boxAt(x: number, y: number): LaneBox | null {
    return (
      this.layout.boxes.find((b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height) ?? null
    );
  }

  /** Tensor under a point in CSS pixels, or -1; looked up where the last bitmap, of an older view perhaps, has it. */
  tensorAt(x: number, y: number): number {
    const drawn = this.#drawn;
    // The middle of a device pixel.
    const px = Math.floor(x * this.#ratio) + 0.5;
    const py = Math.floor(y * this.#ratio) + 0.5;
    const within = (v: LaneView) => px >= v.x && py >= v.y && px < v.x + v.width && py < v.y + v.height;
    const now = this.#laneViews(this.picture.view.value).find(within);
    const then = drawn?.views.find((v) => v.lane === now?.lane);
    if (!drawn || !now || !then || !sameSize(drawn, this.ground)) return -1;
    const time = now.t0 + ((px - now.x) / now.width) * (now.t1 - now.t0);
    const byte = now.b1 - ((py - now.y) / now.height) * (now.b1 - now.b0);
    const thenX = Math.floor(then.x + ((time - then.t0) / (then.t1 - then.t0)) * then.width);
    const thenY = Math.floor(then.y + ((then.b1 - byte) / (then.b1 - then.b0)) * then.height);
    if (thenX < then.x || thenY < then.y || thenX >= then.x + then.width || thenY >= then.y + then.height)
      return -1;
    return (drawn.ids[thenY * drawn.width + thenX] ?? 0) - 1;
  }

  #show(): void {
    if (this.#stale && !this.#busy) void this.#sharpen();
    const context = this.ground.getContext("2d", { alpha: true });
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.ground.width, this.ground.height);
    context.imageSmoothingEnabled = false;
    const views = this.#laneViews(this.picture.view.value);
    if (this.#drawn && !sameSize(this.#drawn, this.ground)) this.#drawn = null;
    for (const view of views) {
      const last = this.#drawn?.views.find((v) => v.lane === view.lane);
      const base = this.#base?.views.find((v) => v.lane === view.lane);
      if (this.#base && base && !(last && covers(last, view))) blit(context, this.#base.bitmap, base, view);
      if (this.#drawn && last) blit(context, this.#drawn.bitmap, last, view);
    }
    drawOverlay(this.overlay, this.#overlayRatio, this.layout, this.picture, this.#drawn, this.inks);
  }

  async #sharpen(): Promise<void> {
    this.#busy = true;
    this.#stale = false;
    const spare = this.#spare;
    this.#spare = null;
    const drawn = await this.picture.draw(
      this.ground.width,
      this.ground.height,
      this.#laneViews(this.picture.view.value),
      spare,
    );
    this.#busy = false;
    if (!drawn) return;
    if (this.#closed) return drawn.bitmap.close();
    const old = this.#drawn;
    this.#drawn = drawn;
    this.#spare = old?.ids ?? null;
    this.#keepWidest(drawn);
    if (old && old.bitmap !== this.#base?.bitmap) old.bitmap.close();
    this.onDrawn?.(drawn);
    this.repaint();
    if (this.#stale) return;
    this.#answered?.();
    this.#answered = null;
  }

  /** The bitmap that shows most fills what a gesture uncovers before the worker has drawn it. */
  #keepWidest(drawn: Drawn): void {
    const base = this.#base;
    const wider = (v: LaneView) => {
      const old = base?.views.find((b) => b.lane === v.lane);
      return !old || covers(v, old);
    };
    if (base && !drawn.views.every(wider)) return;
    if (base && base.bitmap !== drawn.bitmap) base.bitmap.close();
    this.#base = drawn;
  }

  #laneViews(view: View): LaneView[] {
    const r = this.#ratio;
    return this.layout.boxes.map((box) => {
      const x = view.x[this.picture.model.lanes[box.lane]?.scope ?? 0] ?? { from: 0, to: 1 };
      const y = view.y[box.lane] ?? { from: 0, to: 1 };
      const left = Math.round(box.x * r);
      const top = Math.round(box.y * r);
      return {
        lane: box.lane,
        x: left,
        y: top,
        width: Math.min(this.ground.width, Math.round((box.x + box.width) * r)) - left,
        height: Math.min(this.ground.height, Math.round((box.y + box.height) * r)) - top,
        t0: x.from,
        t1: x.to,
        b0: y.from,
        b1: y.to,
      };
    });
  }
}

function size(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): void {
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.setProperty("width", `${width}px`);
  canvas.style.setProperty("height", `${height}px`);
}

function sameSize(drawn: Drawn, canvas: HTMLCanvasElement): boolean {
  return drawn.width === canvas.width && drawn.height === canvas.height;
}

function covers(have: LaneView, want: LaneView): boolean {
  return have.t0 <= want.t0 && have.t1 >= want.t1 && have.b0 <= want.b0 && have.b1 >= want.b1;
}

/** Draws the part of a lane's old bitmap that is still in view to where it belongs now. */
function blit(context: CanvasRenderingContext2D, bitmap: ImageBitmap, have: LaneView, want: LaneView): void {
  const t0 = Math.max(have.t0, want.t0);
  const t1 = Math.min(have.t1, want.t1);
  const b0 = Math.max(have.b0, want.b0);
  const b1 = Math.min(have.b1, want.b1);
  if (t1 <= t0 || b1 <= b0) return;
  const sourceX = have.width / (have.t1 - have.t0);
  const sourceY = have.height / (have.b1 - have.b0);
  const targetX = want.width / (want.t1 - want.t0);
  const targetY = want.height / (want.b1 - want.b0);
  context.drawImage(
    bitmap,
    have.x + (t0 - have.t0) * sourceX,
    have.y + (have.b1 - b1) * sourceY,
    Math.max(1e-3, (t1 - t0) * sourceX),
    Math.max(1e-3, (b1 - b0) * sourceY),
    want.x + (t0 - want.t0) * targetX,
    want.y + (want.b1 - b1) * targetY,
    (t1 - t0) * targetX,
    (b1 - b0) * targetY,
  );
}
