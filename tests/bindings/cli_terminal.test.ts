import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, type Plan } from "memplan";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endlessProblem } from "./endless_problem.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** What the command shows on a terminal; `act` sees all of it so far and may type. */
function onTerminal(
  columns: number,
  args: string[],
  act: (shown: string, type: (keys: string) => void) => void = () => {},
): Promise<{ status: number | null; shown: string }> {
  const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", `stty cols ${columns}; exec ${command}`, "/dev/null"]);
    let shown = "";
    // Characters of several bytes may come in two chunks.
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk: string) => {
      shown += chunk;
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
    writeFileSync(hard, endlessProblem());
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function expectRight(path: string): Promise<void> {
    const plan = JSON.parse(readFileSync(path, "utf8")) as Plan;
    expect((await load()).verify(readFileSync(hard), plan)).toMatchObject({ ok: true });
  }

  /** The pictures of the line, the last one what stands there at the end. */
  function framesOf(shown: string): { frames: string[]; bars: string[] } {
    const frames = shown.split("\r\x1b[K");
    return { frames, bars: frames.filter((frame) => /^[█░]{24} /.test(frame)) };
  }

  it("shows in one line how far a long search is, and takes the line away at the end", async () => {
    const out = at("long.json");
    const { status, shown } = await onTerminal(100, ["plan", hard, "--time-limit", "5000", "-o", out]);
    expect(status).toBe(0);
    const { frames, bars } = framesOf(shown);
    expect(bars.length).toBeGreaterThan(1);
    for (const bar of bars) {
      expect(bar).toMatch(/^[█░]{24} \w+: [\d,]+ bytes, \d+\.\d\d% over the bound$/);
      expect(bar.length).toBeLessThanOrEqual(100);
    }
    const full = bars.map((bar) => bar.lastIndexOf("█"));
    expect(full).toEqual([...full].sort((a, b) => a - b));
    expect(frames.at(-1)).not.toMatch(/[█░]/);
    await expectRight(out);
  });

  it("shows no bar for what is done at once", async () => {
    const args = ["plan", hard, "--algorithm", "first_fit_by_size", "-o", at("now.json")];
    const { status, shown } = await onTerminal(80, args);
    expect(status).toBe(0);
    expect(shown).not.toMatch(/[█░]/);
    expect(shown).toContain("first_fit_by_size");
  });

  it("ends a search at Ctrl+C with the best plan so far, on a narrow terminal too", async () => {
    const out = at("stopped.json");
    let typed = false;
    const { status, shown } = await onTerminal(
      40,
      ["plan", hard, "--time-limit", "3600000", "-o", out],
      (soFar, type) => {
        if (typed || !/[█░]/.test(soFar)) return;
        typed = true;
        type("\x03");
      },
    );
    expect(typed).toBe(true);
    expect(status).toBe(0);
    // The terminal shows what is typed.
    const { frames, bars } = framesOf(shown.replaceAll("^C", ""));
    expect(bars.length).toBeGreaterThan(0);
    for (const bar of bars) expect(bar.length).toBeLessThanOrEqual(40);
    expect(frames.at(-1)).not.toMatch(/[█░]/);
    await expectRight(out);
  });
});
