import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { data, dropFile, middleOf, openSample, openSite, type Site, settled } from "./site.ts";

let site: Site;
let page: Page;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

beforeEach(async () => {
  await page?.context().close();
  ({ page } = await site.open());
  await openSample(page, "MobileNet v2");
});

interface View {
  t0: number;
  t1: number;
  b0: number;
  b1: number;
}

/** The view as the page keeps it for its tests and for people who look: time and bytes of the first lane. */
async function view(): Promise<View> {
  const text = await page.locator(".stage").first().getAttribute("data-view");
  const [t0, t1, b0, b1] = (text ?? "").split(" ").map(Number);
  return { t0: t0 ?? 0, t1: t1 ?? 0, b0: b0 ?? 0, b1: b1 ?? 0 };
}

/** The view once it is as it has to become, and drawn. */
async function viewThat(is: (view: View) => boolean): Promise<View> {
  await expect.poll(async () => is(await view())).toBe(true);
  await settled(page);
  return view();
}

const span = ({ t0, t1 }: View) => t1 - t0;
const height = ({ b0, b1 }: View) => b1 - b0;

async function stageBox() {
  const box = await page.locator(".stage").first().boundingBox();
  if (!box) throw new Error("no stage");
  return box;
}

describe("zoom and pan", () => {
  it("zooms at the pointer with the wheel, on both axes, one, or the other", async () => {
    const box = await stageBox();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.5);
    const before = await view();
    await page.mouse.wheel(0, -300);
    const both = await viewThat((v) => span(v) < span(before) && height(v) < height(before));
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Shift");
    const time = await viewThat((v) => span(v) < span(both));
    expect(height(time)).toBeCloseTo(height(both), 6);
    await page.keyboard.down("Alt");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Alt");
    const bytes = await viewThat((v) => height(v) < height(time));
    expect(span(bytes)).toBeCloseTo(span(time), 6);
  });

  it("lets the page scroll where there is nothing left to zoom out of", async () => {
    const box = await stageBox();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 100);
    const before = await view();
    await page.mouse.wheel(0, 300);
    // A page that scrolls has let the picture have the wheel before.
    await page.waitForFunction(() => scrollY > 0);
    await settled(page);
    expect(await view()).toEqual(before);
  });

  it("pans with a drag and never leaves the graph", async () => {
    const box = await stageBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
    const all = await view();
    await page.mouse.wheel(0, -600);
    const before = await viewThat((v) => span(v) < span(all));
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6 - 120, box.y + box.height * 0.5 + 40, { steps: 4 });
    await page.mouse.up();
    const after = await viewThat((v) => v.t0 > before.t0 && v.b0 > before.b0);
    expect(span(after)).toBeCloseTo(span(before), 6);
  });

  it("has speedscope's keys", async () => {
    await page.locator(".stage").first().focus();
    const start = await view();
    await page.keyboard.press("+");
    const zoomed = await viewThat((v) => span(v) < span(start));
    await page.keyboard.press("d");
    const right = await viewThat((v) => v.t0 > zoomed.t0);
    await page.keyboard.press("ArrowLeft");
    await viewThat((v) => Math.abs(v.t0 - zoomed.t0) < 1e-6);
    await page.keyboard.press("w");
    await viewThat((v) => v.b0 > right.b0);
    await page.keyboard.press("-");
    await page.keyboard.press("0");
    await expect.poll(view).toEqual(start);
  });

  it("pinches with two fingers", async () => {
    const box = await stageBox();
    const start = await view();
    await page.evaluate(
      ({ x, y }) => {
        const stage = document.querySelector(".stage") as HTMLElement;
        stage.setPointerCapture = () => {};
        const fire = (type: string, pointerId: number, dx: number, dy: number) =>
          stage.dispatchEvent(
            new PointerEvent(type, {
              pointerId,
              pointerType: "touch",
              clientX: x + dx,
              clientY: y + dy,
              bubbles: true,
              button: 0,
              buttons: 1,
            }),
          );
        fire("pointerdown", 11, -40, 0);
        fire("pointerdown", 12, 40, 0);
        for (let i = 1; i <= 10; i++) fire("pointermove", 12, 40 + 8 * i, 0);
        fire("pointerup", 11, -40, 0);
        fire("pointerup", 12, 120, 0);
      },
      { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    );
    const after = await viewThat((v) => span(v) < span(start) * 0.7);
    expect(height(after)).toBeCloseTo(height(start), 3);
  });

  it("moves and narrows the view in the overview strip", async () => {
    const strip = await page.locator(".overview").boundingBox();
    if (!strip) throw new Error("no overview");
    const before = await view();
    const y = strip.y + strip.height / 2;
    const end = strip.x + strip.width - 1;
    await page.mouse.move(end, y);
    await page.mouse.down();
    await page.mouse.move(end - strip.width * 0.2, y, { steps: 5 });
    await page.mouse.up();
    // Where the pointer ended, not where it was on its way.
    const to = before.t0 + span(before) * (0.8 - 1 / strip.width);
    const narrow = await viewThat((v) => Math.abs(v.t1 - to) < 0.01 * span(before));
    expect(narrow.t0).toBe(before.t0);
    await page.mouse.move(strip.x + strip.width * 0.95, y);
    await page.mouse.down();
    await page.mouse.up();
    const moved = await viewThat((v) => v.t0 > narrow.t0);
    expect(span(moved)).toBeCloseTo(span(narrow), 6);
  });

  it("fits the pinned tensor by key", async () => {
    await page.locator(".live-row").first().click();
    const before = await view();
    await page.locator(".stage").first().focus();
    await page.keyboard.press("f");
    await viewThat((v) => span(v) < span(before) / 4);
  });

  it("fits a tensor on a double click", async () => {
    const before = await view();
    const name = (await page.locator(".live-row .name").first().textContent()) ?? "";
    const at = await middleOf(page, name);
    await page.mouse.dblclick(at.x, at.y);
    await viewThat((v) => span(v) < span(before) / 4);
  });
});

describe("looking closer", () => {
  it("goes to the peak and lists what is live there, largest first, with operator", async () => {
    await page.getByRole("button", { name: "Peak" }).click();
    await expect.poll(() => page.locator(".live h2").textContent()).toContain("At node 112");
    await settled(page);
    const names = await page.locator(".live-row .name").allTextContents();
    expect(names).toHaveLength(2);
    const from = await page.locator(".live-row .from").allTextContents();
    expect(from[0]).toContain("CONV_2D");
    const shares = await page.locator(".live-row .share").allTextContents();
    expect(shares.map((s) => Number.parseInt(s, 10))).toEqual([80, 20]);
  });

  it("scrubs through the nodes with mouse and keys, and tells the same to a screen reader", async () => {
    const strip = page.locator(".live-strip");
    await strip.scrollIntoViewIfNeeded();
    const box = await strip.boundingBox();
    if (!box) throw new Error("no strip");
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
    await page.mouse.down();
    const node = async () => Number(await strip.getAttribute("aria-valuenow"));
    await expect.poll(node).toBeGreaterThan(0);
    const start = await node();
    // In one step, so that there is no node between.
    await page.mouse.move(box.x + box.width * 0.8, box.y + 20);
    await page.mouse.up();
    await expect.poll(node).toBeGreaterThan(start);
    const first = await node();
    expect(first).toBeGreaterThan(120);
    await strip.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(node).toBe(first + 1);
    expect(await strip.getAttribute("aria-valuetext")).toMatch(/^node \d+, .*live$/);
    expect(await page.locator(".live h2").textContent()).toContain(String(first + 1));
  });

  it("pins a tensor with a click and lets it go", async () => {
    const name = await page.locator(".live-row .name").first().textContent();
    const at = await middleOf(page, name ?? "");
    await page.mouse.click(at.x, at.y);
    expect(await page.locator(".pinned h2").textContent()).toContain((name ?? "").slice(1));
    expect(await page.locator(".pinned").textContent()).toContain("1,204,224 bytes");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".pinned").count()).toBe(0);
  });

  it("steps through the tensors by key", async () => {
    const pinned = () => page.locator(".pinned h2").textContent();
    await page.keyboard.press("n");
    const first = await pinned();
    await page.keyboard.press("n");
    await expect.poll(pinned).not.toBe(first);
    await page.keyboard.press("p");
    await expect.poll(pinned).toBe(first);
  });

  it("searches by name, in table and picture", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("expanded_conv_13/");
    const named = async () =>
      (await page.locator(".rows-table tbody th").allTextContents()).filter((row) => row !== "");
    // The rows follow each letter typed.
    await expect
      .poll(async () => (await named()).every((row) => row.toLowerCase().includes("expanded_conv_13")))
      .toBe(true);
    await settled(page);
    expect((await named()).length).toBeGreaterThan(2);
  });

  it("colours by size, lifetime, operator, module and pool, each with its legend", async () => {
    const legend = () => page.locator(".legend").textContent();
    let last = await legend();
    for (const by of ["size", "lifetime", "operator", "module", "pool"]) {
      await page.getByLabel("Colour by").selectOption(by);
      await expect.poll(legend).not.toBe(last);
      await settled(page);
      last = await legend();
      expect((last ?? "").length).toBeGreaterThan(2);
    }
  });

  it("changes the colours by key", async () => {
    await page.keyboard.press("2");
    await expect.poll(() => page.getByLabel("Colour by").inputValue()).toBe("lifetime");
    await page.keyboard.press("3");
    await expect.poll(() => page.locator(".legend").textContent()).toContain("CONV_2D");
  });

  it("sorts the table by any column", async () => {
    await page.getByRole("button", { name: "Offset" }).click();
    await page.locator("th[aria-sort=descending]", { hasText: "Offset" }).waitFor();
    const offsets = await page.locator(".rows-table tbody tr td:nth-child(3)").allTextContents();
    const numbers = offsets.filter((t) => t !== "–").map((t) => Number(t.replaceAll(",", "")));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  });

  it("says in words what makes the peak", async () => {
    const hints = await page.locator(".hints").textContent();
    expect(hints).toContain("peak is at");
    expect(hints).toContain("CONV_2D");
  });
});

describe("hints that take more plans", () => {
  it("name an order that needs less", async () => {
    await dropFile(page, "order.json", data("cases/40-order-decides-the-peak.json"));
    await settled(page);
    const hints = await page.locator(".hints").textContent();
    expect(hints).toContain("another order");
    expect(hints).toContain("1.13 KiB instead of 1.88 KiB");
  });
});
