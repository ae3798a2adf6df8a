import { load } from "memplan";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { data, dropFile, exported, headlineBytes, sampleOnShow, settled } from "./site.ts";

const shown = sampleOnShow("Person detection");

describe("exports", () => {
  it("give a plan JSON that verifies", async () => {
    const { file, bytes } = await exported(shown.page, /^Plan JSON/);
    expect(file).toBe("Person_detection.plan.json");
    const memplan = await load();
    const report = memplan.verify(data("corpus/graphs/person_detect.et.json"), bytes);
    expect(report.errors).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it("give CSV, C header and trace", async () => {
    expect((await exported(shown.page, /^CSV/)).bytes.toString()).toMatch(/^id,lower,upper,size,offset\n/);
    expect((await exported(shown.page, /^C header/)).bytes.toString()).toContain(
      "PERSON_DETECTION_ARENA_BYTES UINT64_C(55296)",
    );
    expect(
      JSON.parse((await exported(shown.page, /^Chrome trace/)).bytes.toString()).traceEvents.length,
    ).toBeGreaterThan(60);
  });

  it("give the picture as PNG and SVG", async () => {
    const png = (await exported(shown.page, /^PNG/)).bytes;
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.length).toBeGreaterThan(4000);
    const svg = (await exported(shown.page, /^SVG/)).bytes.toString();
    const parsed = await shown.page.evaluate((text) => {
      const tree = new DOMParser().parseFromString(text, "image/svg+xml");
      return {
        error: tree.querySelector("parsererror")?.textContent ?? null,
        rects: tree.querySelectorAll("rect > title").length,
      };
    }, svg);
    expect(parsed.error).toBeNull();
    expect(parsed.rects).toBe(31);
  });
});

/** Waits for a notice. It goes by itself, so the page has to look out for it before it is asked for. */
async function says(of: Page, words: string): Promise<void> {
  await of.waitForFunction((text) => document.querySelector(".notice")?.textContent?.includes(text), words);
}

describe("the address", () => {
  it("keeps sample and settings, so that a reload or a friend sees the same", async () => {
    await shown.page.locator(".what-if").getByLabel("Alignment").selectOption("64");
    await settled(shown.page);
    expect(new URL(shown.page.url()).hash).toContain("alignment=64");
    const bytes = await headlineBytes(shown.page);
    const { page: other } = await shown.site.open({ fragment: new URL(shown.page.url()).hash.slice(1) });
    await settled(other);
    expect(await headlineBytes(other)).toBe(bytes);
    expect(await other.locator(".what-if").getByLabel("Alignment").inputValue()).toBe("64");
    await other.context().close();
  });

  it("carries a small graph in its fragment", async () => {
    const { page: first } = await shown.site.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await dropFile(first, "gap.json", data("cases/01-leading-gap.json"));
    await settled(first);
    const told = says(first, "carries the model");
    await first.getByRole("button", { name: "Link" }).click();
    await told;
    expect(new URL(first.url()).hash).toContain("input=");
    const { page: second } = await shown.site.open({ fragment: new URL(first.url()).hash.slice(1) });
    await settled(second);
    expect(await headlineBytes(second)).toBe(180);
    await first.context().close();
    await second.context().close();
  });

  it("says when a model is too large for a link, and when a link is damaged", async () => {
    const { page: large } = await shown.site.open();
    await dropFile(large, "dense.json", data("corpus/graphs/densenet121.json"));
    await settled(large);
    const told = says(large, "too large for a link");
    await large.getByRole("button", { name: "Link" }).click();
    await told;
    await large.context().close();
    const { page: broken } = await shown.site.open({ fragment: "input=AAAA&title=x" });
    await broken.locator(".failure").waitFor();
    await broken.context().close();
  });
});
