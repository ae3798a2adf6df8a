import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { overlayInks, themeChoice } from "../theme";
import type { Lane } from "./model";
import type { Picture } from "./picture";
import { columnMost } from "./raster";
import { contextFor, fillCurve } from "./strip_canvas";
import { fullRange, type Range, withX } from "./view";

/** The whole of the time at a glance, with a window that shows and moves what is seen below. */
export function Overview({ picture }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const grip = useRef<"move" | "from" | "to" | null>(null);
  const anchor = useRef(0);
  useEffect(() => {
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => canvas.current && drawOverview(canvas.current, picture));
    };
    const off = effect(() => {
      void [picture.view.value, picture.lane.value, themeChoice.value, picture.paints.value];
      later();
    });
    const observer = new ResizeObserver(later);
    if (canvas.current) observer.observe(canvas.current);
    return () => {
      off();
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [picture]);
  const scope = picture.model.lanes[picture.lane.value]?.scope ?? 0;
  const full = fullRange(picture.model, scope);
  const range = picture.view.value.x[scope] ?? full;
  const timeAt = (clientX: number) => {
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return 0;
    return full.from + ((clientX - rect.left) / rect.width) * (full.to - full.from);
  };
  const set = (from: number, to: number) => {
    const span = Math.max(1.5, to - from);
    const start = Math.max(full.from, Math.min(full.to - span, from));
    picture.view.value = withX(picture.view.value, scope, {
      from: start,
      to: Math.min(full.to, start + span),
    });
  };
  const down = (event: PointerEvent & { currentTarget: HTMLDivElement }) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const time = timeAt(event.clientX);
    const slack = ((full.to - full.from) / (canvas.current?.clientWidth ?? 1)) * 7;
    if (Math.abs(time - range.from) < slack) grip.current = "from";
    else if (Math.abs(time - range.to) < slack) grip.current = "to";
    else if (time > range.from && time < range.to) grip.current = "move";
    else {
      const half = (range.to - range.from) / 2;
      set(time - half, time + half);
      grip.current = "move";
    }
    anchor.current = time - (picture.view.value.x[scope]?.from ?? 0);
  };
  const move = (event: PointerEvent) => {
    const time = timeAt(event.clientX);
    if (grip.current === "move") set(time - anchor.current, time - anchor.current + range.to - range.from);
    else if (grip.current === "from") set(Math.min(time, range.to - 1.5), range.to);
    else if (grip.current === "to") set(range.from, Math.max(time, range.from + 1.5));
  };
  const release = () => {
    grip.current = null;
  };
  return (
    <div
      class="overview"
      aria-hidden="true"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <canvas ref={canvas} />
    </div>
  );
}

interface Curves {
  width: number;
  high: Float64Array;
  live: Float64Array;
}

/** They never change for a lane and a width, and cost a pass over all events. */
const kept = new WeakMap<Lane, Curves>();

function curvesOf(lane: Lane, full: Range, width: number): Curves {
  const known = kept.get(lane);
  if (known?.width === width) return known;
  const view = { lane: 0, x: 0, y: 0, width, height: 1, t0: full.from, t1: full.to, b0: 0, b1: 1 };
  const curves = { width, high: columnMost(view, lane, "high"), live: columnMost(view, lane, "live") };
  kept.set(lane, curves);
  return curves;
}

function drawOverview(canvas: HTMLCanvasElement, picture: Picture): void {
  const fitted = contextFor(canvas);
  const lane = picture.model.lanes[picture.lane.value];
  if (!fitted || !lane) return;
  const { context, width, height } = fitted;
  const inks = overlayInks();
  const full = fullRange(picture.model, lane.scope);
  const curves = curvesOf(lane, full, Math.max(1, Math.round(width)));
  const most = Math.max(1, lane.top, lane.peak);
  context.fillStyle = inks.faint;
  context.globalAlpha = 0.28;
  fillCurve(context, curves.high, most, 0, height, height - 3);
  context.globalAlpha = 0.55;
  fillCurve(context, curves.live, most, 0, height, height - 3);
  context.globalAlpha = 1;
  drawWindow(
    context,
    picture.view.value.x[lane.scope] ?? full,
    full,
    width,
    height,
    inks.ground,
    inks.select,
  );
}

function drawWindow(
  context: CanvasRenderingContext2D,
  range: Range,
  full: Range,
  width: number,
  height: number,
  ground: string,
  colour: string,
): void {
  const x0 = ((range.from - full.from) / (full.to - full.from)) * width;
  const x1 = ((range.to - full.from) / (full.to - full.from)) * width;
  context.fillStyle = ground;
  context.globalAlpha = 0.7;
  context.fillRect(0, 0, x0, height);
  context.fillRect(x1, 0, width - x1, height);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(Math.round(x0) + 0.5, 0.5, Math.max(2, Math.round(x1 - x0) - 1), height - 1);
  context.fillStyle = colour;
  for (const x of [x0, x1])
    context.fillRect(Math.min(width - 3, Math.max(0, Math.round(x) - 1)), height / 2 - 7, 3, 14);
}
