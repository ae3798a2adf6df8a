import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { data, dropFile, headlineBytes, openSite, type Site, settled } from "./site.ts";

let site: Site;
let page: Page;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  await page?.context().close();
  ({ page } = await site.open());
});

describe("a model file dropped on the page", () => {
  it.each([
    ["tflm_person_detect.tflite", 55_296],
    ["light_squeezenet.onnx", 6_308_352],
    ["keyword_spotting.pte", 16_000],
  ])("%s needs %i bytes", async (name, bytes) => {
    await dropFile(page, name, data(`corpus/models/${name}`));
    await settled(page);
    expect(await headlineBytes(page)).toBe(bytes);
    expect(await page.locator(".headline .title").textContent()).toBe(name.replace(/\..*/, ""));
  });

  it("brings ExecuTorch's own plan out of a .pte to compare with", async () => {
    await dropFile(page, "keyword_spotting.pte", data("corpus/models/keyword_spotting.pte"));
    await settled(page);
    expect(await page.locator(".beside .stage[data-drawn]").count()).toBe(1);
    const theirs = page.locator(".contenders tbody tr", { hasText: "the plan in keyword_spotting.pte" });
    expect(await theirs.textContent()).toContain("15.6 KiB");
  });

  it("has a slider for each dimension that an .onnx file leaves open", async () => {
    await dropFile(page, "cls.onnx", data("corpus/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"));
    await settled(page);
    const sliders = page.locator(".dims input[type=range]");
    expect(await sliders.count()).toBeGreaterThan(0);
    const before = await headlineBytes(page);
    const slider = sliders.first();
    const size = Number(await slider.inputValue());
    await slider.focus();
    // The last press wins, however long each size takes to be read.
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await settled(page);
    expect(await page.locator(".dims output").first().textContent()).toBe(String(size + 3));
    expect(await slider.inputValue()).toBe(String(size + 3));
    expect(await headlineBytes(page)).toBeGreaterThan(before);
  });
});
