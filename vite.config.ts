import { defineConfig } from "vite";
import { precache } from "./web/offline/precache.ts";

// The page. `memplan` resolves to this package's own `dist` by its `exports`, as it would for anybody else.
export default defineConfig({
  root: "web",
  base: "./",
  build: {
    outDir: "../build/web",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: {
      input: { index: "web/index.html", service_worker: "web/offline/service_worker.ts" },
      output: {
        entryFileNames: ({ name }) =>
          name === "service_worker" ? "service_worker.js" : "assets/[name]-[hash].js",
      },
    },
  },
  plugins: [precache("web/public")],
  worker: { format: "es" },
  esbuild: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
