import { readdirSync, readFileSync } from "node:fs";
import { load } from "memplan";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asJavaScript, openChromium, runOnPage } from "./chromium.ts";
import { smallGraph } from "./small_graph.ts";

describe("in Chromium, under a policy without unsafe-eval", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  const graph = JSON.stringify(smallGraph());

  it.each([
    [
      "the package on a page",
      `import { load } from "/dist/index.js"; export default (await load()).plan(${graph});`,
    ],
    [
      "memplan/inline on a page",
      `import { load } from "/dist/inline.js"; export default (await load()).plan(${graph});`,
    ],
    [
      "memplan/worker",
      `import { load } from "/dist/worker.js"; export default await (await load()).plan(${graph});`,
    ],
    [
      "a compiled module handed in",
      `import { load } from "/dist/index.js";
       const wasm = await WebAssembly.compileStreaming(fetch("/dist/memplan.wasm"));
       export default (await load({ wasm })).plan(${graph});`,
    ],
    [
      "the package in a module worker of the page's own",
      `const worker = new Worker("/own_worker.js", { type: "module" });
       export default await new Promise((resolve, reject) => {
         worker.onmessage = (event) => resolve(event.data);
         worker.onerror = (event) => reject(new Error(event.message));
         worker.postMessage(${JSON.stringify(graph)});
       });`,
    ],
  ])("%s gives the plan that Node gives, and no complaint", async (_, script) => {
    const { result, complaints } = await runOnPage(browser, script, {
      modules: {
        "/own_worker.js": `import { load } from "/dist/index.js";
          onmessage = async (event) => postMessage((await load()).plan(event.data));`,
      },
    });
    expect(result).toEqual((await load()).plan(smallGraph()));
    expect(complaints).toEqual([]);
  });

  it("the policy is real: eval is refused", async () => {
    const { result } = await runOnPage(
      browser,
      `let refused = false; try { new Function("return 1")(); } catch { refused = true; } export default refused;`,
    );
    expect(result).toBe(true);
  });

  it("names the URL where a page answers instead of the wasm", async () => {
    const { result } = await runOnPage(
      browser,
      `import { load } from "/dist/index.js";
       export default await load({ wasm: "/" }).catch(({ code, message }) => ({ code, message }));`,
    );
    expect(result).toMatchObject({
      code: "WASM_LOAD",
      message: expect.stringMatching(/http:.*page of HTML/),
    });
  });

  it("says so where the worker's script is not there", async () => {
    const { result } = await runOnPage(
      browser,
      `import { load } from "/dist/worker.js";
       export default await load({ worker: "/nowhere.js" }).catch(({ code, message }) => ({ code, message }));`,
    );
    expect(result).toMatchObject({ code: "WASM_LOAD", message: expect.stringContaining("worker_thread.js") });
  });

  it.each(["seed", "quirks", "head", "corpus", "verifier"])(
    "golden/%s: all as in ExecuTorch",
    async (folder) => {
      const files = readdirSync(new URL(`../data/golden/${folder}/`, import.meta.url)).filter((name) =>
        name.endsWith(".json"),
      );
      const { result, complaints } = await runOnPage(
        browser,
        `import { load } from "/dist/index.js";
       import { compareAll, readGolden } from "/golden.js";
       const text = async (path) => (await fetch(path)).text();
       const memplan = await load();
       const cases = await Promise.all(${JSON.stringify(files)}.map(async (file) => readGolden(
         file,
         await text("/data/golden/${folder}/" + file),
         ${folder === "corpus"} ? await text("/data/corpus/graphs/" + file) : undefined,
       )));
       const tally = compareAll(memplan, cases, ${folder !== "verifier"});
       export default { ...tally, differences: tally.differences.slice(0, 5) };`,
        {
          modules: {
            "/golden.js": asJavaScript(readFileSync(new URL("golden.ts", import.meta.url), "utf8")),
          },
        },
      );
      const tally = result as { plans: number; verdicts: number; differences: string[] };
      console.log(
        `golden/${folder} in Chromium: ${tally.plans} plans and ${tally.verdicts} verdicts compared`,
      );
      expect(tally.differences).toEqual([]);
      expect(complaints).toEqual([]);
      expect(tally.plans + tally.verdicts).toBeGreaterThan(100);
    },
  );
});
