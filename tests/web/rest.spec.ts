import { expect, it } from "vitest";
import { data, sampleOnShow, settled } from "./site.ts";

const shown = sampleOnShow("Person detection");

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
  ["a setting", () => shown.page.evaluate(choose, { selector: ".what-if select", value: "executorch-2026" })],
  ["a switch", () => shown.page.evaluate(click, ".what-if input[type=checkbox]")],
  ["a search", () => shown.page.evaluate(choose, { selector: "#search", value: "conv" })],
  ["a colour", () => shown.page.evaluate(choose, { selector: ".arena-bar select", value: "lifetime" })],
  ["a theme", () => shown.page.evaluate(click, ".theme-switch")],
  ["a key that zooms", () => shown.page.evaluate(press, "+")],
  ["a plan beside", () => shown.page.evaluate(click, ".contenders tbody button")],
  ["a race", () => shown.page.evaluate(click, ".compare button.primary")],
  ["an export", () => shown.page.evaluate(click, ".menu li:nth-child(2) button")],
  ["a link", () => shown.page.evaluate(click, ".top-bar > button:nth-last-of-type(2)")],
  [
    "another sample",
    () => shown.page.evaluate(choose, { selector: ".top-bar select", value: "mobilenet_v2" }),
  ],
  ["a file", () => shown.page.evaluate(drop, data("cases/01-leading-gap.json").toString())],
  ["a file that is none", () => shown.page.evaluate(drop, "{")],
];

it.each(acts)("the page is not at rest from the event on: %s", async (_, act) => {
  await settled(shown.page);
  const before = Number(await shown.page.locator("html").getAttribute("data-asked"));
  expect(await act()).toBeGreaterThan(before);
});
