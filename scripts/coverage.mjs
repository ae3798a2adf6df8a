// Prints how much of src the C++ tests run, and of bindings the package's: `npm run coverage [src] [bindings]`.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, buildPreset } from "./build.mjs";
import { ROOT, run } from "./steps.mjs";

const FOLDER = "build/coverage";

/** By clang's own counters. */
async function src() {
  await buildPreset("coverage", "memplan_tests");
  const raw = `${FOLDER}/tests.profraw`;
  const profile = `${FOLDER}/tests.profdata`;
  const program = `${FOLDER}/memplan_tests`;
  await run(program, ["--gtest_brief=1"], { quiet: true, env: { LLVM_PROFILE_FILE: raw } });
  await run("llvm-profdata", ["merge", "-sparse", raw, "-o", profile]);
  await run("llvm-cov", ["report", program, `-instr-profile=${profile}`, "src"]);
}

/**
 * By V8's counters in every process that runs dist: the tests, their workers, the command line. Tests in Chromium and
 * with other tools run their own copies, which do not count.
 */
async function bindings() {
  const counters = `${FOLDER}/v8`;
  rmSync(join(ROOT, counters), { recursive: true, force: true });
  mkdirSync(join(ROOT, counters), { recursive: true });
  await buildPackage({ sourceMaps: true });
  try {
    await run(
      "npx",
      ["vitest", "run", "--config", "vitest.coverage.config.ts", "tests/bindings", "tests/prover"],
      { env: { NODE_V8_COVERAGE: join(ROOT, counters) } },
    ).catch((error) => console.error(error.message));
    dropOthers(counters);
    await run("npx", [
      "c8",
      "report",
      `--temp-directory=${counters}`,
      "--reporter=text",
      "--src=bindings",
      "--include=bindings/**",
      "--exclude-after-remap",
      "--all=false",
    ]);
  } finally {
    // The package without maps again.
    rmSync(join(ROOT, "dist/memplan.wasm"), { force: true });
    await buildPackage();
  }
}

/** Processes that never loaded dist leave nothing of use, and some leave hundreds of megabytes. */
function dropOthers(counters) {
  for (const name of readdirSync(join(ROOT, counters))) {
    const path = join(ROOT, counters, name);
    if (statSync(path).size < 100) rmSync(path);
  }
}

const PARTS = { src, bindings };
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
  console.log(`\n${name}`);
  await PARTS[name]();
}
