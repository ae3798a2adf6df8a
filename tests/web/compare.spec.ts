import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { data, dropFile, exported, openSample, openSite, type Site, settled } from "./site.ts";

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

function row(name: string | RegExp) {
  return page.locator(".contenders tbody tr", { hasText: name });
}

async function raceAll(): Promise<void> {
  await page.getByRole("button", { name: "Race all" }).click();
  await settled(page);
  const rows = await page.locator(".contenders tbody tr").allTextContents();
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => /not run|planning/.test(row))).toEqual([]);
}

async function besideDrawn(): Promise<void> {
  await settled(page);
  expect(await page.locator(".beside .stage[data-drawn]").count()).toBe(1);
}

describe("compare", () => {
  it("races every algorithm and both ExecuTorch rules, with bytes and time", async () => {
    await openSample(page, "Person detection");
    await raceAll();
    expect(await row("naive").first().textContent()).toContain("235 KiB");
    for (const name of ["auto", "greedy_by_size", "ExecuTorch, August 2026", "ExecuTorch, November 2024"]) {
      expect(await row(name).first().textContent()).toMatch(/KiB/);
      expect(await row(name).first().textContent()).toMatch(/\d (ms|s)/);
    }
  });

  it("finds ExecuTorch's plan of two conditionals unsound and marks where", async () => {
    await openSample(page, "Two conditionals");
    await raceAll();
    const upstream = row("ExecuTorch, August 2026");
    expect(await upstream.textContent()).toMatch(/fault/);
    await upstream.getByRole("button", { name: "Beside" }).click();
    await besideDrawn();
    expect(await page.locator(".beside").textContent()).toContain("Hatched in red");
  });

  it("draws two plans side by side at one scale, says what differs, and moves both together", async () => {
    await openSample(page, "Person detection");
    await row("naive").first().getByRole("button", { name: "Beside" }).click();
    await besideDrawn();
    expect(await page.locator(".difference").textContent()).toMatch(/181 KiB more than the plan on the left/);
    const views = () =>
      page.locator(".stage").evaluateAll((list) => list.map((s) => (s as HTMLElement).dataset.view));
    const [a, b] = await views();
    expect(a).toBe(b);
    await page.locator(".stage").first().focus();
    await page.keyboard.press("+");
    await expect.poll(async () => (await views())[0]).not.toBe(a);
    await settled(page);
    const [c, d] = await views();
    expect(d).toBe(c);
    await page.getByLabel("fade those that stay").check();
    await settled(page);
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator(".beside").count()).toBe(0);
  });

  it("checks a plan made elsewhere: ExecuTorch's own for a program of the corpus", async () => {
    await dropFile(page, "et.json", data("corpus/graphs/et_keyword_spotting.json"));
    await settled(page);
    await dropFile(page, "their plan.json", data("corpus/graphs/et_keyword_spotting.executorch_plan.json"));
    await besideDrawn();
    const theirs = row("their plan.json");
    expect(await theirs.textContent()).toContain("15.6 KiB");
    expect(await theirs.textContent()).toMatch(/sound|fault/);
  });

  it("marks each overlap of a plan that is wrong", async () => {
    await openSample(page, "Person detection");
    const { bytes } = await exported(page, /^Plan JSON/);
    const plan = JSON.parse(bytes.toString()) as { tensors: { mem_offset: number | null }[] };
    for (const t of plan.tensors) if (t.mem_offset !== null) t.mem_offset = 0;
    await dropFile(page, "wrong.json", Buffer.from(JSON.stringify(plan)));
    await besideDrawn();
    expect(await row("wrong.json").textContent()).toMatch(/\d+ faults/);
    await row("wrong.json").locator("summary").click();
    expect(await row("wrong.json").locator(".faults li").count()).toBeGreaterThan(5);
    expect(await page.locator(".beside").textContent()).toContain("Hatched in red");
  });
});
