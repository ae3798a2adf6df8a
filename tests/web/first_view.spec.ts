import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data, dropFile, headlineBytes, middleOf, openSample, openSite, type Site, settled } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

describe("the start", () => {
  it("says what it is, that nothing is uploaded, and has samples of each kind with a sentence each", async () => {
    const { page, complaints } = await site.open();
    expect(await page.locator("h1").textContent()).toContain("arena");
    expect(await page.locator("body").textContent()).toContain("Nothing leaves your machine");
    const kinds = await page.locator(".sample .kind").allTextContents();
    expect(kinds.filter((k) => k === "network").length).toBeGreaterThanOrEqual(6);
    for (const kind of ["control flow", "intervals", "small case"]) expect(kinds).toContain(kind);
    for (const look of await page.locator(".sample .look").allTextContents())
      expect(look.length).toBeGreaterThan(40);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("asks no other host for anything", async () => {
    const context = await site.browser.newContext();
    const page = await context.newPage();
    const hosts = new Set<string>();
    page.on("request", (r) => hosts.add(new URL(r.url()).host));
    await page.goto(site.url);
    await openSample(page, "Person detection");
    expect([...hosts]).toEqual([new URL(site.url).host]);
    await context.close();
  });
});

describe("samples", () => {
  it.each([
    ["Person detection", 55_296],
    ["MobileNet v2", 1_505_280],
    ["ResNet-50", 9_633_792],
    ["DenseNet-121", 8_429_568],
    ["PP-OCR v4", 2_949_120],
    ["Whisper tiny", 112_608_000],
    ["A tiny one splits", 576],
  ])("%s needs %i bytes, the lower bound, and says that it is proven", async (name, bytes) => {
    const { page, complaints } = await site.open();
    await openSample(page, name);
    expect(await headlineBytes(page)).toBe(bytes);
    expect(await page.locator(".verdict").textContent()).toContain("Proven optimal");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("shows control flow as lanes of their own", async () => {
    const { page } = await site.open();
    await openSample(page, "Two conditionals");
    const rows = await page.locator(".rows-table tbody th").allTextContents();
    for (const branch of ["true_0", "false_0", "true_1", "false_1"]) {
      expect(rows.some((r) => r.startsWith(branch))).toBe(true);
    }
    await page.context().close();
  });
});

describe("a file", () => {
  it("can be dropped, and shows its answer, its picture and its table", async () => {
    const { page, complaints } = await site.open();
    await dropFile(page, "mlperf.json", data("corpus/graphs/mlperftiny_kws_int8.json"));
    await settled(page);
    expect(await page.locator(".headline .title").textContent()).toBe("mlperf");
    expect(await headlineBytes(page)).toBe(16_000);
    expect(await page.locator(".rows-table tbody tr").count()).toBeGreaterThan(10);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("can be chosen, or pasted as text", async () => {
    const { page } = await site.open();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "choose a file" }).click();
    await (await chooser).setFiles({
      name: "a.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("id,lower,upper,size\na,0,2,100\nb,1,3,28\n"),
    });
    await settled(page);
    expect(await headlineBytes(page)).toBe(128);
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, data("cases/01-leading-gap.json").toString());
    await settled(page);
    expect(await headlineBytes(page)).toBe(180);
    await page.context().close();
  });

  it("asked for last is shown, whichever comes in first", async () => {
    const { page } = await site.open({ serviceWorkers: "block" });
    let deliver = () => {};
    const held = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    await page.route("**/resnet50*", async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest("**/resnet50*");
    await page.locator(".sample", { hasText: "ResNet-50" }).click();
    await asked;
    await dropFile(page, "gap.json", data("cases/01-leading-gap.json"));
    await expect.poll(() => headlineBytes(page)).toBe(180);
    deliver();
    await settled(page);
    expect(await headlineBytes(page)).toBe(180);
    expect(await page.locator(".headline .title").textContent()).toBe("gap");
    await page.context().close();
  });

  it("tells, under the pointer, name, size, offset and lifetime", async () => {
    const { page } = await site.open();
    await dropFile(page, "gap.json", data("cases/01-leading-gap.json"));
    await settled(page);
    const at = await middleOf(page, "B");
    await page.mouse.move(at.x, at.y);
    await page.locator(".tooltip.shown").waitFor();
    const tip = await page.locator(".tooltip").textContent();
    expect(tip).toContain("80 B");
    expect(tip).toMatch(/1 to 2/);
    await page.context().close();
  });
});
