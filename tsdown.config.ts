import { fileURLToPath } from "node:url";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { defineConfig } from "tsdown";

const built = (path: string) => fileURLToPath(new URL(`build/${path}`, import.meta.url));

// The package: TypeScript to ES modules with rolled-up types in dist. scripts/build.mjs puts memplan.wasm beside.
export default defineConfig({
  entry: {
    index: "bindings/index.ts",
    node: "bindings/node.ts",
    inline: "bindings/inline.ts",
    worker: "bindings/worker.ts",
    worker_node: "bindings/worker_node.ts",
    worker_thread: "bindings/worker_thread.ts",
    worker_thread_node: "bindings/worker_thread_node.ts",
    import: "bindings/import.ts",
    cli: "bindings/cli.ts",
  },
  outDir: "dist",
  format: "esm",
  // One build for pages, workers and Node; `node:` modules are imported by the entries for Node alone.
  platform: "neutral",
  target: "es2022",
  dts: true,
  // commander is CommonJS: its requires of Node's modules become imports.
  plugins: [esmExternalRequirePlugin({ external: [/^node:/] })],
  minify: false,
  hash: false,
  fixedExtension: false,
  alias: {
    "memplan-glue": built("package/glue.js"),
    "memplan-bytes": built("package/bytes.js"),
  },
});
