import { afterAll, beforeAll, expect, it } from "vitest";
import { data, dropFile, headlineBytes, openSample, openSite, type Site, settled } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

it("works without a network once it was loaded: start, samples, files, model readers", async () => {
  const { page } = await site.open();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((r) => setTimeout(r, 50));
  });
  await page.context().setOffline(true);
  await page.reload();
  await openSample(page, "ResNet-50");
  expect(await headlineBytes(page)).toBe(9_633_792);
  await dropFile(page, "kws.tflite", data("corpus/models/mlperftiny_kws_ref_model.tflite"));
  await settled(page);
  expect(await page.locator(".headline .title").textContent()).toBe("kws");
  expect(await headlineBytes(page)).toBe(16_000);
  await page.context().close();
});
