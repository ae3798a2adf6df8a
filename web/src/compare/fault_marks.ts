import type { Fault, Report } from "memplan";
import type { Model } from "../arena/model";
import { nameAt } from "../arena/names";
import type { FaultMark } from "../arena/picture";

/** Where on the lanes the faults of a report lie. */
export function faultMarks(model: Model, report: Report): FaultMark[] {
  const scopes = new Map(model.scopes.map((s, i) => [s.path, i]));
  const rows = new Map<string, number>();
  for (let i = 0; i < model.tensorCount; i++) rows.set(`${model.scope[i]}\n${nameAt(model.names, i)}`, i);
  const marks: FaultMark[] = [];
  for (const fault of report.errors) {
    const scope = scopes.get(fault.graph) ?? 0;
    const tensors = fault.tensors.flatMap((id) => {
      const row = rows.get(`${scope}\n${id}`) ?? rowAnywhere(model, rows, id);
      return row === undefined ? [] : [row];
    });
    marks.push(...marksOf(model, fault, tensors));
  }
  return marks;
}

/** A fault across graphs names tensors of both. */
function rowAnywhere(model: Model, rows: Map<string, number>, id: string): number | undefined {
  const name = id.split("/").pop() ?? id;
  for (let s = 0; s < model.scopes.length; s++) {
    const row = rows.get(`${s}\n${name}`);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The time and bytes that the tensors share; each tensor's own where they share none. */
function marksOf(model: Model, fault: Fault, tensors: number[]): FaultMark[] {
  const placed = tensors.filter((i) => (model.pool[i] as number) >= 0 && (model.first[i] as number) >= 0);
  const [a, b] = placed;
  if (a === undefined) return [];
  const box = (i: number): FaultMark => ({
    lane: model.lanes.findIndex((l) => l.scope === model.scope[i] && l.pool === model.pool[i]),
    t0: model.first[i] as number,
    t1: (model.last[i] as number) + 1,
    b0: fault.bytes?.[0] ?? (model.offset[i] as number),
    b1: fault.bytes?.[1] ?? (model.offset[i] as number) + (model.bytes[i] as number),
    message: fault.message,
  });
  const first = box(a);
  if (b === undefined) return [first];
  const second = box(b);
  if (first.lane !== second.lane) return [first, second].filter((m) => m.lane >= 0);
  const t0 = Math.max(first.t0, second.t0);
  const t1 = Math.min(first.t1, second.t1);
  if (t1 <= t0) return [first, second];
  const b0 = Math.max(model.offset[a] as number, model.offset[b] as number, fault.bytes?.[0] ?? 0);
  const ends = [a, b].map((i) => (model.offset[i] as number) + (model.bytes[i] as number));
  const b1 = Math.min(...ends, fault.bytes?.[1] ?? Number.POSITIVE_INFINITY);
  return [{ ...first, t0, t1, b0, b1: Math.max(b1, b0) }];
}
