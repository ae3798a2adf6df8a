import { load } from "memplan";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ENDLESS_BOUND, endlessProblem } from "../bindings/endless_problem.ts";
import { data, dropFile, exported, headlineBytes, openSample, openSite, type Site, settled } from "./site.ts";

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

async function choose(label: string, value: string): Promise<void> {
  await page.locator(".what-if").getByLabel(label).selectOption(value);
  await settled(page);
}

describe("what if", () => {
  it("plans anew for each setting", async () => {
    await openSample(page, "Person detection");
    const usual = await headlineBytes(page);
    await choose("Algorithm", "naive");
    const naive = await headlineBytes(page);
    expect(naive).toBe(241_056);
    await choose("Algorithm", "auto");
    await choose("Alignment", "256");
    expect((await headlineBytes(page)) % 256).toBe(0);
    await choose("Alignment", "16");
    expect(await headlineBytes(page)).toBe(usual);
  });

  it("plans as ExecuTorch did and does", async () => {
    await openSample(page, "Person detection");
    const runs = JSON.parse(data("golden/corpus/person_detect.et.json").toString()) as {
      planner: string;
      algorithm: string;
      options: Record<string, unknown>;
      plan: { buffer_sizes: number[] };
    }[];
    const golden = (planner: string, algorithm: string) =>
      runs.find((r) => r.planner === planner && r.algorithm === algorithm)?.plan.buffer_sizes[1];
    await choose("Rules", "executorch-2024");
    expect(await page.locator(".verdict").textContent()).toContain("As ExecuTorch plans it");
    expect(await page.locator(".what-if").getByLabel("Algorithm").inputValue()).toBe("greedy");
    const names = await page.locator(".what-if").getByLabel("Algorithm").locator("option").allTextContents();
    expect(names).toEqual(["greedy", "naive"]);
    expect(await headlineBytes(page)).toBe(golden("seed", "greedy"));
    await choose("Algorithm", "naive");
    expect(await headlineBytes(page)).toBe(golden("seed", "naive"));
    await choose("Rules", "executorch-2026");
    expect(await headlineBytes(page)).toBe(golden("head", "greedy"));
    await choose("Rules", "sound");
    expect(await page.locator(".verdict").textContent()).toContain("Proven optimal");
  });

  it("leaves inputs and outputs to the caller", async () => {
    await dropFile(page, "owners.json", data("cases/37-who-owns-inputs-and-outputs.json"));
    await settled(page);
    const both = await headlineBytes(page);
    await page.getByLabel("inputs", { exact: true }).uncheck();
    await settled(page);
    const outputs = await headlineBytes(page);
    await page.getByLabel("outputs", { exact: true }).uncheck();
    await settled(page);
    expect(outputs).toBeLessThanOrEqual(both);
    expect(await headlineBytes(page)).toBeLessThan(both);
  });

  it("writes over dying inputs where it may", async () => {
    await dropFile(page, "inplace.json", data("cases/17-concat-inputs-in-place.json"));
    await settled(page);
    const apart = await headlineBytes(page);
    await page.getByLabel("write over a dying input").check();
    await settled(page);
    expect(await headlineBytes(page)).toBeLessThan(apart);
  });

  it("draws a board's memory as a ceiling, and says whether it holds the plan", async () => {
    await openSample(page, "Person detection");
    await choose("It has to fit", "nano_33_ble");
    expect(await page.locator(".misfit").count()).toBe(0);
    await choose("It has to fit", "uno_r4");
    const misfit = await page.locator(".misfit").textContent();
    expect(misfit).toContain("does not fit");
    expect(misfit).toContain("32,768 bytes");
    expect(misfit).toMatch(/22,528 bytes too few/);
    expect(await headlineBytes(page)).toBe(55_296);
    await choose("It has to fit", "own");
    await page.getByLabel("KiB of memory").fill("54");
    await page.getByLabel("KiB of memory").press("Enter");
    await settled(page);
    expect(await page.locator(".misfit").count()).toBe(0);
  });
});

describe("a capacity that the file gives", () => {
  it("is drawn and explained where the plan does not fit it", async () => {
    await dropFile(page, "camera.json", data("cases/08-needs-more-than-it-has.json"));
    await settled(page);
    const misfit = await page.locator(".misfit").textContent();
    expect(misfit).toContain("212,064 bytes");
    expect(misfit).toContain("191,120 bytes");
    expect(misfit).toContain("c1 (108 KiB)");
    expect(await headlineBytes(page)).toBe(212_064);
  });
});

describe("a search", () => {
  it("takes the time it is given", async () => {
    await openSample(page, "MiniMalloc D");
    await choose("Search for at most", "100");
    expect(new URL(page.url()).hash).toContain("timeLimitMs=100");
    const bytes = await headlineBytes(page);
    expect(bytes).toBeGreaterThanOrEqual(986_112);
    // What one pass by size reaches; the search starts below it.
    expect(bytes).toBeLessThanOrEqual(1_315_840);
  });

  it("shows its progress, improves the picture, and stops with the best plan so far", async () => {
    const problem = endlessProblem();
    const memplan = await load();
    const onePass = memplan.plan(problem, { algorithm: "greedy_by_size" }).buffer_sizes[1] as number;
    await page.context().close();
    // An hour: it does not end before somebody stops it.
    ({ page } = await site.open({ fragment: "timeLimitMs=3600000" }));
    await dropFile(page, "endless.csv", Buffer.from(problem));
    const progress = page.locator(".headline .progress");
    await expect
      .poll(() => progress.textContent())
      .toMatch(/^Searching, \w+best [\d.]+ TiBbound [\d.]+ TiBStop$/);
    await expect.poll(() => headlineBytes(page)).toBeLessThan(onePass);
    const improved = await headlineBytes(page);
    // By key: the line about the button changes as long as the search goes on.
    await page.getByRole("button", { name: "Stop" }).press("Enter");
    await settled(page);
    expect(await progress.count()).toBe(0);
    expect(await page.locator(".verdict").textContent()).toMatch(/^Stopped/);
    const bytes = await headlineBytes(page);
    expect(bytes).toBeLessThanOrEqual(improved);
    expect(bytes).toBeGreaterThan(ENDLESS_BOUND);
    const plan = JSON.parse((await exported(page, /^Plan JSON/)).bytes.toString());
    expect(plan.buffer_sizes).toEqual([0, bytes]);
    expect(memplan.verify(problem, plan)).toMatchObject({ ok: true });
  });
});
