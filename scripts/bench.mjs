// Prints the figures that memplan is held to, each beside its yardstick: `npm run bench [placing|planners|package|import|savings]`,
// or `npm run bench planners <folder with MiniMalloc's I and K, or -> <rows>`.
import { execFileSync } from "node:child_process";
import { buildPackage, buildPreset } from "./build.mjs";
import { ROOT, run } from "./steps.mjs";

/** Placing alone: the native program against the same one in wasm. */
async function placing() {
  await buildPreset("native", "memplan_bench");
  await buildPreset("wasm", "memplan_bench");
  const sizes = ["10000", "100000", "1000000"];
  const lines = (command, args) =>
    execFileSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 24 })
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  console.log("placing alone, ns a tensor       tensors     native       wasm    ratio    growth");
  const before = {};
  for (const size of sizes) {
    const native = lines("build/native/memplan_bench", [size]);
    const wasm = lines("node", ["build/wasm/memplan_bench.cjs", size]);
    native.forEach((figure, place) => {
      const name = `${figure.algorithm}, ${figure.form}`;
      const nanoseconds = ({ ms, tensors }) => (ms * 1e6) / tensors;
      const growth = before[name] ? `n^${Math.log10(wasm[place].ms / before[name]).toFixed(2)}` : "";
      before[name] = wasm[place].ms;
      const same = figure.peak === wasm[place].peak ? "" : "  the plans differ";
      console.log(
        `${name.padEnd(32)} ${String(figure.tensors).padStart(7)} ${nanoseconds(figure).toFixed(1).padStart(10)} ` +
          `${nanoseconds(wasm[place]).toFixed(1).padStart(10)} ${(wasm[place].ms / figure.ms).toFixed(2).padStart(8)} ` +
          `${growth.padStart(9)}${same}`,
      );
    });
  }
}

/** The smallest plans and how soon, in wasm. MiniMalloc's I and K only where a folder is named that has them. */
async function planners(more = "-", ...rows) {
  await buildPreset("wasm", "memplan_planners_bench");
  await run("node", ["build/wasm/memplan_planners_bench.cjs", "tests/data", more, ...rows]);
}

async function packageFigures() {
  await buildPackage();
  await run("node", ["tests/bench/package_bench.mjs"]);
}

/** The same in Chromium. */
async function pageFigures() {
  await buildPackage();
  await run("node", ["tests/bench/page_bench.mjs"]);
}

/** Each model file of the corpus against JSON.parse of its graph. */
async function importing() {
  await buildPackage();
  await run("node", ["tests/bench/import_bench.mjs"]);
}

/** Bytes: nesting, in place and auto against ExecuTorch's planners on the corpus. */
async function savings() {
  await buildPackage();
  await run("node", ["tests/bench/savings_bench.mjs"]);
}

const BENCHES = { placing, planners, package: packageFigures, page: pageFigures, import: importing, savings };
const wanted = process.argv.slice(2);
if (wanted[0] === "planners") {
  await planners(...wanted.slice(1));
} else {
  for (const name of wanted.length > 0 ? wanted : Object.keys(BENCHES)) {
    await BENCHES[name]();
    console.log();
  }
}
