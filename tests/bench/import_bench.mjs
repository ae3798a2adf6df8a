// Time and memory to import each model file of the corpus: `node tests/bench/import_bench.mjs`, after a build.
// Yardstick: JSON.parse of the same network's graph JSON, in the same process. Each file has a process of its own,
// so that its peak memory is its own; what the process takes with the file read and no importer is subtracted.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CORPUS = new URL("../data/corpus/", import.meta.url);
const SELF = fileURLToPath(import.meta.url);
const RUNS = 9;

const DIMS = {
  "ch_ppocr_mobile_v2.0_cls_infer.onnx": {
    "p2o.DynamicDimension.0": 1,
    "p2o.DynamicDimension.1": 48,
    "p2o.DynamicDimension.2": 192,
  },
  "silero_vad_v5.onnx": { "input:0": 1, "input:1": 512, "state:1": 1, sr: 16000 },
};

function pairs() {
  const lines = readFileSync(new URL("README.md", CORPUS), "utf8").split("\n");
  return lines
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter((cells) => /\.(tflite|onnx|pte)$/.test(cells[1] ?? ""))
    .map((cells) => [cells[1], cells[2]]);
}

const best = (times) => Math.min(...times);
async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** In the child: figures of one file as a line of JSON. */
async function measure(file, graph) {
  const bytes = new Uint8Array(readFileSync(new URL(`models/${file}`, CORPUS)));
  const text = readFileSync(new URL(`graphs/${graph}.json`, CORPUS), "utf8");
  const before = process.resourceUsage().maxRSS;
  const { importModel } = await import("../../dist/import.js");
  const options = DIMS[file] ? { dims: DIMS[file] } : {};
  const first = await time(() => importModel(bytes, options));
  const peak = process.resourceUsage().maxRSS - before;
  const times = [];
  const yardstick = [];
  for (let run = 0; run < RUNS; run++) {
    times.push(await time(() => importModel(bytes, options)));
    yardstick.push(await time(() => JSON.parse(text)));
  }
  console.log(
    JSON.stringify({ bytes: bytes.length, first, best: best(times), parse: best(yardstick), peak }),
  );
}

function report() {
  console.log(
    `${"file".padEnd(58)} ${"bytes".padStart(9)} ${"first ms".padStart(9)} ${"best ms".padStart(8)} ${"x parse".padStart(8)} ${"peak MB".padStart(8)}`,
  );
  for (const [file, graph] of pairs()) {
    const row = JSON.parse(execFileSync(process.execPath, [SELF, file, graph], { encoding: "utf8" }));
    console.log(
      `${file.slice(0, 58).padEnd(58)} ${String(row.bytes).padStart(9)} ${row.first.toFixed(1).padStart(9)} ` +
        `${row.best.toFixed(2).padStart(8)} ${(row.best / row.parse).toFixed(1).padStart(8)} ${(row.peak / 1024).toFixed(1).padStart(8)}`,
    );
  }
}

const [, , file, graph] = process.argv;
if (file && graph) await measure(file, graph);
else report();
