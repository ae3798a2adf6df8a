// What the page costs to open: bytes of the first view, and the time from drop to picture for the largest network
// of the corpus, in headless Chromium: `node tests/bench/first_view.mjs` on the built site (build/web).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { serve } from "../../scripts/serve.mjs";
import { ROOT } from "../../scripts/steps.mjs";

const site = process.env.MEMPLAN_SITE ?? join(ROOT, "build/web");
const server = await serve({ "/": site });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

/** Bytes of a served file as a server that compresses would send it; fonts are compressed already. */
function transferred(url) {
  const path = new URL(url).pathname;
  const bytes = readFileSync(join(site, path === "/" ? "index.html" : path));
  return path.endsWith(".woff2") ? bytes.length : gzipSync(bytes, { level: 9 }).length;
}

async function bytesOfFirstView() {
  // Without the service worker, which fetches everything for later in the background.
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const seen = new Set();
  page.on("request", (request) => seen.add(request.url()));
  await page.goto(server.url);
  await page.waitForTimeout(800);
  const start = [...seen];
  await page.locator(".sample", { hasText: "Person detection" }).click();
  await page.waitForSelector(".stage[data-drawn]");
  await page.waitForTimeout(800);
  const all = [...seen];
  await context.close();
  const sum = (urls) => urls.reduce((total, url) => total + transferred(url), 0);
  const wasm = all.filter((url) => url.endsWith(".wasm"));
  const sample = all.filter((url) => url.endsWith(".json"));
  return { start: sum(start), all: sum(all), wasm: sum(wasm), sample: sum(sample) };
}

/** Median over `runs` of the milliseconds from drop to picture, the planner loaded before or not. */
async function dropToPicture(path, runs) {
  const base64 = readFileSync(join(ROOT, path)).toString("base64");
  const times = [];
  for (let run = 0; run < runs; run++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(server.url);
    await page.waitForTimeout(1000);
    times.push(
      await page.evaluate(
        ({ base64 }) =>
          new Promise((resolve) => {
            const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], "network.json"));
            const start = performance.now();
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
            const look = () =>
              document.querySelector(".stage[data-drawn]")
                ? resolve(performance.now() - start)
                : requestAnimationFrame(look);
            look();
          }),
        { base64 },
      ),
    );
    await page.close();
  }
  return times.sort((a, b) => a - b)[runs >> 1];
}

const bytes = await bytesOfFirstView();
const kb = (n) => `${(n / 1000).toFixed(1)} kB`;
console.log(`start page: ${kb(bytes.start)} transferred`);
console.log(
  `with the first plan on show: ${kb(bytes.all)}, of which wasm ${kb(bytes.wasm)} and the sample ${kb(bytes.sample)}`,
);
const largest = await dropToPicture("tests/data/corpus/graphs/densenet121.json", 5);
console.log(
  `densenet121, from drop to picture: ${largest.toFixed(0)} ms (median of 5, planner not loaded before)`,
);
await browser.close();
await server.close();
