import { Flag, type Model } from "../arena/model";
import { nameAt } from "../arena/names";

/**
 * MiniMalloc's columns with the offset, one row per planned storage; `upper` is exclusive. Pool and graph are
 * added where there is more than one.
 */
export function planCsv(model: Model): string {
  const pools = model.pools.length > 1;
  const graphs = model.scopes.length > 1;
  const header = ["id", "lower", "upper", "size", "offset"];
  if (pools) header.push("mem_id");
  if (graphs) header.push("graph");
  const lines = [header.join(",")];
  for (let i = 0; i < model.tensorCount; i++) {
    if ((model.pool[i] as number) < 0 || (model.flags[i] as number) & Flag.kAlias) continue;
    const row: (string | number)[] = [
      quoted(nameAt(model.names, i)),
      model.first[i] as number,
      (model.last[i] as number) + 1,
      model.bytes[i] as number,
      model.offset[i] as number,
    ];
    if (pools) row.push(model.pools[model.pool[i] as number]?.memId ?? "");
    if (graphs) row.push(quoted(model.scopes[model.scope[i] as number]?.path ?? ""));
    lines.push(row.join(","));
  }
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
