import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, type Plan } from "memplan";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/**
 * 3-PARTITION: 40 bins between pinned walls, and three parts that fill each, all live at once. To find the optimum or
 * to prove another plan is out of reach, so a search goes on as long as it may.
 */
function hardProblem(): string {
  const rows = ["id,lower,upper,size,offset"];
  const bin = 1e9;
  let state = 1;
  const part = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return bin / 4 + Math.floor((state / 2 ** 32) * (bin / 8));
  };
  for (let i = 0; i < 40; i++) {
    const [one, two] = [part(), part()];
    rows.push(`wall${i},0,9,1,${(i + 1) * bin + i}`);
    for (const size of [one, two, bin - one - two]) rows.push(`part${rows.length},0,9,${size},`);
  }
  return `${rows.join("\n")}\n`;
}

/** What the command shows on a terminal of 80 columns; `act` sees all of it so far and may type. */
function onTerminal(
  args: string[],
  act: (shown: string, type: (keys: string) => void) => void = () => {},
): Promise<{ status: number | null; shown: string }> {
  const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", `stty cols 80; exec ${command}`, "/dev/null"]);
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString("utf8");
      act(shown, (keys) => child.stdin.write(keys));
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, shown }));
    child.stdin.on("error", () => {});
  });
}

describe("the command line on a terminal", () => {
  let folder: string;
  let hard: string;
  const at = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "memplan-"));
    hard = at("hard.csv");
    writeFileSync(hard, hardProblem());
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function expectRight(path: string): Promise<void> {
    const plan = JSON.parse(readFileSync(path, "utf8")) as Plan;
    expect((await load()).verify(readFileSync(hard), plan)).toMatchObject({ ok: true });
  }

  it("shows in one line how far a long search is, and takes the line away at the end", async () => {
    const out = at("long.json");
    const { status, shown } = await onTerminal(["plan", hard, "--time-limit", "2500", "-o", out]);
    expect(status).toBe(0);
    const frames = shown.split("\r\x1b[K");
    const bars = frames.filter((frame) => /^[█░]{24} /.test(frame));
    expect(bars.length).toBeGreaterThan(1);
    for (const bar of bars) {
      expect(bar).toMatch(/^[█░]{24} \w+: [\d,]+ bytes, \d+\.\d\d% over the bound$/);
      expect(bar.length).toBeLessThanOrEqual(80);
    }
    const full = bars.map((bar) => bar.lastIndexOf("█"));
    expect(full).toEqual([...full].sort((a, b) => a - b));
    expect(frames.at(-1)).not.toMatch(/[█░]/);
    await expectRight(out);
  });

  it("shows no bar for what is done at once", async () => {
    const { status, shown } = await onTerminal([
      "plan",
      hard,
      "--algorithm",
      "first_fit_by_size",
      "-o",
      at("now.json"),
    ]);
    expect(status).toBe(0);
    expect(shown).not.toMatch(/[█░]/);
    expect(shown).toContain("first_fit_by_size");
  });

  it("ends a search at Ctrl+C with the best plan so far", async () => {
    const out = at("stopped.json");
    let typed = false;
    const { status, shown } = await onTerminal(
      ["plan", hard, "--time-limit", "3600000", "-o", out],
      (soFar, type) => {
        if (typed || !/[█░]/.test(soFar)) return;
        typed = true;
        type("\x03");
      },
    );
    expect(typed).toBe(true);
    expect(status).toBe(0);
    expect(shown.split("\r\x1b[K").at(-1)).not.toMatch(/[█░]/);
    await expectRight(out);
  });
});
