import type { Graph, Methods } from "memplan";
import type { Model } from "../arena/model";
import { nameAt } from "../arena/names";
import { formatBytes, formatShare } from "../bytes";
import { planInWorker } from "../planner";
import { options, plan, source } from "../session";
import { lighterOrder } from "./order";
import type { Hint } from "./peak";

/** Bytes of input beyond which nobody waits for more plans. */
const kMostInput = 4_000_000;
const kTimeLimitMs = 300;

/** What in-place results, another owner or another order would save: found by planning it, on the second worker. */
export async function savingHints(model: Model, signal: AbortSignal): Promise<Hint[]> {
  const from = source.value;
  const now = plan.value;
  if (!from || !now || now.rules !== "sound" || model.kind !== "graph" || from.bytes.length > kMostInput)
    return [];
  const total = now.buffer_sizes.reduce((a, b) => a + b, 0);
  const graph = JSON.parse(new TextDecoder().decode(from.bytes)) as Graph | Methods;
  const { capacity, ...rest } = options.value;
  const how = { ...rest, timeLimitMs: kTimeLimitMs, signal };
  const hints: Hint[] = [];
  const totalOf = async (input: Uint8Array | Graph, more: object) => {
    const { plan: made } = await planInWorker(input, { ...how, ...more }, "side");
    return made.buffer_sizes.reduce((a, b) => a + b, 0);
  };
  const attempts = [
    async () => {
      if (rest.inplace) return;
      const bytes = await totalOf(from.bytes, { inplace: true });
      if (bytes < total)
        hints.push(
          saving("inplace", `Letting operators write over inputs that die there would save`, total, bytes),
        );
    },
    async () => {
      if ("methods" in graph) return;
      const lighter = lighterOrder(graph, bytesIn(model));
      if (!lighter) return;
      const bytes = await totalOf(lighter, {});
      if (bytes < total)
        hints.push(
          saving(
            "order",
            `Running the same nodes in another order (${firstMove(graph, lighter)}) would save`,
            total,
            bytes,
          ),
        );
    },
    async () => {
      const neither = now.ownership?.neither;
      if (neither !== undefined && neither < total)
        hints.push(
          saving("ownership", "If the caller owned inputs and outputs, the plan would save", total, neither),
        );
    },
  ];
  for (const attempt of attempts) {
    if (signal.aborted) return [];
    await attempt().catch(() => {});
  }
  return hints;
}

function saving(id: string, start: string, total: number, bytes: number): Hint {
  return {
    id,
    text: `${start} ${formatBytes(total - bytes)} (${formatShare(total - bytes, total)}): ${formatBytes(bytes)} instead of ${formatBytes(total)}.`,
    tensors: [],
    at: null,
  };
}

function bytesIn(model: Model): (tensor: string) => number {
  const bytes = new Map<string, number>();
  for (let i = 0; i < model.tensorCount; i++) {
    if ((model.pool[i] as number) >= 0) bytes.set(nameAt(model.names, i), model.bytes[i] as number);
  }
  return (tensor) => bytes.get(tensor) ?? 0;
}

/** Names the first node that runs earlier than before. */
function firstMove(before: Graph, after: Graph): string {
  const at = after.nodes.findIndex((n, i) => n !== before.nodes[i]);
  const moved = after.nodes.slice(at).find((n) => n.target !== "memory.alloc");
  const instead = before.nodes.slice(at).find((n) => n.target !== "memory.alloc");
  return `${moved?.name} before ${instead?.name}, and so on`;
}
