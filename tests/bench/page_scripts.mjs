import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** What `import "memplan"` loads in a page, as a bundler leaves it. */
export function pageScripts() {
  const bundle = buildSync({
    entryPoints: [fileURLToPath(new URL("../../dist/index.js", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  return bundle.outputFiles[0].contents;
}
