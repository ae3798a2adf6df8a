// Prints how much of src the C++ tests run, by clang's own counters, and how much of bindings those of the package:
// `npm run coverage`.
import { buildPackage, buildPreset } from "./build.mjs";
import { run } from "./steps.mjs";

const FOLDER = "build/coverage";

await buildPreset("coverage", "memplan_tests");
const raw = `${FOLDER}/tests.profraw`;
const profile = `${FOLDER}/tests.profdata`;
const program = `${FOLDER}/memplan_tests`;
await run(program, ["--gtest_brief=1"], { quiet: true, env: { LLVM_PROFILE_FILE: raw } });
await run("llvm-profdata", ["merge", "-sparse", raw, "-o", profile]);
await run("llvm-cov", ["report", program, `-instr-profile=${profile}`, "src"]);

await buildPackage();
await run("npx", ["vitest", "run", "--mode", "coverage", "--coverage", "tests/bindings", "tests/prover"]);
