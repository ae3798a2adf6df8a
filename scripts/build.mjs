// Builds memplan: `node scripts/build.mjs [native] [wasm] [package] [page]`, all without arguments.

import { existsSync, readdirSync, statSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run } from "./steps.mjs";

const JOBS = "-j2";

/** Configures a preset where that was not done since the presets changed, and builds a target of it, or all. */
export async function buildPreset(preset, target) {
  const cache = `build/${preset}/CMakeCache.txt`;
  if (!existsSync(join(ROOT, cache)) || newest([cache]) < newest(["CMakePresets.json"])) {
    await run("cmake", ["--preset", preset], { quiet: true });
    await utimes(join(ROOT, cache), new Date(), new Date());
  }
  const chosen = target ? ["--target", target] : [];
  await run("cmake", ["--build", "--preset", preset, JOBS, ...chosen], { quiet: true });
}

/** Milliseconds of the newest file in some files and folders. */
function newest(paths) {
  const times = paths.flatMap((path) => {
    const at = join(ROOT, path);
    const files = statSync(at).isDirectory()
      ? readdirSync(at, { recursive: true }).map((name) => join(at, name))
      : [at];
    return files.map((file) => statSync(file).mtimeMs);
  });
  return Math.max(...times);
}

/**
 * Emscripten's glue as an ES module. Its own EXPORT_ES6 looks for the wasm by itself, and the tail that offers the
 * function to CommonJS and AMD makes Parcel take the module for CommonJS.
 */
async function writeGlue(made) {
  const glue = await readFile(join(ROOT, "build/wasm/memplan.js"), "utf8");
  const tail = glue.lastIndexOf("if (typeof exports === 'object' && typeof module");
  if (tail < 0) throw new Error("Emscripten's glue does not end as expected");
  await writeFile(join(made, "glue.js"), `${glue.slice(0, tail)}export default createModule;\n`);
}

/** TypeScript and wasm to an installable package: dist. Does nothing where dist is newer than all it is made of. */
export async function buildPackage() {
  await buildPreset("wasm", "memplan");
  await run("node", ["scripts/readers.mjs"], { quiet: true });
  const wasm = join(ROOT, "build/wasm/memplan.wasm");
  const sources = [
    "bindings",
    "build/wasm/memplan.js",
    "build/wasm/memplan.wasm",
    "package.json",
    "tsdown.config.ts",
  ];
  if (existsSync(join(ROOT, "dist/memplan.wasm")) && newest(["dist/memplan.wasm"]) > newest(sources)) return;
  const made = join(ROOT, "build/package");
  await rm(join(made, "dist"), { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await writeGlue(made);
  await writeFile(join(made, "bytes.js"), `export default "${(await readFile(wasm)).toString("base64")}";\n`);
  await run("npx", ["tsdown", "--out-dir", "build/package/dist", "--logLevel", "warn"], { quiet: true });
  await copyFile(wasm, join(made, "dist/memplan.wasm"));
  // In one go, so that dist is never half of a package.
  await rm(join(ROOT, "dist"), { recursive: true, force: true });
  await rename(join(made, "dist"), join(ROOT, "dist"));
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
