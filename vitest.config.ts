import { defineConfig } from "vitest/config";

const at = (path: string) => new URL(path, import.meta.url).pathname;

// For coverage the package is run from its sources; the command line and the workers, which are processes of their own,
// remain what is in dist.
const FROM_SOURCES = {
  plugins: [
    {
      name: "wasm-where-it-is-built",
      transform: (code: string, id: string) =>
        id.startsWith(at("bindings/"))
          ? code.replace('"./memplan.wasm"', '"../dist/memplan.wasm"')
          : undefined,
    },
  ],
  resolve: {
    alias: [
      { find: /^memplan$/, replacement: at("bindings/node.ts") },
      { find: /^memplan\/(import|inline)$/, replacement: at("bindings/$1.ts") },
      { find: "memplan-glue", replacement: at("build/package/glue.js") },
      { find: "memplan-bytes", replacement: at("build/package/bytes.js") },
    ],
  },
};

export default defineConfig(({ mode }) => ({
  ...(mode === "coverage" ? FROM_SOURCES : {}),
  test: {
    include: ["tests/bindings/**/*.test.ts", "tests/prover/**/*.test.ts", "tests/web/**/*.spec.ts"],
    // The importers read FlatBuffers through readers made from their schemas.
    globalSetup: ["scripts/readers.mjs"],
    // Only what hangs is ended: nothing is said of how fast a machine must be.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 150_000 } },
    // Two cores: one for the tests, one for the browser they drive.
    maxWorkers: 2,
    coverage: {
      include: ["bindings/**/*.ts"],
      exclude: ["bindings/cli.ts", "bindings/cli/**", "bindings/worker*.ts", "**/*.d.ts", "tests/**"],
      reporter: ["text"],
      reportsDirectory: "build/coverage/package",
      reportOnFailure: true,
    },
  },
}));
