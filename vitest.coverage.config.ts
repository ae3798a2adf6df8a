import { mergeConfig } from "vitest/config";
import config from "./vitest.config.ts";

// For scripts/coverage.mjs: dist runs as it is, and each test file leaves its counters before its process is ended.
export default mergeConfig(config, {
  test: {
    pool: "forks",
    setupFiles: ["scripts/take_coverage.mjs"],
    server: { deps: { external: [/\/dist\//] } },
  },
});
