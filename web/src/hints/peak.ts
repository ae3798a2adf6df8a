import { liveAt, type Model, nodeRow, shortOperator, totalBound, totalBytes } from "../arena/model";
import { nameAt, shortName } from "../arena/names";
import { formatBytes, formatShare } from "../bytes";

/** A sentence for the reader, with the tensors it speaks of. */
export interface Hint {
  id: string;
  text: string;
  /** Rows to point at. */
  tensors: number[];
  /** A time to go to. */
  at: { lane: number; time: number } | null;
}

/** What can be said from the plan alone. */
export function hintsOf(model: Model): Hint[] {
  const hints: Hint[] = [];
  model.lanes.forEach((lane, index) => {
    const pool = model.pools[lane.pool];
    // A nested graph is worth a word where it, and not its caller, sets the size of the pool.
    const nested = (model.scopes[lane.scope]?.parent ?? -1) >= 0;
    if (nested && (lane.top < (pool?.size ?? 0) || hints.some((h) => h.id.startsWith("nested")))) return;
    hints.push(...peakHint(model, index));
  });
  const gap = gapHint(model);
  if (gap) hints.push(gap);
  return hints.slice(0, 6);
}

function peakHint(model: Model, index: number): Hint[] {
  const lane = model.lanes[index];
  if (!lane || lane.peak === 0) return [];
  const live = liveAt(model, lane.scope, lane.peakAt).filter((i) => model.pool[i] === lane.pool);
  const few: number[] = [];
  let sum = 0;
  for (const i of live) {
    few.push(i);
    sum += model.bytes[i] as number;
    if (sum >= 0.9 * lane.peak || few.length === 3) break;
  }
  const names = few.map(
    (i) => `${shortName(nameAt(model.names, i))} (${formatBytes(model.bytes[i] as number)})`,
  );
  const row = nodeRow(model, lane.scope, lane.peakAt);
  const where =
    row < 0
      ? `time ${lane.peakAt}`
      : `${shortName(nameAt(model.nodeNames, row))} (${shortOperator(model.texts[model.nodeTarget[row] as number] ?? "")}, node ${lane.peakAt})`;
  const scope = model.scopes[lane.scope]?.path;
  const place = scope ? ` of ${scope}` : model.pools.length > 1 ? ` of ${model.pools[lane.pool]?.name}` : "";
  const rest = live.length - few.length;
  const text = `The peak${place} is at ${where}: ${names.join(", ")} ${few.length === 1 ? "makes" : "make"} ${formatShare(sum, lane.peak)} of it${rest > 0 ? `, ${rest} smaller ${rest === 1 ? "one" : "ones"} the rest` : ""}.`;
  return [
    {
      id: `${scope ? "nested" : "peak"}-${index}`,
      text,
      tensors: few,
      at: { lane: index, time: lane.peakAt },
    },
    ...narrowHint(model, index),
  ];
}

/** Says so where the peak is short: then it is that place, and no other, that is worth changing. */
function narrowHint(model: Model, index: number): Hint[] {
  const lane = model.lanes[index];
  const scope = model.scopes[lane?.scope ?? 0];
  if (!lane || !scope || index > 0) return [];
  const { at, live } = lane.steps;
  let second = 0;
  let busy = 0;
  for (let i = 0; i < at.length; i++) {
    const span = (at[i + 1] ?? (at[i] as number)) - (at[i] as number);
    if ((live[i] as number) > 0.75 * lane.peak) busy += span;
    else second = Math.max(second, live[i] as number);
  }
  const total = scope.end - scope.foldStart;
  if (total < 10 || busy / total > 0.25 || second === 0) return [];
  return [
    {
      id: "narrow",
      text: `Only ${busy} of ${total} ${model.kind === "graph" ? "nodes" : "time steps"} need more than three quarters of that. Without them ${formatBytes(second)} would do, so it pays to shrink just these.`,
      tensors: [],
      at: null,
    },
  ];
}

/** Why a plan is above its bound: long-lived little tensors that lie in the midst of free bytes. */
function gapHint(model: Model): Hint | null {
  const bound = totalBound(model);
  const total = totalBytes(model);
  if (bound === null || total <= bound) return null;
  const split = splitters(model);
  const gap = `${formatBytes(total - bound)} lie between the bound and this plan`;
  if (split.length === 0)
    return {
      id: "gap",
      text: `${gap}: at the peak everything fits, but not all tensors can lie below that line at all times.`,
      tensors: [],
      at: null,
    };
  const names = split.map(
    (i) => `${shortName(nameAt(model.names, i))} (${formatBytes(model.bytes[i] as number)})`,
  );
  return {
    id: "gap",
    text: `${gap}. ${names.join(" and ")} ${split.length === 1 ? "is" : "are"} small, ${split.length === 1 ? "lives" : "live"} long, and ${split.length === 1 ? "splits" : "split"} the free bytes in two.`,
    tensors: split,
    at: null,
  };
}

/** Small long-lived tensors with free bytes on both sides for most of their life. */
export function splitters(model: Model): number[] {
  const found: { tensor: number; score: number }[] = [];
  for (const lane of model.lanes) {
    const scope = model.scopes[lane.scope];
    const span = (scope?.end ?? 1) - (scope?.foldStart ?? 0);
    const { rects } = model;
    for (let r = lane.firstRect; r < lane.firstRect + lane.rectCount && lane.rectCount < 20000; r++) {
      const bytes = (rects.b1[r] as number) - (rects.b0[r] as number);
      const life = (rects.t1[r] as number) - (rects.t0[r] as number);
      if (bytes > 0.16 * lane.top || life < 0.3 * span) continue;
      const room = freeAround(model, lane.firstRect, lane.rectCount, r);
      if (room > bytes) found.push({ tensor: rects.tensor[r] as number, score: room * life });
    }
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, 2)
    .map((f) => f.tensor);
}

/** The smaller of the free bytes right below and right above a rectangle, at the better of a few moments of its life. */
function freeAround(model: Model, first: number, count: number, r: number): number {
  const { rects } = model;
  const t0 = rects.t0[r] as number;
  const t1 = rects.t1[r] as number;
  let best = 0;
  for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const time = t0 + Math.floor((t1 - t0) * part);
    let below = 0;
    let above = Number.POSITIVE_INFINITY;
    for (let o = first; o < first + count; o++) {
      if (o === r || (rects.t0[o] as number) > time || (rects.t1[o] as number) <= time) continue;
      if ((rects.b1[o] as number) <= (rects.b0[r] as number)) below = Math.max(below, rects.b1[o] as number);
      else above = Math.min(above, rects.b0[o] as number);
    }
    if (above === Number.POSITIVE_INFINITY) continue;
    best = Math.max(best, Math.min((rects.b0[r] as number) - below, above - (rects.b1[r] as number)));
  }
  return best;
}
