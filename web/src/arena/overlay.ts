import { byteTicks, countTicks, formatBytes, formatCount } from "../bytes";
import { type Model, nodeRow } from "./model";
import { nameAt, shortName } from "./names";
import { kDim, type Theme, wantsDarkText } from "./palette";
import type { Drawn, FaultMark, Picture } from "./picture";
import { kLabelHeight, kLabelWidth } from "./raster";
import { depthOf, type LaneBox, type Range, type StageLayout } from "./view";

/** Colours of axes and marks, as CSS. */
export interface OverlayInks {
  theme: Theme;
  text: string;
  faint: string;
  rule: string;
  plan: string;
  bound: string;
  ceiling: string;
  fault: string;
  select: string;
  ground: string;
  font: string;
}

interface Scale {
  box: LaneBox;
  /** Root font size over 16. */
  unit: number;
  x: Range;
  y: Range;
  toX: (time: number) => number;
  toY: (bytes: number) => number;
}

/** Draws everything that is text or line: axes, limits, names, selection, scrubber, faults. */
export function drawOverlay(
  canvas: HTMLCanvasElement,
  ratio: number,
  layout: StageLayout,
  picture: Picture,
  drawn: Drawn | null,
  inks: OverlayInks,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  context.textBaseline = "middle";
  const { model } = picture;
  const scales = layout.boxes.map((box) => scaleOf(picture, box, layout.scale));
  if (scales[0]) timeAxis(context, scales[0], inks);
  for (const scale of scales) {
    laneTitle(context, scale, model, inks);
    bytesAxis(context, scale, inks);
    clipped(context, scale.box, () => {
      if (drawn) rectLabels(context, scale, picture, drawn, inks);
      for (const mark of picture.faults.value)
        if (mark.lane === scale.box.lane) faultMark(context, scale, mark, inks);
    });
    limits(context, scale, model, inks);
    frame(context, scale.box, inks);
  }
  for (const scale of scales) {
    scrubber(context, scale, picture, inks);
    outline(context, scale, picture, picture.hovered.value, inks, 1);
    outline(context, scale, picture, picture.pinned.value, inks, 2.5);
  }
}

function scaleOf(picture: Picture, box: LaneBox, unit: number): Scale {
  const view = picture.view.value;
  const x = view.x[picture.model.lanes[box.lane]?.scope ?? 0] ?? { from: 0, to: 1 };
  const y = view.y[box.lane] ?? { from: 0, to: 1 };
  return {
    box,
    unit,
    x,
    y,
    toX: (time) => box.x + ((time - x.from) / (x.to - x.from)) * box.width,
    toY: (bytes) => box.y + box.height - ((bytes - y.from) / (y.to - y.from)) * box.height,
  };
}

function clipped(context: CanvasRenderingContext2D, box: LaneBox, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  draw();
  context.restore();
}

function timeAxis(context: CanvasRenderingContext2D, scale: Scale, inks: OverlayInks): void {
  const { box } = scale;
  context.font = `${11 * scale.unit}px ${inks.font}`;
  context.textAlign = "center";
  context.fillStyle = inks.faint;
  context.strokeStyle = inks.rule;
  context.lineWidth = 1;
  for (const time of countTicks(scale.x.from, scale.x.to, box.width / (90 * scale.unit))) {
    const x = Math.round(scale.toX(time)) + 0.5;
    if (x < box.x - 1 || x > box.x + box.width) continue;
    line(context, x, 16 * scale.unit, x, 21 * scale.unit);
    const label = formatCount(time);
    const half = context.measureText(label).width / 2;
    context.fillText(label, Math.min(Math.max(x, box.x + half), box.x + box.width - half), 9 * scale.unit);
  }
}

function bytesAxis(context: CanvasRenderingContext2D, scale: Scale, inks: OverlayInks): void {
  const { box } = scale;
  context.font = `${11 * scale.unit}px ${inks.font}`;
  context.textAlign = "right";
  context.strokeStyle = inks.rule;
  context.lineWidth = 1;
  const wanted = Math.max(2, box.height / (48 * scale.unit));
  for (const bytes of byteTicks(scale.y.from, scale.y.to, wanted)) {
    const y = Math.round(scale.toY(bytes)) + 0.5;
    if (y < box.y + 2 && bytes !== 0) continue;
    line(context, box.x - 5, y, box.x, y);
    context.fillStyle = inks.faint;
    context.fillText(
      formatBytes(bytes).replace(/\.0+ /, " "),
      box.x - 8,
      Math.min(y, box.y + box.height - 4),
    );
  }
}

function laneTitle(context: CanvasRenderingContext2D, scale: Scale, model: Model, inks: OverlayInks): void {
  if (model.lanes.length < 2) return;
  const lane = model.lanes[scale.box.lane];
  const scope = model.scopes[lane?.scope ?? 0];
  const pool = model.pools[lane?.pool ?? 0];
  if (!lane || !scope || !pool) return;
  const callers = scope.calledAt.map((time) => {
    const row = nodeRow(model, scope.parent, time);
    return row < 0 ? `node ${time}` : `${nameAt(model.nodeNames, row)} (node ${time})`;
  });
  const title = scope.path === "" ? pool.name : scope.path.split("/").join(" › ");
  const detail =
    depthOf(model, lane.scope) === 0
      ? `${formatBytes(pool.size)}`
      : `${model.pools.length > 1 ? `${pool.name}, ` : ""}runs in ${callers.join(", ")}; up to ${formatBytes(lane.top)}`;
  const y = scale.box.y - 10 * scale.unit;
  context.textAlign = "left";
  context.font = `600 ${12 * scale.unit}px ${inks.font}`;
  context.fillStyle = inks.text;
  const room = scale.box.width;
  const shown = shorten(context, title, room * 0.5);
  context.fillText(shown, scale.box.x, y);
  const after = scale.box.x + context.measureText(shown).width + 8;
  context.font = `${12 * scale.unit}px ${inks.font}`;
  context.fillStyle = inks.faint;
  context.fillText(shorten(context, detail, scale.box.x + room - after), after, y);
}

/** Plan, lower bound and capacity as lines across a top lane. */
function limits(context: CanvasRenderingContext2D, scale: Scale, model: Model, inks: OverlayInks): void {
  const lane = model.lanes[scale.box.lane];
  const pool = model.pools[lane?.pool ?? 0];
  if (!lane || !pool || (model.scopes[lane.scope]?.parent ?? -1) >= 0) return;
  const met = pool.bound === pool.size;
  if (pool.capacity !== null) {
    if (pool.capacity <= scale.y.to)
      limit(
        context,
        scale,
        pool.capacity,
        `capacity ${formatBytes(pool.capacity)}`,
        inks.ceiling,
        inks,
        [2, 3],
        -1,
      );
    else note(context, scale, `capacity ${formatBytes(pool.capacity)} is above`, inks.ceiling, inks);
  }
  if (pool.bound !== null && !met)
    limit(context, scale, pool.bound, `lower bound ${formatBytes(pool.bound)}`, inks.bound, inks, [6, 4], 1);
  const label = met ? `plan = lower bound ${formatBytes(pool.size)}` : `plan ${formatBytes(pool.size)}`;
  limit(context, scale, pool.size, label, inks.plan, inks, [], -1);
}

function limit(
  context: CanvasRenderingContext2D,
  scale: Scale,
  bytes: number,
  label: string,
  colour: string,
  inks: OverlayInks,
  dash: number[],
  side: 1 | -1,
): void {
  const { box } = scale;
  const y = Math.round(scale.toY(bytes)) + 0.5;
  if (y < box.y - 1 || y > box.y + box.height + 1) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  line(context, box.x, y, box.x + box.width, y);
  context.setLineDash([]);
  context.font = `600 ${11 * scale.unit}px ${inks.font}`;
  const width = context.measureText(label).width + 10;
  const x = box.x + box.width - width - 4;
  const tall = 14 * scale.unit;
  let top = y + (side < 0 ? -tall - 3 : 3);
  if (top < box.y) top = y + 3;
  context.fillStyle = inks.ground;
  context.globalAlpha = 0.88;
  context.fillRect(x, top, width, tall);
  context.globalAlpha = 1;
  context.fillStyle = colour;
  context.textAlign = "right";
  context.fillText(label, x + width - 5, top + tall / 2 + 0.5);
}

function note(
  context: CanvasRenderingContext2D,
  scale: Scale,
  label: string,
  colour: string,
  inks: OverlayInks,
): void {
  context.font = `600 ${11 * scale.unit}px ${inks.font}`;
  context.textAlign = "left";
  context.fillStyle = colour;
  context.fillText(`↑ ${label}`, scale.box.x + 6, scale.box.y + 9 * scale.unit);
}

function rectLabels(
  context: CanvasRenderingContext2D,
  scale: Scale,
  picture: Picture,
  drawn: Drawn,
  inks: OverlayInks,
): void {
  const { model } = picture;
  const legend = picture.legend.value;
  const found = picture.found.value;
  const shown = found ? new Set(found) : null;
  context.font = `${11 * scale.unit}px ${inks.font}`;
  context.textAlign = "left";
  for (let i = 0; i < drawn.labels.length; i += 5) {
    const tensor = drawn.labels[i] as number;
    if (model.scope[tensor] !== model.lanes[scale.box.lane]?.scope) continue;
    if (model.pool[tensor] !== model.lanes[scale.box.lane]?.pool) continue;
    if (shown && !shown.has(tensor)) continue;
    const r = tensorBox(scale, model, tensor);
    const left = Math.max(r.x, scale.box.x);
    const right = Math.min(r.x + r.width, scale.box.x + scale.box.width);
    const top = Math.max(r.y, scale.box.y);
    const bottom = Math.min(r.y + r.height, scale.box.y + scale.box.height);
    if (right - left < kLabelWidth * scale.unit || bottom - top < kLabelHeight * scale.unit) continue;
    const dark = wantsDarkText(inks.theme, legend.scale, (legend.colours[tensor] as number) % kDim);
    context.fillStyle = dark ? "#0d1720" : "#ffffff";
    const room = right - left - 10;
    const two = bottom - top > 34 * scale.unit;
    const middle = two ? top + 11 * scale.unit : (top + bottom) / 2;
    const text = shorten(context, shortName(nameAt(model.names, tensor), 80), room);
    context.fillText(text, left + 5, middle);
    const size = formatBytes(model.bytes[tensor] as number);
    if (two && context.measureText(size).width <= room) {
      context.globalAlpha = 0.78;
      context.fillText(size, left + 5, middle + 14 * scale.unit);
      context.globalAlpha = 1;
    }
  }
}

function tensorBox(scale: Scale, model: Model, tensor: number) {
  const offset = model.offset[tensor] as number;
  const x = scale.toX(model.first[tensor] as number);
  const y = scale.toY(offset + (model.bytes[tensor] as number));
  return {
    x,
    y,
    width: scale.toX((model.last[tensor] as number) + 1) - x,
    height: scale.toY(offset) - y,
  };
}

function outline(
  context: CanvasRenderingContext2D,
  scale: Scale,
  picture: Picture,
  tensor: number,
  inks: OverlayInks,
  width: number,
): void {
  const { model } = picture;
  const lane = model.lanes[scale.box.lane];
  if (tensor < 0 || !lane || model.scope[tensor] !== lane.scope || model.pool[tensor] !== lane.pool) return;
  const r = tensorBox(scale, model, tensor);
  clipped(context, scale.box, () => {
    context.strokeStyle = inks.ground;
    context.lineWidth = width + 2;
    context.strokeRect(r.x, r.y, Math.max(2, r.width), Math.max(2, r.height));
    context.strokeStyle = inks.select;
    context.lineWidth = width;
    context.strokeRect(r.x, r.y, Math.max(2, r.width), Math.max(2, r.height));
  });
}

function scrubber(
  context: CanvasRenderingContext2D,
  scale: Scale,
  picture: Picture,
  inks: OverlayInks,
): void {
  const scrub = picture.scrub.value;
  const lane = picture.model.lanes[scale.box.lane];
  if (!scrub || !lane) return;
  const time = timeInScope(picture.model, scrub, lane.scope);
  if (time === null) return;
  const x0 = scale.toX(time);
  const x1 = scale.toX(time + 1);
  clipped(context, scale.box, () => {
    context.fillStyle = inks.select;
    context.globalAlpha = 0.14;
    context.fillRect(x0, scale.box.y, Math.max(1, x1 - x0), scale.box.height);
    context.globalAlpha = 1;
    context.fillRect(Math.round((x0 + x1) / 2) - 0.5, scale.box.y, 1, scale.box.height);
  });
}

/** The scrubber's time seen from a caller of its scope; null elsewhere. */
function timeInScope(model: Model, scrub: { scope: number; time: number }, scope: number): number | null {
  let { scope: at, time } = scrub;
  while (at !== scope) {
    const s = model.scopes[at];
    if (!s || s.parent < 0) return null;
    time = s.calledAt[0] ?? -1;
    at = s.parent;
    if (time < 0) return null;
  }
  return time;
}

function faultMark(
  context: CanvasRenderingContext2D,
  scale: Scale,
  mark: FaultMark,
  inks: OverlayInks,
): void {
  const x = scale.toX(mark.t0);
  const y = scale.toY(mark.b1);
  const width = Math.max(3, scale.toX(mark.t1) - x);
  const height = Math.max(3, scale.toY(mark.b0) - y);
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = inks.fault;
  context.lineWidth = 2;
  for (let d = -height; d < width; d += 7) line(context, x + d, y + height, x + d + height, y);
  context.restore();
  context.strokeStyle = inks.fault;
  context.lineWidth = 2;
  context.strokeRect(x, y, width, height);
}

function frame(context: CanvasRenderingContext2D, box: LaneBox, inks: OverlayInks): void {
  context.strokeStyle = inks.rule;
  context.lineWidth = 1;
  line(context, box.x + 0.5, box.y, box.x + 0.5, box.y + box.height);
  line(context, box.x, box.y + box.height + 0.5, box.x + box.width, box.y + box.height + 0.5);
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** Cuts a name at its front: the names of tensors differ at their ends. */
export function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (room < 8) return "";
  const width = context.measureText(text).width;
  if (width <= room) return text;
  const kept = Math.floor((room / width) * text.length) - 1;
  return kept < 3 ? "" : shortName(text, kept);
}
