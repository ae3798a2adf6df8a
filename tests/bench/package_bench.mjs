// The package in Node: sizes, loading, and from bytes or objects to a plan, each beside its yardstick.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createInstance } from "memplan";
import { madeGraph } from "./made_graph.mjs";
import { measure } from "./measure.mjs";
import { pageScripts } from "./page_scripts.mjs";

const DIST = new URL("../../dist/", import.meta.url);

function row(name, figure, reach) {
  console.log(`${name.padEnd(66)} ${figure.padStart(22)}   ${reach}`);
}

function sizes() {
  const wasm = gzipSync(readFileSync(new URL("memplan.wasm", DIST)), { level: 9 }).length;
  const glue = gzipSync(pageScripts(), { level: 9 }).length;
  row("gzip of memplan.wasm", `${(wasm / 1024).toFixed(1)} KB`, "");
  row("gzip of the scripts beside it, minified", `${(glue / 1024).toFixed(1)} KB`, "");
  row("together", `${((wasm + glue) / 1024).toFixed(1)} KB`, "at most 60 KB");
}

function coldLoad() {
  const script = `const begin = performance.now();
    const { load } = await import("memplan");
    const imported = performance.now();
    await load();
    console.log(imported - begin, performance.now() - imported);`;
  const times = Array.from({ length: 9 }, () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: new URL("../../", import.meta.url),
      encoding: "utf8",
    })
      .split(" ")
      .map(Number),
  );
  const figure = (of) => {
    const sorted = times.map((row) => row[of]).sort((a, b) => a - b);
    return `${sorted[0].toFixed(1)} / ${sorted[4].toFixed(1)} ms`;
  };
  row("import in a fresh Node (best / median)", figure(0), "");
  row("the first load() after it", figure(1), "at most 10 ms");
}

async function large() {
  const memplan = await createInstance();
  const graph = madeGraph(100_000);
  const text = JSON.stringify(graph);
  const bytes = new TextEncoder().encode(text);
  console.log(`\na graph of 100,000 tensors, ${(bytes.length / 1e6).toFixed(1)} MB (best / median of 7)`);
  const times = (figure) => `${figure.best.toFixed(0)} / ${figure.median.toFixed(0)} ms`;
  const parse = measure(() => JSON.parse(text));
  const stringify = measure(() => JSON.stringify(graph));
  row("JSON.parse of the text, alone", times(parse), "");
  row("JSON.stringify of the object, alone", times(stringify), "");
  for (const algorithm of ["greedy_by_size", "naive", "greedy"]) {
    const options = { algorithm };
    const fromBytes = measure(() => memplan.plan(bytes, options));
    const ratio = (figure, by) =>
      `${(figure.best / by.best).toFixed(2)} / ${(figure.median / by.median).toFixed(2)}`;
    row(`bytes to plan by ${algorithm}`, times(fromBytes), "");
    row(
      "  against JSON.parse",
      ratio(fromBytes, parse),
      algorithm === "greedy_by_size" ? "at most 0.65" : "",
    );
    if (algorithm !== "greedy_by_size") continue;
    const fromObject = measure(() => memplan.plan(graph, options));
    row(`object to plan by ${algorithm}`, times(fromObject), "");
    row("  against JSON.stringify", ratio(fromObject, stringify), "at most 1.5");
    const plan = memplan.plan(bytes, options);
    const check = measure(() => memplan.verify(bytes, plan), 3);
    row("verify of that plan", times(check), "");
  }
}

async function small() {
  const memplan = await createInstance();
  const graph = madeGraph(9);
  const bytes = new TextEncoder().encode(JSON.stringify(graph));
  const calls = 2000;
  const perCall = (input, options) =>
    (measure(() => {
      for (let i = 0; i < calls; i++) memplan.plan(input, options);
    }).best /
      calls) *
    1000;
  console.log("\na graph of 10 nodes, warm");
  for (const algorithm of ["auto", "greedy_by_size"]) {
    row(`bytes to plan by ${algorithm}`, `${perCall(bytes, { algorithm }).toFixed(1)} µs`, "at most 20 µs");
    row(`object to plan by ${algorithm}`, `${perCall(graph, { algorithm }).toFixed(1)} µs`, "at most 20 µs");
  }
}

/** Length of the wasm memory of a new instance after one call, in bytes: read from what the package makes. */
async function memoryAfter(bytes, options) {
  let wasm;
  const Instance = WebAssembly.Instance;
  WebAssembly.Instance = class extends Instance {
    constructor(module, imports) {
      super(module, imports);
      wasm = Object.values(this.exports).find((value) => value instanceof WebAssembly.Memory);
    }
  };
  const memplan = await createInstance();
  WebAssembly.Instance = Instance;
  memplan.plan(bytes, options);
  return wasm.buffer.byteLength;
}

async function growth() {
  const options = { algorithm: "greedy_by_size" };
  console.log("\nreading, lifetimes, greedy_by_size, its check and the plan object, by size (best of 3)");
  let before;
  for (const count of [10_000, 100_000, 1_000_000]) {
    const bytes = new TextEncoder().encode(JSON.stringify(madeGraph(count)));
    const memplan = await createInstance();
    const { best } = measure(() => memplan.plan(bytes, options), 3);
    const exponent = before ? `n^${Math.log10(best / before).toFixed(2)}` : "";
    before = best;
    row(`${count.toLocaleString("en")} tensors`, `${best.toFixed(0)} ms ${exponent}`, exponent && "n^1.1");
    const memory = ((await memoryAfter(bytes, options)) - bytes.length) / count;
    row(
      "  wasm memory less the input",
      `${memory.toFixed(0)} bytes a tensor`,
      count === 1e6 ? "at most 200" : "",
    );
  }
}

console.log(`${"figure".padEnd(66)} ${"measured".padStart(22)}   reach`);
sizes();
coldLoad();
// Before there is much else for the garbage collector to look at.
await growth();
await large();
await small();
