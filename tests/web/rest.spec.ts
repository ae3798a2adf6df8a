import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { data, openSample, openSite, type Site, settled } from "./site.ts";

let site: Site;
let page: Page;
beforeAll(async () => {
  site = await openSite();
  ({ page } = await site.open());
  await openSample(page, "Person detection");
});
afterAll(() => site.close());

/** Acts in the page give what was asked of it by then, in the same turn. */
function click(selector: string): number {
  (document.querySelector(selector) as HTMLElement).click();
  return Number(document.documentElement.dataset.asked);
}

function choose({ selector, value }: { selector: string; value: string }): number {
  const field = document.querySelector(selector) as HTMLInputElement;
  field.value = value;
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  return Number(document.documentElement.dataset.asked);
}

function press(key: string): number {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  return Number(document.documentElement.dataset.asked);
}

function drop(text: string): number {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "dropped.json"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
  return Number(document.documentElement.dataset.asked);
}

const acts: [string, () => Promise<number>][] = [
  ["a setting", () => page.evaluate(choose, { selector: ".what-if select", value: "executorch-2026" })],
  ["a switch", () => page.evaluate(click, ".what-if input[type=checkbox]")],
  ["a search", () => page.evaluate(choose, { selector: "#search", value: "conv" })],
  ["a colour", () => page.evaluate(choose, { selector: ".arena-bar select", value: "lifetime" })],
  ["a theme", () => page.evaluate(click, ".theme-switch")],
  ["a key that zooms", () => page.evaluate(press, "+")],
  ["a plan beside", () => page.evaluate(click, ".contenders tbody button")],
  ["a race", () => page.evaluate(click, ".compare button.primary")],
  ["an export", () => page.evaluate(click, ".menu li:nth-child(2) button")],
  ["a link", () => page.evaluate(click, ".top-bar > button:nth-last-of-type(2)")],
  ["another sample", () => page.evaluate(choose, { selector: ".top-bar select", value: "mobilenet_v2" })],
  ["a file", () => page.evaluate(drop, data("cases/01-leading-gap.json").toString())],
  ["a file that is none", () => page.evaluate(drop, "{")],
];

it.each(acts)("the page is not at rest from the event on: %s", async (_, act) => {
  await settled(page);
  const before = Number(await page.locator("html").getAttribute("data-asked"));
  expect(await act()).toBeGreaterThan(before);
});
