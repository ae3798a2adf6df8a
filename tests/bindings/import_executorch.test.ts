/**
 * Graphs that the Python exporter wrote from real ExecuTorch programs, against the plans that ExecuTorch's own pass
 * gave them. Executorch 1.5.1 has `storage_base` beyond cff6f4dd32, which none of these uses.
 */
import { readdirSync, readFileSync } from "node:fs";
import { load, type Memplan, type Plan } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";

const kData = new URL("../data/executorch/", import.meta.url);
const kNames = readdirSync(kData)
  .filter((file) => file.endsWith(".plan.json"))
  .map((file) => file.replace(".plan.json", ""));
const read = (file: string) => readFileSync(new URL(file, kData), "utf8");

/** What ExecuTorch decides, without what memplan reports beside it. */
function decisions(plan: Pick<Plan, "buffer_sizes" | "tensors" | "submodules">): unknown {
  return {
    sizes: plan.buffer_sizes,
    tensors: plan.tensors.map(({ id, lifetime, mem_id, mem_obj_id, mem_offset }) => ({
      id,
      lifetime,
      mem_id,
      mem_obj_id,
      mem_offset,
    })),
    submodules: Object.entries(plan.submodules ?? {}).map(([name, inner]) => [
      name,
      decisions({ ...inner, buffer_sizes: inner.buffer_sizes ?? [] }),
    ]),
  };
}

describe("what the exporter records from ExecuTorch", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  it("is eight programs", () => expect(kNames).toHaveLength(8));

  it.each(kNames)("%s: the plan under executorch-2026 is ExecuTorch's, to the byte", (name) => {
    const theirs = JSON.parse(read(`${name}.plan.json`)) as Plan;
    const ours = memplan.plan(read(`${name}.json`), { rules: "executorch-2026" });
    expect(decisions(ours)).toEqual(decisions(theirs));
  });

  it.each(["mobilenet_v2", "resnet18", "squeezenet1_1"])("%s: sound needs no more, and proves it", (name) => {
    const theirs = JSON.parse(read(`${name}.plan.json`)) as Plan;
    expect(memplan.verify(read(`${name}.json`), theirs)).toMatchObject({ ok: true });
    const ours = memplan.plan(read(`${name}.json`));
    expect(ours.optimal).toBe(true);
    expect(ours.buffer_sizes[1]).toBeLessThanOrEqual(theirs.buffer_sizes[1] ?? 0);
  });
});
