import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph, PlanToVerify, Tensor } from "../../bindings/types.js";
import { lifetimesOf, maxLive } from "./import_lifetimes.js";

const kCorpus = new URL("../data/corpus/", import.meta.url);

/** The extents that the corpus chose for files that leave them open. */
const kOptions: Record<string, { dims: Record<string, number> }> = {
  "ch_ppocr_mobile_v2.0_cls_infer.onnx": {
    dims: { "p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 48, "p2o.DynamicDimension.2": 192 },
  },
  "silero_vad_v5.onnx": { dims: { "input:0": 1, "input:1": 512, "state:1": 1, sr: 16000 } },
};

/** The corpus puts the name of the If before those of the branch that it unfolds; the names are unique without. */
const kRenamed = new Set(["silero_vad_v5.onnx"]);

/** Rows of the corpus README that give the file in models/ for a graph, and the bound of that graph. */
function corpusRows(): { file: string; graph: string; bound: number }[] {
  const readme = readFileSync(new URL("README.md", kCorpus), "utf8");
  const bounds = new Map<string, number>();
  const files: { file: string; graph: string }[] = [];
  for (const line of readme.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (/\.(tflite|onnx|pte)$/.test(cells[1] ?? ""))
      files.push({ file: cells[1] ?? "", graph: cells[2] ?? "" });
    else if (/^\d+$/.test(cells[4] ?? "")) bounds.set(cells[1] ?? "", Number(cells[4]));
  }
  return files.map(({ file, graph }) => ({ file, graph, bound: bounds.get(graph) ?? -1 }));
}

/** A graph without the names of tensors and nodes, which are the importer's own affair: places instead. */
function shapeOf(graph: Graph): unknown {
  const index = new Map(graph.nodes.map((node, i) => [node.name, i]));
  const tensors = new Map(graph.tensors.map((tensor) => [tensor.id, tensor]));
  const seen = new Map<string | null, number>([[null, -1]]);
  return graph.nodes.map(({ op, target, args, specs, submodules, carried, mapped }) => ({
    op,
    target: op === "placeholder" ? null : target,
    args: (args ?? []).map((arg) => index.get(arg)),
    specs: (specs ?? []).map((id) => {
      if (!seen.has(id)) seen.set(id, seen.size);
      const { dtype, shape, nbytes, const: constant } = tensors.get(id ?? "") ?? { id };
      return [seen.get(id), dtype, shape, nbytes, constant];
    }),
    carried,
    mapped,
    submodules: submodules?.map((name) => {
      const submodule = graph.submodules?.[name];
      return submodule === undefined ? name : shapeOf(submodule);
    }),
  }));
}

describe("corpus", () => {
  const rows = corpusRows();
  it("names every file there is", () => {
    expect(
      corpusRows()
        .map(({ file }) => file)
        .sort(),
    ).toEqual(readdirSync(new URL("models/", kCorpus)).sort());
  });
  it.each(rows)("$file", async ({ file, graph, bound }) => {
    const { graph: imported } = await importModel(
      readFileSync(new URL(`models/${file}`, kCorpus)),
      kOptions[file],
    );
    const expected = JSON.parse(readFileSync(new URL(`graphs/${graph}.json`, kCorpus), "utf8")) as Graph;
    const actual = imported as Graph;
    expect(shapeOf(actual)).toEqual(shapeOf(expected));
    if (!kRenamed.has(file)) {
      const byId = (tensors: Tensor[]) => new Map(tensors.map((tensor) => [tensor.id, tensor]));
      expect(byId(actual.tensors)).toEqual(byId(expected.tensors));
    }
    const lives = [...lifetimesOf(actual).values()];
    expect(lives).toEqual([...lifetimesOf(expected).values()]);
    if (bound >= 0) expect(maxLive(lives, actual.nodes.length)).toBe(bound);
    expect(actual.signature).toEqual(expected.signature);
  });

  it("reads ExecuTorch's own plan", async () => {
    const { plan, notes } = await importModel(readFileSync(new URL("models/keyword_spotting.pte", kCorpus)));
    const text = readFileSync(new URL("graphs/et_keyword_spotting.executorch_plan.json", kCorpus), "utf8");
    const expected = JSON.parse(text) as PlanToVerify;
    expect(plan?.buffer_sizes).toEqual(expected.buffer_sizes);
    expect(plan?.tensors).toEqual(expected.tensors);
    expect(notes.join(" ")).toContain("ExecuTorch's own plan");
  });
});
