/** What users do with the package: the packed tarball, installed in an empty folder, used by each tool. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { load } from "memplan";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTENT_SECURITY_POLICY, serve } from "../../scripts/serve.mjs";
import { openChromium, visit } from "./chromium.ts";
import { smallGraph } from "./small_graph.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
const GRAPH = JSON.stringify(smallGraph());

/** A page that plans and says its plan; `loading` gives `memplan`. */
const app = (loading: string) => `${loading}
Promise.resolve(memplan).then((loaded) => loaded.plan(${GRAPH})).then(
  (value) => ({ value }),
  (error) => ({ error: String(error.stack) }),
).then((outcome) => console.debug(JSON.stringify(outcome)));
`;
const HTML = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="./app.js"></script>`;

const DEFAULT = app('import { load } from "memplan";\nconst memplan = load();');
const INLINE = app('import { load } from "memplan/inline";\nconst memplan = load();');
const WORKER = app('import { load } from "memplan/worker";\nconst memplan = load();');

describe("the packed tarball, installed in an empty folder", () => {
  let folder: string;
  let browser: Browser;
  let wanted: unknown;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "memplan-consumer-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: ROOT });
    const tarball = JSON.parse(stdout)[0].filename as string;
    writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], {
      cwd: folder,
    });
    browser = await openChromium();
    wanted = JSON.parse(JSON.stringify((await load()).plan(smallGraph())));
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** A project of one page that uses the installed package. */
  function project(name: string, source: string): string {
    const root = join(folder, name);
    mkdirSync(root);
    writeFileSync(join(root, "package.json"), '{ "private": true, "type": "module" }');
    writeFileSync(join(root, "index.html"), HTML);
    writeFileSync(join(root, "app.js"), source);
    return root;
  }

  /** Serves a built page, under the strict policy if nothing else is said. */
  async function expectPlan(root: string, csp = CONTENT_SECURITY_POLICY): Promise<void> {
    const server = await serve({ "/": root }, { csp });
    try {
      const { result, complaints } = await visit(browser, server.url);
      expect(result).toEqual(wanted);
      expect(complaints).toEqual([]);
    } finally {
      await server.close();
    }
  }

  it("has only what users need", () => {
    const files = readdirSync(join(folder, "node_modules/memplan"), { recursive: true }) as string[];
    const odd = files.filter(
      (name) => !/^(dist(\/.*\.(js|d\.ts|wasm))?|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(name),
    );
    expect(odd.filter((name) => !/^dist\/[\w-]+$/.test(name))).toEqual([]);
    expect(files).toContain("dist/memplan.wasm");
  });

  it("Node: import", async () => {
    const script = `import { load } from "memplan"; console.log(JSON.stringify((await load()).plan(${GRAPH})));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(wanted);
  });

  it("Node: require", async () => {
    const script = `require("memplan").load().then((memplan) => console.log(JSON.stringify(memplan.plan(${GRAPH}))));`;
    const { stdout } = await run(process.execPath, ["--no-warnings", "--input-type=commonjs", "-e", script], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toEqual(wanted);
  });

  it("Node: memplan/worker", async () => {
    const script = `import { load } from "memplan/worker";
      console.log(JSON.stringify(await (await load()).plan(${GRAPH})));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(wanted);
  });

  it("npx memplan", async () => {
    writeFileSync(join(folder, "model.json"), GRAPH);
    const { stdout } = await run("npx", ["--offline", "memplan", "plan", "model.json"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(wanted);
  });

  it.each([
    ["the default entry", DEFAULT.replace('"memplan"', '"../node_modules/memplan/dist/index.js"')],
    ["memplan/worker", WORKER.replace('"memplan/worker"', '"../node_modules/memplan/dist/worker.js"')],
  ])("a plain module script, no tool: %s", async (name, source) => {
    const root = project(`plain-${name.replace(/\W/g, "-")}`, source);
    const server = await serve({ "/": folder });
    try {
      const { result, complaints } = await visit(browser, `${server.url}${root.slice(folder.length + 1)}/`);
      expect(result).toEqual(wanted);
      expect(complaints).toEqual([]);
    } finally {
      await server.close();
    }
  });

  const entries = [
    ["default", DEFAULT],
    ["inline", INLINE],
    ["worker", WORKER],
  ] as const;

  it.each(entries)("Vite build: %s", async (name, source) => {
    const { build } = await import("vite");
    const root = project(`vite-${name}`, source);
    await build({ root, configFile: false, logLevel: "error", worker: { format: "es" } });
    await expectPlan(join(root, "dist"));
  });

  it.each(entries)("Vite dev: %s", async (name, source) => {
    const { createServer } = await import("vite");
    const root = project(`vite-dev-${name}`, source);
    const server = await createServer({
      root,
      configFile: false,
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0, hmr: false, ws: false, fs: { allow: [folder] } },
    });
    try {
      await server.listen();
      const { result } = await visit(browser, server.resolvedUrls?.local[0] as string);
      expect(result).toEqual(wanted);
    } finally {
      await server.close();
    }
  });

  it.each(entries)("webpack 5: %s", async (name, source) => {
    const { default: webpack } = await import("webpack");
    const root = project(`webpack-${name}`, source);
    const compiler = webpack({
      context: root,
      mode: "production",
      entry: "./app.js",
      output: { path: join(root, "dist"), filename: "app.js" },
    });
    await new Promise<void>((resolve, reject) => {
      compiler?.run((error, stats) => {
        if (error || stats?.hasErrors()) reject(error ?? new Error(stats?.toString("errors-only")));
        else resolve();
      });
    });
    copyFileSync(join(root, "index.html"), join(root, "dist/index.html"));
    await expectPlan(join(root, "dist"));
  });

  const esbuildEntries = [
    ["inline", INLINE],
    [
      "default with the file loader",
      app(
        'import { load } from "memplan";\nimport wasm from "memplan/memplan.wasm";\nconst memplan = load({ wasm });',
      ),
    ],
  ] as const;

  it.each(esbuildEntries)("esbuild: %s", async (name, source) => {
    const { build } = await import("esbuild");
    const root = project(`esbuild-${name.replace(/\W/g, "-")}`, source);
    await build({
      entryPoints: [join(root, "app.js")],
      outdir: join(root, "dist"),
      bundle: true,
      format: "esm",
      minify: true,
      logLevel: "error",
      loader: { ".wasm": "file" },
    });
    copyFileSync(join(root, "index.html"), join(root, "dist/index.html"));
    await expectPlan(join(root, "dist"));
  });

  it("Rollup: inline", async () => {
    const { rollup } = await import("rollup");
    const root = project("rollup-inline", INLINE);
    const bundle = await rollup({ input: join(root, "app.js"), plugins: [nodeResolve()] });
    await bundle.write({ dir: join(root, "dist"), format: "es" });
    await bundle.close();
    copyFileSync(join(root, "index.html"), join(root, "dist/index.html"));
    await expectPlan(join(root, "dist"));
  });

  // Parcel finds sub-paths only where the user's package.json lets it look at `exports`.
  it.each([
    ["default, without exports", DEFAULT, false],
    ["default", DEFAULT, true],
    ["inline", INLINE, true],
    ["worker", WORKER, true],
  ] as const)("Parcel: %s", async (name, source, packageExports) => {
    const root = project(`parcel-${name.replace(/\W/g, "-")}`, source);
    const manifest = {
      name: "consumer",
      private: true,
      type: "module",
      "@parcel/resolver-default": { packageExports },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    const parcel = join(ROOT, "node_modules/parcel/lib/bin.js");
    const args = [
      "build",
      "index.html",
      "--no-source-maps",
      "--no-cache",
      "--public-url",
      "./",
      "--log-level",
      "error",
    ];
    await run(process.execPath, [parcel, ...args], { cwd: root });
    // Parcel finds its own files by an import map that stands in the page.
    const csp = CONTENT_SECURITY_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'");
    await expectPlan(join(root, "dist"), csp);
  });

  it("publint finds nothing", async () => {
    const { publint } = await import("publint");
    const { messages } = await publint({ pkgDir: join(folder, "node_modules/memplan"), strict: true });
    expect(messages).toEqual([]);
  });

  it("the types are right for every way to resolve modules", async () => {
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) as string;
    const attw = join(ROOT, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const flags = ["--format", "json", "--profile", "esm-only", "--exclude-entrypoints", "./memplan.wasm"];
    const { stdout } = await run(process.execPath, [attw, join(folder, tarball), ...flags], { cwd: folder });
    const entryPoints = Object.keys(JSON.parse(stdout).analysis.entrypoints);
    expect(entryPoints.sort()).toEqual([".", "./import", "./inline", "./package.json", "./worker"]);
  });
});
