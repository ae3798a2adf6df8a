// Builds memplan: `node scripts/build.mjs [native] [wasm] [package] [page]`, all without arguments.

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run } from "./steps.mjs";

const JOBS = "-j2";

/** Configures a preset where that was not done yet, and builds a target of it, or all. */
export async function buildPreset(preset, target) {
  if (!existsSync(join(ROOT, "build", preset, "build.ninja"))) {
    await run("cmake", ["--preset", preset], { quiet: true });
  }
  const chosen = target ? ["--target", target] : [];
  await run("cmake", ["--build", "--preset", preset, JOBS, ...chosen], { quiet: true });
}

/** TypeScript and wasm to an installable package: dist. */
export async function buildPackage() {
  await buildPreset("wasm", "memplan");
  await run("node", ["scripts/readers.mjs"], { quiet: true });
  const wasm = await readFile(join(ROOT, "build/wasm/memplan.wasm"));
  await mkdir(join(ROOT, "build/package"), { recursive: true });
  await writeFile(join(ROOT, "build/package/bytes.js"), `export default "${wasm.toString("base64")}";\n`);
  await rm(join(ROOT, "dist"), { recursive: true, force: true });
  await run("npx", ["tsdown", "--logLevel", "warn"], { quiet: true });
  await cp(join(ROOT, "build/wasm/memplan.wasm"), join(ROOT, "dist/memplan.wasm"));
}

/** The page, on the package's public interface: build/web. */
export async function buildPage() {
  if (!existsSync(join(ROOT, "web/index.html"))) return;
  await run("npx", ["vite", "build", "--logLevel", "warn"], { quiet: true });
}

const STEPS = {
  native: () => buildPreset("native"),
  wasm: () => buildPreset("wasm"),
  package: buildPackage,
  page: buildPage,
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !(name in STEPS));
  if (unknown.length > 0) {
    console.error(`No such step: ${unknown.join(", ")}. There are ${Object.keys(STEPS).join(", ")}.`);
    process.exit(2);
  }
  for (const name of wanted.length > 0 ? wanted : ["package", "page"]) {
    const start = performance.now();
    await STEPS[name]().catch((error) => {
      console.error(error.message);
      process.exit(1);
    });
    console.log(`built ${name} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}
