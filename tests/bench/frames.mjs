// Frame times of the page while zooming and panning, and the time from drop to first picture, in headless
// Chromium without a GPU: `node tests/bench/frames.mjs [10000] [100000] [1000000]` on the built site (build/web).
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "../../scripts/serve.mjs";
import { ROOT } from "../../scripts/steps.mjs";

const VIEWPORT = { width: 1280, height: 800 };

/**
 * MiniMalloc CSV of `count` buffers like those of a deep network: short ones in a chain, some that skip ahead,
 * sizes over three orders. A linear congruential generator makes it the same everywhere.
 */
export function chainProblem(count) {
  let state = 12345;
  const draw = (most) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const lines = ["id,lower,upper,size"];
  for (let i = 0; i < count; i++) {
    const life = draw(10) === 0 ? 5 + draw(60) : 2 + draw(3);
    lines.push(`t${i},${i},${i + life},${64 * (1 + draw(2 ** (3 + draw(8))))}`);
  }
  return `${lines.join("\n")}\n`;
}

function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** Milliseconds between animation frames while `gesture` runs. */
async function framesDuring(page, gesture) {
  await page.evaluate(() => {
    window.frameTimes = [];
    let last = performance.now();
    const tick = (now) => {
      window.frameTimes.push(now - last);
      last = now;
      window.frameHandle = requestAnimationFrame(tick);
    };
    window.frameHandle = requestAnimationFrame(tick);
  });
  await gesture();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.frameHandle);
    return window.frameTimes.slice(2);
  });
  return times.sort((a, b) => a - b);
}

async function zoomInAndOut(page, box) {
  await page.evaluate(
    ({ x, y }) =>
      new Promise((done) => {
        const target = document.querySelector(".stage");
        let n = 0;
        const step = () => {
          const deltaY = n < 60 ? -40 : n < 120 ? 40 : -30;
          target.dispatchEvent(
            new WheelEvent("wheel", { deltaY, clientX: x, clientY: y, bubbles: true, cancelable: true }),
          );
          if (++n < 150) requestAnimationFrame(step);
          else done(undefined);
        };
        requestAnimationFrame(step);
      }),
    { x: box.x + box.width * 0.6, y: box.y + box.height * 0.5 },
  );
}

async function measure(browser, url, file, count) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(url);
  await page.waitForTimeout(1500);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "choose a file" }).click();
  const start = performance.now();
  await (await chooser).setFiles(file);
  await page.waitForSelector("[data-drawn]", { timeout: 240_000 });
  const first = performance.now() - start;
  await page.waitForFunction(() => document.querySelector(".headline .progress") === null, undefined, {
    timeout: 240_000,
  });
  await page.waitForTimeout(1500);
  const box = await page.locator(".stage").boundingBox();
  await page.evaluate(() => {
    window.drawTimes = [];
    document
      .querySelector(".stage")
      .addEventListener("memplan:drawn", (e) => window.drawTimes.push(e.detail));
  });
  const frames = await framesDuring(page, () => zoomInAndOut(page, box));
  const draws = (await page.evaluate(() => window.drawTimes)).sort((a, b) => a - b);
  await page.close();
  return { count, first, frames, draws };
}

const counts = process.argv.slice(2).map(Number);
const wanted = counts.length ? counts : [10_000, 100_000, 1_000_000];
const server = await serve({ "/": process.env.MEMPLAN_SITE ?? join(ROOT, "build/web") });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const folder = mkdtempSync(join(tmpdir(), "memplan-frames-"));
console.log("rectangles | drop to picture | frame median | 95th | worst | redraw in worker median | 95th");
for (const count of wanted) {
  const file = join(folder, `chain_${count}.csv`);
  writeFileSync(file, chainProblem(count));
  const { first, frames, draws } = await measure(browser, server.url, file, count);
  const ms = (n) => `${n.toFixed(1)} ms`.padStart(10);
  console.log(
    [
      String(count).padStart(10),
      ms(first),
      ms(quantile(frames, 0.5)),
      ms(quantile(frames, 0.95)),
      ms(frames.at(-1)),
      ms(quantile(draws, 0.5)),
      ms(quantile(draws, 0.95)),
    ].join(" | "),
  );
}
await browser.close();
await server.close();
