import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/bindings/**/*.test.ts", "tests/web/**/*.spec.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: one for the tests, one for the browser they drive.
    maxWorkers: 2,
  },
});
