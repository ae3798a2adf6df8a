import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { load } from "memplan";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChromium, runOnPage } from "./chromium.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const FORMAT = readFileSync(new URL("../../bindings/FORMAT.md", import.meta.url), "utf8");

function snippets(language: string, page = README): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    (match) => match[1] as string,
  );
}

/** What a snippet's comments say that it prints, in order: `console.log(…); // bytes: [0, 512]`. */
function promised(snippet: string): string[] {
  return [...snippet.matchAll(/console\.log\([^\n]*\); \/\/ (.*)$/gm)].map((match) => match[1] as string);
}

describe("the examples of FORMAT.md", () => {
  const inputs = snippets("json", FORMAT).filter((text) => /"(nodes|buffers)":/.test(text));

  it("are a graph and an interval problem", () => expect(inputs).toHaveLength(2));

  it.each(inputs)("are planned as they stand: %s", async (text) => {
    const memplan = await load();
    expect(memplan.verify(text, memplan.plan(text)).errors).toEqual([]);
  });

  it("have a plan of the first that is right but for its hash", async () => {
    const memplan = await load();
    const plan = JSON.parse(snippets("json", FORMAT).find((text) => text.includes("graph_hash")) as string);
    const made = memplan.plan(inputs[0] as string);
    expect(plan.buffer_sizes).toEqual(made.buffer_sizes);
    expect(made.tensors).toContainEqual(plan.tensors[0]);
  });
});

describe("the snippets of the README", () => {
  it("are there", () => {
    expect(snippets("js").length).toBeGreaterThanOrEqual(3);
    expect(snippets("html").length).toBeGreaterThanOrEqual(1);
  });

  it.each(snippets("js"))("run in Node and print what their comments say: %s", async (snippet) => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", snippet], {
      cwd: new URL("../../", import.meta.url).pathname,
      timeout: 150_000,
    });
    const printed = stdout.trim().split("\n");
    for (const words of promised(snippet)) {
      const value = words.replace(/^[^:[]*: (?=\[)/, "").replace(/^(true|false):.*/, "$1");
      expect(printed.map((line) => line.replace(/\[ /, "[").replace(/ \]/, "]"))).toContain(value);
    }
  });

  describe("on a page", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openChromium();
    });
    afterAll(() => browser.close());

    it.each(snippets("html"))("%s", async (snippet) => {
      const script = /<script type="module">(.*)<\/script>/s.exec(snippet)?.[1] as string;
      const { result, complaints } = await runOnPage(
        browser,
        `${script.replace("./node_modules/memplan/dist/", "/dist/")}\nexport default document.title;`,
      );
      expect(result).toBe("100 bytes");
      expect(complaints).toEqual([]);
    });
  });
});
