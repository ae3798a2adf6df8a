import { batch } from "@preact/signals";
import type { Picture } from "./picture";
import type { Stage } from "./stage";
import { fitBytes, fitView, fullRange, panRange, type Range, withX, withY, zoomRange } from "./view";

/** Time and byte ranges that may not be left, and the least that may be seen. */
export function zoomAbout(
  picture: Picture,
  lane: number,
  factorX: number,
  factorY: number,
  aboutX = 0.5,
  aboutY = 0.5,
): void {
  const scope = picture.model.lanes[lane]?.scope ?? 0;
  const view = picture.view.value;
  const x = view.x[scope];
  const y = view.y[lane];
  if (!x || !y) return;
  const nextX = factorX === 1 ? x : zoomRange(x, factorX, aboutX, timeBounds(picture, scope), 1.5);
  const nextY = factorY === 1 ? y : zoomRange(y, factorY, aboutY, byteBounds(picture, lane), 16);
  picture.view.value = withY(withX(view, scope, nextX), lane, nextY);
}

/** Pans by parts of what is seen: 0.1 is a tenth to the right, or upward. */
export function panBy(picture: Picture, lane: number, partX: number, partY: number): void {
  const scope = picture.model.lanes[lane]?.scope ?? 0;
  const view = picture.view.value;
  const x = view.x[scope];
  const y = view.y[lane];
  if (!x || !y) return;
  const nextX = panRange(x, partX * (x.to - x.from), timeBounds(picture, scope));
  const nextY = panRange(y, partY * (y.to - y.from), byteBounds(picture, lane));
  picture.view.value = withY(withX(view, scope, nextX), lane, nextY);
}

/** Brings a tensor into view with some room about it. */
export function zoomToTensor(picture: Picture, tensor: number): void {
  const { model } = picture;
  const lane = model.lanes.findIndex((l) => l.scope === model.scope[tensor] && l.pool === model.pool[tensor]);
  if (lane < 0) return;
  const first = model.first[tensor] as number;
  const end = (model.last[tensor] as number) + 1;
  const low = model.offset[tensor] as number;
  const high = low + (model.bytes[tensor] as number);
  showRange(picture, lane, { from: first, to: end }, { from: low, to: high }, 1);
}

/** Brings the time of the most live bytes into view and puts the scrubber there. */
export function goToPeak(picture: Picture): void {
  const index = picture.lane.value;
  const lane = picture.model.lanes[index];
  if (!lane) return;
  const scope = picture.model.scopes[lane.scope];
  const near = Math.max(4, ((scope?.end ?? 8) - (scope?.foldStart ?? 0)) * 0.06);
  batch(() => {
    picture.scrub.value = { scope: lane.scope, time: lane.peakAt };
    showRange(picture, index, { from: lane.peakAt - near, to: lane.peakAt + 1 + near }, null, 0);
  });
}

/** The bytes axis stays where it is when `bytes` is null. `room` is the margin, in parts of the range. */
function showRange(picture: Picture, lane: number, time: Range, bytes: Range | null, room: number): void {
  const scope = picture.model.lanes[lane]?.scope ?? 0;
  const view = picture.view.value;
  const pad = (r: Range): Range => {
    const by = (r.to - r.from) * room;
    return { from: r.from - by, to: r.to + by };
  };
  const within = (r: Range, bounds: Range): Range => ({
    from: Math.max(bounds.from, r.from),
    to: Math.min(bounds.to, r.to),
  });
  const x = within(pad(time), timeBounds(picture, scope));
  const y = bytes
    ? within(pad(bytes), byteBounds(picture, lane))
    : fitBytes(picture.model, lane, picture.scale);
  picture.view.value = withY(withX(view, scope, x), lane, y);
}

function timeBounds(picture: Picture, scope: number): Range {
  return fullRange(picture.model, scope);
}

function byteBounds(picture: Picture, lane: number): Range {
  const fit = fitBytes(picture.model, lane, picture.scale);
  return { from: 0, to: fit.to * 1.25 };
}

/** Steps through the tensors of the active lane in order of time, then bytes. */
export function stepTensor(picture: Picture, by: 1 | -1): void {
  const { model } = picture;
  const lane = model.lanes[picture.lane.value];
  if (!lane) return;
  const { tensor } = model.rects;
  const rows: number[] = [];
  for (let r = lane.firstRect; r < lane.firstRect + lane.rectCount; r++) rows.push(tensor[r] as number);
  rows.sort(
    (a, b) =>
      (model.first[a] as number) - (model.first[b] as number) ||
      (model.offset[a] as number) - (model.offset[b] as number),
  );
  const at = rows.indexOf(picture.pinned.value);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length;
  picture.select(rows[next] ?? -1);
}

/** Moves the scrubber by nodes; starts it at the peak. */
export function stepScrub(picture: Picture, by: number): void {
  const lane = picture.model.lanes[picture.lane.value];
  if (!lane) return;
  const now = picture.scrub.value;
  if (!now || now.scope !== lane.scope) {
    picture.scrub.value = { scope: lane.scope, time: lane.peakAt };
    return;
  }
  const end = (picture.model.scopes[lane.scope]?.end ?? 1) - 1;
  picture.scrub.value = { scope: lane.scope, time: Math.max(0, Math.min(end, now.time + by)) };
}

/**
 * Mouse and touch on a stage: drag pans, wheel zooms at the pointer (Shift: time only, Alt: bytes only), two
 * fingers pinch both axes apart, a click pins, a double click fits. Gives a function that takes it off again.
 */
export function attachPointer(stage: Stage, target: HTMLElement): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  const { picture } = stage;
  let lane = 0;
  let moved = 0;
  const place = (event: PointerEvent | WheelEvent | MouseEvent) => {
    const rect = target.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const at = place(event);
    const box = stage.boxAt(at.x, at.y);
    if (!box) return;
    lane = box.lane;
    picture.lane.value = lane;
    pointers.set(event.pointerId, at);
    moved = 0;
    target.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch")
        picture.hovered.value = stage.boxAt(at.x, at.y) ? stage.tensorAt(at.x, at.y) : -1;
      return;
    }
    moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    const box = stage.layout.boxes.find((b) => b.lane === lane);
    if (!box) return;
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    const other = others[0]?.[1];
    if (other) pinch(picture, lane, before, at, other, box);
    else if (moved > 4) panBy(picture, lane, (before.x - at.x) / box.width, (at.y - before.y) / box.height);
    pointers.set(event.pointerId, at);
  };
  const up = (event: PointerEvent) => {
    const at = place(event);
    if (pointers.delete(event.pointerId) && moved <= 4 && event.type === "pointerup")
      click(stage, at.x, at.y);
  };
  const leave = () => {
    picture.hovered.value = -1;
  };
  const wheel = (event: WheelEvent) => {
    const at = place(event);
    const box = stage.boxAt(at.x, at.y);
    if (!box) return;
    const step = Math.exp(Math.max(-1, Math.min(1, event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002))));
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // At the widest view a wheel that zooms out scrolls the page, so the picture is no trap.
    if (!event.ctrlKey && !sideways && step > 1 && isWidest(picture, box.lane)) return;
    event.preventDefault();
    picture.lane.value = box.lane;
    if (sideways) return panBy(picture, box.lane, event.deltaX / box.width, 0);
    const aboutX = (at.x - box.x) / box.width;
    const aboutY = 1 - (at.y - box.y) / box.height;
    zoomAbout(picture, box.lane, event.altKey ? 1 : step, event.shiftKey ? 1 : step, aboutX, aboutY);
  };
  const double = (event: MouseEvent) => {
    const at = place(event);
    const tensor = stage.tensorAt(at.x, at.y);
    if (tensor >= 0) zoomToTensor(picture, tensor);
    else picture.reset();
  };
  const on = target.addEventListener.bind(target) as typeof target.addEventListener;
  const off = new AbortController();
  const signal = off.signal;
  on("pointerdown", down, { signal });
  on("pointermove", move, { signal });
  on("pointerup", up, { signal });
  on("pointercancel", up, { signal });
  on("pointerleave", leave, { signal });
  on("wheel", wheel, { signal, passive: false });
  on("dblclick", double, { signal });
  return () => off.abort();
}

function click(stage: Stage, x: number, y: number): void {
  const { picture } = stage;
  const box = stage.boxAt(x, y);
  if (!box) return;
  const tensor = stage.tensorAt(x, y);
  const scope = picture.model.lanes[box.lane]?.scope ?? 0;
  const range = picture.view.value.x[scope] ?? { from: 0, to: 1 };
  const time = Math.floor(range.from + ((x - box.x) / box.width) * (range.to - range.from));
  batch(() => {
    picture.select(tensor === picture.pinned.value ? -1 : tensor);
    picture.scrub.value = { scope, time };
  });
}

interface Point {
  x: number;
  y: number;
}

function pinch(
  picture: Picture,
  lane: number,
  before: Point,
  after: Point,
  other: Point,
  box: { x: number; y: number; width: number; height: number },
): void {
  const apart = (a: number, b: number) => Math.max(24, Math.abs(a - b));
  const factorX = apart(before.x, other.x) / apart(after.x, other.x);
  const factorY = apart(before.y, other.y) / apart(after.y, other.y);
  const aboutX = (other.x - box.x) / box.width;
  const aboutY = 1 - (other.y - box.y) / box.height;
  zoomAbout(picture, lane, factorX, factorY, aboutX, aboutY);
}

/** Whether all of a lane is seen. */
export function isWidest(picture: Picture, lane: number): boolean {
  const fit = fitView(picture.model, picture.scale);
  const view = picture.view.value;
  const scope = picture.model.lanes[lane]?.scope ?? 0;
  const wide = (have: Range | undefined, all: Range | undefined) =>
    !!have && !!all && have.to - have.from >= (all.to - all.from) * 0.999;
  return wide(view.x[scope], fit.x[scope]) && wide(view.y[lane], fit.y[lane]);
}
