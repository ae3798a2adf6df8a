// Formats every source in place.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "./steps.mjs";

const sources = ["src", "bindings", "tests"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => /\.(h|cpp)$/.test(path)),
);
await run("clang-format", ["-i", ...sources]);
await run("npx", ["biome", "check", "--write"]);
