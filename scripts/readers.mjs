// Generates the FlatBuffers readers of memplan/import from the schemas beside
// it. Quick when they are newer than the schemas.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run } from "./steps.mjs";

const SCHEMAS = join(ROOT, "bindings/import/schema");
const READERS = join(ROOT, "build/readers");

/** Also the set-up of the test runner. */
export default async function generateReaders() {
  const schemas = readdirSync(SCHEMAS).map((name) => join(SCHEMAS, name));
  const newest = Math.max(...schemas.map((path) => statSync(path).mtimeMs));
  const stamp = join(READERS, "tflite");
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newest) return;
  rmSync(READERS, { recursive: true, force: true });
  await run("flatc", ["--ts", "-o", READERS, ...schemas], { quiet: true });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await generateReaders();
