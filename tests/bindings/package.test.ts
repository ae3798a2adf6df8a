import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { pageScripts } from "../bench/page_scripts.mjs";

const ROOT = new URL("../../", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));

/** KB of gzip -9 that a page loads before its first plan: what was reached, rounded up. */
const WASM_BUDGET = 205;
const SCRIPT_BUDGET = 11;

type Target = string | Record<string, string>;
const entries = Object.entries(manifest.exports as Record<string, Target>);
const scripts = readdirSync(new URL("dist/", ROOT)).filter((name) => name.endsWith(".js"));

describe("the package", () => {
  it("has every file that its manifest names, types first", () => {
    const files = [
      ...entries.flatMap(([, target]) => (typeof target === "string" ? target : Object.values(target))),
    ];
    for (const file of [...files, ...Object.values(manifest.bin as Record<string, string>)]) {
      expect(existsSync(new URL(file, ROOT)), file).toBe(true);
    }
    for (const [name, target] of entries) {
      if (typeof target === "object") expect(Object.keys(target)[0], name).toBe("types");
    }
    expect(entries.map(([name]) => name).sort()).toEqual([
      ".",
      "./import",
      "./inline",
      "./memplan.wasm",
      "./package.json",
      "./worker",
    ]);
  });

  it("is no larger to load than its budget", () => {
    const wasm = readFileSync(new URL("dist/memplan.wasm", ROOT));
    const kilobytes = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1024;
    expect(kilobytes(pageScripts())).toBeLessThan(SCRIPT_BUDGET);
    expect(kilobytes(wasm)).toBeLessThan(WASM_BUDGET);
  });

  it("has no dependency at run time", () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it.each(scripts.filter((name) => name !== "cli.js"))("%s awaits nothing at top level", (name) => {
    const source = ts.createSourceFile(
      name,
      readFileSync(new URL(`dist/${name}`, ROOT), "utf8"),
      ts.ScriptTarget.ESNext,
    );
    const awaits = (node: ts.Node): boolean => {
      if (ts.isFunctionLike(node)) return false;
      return (
        node.kind === ts.SyntaxKind.AwaitExpression ||
        ts.forEachChild(node, (child) => awaits(child) || undefined) === true
      );
    };
    expect(awaits(source)).toBe(false);
  });

  it.each(scripts)("%s builds no code from text", (name) => {
    const text = readFileSync(new URL(`dist/${name}`, ROOT), "utf8");
    expect(text).not.toMatch(/\bnew Function\b|\beval\(/);
  });

  it("does nothing on import: no fetch, no file read, no worker, no WebAssembly", async () => {
    const script = `
      const touched = [];
      globalThis.fetch = () => touched.push("fetch");
      for (const name of ["Module", "Instance", "Memory", "compile", "instantiate"]) {
        const real = WebAssembly[name];
        WebAssembly[name] = new Proxy(real, { apply: () => touched.push(name), construct: () => touched.push(name) });
      }
      await Promise.all(["memplan", "memplan/inline", "memplan/worker", "memplan/import"].map((name) => import(name)));
      console.log(JSON.stringify(touched));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      cwd: ROOT.pathname,
    });
    expect(stdout).toBe("[]\n");
  });

  it("runs where code generation from strings is forbidden", async () => {
    const script = `import { load } from "memplan"; console.log((await load()).algorithms.length > 0);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--disallow-code-generation-from-strings", "--input-type=module", "-e", script],
      { cwd: ROOT.pathname },
    );
    expect(stdout).toBe("true\n");
  });

  it("can be required, since nothing awaits", async () => {
    const script = `require("memplan").load().then((memplan) => console.log(typeof memplan.plan));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", "-e", script], {
      cwd: ROOT.pathname,
    });
    expect(stdout).toBe("function\n");
  });
});
