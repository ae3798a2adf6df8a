import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endlessProblem } from "../bindings/endless_problem.ts";
import { data, dropFile, headlineBytes, openSite, type Site, settled } from "./site.ts";

let site: Site;
let page: Page;
beforeAll(async () => {
  site = await openSite();
  ({ page } = await site.open());
});
afterAll(() => site.close());

const graph = JSON.parse(data("cases/24-in-place-result-outlives-its-base.json").toString());
const changed = (change: (g: typeof graph) => void) => {
  const copy = structuredClone(graph);
  change(copy);
  return Buffer.from(JSON.stringify(copy));
};
const tflite = data("corpus/models/tflm_hello_world_int8.tflite");
const onnx = data("corpus/models/onnx_node_test_if.onnx");

describe("a bad file says what is wrong and where", () => {
  it.each<[string, Uint8Array, RegExp]>([
    ["empty.json", Buffer.from(""), /INVALID_JSON|INVALID_INPUT/],
    ["cut.json", Buffer.from('{"version": 1, "tensors": ['), /line 1.*INVALID_JSON/s],
    ["prose.txt", Buffer.from("Dear planner, please plan."), /INVALID_INPUT|INVALID_JSON/],
    [
      "noise.bin",
      Uint8Array.from({ length: 4000 }, (_, i) => (i * 7919) % 251),
      /INVALID_INPUT|INVALID_JSON/,
    ],
    ["type.json", changed((g) => Object.assign(g.tensors[1], { nbytes: "many" })), /tensors\[1\]\.nbytes/],
    ["twice.json", changed((g) => g.tensors.push(g.tensors[0])), /tensors\[\d+\]\.id/],
    [
      "unknown.json",
      changed((g) => Object.assign(g.nodes[g.nodes.length - 1], { specs: ["ghost"] })),
      /nodes\[\d+\]\.specs\[0\].*ghost/s,
    ],
    ["huge.json", data("cases/14-past-2-to-the-53.json"), /TOO_LARGE/],
    ["pins.json", data("cases/11-pins-collide.json"), /PINS_COLLIDE/],
    ["header.csv", Buffer.from("id,size\na,3\n"), /line 1|INVALID_INPUT/],
    ["cell.csv", Buffer.from("id,lower,upper,size\na,0,2,3\nb,1,x,5\n"), /line 3/],
    ["plan.json", data("corpus/graphs/et_keyword_spotting.executorch_plan.json"), /open the model first/],
    ["cut.tflite", tflite.subarray(0, 400), /INVALID_INPUT/],
    ["cut.onnx", onnx.subarray(0, onnx.length >> 1), /INVALID_INPUT/],
  ])("%s", async (name, bytes, words) => {
    await dropFile(page, name, bytes);
    await settled(page);
    const failure = page.locator(".failure");
    expect(await failure.textContent()).toContain(name);
    expect(await failure.textContent()).toMatch(words);
    expect(await failure.getAttribute("role")).toBe("alert");
    expect(await failure.textContent()).not.toMatch(/INTERNAL|undefined|\[object/);
  });

  it("and ends the search before it, so that nothing covers what it says", async () => {
    const { page } = await site.open({ fragment: "timeLimitMs=3600000" });
    await dropFile(page, "endless.csv", Buffer.from(endlessProblem()));
    await page.locator(".headline .progress", { hasText: "Searching" }).waitFor();
    await dropFile(page, "cut.tflite", tflite.subarray(0, 400));
    // It would not come to rest while the search runs.
    await settled(page);
    expect(await page.locator(".failure").textContent()).toContain("cut.tflite");
    await page.context().close();
  });

  it("and the next file works", async () => {
    await dropFile(page, "gap.json", data("cases/01-leading-gap.json"));
    await settled(page);
    expect(await page.locator(".failure").count()).toBe(0);
    expect(await headlineBytes(page)).toBe(180);
  });
});
