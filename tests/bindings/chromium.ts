/** A headless Chromium and a server under the strict policy, for tests of what a page sees. */
import { type Browser, chromium } from "playwright-core";
import ts from "typescript";
import { CONTENT_SECURITY_POLICY, serve } from "../../scripts/serve.mjs";

const ROOT = new URL("../../", import.meta.url).pathname;

export async function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** What a page said: the result that its script left, and every error and complaint on its console. */
export interface PageOutcome {
  result: unknown;
  complaints: string[];
}

/** Browser TypeScript to JavaScript, imports left as they are. */
export function asJavaScript(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  }).outputText;
}

/**
 * Opens a page and waits for the first text that it says with console.debug: JSON, `{ value }` or `{ error }`.
 * Playwright's own ways to ask a page use eval, which the policy forbids; so the page speaks first.
 */
export async function visit(browser: Browser, url: string): Promise<PageOutcome> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  const said = new Promise<string>((resolve, reject) => {
    page.on("console", (message) => {
      if (message.type() === "debug" && message.text().startsWith("{")) resolve(message.text());
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    setTimeout(() => reject(new Error(`the page said nothing\n${complaints.join("\n")}`)), 150_000).unref();
  });
  try {
    await page.goto(url);
    const outcome = JSON.parse(await said) as { value?: unknown; error?: string };
    if (outcome.error !== undefined)
      throw new Error(`on the page: ${outcome.error}\n${complaints.join("\n")}`);
    return { result: outcome.value, complaints };
  } finally {
    await page.close();
  }
}

/**
 * Runs a module script on a page of its own. The package is at /dist/, the test data at /data/; the script's
 * default export, awaited, is the result.
 */
export async function runOnPage(
  browser: Browser,
  script: string,
  { csp = CONTENT_SECURITY_POLICY, modules = {} }: { csp?: string; modules?: Record<string, string> } = {},
): Promise<PageOutcome> {
  const javascript = (body: string) => ({ type: "text/javascript", body });
  const server = await serve(
    { "/dist/": `${ROOT}dist/`, "/data/": `${ROOT}tests/data/` },
    {
      csp,
      routes: {
        "/": {
          type: "text/html",
          body: '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/run.js"></script>',
        },
        "/run.js": javascript(
          `import("/test.js").then((module) => module.default).then(
             (value) => ({ value }), (error) => ({ error: String(error?.stack ?? error) }),
           ).then((outcome) => console.debug(JSON.stringify(outcome)));`,
        ),
        "/test.js": javascript(script),
        ...Object.fromEntries(Object.entries(modules).map(([path, body]) => [path, javascript(body)])),
      },
    },
  );
  try {
    return await visit(browser, server.url);
  } finally {
    await server.close();
  }
}
