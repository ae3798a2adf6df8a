import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/bindings/**/*.test.ts", "tests/prover/**/*.test.ts", "tests/web/**/*.spec.ts"],
    // The importers read FlatBuffers through readers made from their schemas.
    globalSetup: ["scripts/readers.mjs"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: one for the tests, one for the browser they drive.
    maxWorkers: 2,
  },
});
