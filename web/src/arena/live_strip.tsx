import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatBytes } from "../bytes";
import { overlayInks, themeChoice } from "../theme";
import { nodeRow, stepAt } from "./model";
import { nameAt } from "./names";
import type { Picture } from "./picture";
import { contextFor, fillCurve } from "./strip_canvas";
import { fitBytes, layoutStage, type Range } from "./view";

/** Bytes live at each node, on the time axis of the picture above; a slider that scrubs. */
export function LiveStrip({ picture }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const paint = () => canvas.current && drawStrip(canvas.current, picture);
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(paint);
    };
    const off = effect(() => {
      void [
        picture.curves.value,
        picture.view.value,
        picture.scrub.value,
        picture.lane.value,
        themeChoice.value,
        picture.paints.value,
      ];
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
  const end = (picture.model.scopes[scope]?.end ?? 1) - 1;
  const time = picture.scrub.value?.scope === scope ? picture.scrub.value.time : -1;
  const move = (event: PointerEvent) => {
    if (event.buttons !== 1 || !canvas.current) return;
    picture.scrub.value = { scope, time: timeAt(canvas.current, picture, event.clientX) };
  };
  return (
    <div
      ref={slider}
      class="live-strip"
      role="slider"
      tabIndex={0}
      aria-label="Node to look at"
      aria-valuemin={0}
      aria-valuemax={end}
      aria-valuenow={Math.max(0, time)}
      aria-valuetext={time < 0 ? "none chosen" : describe(picture, scope, time)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
      onKeyDown={(event) => slide(picture, scope, end, time, event)}
    >
      <canvas ref={canvas} />
    </div>
  );
}

function slide(picture: Picture, scope: number, end: number, time: number, event: KeyboardEvent): void {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageUp: 10,
    PageDown: -10,
    Home: -end,
    End: end,
  };
  const by = steps[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  picture.scrub.value = { scope, time: Math.max(0, Math.min(end, time + by)) };
}

export function describe(picture: Picture, scope: number, time: number): string {
  const { model } = picture;
  const row = nodeRow(model, scope, time);
  const live = model.lanes
    .filter((l) => l.scope === scope)
    .reduce((sum, l) => sum + (l.steps.live[stepAt(l.steps, time)] ?? 0), 0);
  return `${model.kind === "graph" ? "node" : "time"} ${time}${row < 0 ? "" : `, ${nameAt(model.nodeNames, row)}`}: ${formatBytes(live)} live`;
}

function leftOf(canvas: HTMLCanvasElement, picture: Picture): number {
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const box = layoutStage(picture.model, canvas.clientWidth, 100, unit).boxes.find(
    (b) => b.lane === picture.lane.value,
  );
  return box?.x ?? 0;
}

function timeAt(canvas: HTMLCanvasElement, picture: Picture, clientX: number): number {
  const rect = canvas.getBoundingClientRect();
  const left = leftOf(canvas, picture);
  const scope = picture.model.lanes[picture.lane.value]?.scope ?? 0;
  const range = picture.view.value.x[scope] ?? { from: 0, to: 1 };
  const part = Math.max(0, Math.min(1, (clientX - rect.left - left) / (rect.width - left)));
  const end = (picture.model.scopes[scope]?.end ?? 1) - 1;
  return Math.max(0, Math.min(end, Math.floor(range.from + part * (range.to - range.from))));
}

/** The worker's last curve, moved and scaled to the view of the moment. */
function liveArea(
  context: CanvasRenderingContext2D,
  picture: Picture,
  at: { left: number; width: number; height: number; most: number; room: number; range: Range },
): void {
  const drawn = picture.curves.value;
  const index = drawn?.views.findIndex((v) => v.lane === picture.lane.value) ?? -1;
  const view = drawn?.views[index];
  const curve = drawn?.curves[index];
  if (!view || !curve) return;
  const scale = (at.width - at.left) / (at.range.to - at.range.from);
  const x0 = at.left + (view.t0 - at.range.from) * scale;
  const step = ((view.t1 - view.t0) * scale) / curve.length;
  context.save();
  context.beginPath();
  context.rect(at.left, 0, at.width - at.left, at.height);
  context.clip();
  fillCurve(context, curve, at.most, x0, at.height, at.room, step);
  context.restore();
}

function drawStrip(canvas: HTMLCanvasElement, picture: Picture): void {
  const fitted = contextFor(canvas);
  const lane = picture.model.lanes[picture.lane.value];
  if (!fitted || !lane) return;
  const { context, width, height } = fitted;
  const inks = overlayInks();
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const left = leftOf(canvas, picture);
  const range = picture.view.value.x[lane.scope] ?? { from: 0, to: 1 };
  const most = Math.max(1, fitBytes(picture.model, picture.lane.value, picture.scale).to);
  const room = height - 4;
  context.fillStyle = inks.bound;
  context.globalAlpha = 0.35;
  liveArea(context, picture, { left, width, height, most, room, range });
  context.globalAlpha = 1;
  context.strokeStyle = inks.rule;
  context.beginPath();
  context.moveTo(left, height - 0.5);
  context.lineTo(width, height - 0.5);
  context.stroke();
  const peakY = height - (lane.peak / most) * room;
  context.setLineDash([4, 3]);
  context.strokeStyle = inks.bound;
  context.beginPath();
  context.moveTo(left, peakY);
  context.lineTo(width, peakY);
  context.stroke();
  context.setLineDash([]);
  context.font = `${11 * unit}px ${inks.font}`;
  context.fillStyle = inks.faint;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillText("live", left - 8, height / 2 - 7 * unit);
  context.fillText(formatBytes(lane.peak), left - 8, height / 2 + 7 * unit);
  const scrub = picture.scrub.value;
  if (!scrub || scrub.scope !== lane.scope) return;
  const x = left + ((scrub.time + 0.5 - range.from) / (range.to - range.from)) * (width - left);
  if (x < left) return;
  context.fillStyle = inks.select;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
  context.beginPath();
  context.arc(Math.round(x), 6 * unit, 5 * unit, 0, 2 * Math.PI);
  context.fill();
}
