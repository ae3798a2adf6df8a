// The package in headless Chromium: from bytes and from an object to a plan, each beside its yardstick, and a small
// graph: `node tests/bench/page_bench.mjs` on a built package (dist).
import { chromium } from "playwright-core";
import { serve } from "../../scripts/serve.mjs";
import { ROOT } from "../../scripts/steps.mjs";

/** Runs on the page; gives milliseconds, best and median. */
async function measureOnPage() {
  const { createInstance } = await import("/dist/index.js");
  const { madeGraph } = await import("/tests/bench/made_graph.mjs");
  const { measure } = await import("/tests/bench/measure.mjs");
  const memplan = await createInstance();
  const options = { algorithm: "greedy_by_size" };
  const graph = madeGraph(100_000);
  const bytes = new TextEncoder().encode(JSON.stringify(graph));
  const figures = {
    megabytes: bytes.length / 1e6,
    parse: measure(() => JSON.parse(new TextDecoder().decode(bytes))),
    fromBytes: measure(() => memplan.plan(bytes, options)),
    stringify: measure(() => JSON.stringify(graph)),
    fromObject: measure(() => memplan.plan(graph, options)),
  };
  const small = madeGraph(9);
  const smallBytes = new TextEncoder().encode(JSON.stringify(small));
  const calls = 2000;
  const many = (input) =>
    measure(() => {
      for (let i = 0; i < calls; i++) memplan.plan(input, options);
    }, 3);
  figures.smallBytes = many(smallBytes);
  figures.smallObject = many(small);
  figures.calls = calls;
  return figures;
}

function row(name, figure, reach = "") {
  console.log(`${name.padEnd(66)} ${figure.padStart(22)}   ${reach}`);
}

const blank = { type: "text/html", body: "<!doctype html><title>memplan</title>" };
const server = await serve({ "/": ROOT }, { routes: { "/": blank } });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  // What Playwright runs on a page is what the policy forbids.
  const page = await browser.newPage({ bypassCSP: true });
  await page.goto(server.url);
  const figures = await page.evaluate(measureOnPage);
  const times = ({ best, median }) => `${best.toFixed(0)} / ${median.toFixed(0)} ms`;
  const ratio = (a, b) => `${(a.best / b.best).toFixed(2)} / ${(a.median / b.median).toFixed(2)}`;
  const each = ({ best }) => `${((best / figures.calls) * 1000).toFixed(1)} µs`;
  console.log(
    `Chromium ${browser.version()}: a graph of 100,000 tensors, ${figures.megabytes.toFixed(1)} MB (best / median of 7)`,
  );
  row("TextDecoder and JSON.parse of the bytes", times(figures.parse));
  row("bytes to plan by greedy_by_size", times(figures.fromBytes));
  row("  against TextDecoder and JSON.parse", ratio(figures.fromBytes, figures.parse), "at most 1.0");
  row("JSON.stringify of the object", times(figures.stringify));
  row("object to plan by greedy_by_size", times(figures.fromObject));
  row("  against JSON.stringify", ratio(figures.fromObject, figures.stringify), "at most 1.5");
  row("bytes of 10 nodes to plan, warm", each(figures.smallBytes), "at most 20 µs");
  row("object of 10 nodes to plan, warm", each(figures.smallObject), "at most 20 µs");
} finally {
  await browser.close();
  await server.close();
}
