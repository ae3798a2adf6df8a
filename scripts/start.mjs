// Builds memplan, plans a real network with it, and serves the page.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, buildPage } from "./build.mjs";
import { serve } from "./serve.mjs";
import { ROOT } from "./steps.mjs";

const MODEL = "mobilenet_v2_1.0_224_quant";

console.log("Building");
await buildPackage();
await buildPage();

const { load } = await import("memplan");
const memplan = await load();
const bytes = readFileSync(join(ROOT, `tests/data/corpus/graphs/${MODEL}.json`));
const naive = memplan.plan(bytes, { algorithm: "naive" });
const start = performance.now();
const plan = memplan.plan(bytes);
const time = performance.now() - start;
const total = (sizes) => sizes.reduce((sum, size) => sum + size, 0);
const row = (label, value) => console.log(`  ${label.padEnd(16)}${value.padStart(12)}`);
const bytesRow = (label, size) => row(label, size.toLocaleString("en"));
console.log(`\n${MODEL}`);
row("planned tensors", String(plan.tensors.filter((tensor) => tensor.mem_offset !== null).length));
bytesRow("naive bytes", total(naive.buffer_sizes));
bytesRow("planned bytes", total(plan.buffer_sizes));
bytesRow("max live bytes", total(plan.lower_bound));
row("time", `${time.toFixed(1)} ms`);
console.log(`  by ${plan.algorithm}${plan.optimal ? ", proven optimal" : ""}\n`);

if (!existsSync(join(ROOT, "build/web/index.html"))) {
  console.log("There is no page to serve.");
} else {
  const wanted = Number(process.env.PORT ?? 4173);
  const server = await serve({ "/": join(ROOT, "build/web") }, { port: wanted }).catch(() =>
    serve({ "/": join(ROOT, "build/web") }),
  );
  console.log(`The page is at ${server.url} (Ctrl+C ends it)`);
}
