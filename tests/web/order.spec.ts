import type { Graph, Node } from "memplan";
import { load } from "memplan";
import { describe, expect, it } from "vitest";
import { lighterOrder } from "../../web/src/hints/order.ts";
import fc from "../bindings/fast_check.ts";
import { data } from "./site.ts";

/** A random graph of operators with one result each, with memory.alloc nodes or without. */
const graphs = fc
  .record({
    sizes: fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 3, maxLength: 24 }),
    picks: fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
    allocs: fc.boolean(),
  })
  .map(({ sizes, picks, allocs }): Graph => {
    const nodes: Node[] = [{ name: "n0", op: "placeholder", target: "n0", specs: ["t0"] }];
    for (let i = 1; i < sizes.length; i++) {
      const args = [0, 1].map((k) => `n${(picks[2 * i + k] as number) % i}`);
      if (allocs) {
        nodes.push({ name: `a${i}`, op: "call_function", target: "memory.alloc", specs: [`t${i}`] });
        args.push(`a${i}`);
      }
      nodes.push({
        name: `n${i}`,
        op: "call_function",
        target: "aten::add.out",
        args,
        specs: [`t${i}`],
        variant: allocs ? "out" : "functional",
      });
    }
    const last = `n${sizes.length - 1}`;
    nodes.push({ name: "output", op: "output", args: [last], specs: [`t${sizes.length - 1}`] });
    return {
      version: 1,
      encounter_to_out_var_failure: true,
      tensors: sizes.map((nbytes, i) => ({ id: `t${i}`, nbytes })),
      nodes,
    };
  });

describe("another order", () => {
  it("keeps every node once and every argument before its reader", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const other = lighterOrder(graph, (t) => graph.tensors.find((x) => x.id === t)?.nbytes ?? 0);
        if (!other) return;
        expect(other.nodes.map((n) => n.name).sort()).toEqual(graph.nodes.map((n) => n.name).sort());
        const seen = new Set<string>();
        for (const node of other.nodes) {
          for (const arg of node.args ?? []) expect(seen.has(arg)).toBe(true);
          seen.add(node.name);
        }
        expect(other.nodes.at(-1)?.op).toBe("output");
      }),
    );
  });

  it("finds 1152 bytes where the file's order needs 1920", async () => {
    const graph = JSON.parse(data("cases/40-order-decides-the-peak.json").toString()) as Graph;
    const size = (id: string) => graph.tensors.find((t) => t.id === id)?.shape?.[0] ?? 0;
    const other = lighterOrder(graph, size);
    const memplan = await load();
    expect(memplan.plan(graph).buffer_sizes).toEqual([0, 1920]);
    expect(memplan.plan(other as Graph).buffer_sizes).toEqual([0, 1152]);
  });

  it("leaves graphs alone whose order is more than a matter of data", () => {
    const graph = JSON.parse(data("cases/18-two-conds-first-result-still-live.json").toString()) as Graph;
    expect(lighterOrder(graph, () => 64)).toBeNull();
  });
});
