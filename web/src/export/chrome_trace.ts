import { Flag, type Model, operatorOf } from "../arena/model";
import { nameAt } from "../arena/names";

/**
 * Trace Event Format for chrome://tracing and Perfetto. One node is one microsecond. A process is a scope; a
 * thread is a row on which no two tensors overlap in time; counters hold the live bytes.
 */
export function chromeTrace(model: Model): string {
  const events: Record<string, unknown>[] = [];
  model.scopes.forEach((scope, s) => {
    events.push({ ph: "M", name: "process_name", pid: s + 1, args: { name: scope.path || model.title } });
  });
  for (const lane of model.lanes) {
    const pool = model.pools[lane.pool];
    for (let i = 0; i < lane.steps.at.length; i++) {
      events.push({
        ph: "C",
        name: `live bytes, ${pool?.name ?? ""}`,
        pid: lane.scope + 1,
        ts: lane.steps.at[i],
        args: { bytes: lane.steps.live[i] },
      });
    }
  }
  const rows = rowsOf(model);
  for (let i = 0; i < model.tensorCount; i++) {
    if (rows[i] === undefined) continue;
    events.push({
      ph: "X",
      name: nameAt(model.names, i),
      cat: operatorOf(model, i) || "tensor",
      pid: (model.scope[i] as number) + 1,
      tid: rows[i],
      ts: model.first[i],
      dur: (model.last[i] as number) - (model.first[i] as number) + 1,
      args: {
        bytes: model.bytes[i],
        offset: model.offset[i],
        pool: model.pools[model.pool[i] as number]?.memId,
      },
    });
  }
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents: events });
}

/** The lowest row per tensor that is free when it starts, within its scope. */
function rowsOf(model: Model): (number | undefined)[] {
  const rows: (number | undefined)[] = new Array(model.tensorCount);
  const order: number[] = [];
  for (let i = 0; i < model.tensorCount; i++) {
    if (
      (model.pool[i] as number) >= 0 &&
      !((model.flags[i] as number) & Flag.kAlias) &&
      (model.first[i] as number) >= 0
    )
      order.push(i);
  }
  order.sort((a, b) => (model.first[a] as number) - (model.first[b] as number) || a - b);
  const free = new Map<number, { row: number; end: number }[]>();
  for (const i of order) {
    const scope = model.scope[i] as number;
    const taken = free.get(scope) ?? [];
    free.set(scope, taken);
    const start = model.first[i] as number;
    let slot = taken.find((t) => t.end <= start);
    if (!slot) {
      slot = { row: taken.length + 1, end: 0 };
      taken.push(slot);
    }
    slot.end = (model.last[i] as number) + 1;
    rows[i] = slot.row;
  }
  return rows;
}
