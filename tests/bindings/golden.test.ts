import { readdirSync, readFileSync } from "node:fs";
import { load, type Memplan } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { compareAll, readGolden } from "./golden.ts";

const DATA = new URL("../data/", import.meta.url);

function casesOf(folder: string) {
  return readdirSync(new URL(`golden/${folder}/`, DATA))
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const text = readFileSync(new URL(`golden/${folder}/${file}`, DATA), "utf8");
      const graph =
        folder === "corpus" ? readFileSync(new URL(`corpus/graphs/${file}`, DATA), "utf8") : undefined;
      return readGolden(`${folder}/${file}`, text, graph);
    });
}

describe("golden files, through the package in Node", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  it.each([
    { folder: "seed", plans: 803 },
    { folder: "quirks", plans: 77 },
    { folder: "head", plans: 772 },
    { folder: "corpus", plans: 141 },
    { folder: "verifier", plans: 0 },
  ])("$folder: every plan, error and verdict is ExecuTorch's", ({ folder, plans }) => {
    const tally = compareAll(memplan, casesOf(folder), folder !== "verifier");
    console.log(`golden/${folder}: ${tally.plans} plans and ${tally.verdicts} verdicts compared`);
    expect(tally.differences.slice(0, 5)).toEqual([]);
    expect(tally.plans).toBe(plans);
  });
});
