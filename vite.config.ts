import { defineConfig } from "vite";

// The page. `memplan` resolves to this package's own `dist` by its `exports`, as it would for anybody else.
export default defineConfig({
  root: "web",
  base: "./",
  build: { outDir: "../build/web", emptyOutDir: true, target: "es2022" },
  worker: { format: "es" },
  esbuild: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
