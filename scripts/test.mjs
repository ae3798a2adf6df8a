// Runs every check and test there is, and sums them up in one last line: "N passed, N failed".
// `node scripts/test.mjs checks native wasm package fuzz` runs only some.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, buildPage, buildPreset } from "./build.mjs";
import { ROOT, run } from "./steps.mjs";

/** { passed, failed } of one suite. A suite that throws counts as one failure. */
const SUITES = {
  checks,
  native: () => googleTest("native", []),
  wasm: () => googleTest("wasm", ["node"]),
  package: vitest,
  fuzz,
};

/** How long each fuzz target runs; if nothing is said, the same few thousand inputs every time. */
const FUZZ_SECONDS = process.env.MEMPLAN_FUZZ_SECONDS;
const DICTIONARIES = { graph_reader: "json", interval_csv: "csv", verifier: "json" };

function sourcesOf(folders, extensions) {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((path) => join(folder, path))
      .filter((path) => extensions.some((extension) => path.endsWith(extension))),
  );
}

/** Formats, types, and what must never be in the lock. Each counts as one. */
async function checks() {
  await run("node", ["scripts/readers.mjs"], { quiet: true });
  // The tests and the page see the package by its own types.
  await buildPackage();
  const results = await Promise.all(
    Object.entries({
      "clang-format": () =>
        run(
          "clang-format",
          ["--dry-run", "--Werror", ...sourcesOf(["src", "bindings", "tests"], [".h", ".cpp"])],
          {
            quiet: true,
          },
        ),
      biome: () => run("npx", ["biome", "check", "--error-on-warnings"], { quiet: true }),
      tsc: () => run("npx", ["tsc", "--noEmit"], { quiet: true }),
      // The API reference; every public declaration has to be documented.
      typedoc: () => run("npm", ["run", "--silent", "docs"], { quiet: true }),
      "lock file": async () => {
        if (readFileSync(join(ROOT, "package-lock.json"), "utf8").includes('"resolved"')) {
          throw new Error(
            "package-lock.json has registry addresses: npm install --omit-lockfile-registry-resolved",
          );
        }
      },
    }).map(async ([name, check]) => {
      try {
        await check();
        console.log(`ok ${name}`);
        return true;
      } catch (error) {
        console.error(`not ok ${name}\n${error.message}`);
        return false;
      }
    }),
  );
  return { passed: results.filter((ok) => ok).length, failed: results.filter((ok) => !ok).length };
}

/** The C++ tests, by the program of a preset. */
async function googleTest(preset, runner) {
  await buildPreset(preset, "memplan_tests");
  const program = `build/${preset}/memplan_tests${preset === "wasm" ? ".cjs" : ""}`;
  const report = join(ROOT, `build/${preset}/memplan_tests.json`);
  rmSync(report, { force: true });
  const [command, ...args] = [...runner, program, "--gtest_brief=1", `--gtest_output=json:${report}`];
  const ended = await run(command, args).then(
    () => undefined,
    (error) => error,
  );
  let counts;
  try {
    counts = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw ended ?? new Error(`${program} left no report`);
  }
  const failed = counts.failures + counts.errors + (ended && counts.failures + counts.errors === 0 ? 1 : 0);
  return { passed: counts.tests - counts.failures - counts.errors, failed };
}

/** The package in Node and in Chromium, and the page. */
async function vitest() {
  await buildPackage();
  await buildPage();
  const report = join(ROOT, "build/vitest.json");
  rmSync(report, { force: true });
  const ended = await run("npx", [
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile=${report}`,
  ]).then(
    () => undefined,
    (error) => error,
  );
  let counts;
  try {
    counts = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw ended ?? new Error("vitest left no report");
  }
  const failed = counts.numFailedTests + (ended && counts.numFailedTests === 0 ? 1 : 0);
  return { passed: counts.numPassedTests, failed };
}

/**
 * How much a target does and from what. For a while: from its seeds and what earlier runs found here. Else what makes
 * it the same run on every machine: the seeds in one order, none of them shuffled, and no look at the values compared,
 * some of which are addresses.
 */
function fuzzRun(target) {
  const seeds = join("tests/fuzz/corpus", target);
  if (FUZZ_SECONDS) {
    const found = `build/fuzz/found/${target}`;
    mkdirSync(join(ROOT, found), { recursive: true });
    return [`-max_total_time=${FUZZ_SECONDS}`, found, seeds];
  }
  const list = `build/fuzz/${target}.seeds`;
  const files = readdirSync(join(ROOT, seeds)).sort();
  writeFileSync(join(ROOT, list), files.map((name) => join(seeds, name)).join(","));
  return ["-seed=1", "-runs=3000", "-shuffle=0", "-use_cmp=0", `-seed_inputs=@${list}`];
}

/** The fuzz targets. Inputs that end one are left in build/fuzz; the rest of the output says what was wrong. */
async function fuzz() {
  await buildPreset("fuzz", "memplan_fuzzers");
  let passed = 0;
  const targets = readdirSync(join(ROOT, "tests/fuzz/corpus"));
  for (const target of targets) {
    const dictionary = DICTIONARIES[target];
    try {
      const output = await run(
        `build/fuzz/${target}_fuzzer`,
        [
          ...fuzzRun(target),
          "-max_len=4096",
          "-timeout=30",
          "-print_final_stats=1",
          `-artifact_prefix=build/fuzz/${target}-`,
          ...(dictionary ? [`-dict=tests/fuzz/${dictionary}.dict`] : []),
        ],
        { quiet: true },
      );
      const [, runs] = /stat::number_of_executed_units:\s*(\d+)/.exec(output);
      console.log(`ok ${target}: ${runs} inputs`);
      passed++;
    } catch (error) {
      console.error(`not ok ${target}\n${error.message.slice(-10_000)}`);
    }
  }
  return { passed, failed: targets.length - passed };
}

const wanted = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const name of wanted.length > 0 ? wanted : Object.keys(SUITES)) {
  const start = performance.now();
  const counts = await SUITES[name]().catch((error) => {
    console.error(error.message);
    return { passed: 0, failed: 1 };
  });
  passed += counts.passed;
  failed += counts.failed;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed in ${seconds} s`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
