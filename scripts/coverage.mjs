// Prints how much of src the C++ tests run and the program that the package's plans are compared with, by clang's own
// counters, and how much of bindings the tests of the package: `npm run coverage`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, buildPreset } from "./build.mjs";
import { ROOT, run } from "./steps.mjs";

const FOLDER = "build/coverage";
const profiles = [];

async function runProgram(name, args) {
  await buildPreset("coverage", name);
  const profile = `${FOLDER}/${name}.${profiles.length}.profraw`;
  await run(`${FOLDER}/${name}`, args, { quiet: true, env: { LLVM_PROFILE_FILE: profile } });
  profiles.push(profile);
}

await runProgram("memplan_tests", ["--gtest_brief=1"]);
const cases = readdirSync(join(ROOT, "tests/data/cases"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => `tests/data/cases/${name}`);
for (const rules of ["0", "1", "2"])
  await runProgram("memplan_plan_lines", [rules, "", "1000", "0", ...cases]);
const counters = `${FOLDER}/tests.profdata`;
await run("llvm-profdata", ["merge", "-sparse", ...profiles, "-o", counters]);
const programs = [`${FOLDER}/memplan_tests`, "-object", `${FOLDER}/memplan_plan_lines`];
await run("llvm-cov", ["report", ...programs, `-instr-profile=${counters}`, "src"]);

await buildPackage();
await run("npx", ["vitest", "run", "--mode", "coverage", "--coverage", "tests/bindings", "tests/prover"]);
