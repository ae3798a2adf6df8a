import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importModel } from "../../bindings/import.js";
import type { Graph } from "../../bindings/types.js";
import { lifetimesOf, maxLive } from "./import_lifetimes.js";

const kCorpus = new URL("../data/corpus/", import.meta.url);

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

/** Nodes with args as node indices: what a node is called is the importer's own affair. */
function shapeOf(graph: Graph): unknown[] {
  const index = new Map(graph.nodes.map((node, i) => [node.name, i]));
  return graph.nodes.map(({ op, target, args, specs }) => ({
    op,
    target: op === "placeholder" ? null : target,
    args: (args ?? []).map((arg) => index.get(arg)),
    specs,
  }));
}

describe("corpus", () => {
  const rows = corpusRows().filter(({ file }) => file.endsWith(".tflite"));
  it("names every file there is", () => {
    expect(
      corpusRows()
        .map(({ file }) => file)
        .sort(),
    ).toEqual(readdirSync(new URL("models/", kCorpus)).sort());
  });
  it.each(rows)("$file", async ({ file, graph, bound }) => {
    const { graph: imported } = await importModel(readFileSync(new URL(`models/${file}`, kCorpus)));
    const expected = JSON.parse(readFileSync(new URL(`graphs/${graph}.json`, kCorpus), "utf8")) as Graph;
    const actual = imported as Graph;
    expect(actual.tensors).toEqual(expected.tensors);
    const lives = lifetimesOf(actual);
    expect(lives).toEqual(lifetimesOf(expected));
    expect(maxLive(lives.values(), actual.nodes.length)).toBe(bound);
    expect(shapeOf(actual)).toEqual(shapeOf(expected));
    expect(actual.signature).toEqual(expected.signature);
  });
});
