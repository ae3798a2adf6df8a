import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { serve } from "../../scripts/serve.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Milliseconds for whatever a test waits for, on the slowest of machines. */
const kPatienceMs = 150_000;

/** The built site on a server with the strict content security policy, and a browser to use it with. */
export interface Site {
  url: string;
  browser: Browser;
  /** A page of its own, at rest; what the console has to complain of is in `complaints`. */
  open(
    options?: BrowserContextOptions & { fragment?: string },
  ): Promise<{ page: Page; complaints: string[] }>;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const server = await serve({ "/": process.env.MEMPLAN_SITE ?? join(ROOT, "build/web") });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  return {
    url: server.url,
    browser,
    async open({ fragment, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(kPatienceMs);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (m) => {
        if (m.type() === "error" || m.type() === "warning") complaints.push(m.text());
      });
      page.on("pageerror", (e) => complaints.push(e.message));
      await page.goto(server.url + (fragment ? `#${fragment}` : ""));
      await settled(page);
      return { page, complaints };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** For all tests of a file: one page with a sample on show. */
export function sampleOnShow(sample: string): { site: Site; page: Page } {
  const shared = {} as { site: Site; page: Page };
  beforeAll(async () => {
    shared.site = await openSite();
    shared.page = (await shared.site.open()).page;
    await openSample(shared.page, sample);
  });
  afterAll(() => shared.site.close());
  return shared;
}

export function data(path: string): Buffer {
  return readFileSync(join(ROOT, "tests/data", path));
}

/** Opens a sample from the start page and waits for its picture and all that comes with it. */
export async function openSample(page: Page, name: string): Promise<void> {
  await page.locator(".sample", { hasText: name }).click();
  await settled(page);
}

/** Waits until all that was asked of the page is answered and on show: plan, picture, comparison, hints, a failure. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { asked, shown } = document.documentElement.dataset;
    return asked !== undefined && asked === shown;
  });
}

/** Drops a file on the page as a hand would. What comes of it has to be waited for. */
export async function dropFile(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const base64 = Buffer.from(bytes).toString("base64");
  const transfer = await page.evaluateHandle(
    ({ name, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name));
      return transfer;
    },
    { name, base64 },
  );
  for (const type of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent("body", type, { dataTransfer: transfer });
  }
}

/** What the export menu gives. */
export async function exported(page: Page, name: RegExp): Promise<{ file: string; bytes: Buffer }> {
  await page.getByText("Export", { exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const done = await download;
  const bytes = readFileSync(await done.path());
  await settled(page);
  return { file: done.suggestedFilename(), bytes };
}

/** The number of bytes in the headline. */
export async function headlineBytes(page: Page): Promise<number> {
  const text = (await page.locator(".headline .exact").textContent()) ?? "";
  return Number(
    text
      .replace(/bytes?.*/, "")
      .replaceAll(",", "")
      .trim(),
  );
}

/** Where on the screen a tensor of the first lane has its middle: from its row in the table and the view. */
export async function middleOf(page: Page, tensor: string): Promise<{ x: number; y: number }> {
  const row = page.locator(".rows-table tbody tr", {
    has: page.getByRole("button", { name: tensor, exact: true }),
  });
  const cells = (await row.locator("td").allTextContents()).map((c) => Number(c.replaceAll(",", "")));
  const [bytes = 0, offset = 0, first = 0, last = 0] = cells;
  const stage = page.locator(".stage").first();
  await stage.scrollIntoViewIfNeeded();
  const box = await stage.boundingBox();
  const numbers = async (name: string) => ((await stage.getAttribute(name)) ?? "").split(" ").map(Number);
  const [t0 = 0, t1 = 1, b0 = 0, b1 = 1] = await numbers("data-view");
  const [x = 0, y = 0, width = 0, height = 0] = await numbers("data-lane");
  if (!box) throw new Error("no stage");
  return {
    x: box.x + x + (((first + last + 1) / 2 - t0) / (t1 - t0)) * width,
    y: box.y + y + height - ((offset + bytes / 2 - b0) / (b1 - b0)) * height,
  };
}
