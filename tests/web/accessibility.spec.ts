import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dropFile, openSample, openSite, type Site, settled } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe finds, one line a fault, once the page is at rest and no colour or opacity is on its way to another. Its code
 * comes in by the debugger, which the page's policy does not bind.
 */
async function faults(page: Page): Promise<string[]> {
  await settled(page);
  await page.waitForFunction(() => document.getAnimations().every((a) => a.playState !== "running"));
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(of: Document): Promise<AxeResults> } };
    const { violations } = await axe.run(document);
    return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`));
  });
}

describe.each(["light", "dark"] as const)("axe, %s", (colorScheme) => {
  it("finds nothing on the start page", async () => {
    const { page } = await site.open({ colorScheme });
    expect(await faults(page)).toEqual([]);
    await page.context().close();
  });

  it.each([1280, 360])(
    "finds nothing with a plan on show, pinned, compared and searched, at %i pixels",
    async (width) => {
      const { page } = await site.open({ colorScheme, viewport: { width, height: 800 } });
      await openSample(page, "Two conditionals");
      await page.locator(".contenders tbody tr", { hasText: "naive" }).first().getByRole("button").click();
      await settled(page);
      await page.locator(".live-row").first().click();
      await page.getByLabel("Colour by").selectOption("size");
      await page.locator("#search").fill("s_");
      await page.getByText("Export", { exact: true }).click();
      expect(await faults(page)).toEqual([]);
      for (const shown of [".beside .stage[data-drawn]", ".pinned", ".menu[open]", ".search .count"])
        expect(await page.locator(shown).count(), shown).toBe(1);
      await page.context().close();
    },
  );

  it("finds nothing on an error", async () => {
    const { page } = await site.open({ colorScheme });
    await dropFile(page, "bad.json", Buffer.from('{"tensors": 3}'));
    expect(await faults(page)).toEqual([]);
    expect(await page.locator(".failure").count()).toBe(1);
    await page.context().close();
  });
});

describe("the keyboard", () => {
  it("reaches everything there is to press, and shows where it is", async () => {
    const { page } = await site.open();
    await openSample(page, "A tiny one splits");
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll("button, select, input, summary, a[href], [tabindex='0']")].filter(
          (e) => e.checkVisibility() && !(e as HTMLButtonElement).disabled,
        ).length,
    );
    const reached = new Set<string>();
    await page.evaluate(() => {
      [...document.querySelectorAll("*")].forEach((e, i) => {
        e.setAttribute("data-n", String(i));
      });
      (document.activeElement as HTMLElement | null)?.blur();
    });
    for (let i = 0; i < wanted + 20; i++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        return { n: e.getAttribute("data-n") ?? "", outline: getComputedStyle(e).outlineStyle };
      });
      if (!at) continue;
      expect(at.outline).not.toBe("none");
      reached.add(at.n);
    }
    expect(reached.size).toBeGreaterThanOrEqual(wanted);
    await page.context().close();
  });

  it("opens a sample with Enter and gets past the header with the first link", async () => {
    const { page } = await site.open();
    await page.locator(".sample").first().focus();
    await page.keyboard.press("Enter");
    await settled(page);
    expect(await page.locator(".stage[data-drawn]").count()).toBe(1);
    await page.context().close();
  });

  it("takes the theme by system and by switch, and keeps the choice", async () => {
    const { page } = await site.open({ colorScheme: "dark" });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe("dark");
    await page.getByRole("button", { name: /^Theme/ }).click();
    await expect.poll(theme).toBe("light");
    await page.reload();
    expect(await theme()).toBe("light");
    await page.context().close();
  });
});
