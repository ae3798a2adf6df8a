import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInstance, type Input, type Memplan, MemplanError, type Options } from "memplan";
import { importModel } from "memplan/import";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPreset } from "../../scripts/build.mjs";
import { Random } from "../prover/random.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DATA = join(ROOT, "tests/data");

interface Case {
  name: string;
  text: string;
  /** Where the native program finds it. */
  path: string;
}

/** Everything in tests/data that can be planned: graphs, graphs of golden files, intervals, imported models. */
async function everyInput(): Promise<Omit<Case, "path">[]> {
  const files = readdirSync(DATA, { recursive: true, encoding: "utf8" }).sort();
  const cases: Omit<Case, "path">[] = [];
  for (const name of files) {
    const path = join(DATA, name);
    if (name.endsWith(".csv")) cases.push({ name, text: readFileSync(path, "utf8") });
    if (/\.(tflite|onnx|pte)$/.test(name)) {
      const { graph } = await importModel(readFileSync(path));
      if (graph) cases.push({ name, text: JSON.stringify(graph) });
    }
    if (!name.endsWith(".json")) continue;
    const text = readFileSync(path, "utf8");
    const json = JSON.parse(text) as {
      graph?: unknown;
      nodes?: unknown;
      methods?: unknown;
      buffers?: unknown;
    };
    if (json.nodes || json.methods || json.buffers) cases.push({ name, text });
    else if (typeof json.graph === "object") cases.push({ name, text: JSON.stringify(json.graph) });
  }
  return cases;
}

type Row = Record<string, unknown>;

/** The same problem with its rows in another order. */
function shuffled(text: string, random: Random): string {
  if (!text.startsWith("{")) {
    const [header, ...rows] = text.trim().split("\n");
    return `${[header, ...random.shuffled(rows)].join("\n")}\n`;
  }
  const visit = (graph: Row): Row => {
    const result: Row = { ...graph };
    for (const key of ["tensors", "buffers", "conflicts", "pools"]) {
      if (Array.isArray(graph[key])) result[key] = random.shuffled(graph[key] as unknown[]);
    }
    for (const key of ["submodules", "methods"]) {
      const inside = graph[key] as Record<string, Row> | undefined;
      if (!inside) continue;
      result[key] = Object.fromEntries(Object.entries(inside).map(([name, graph]) => [name, visit(graph)]));
    }
    return result;
  };
  return JSON.stringify(visit(JSON.parse(text) as Row));
}

/** A plan without what the order of rows may change: rows by id. */
function byId(plan: Row): Row {
  const result: Row = { ...plan };
  delete result.graph_hash;
  if (Array.isArray(plan.tensors)) {
    const id = (row: unknown) => (row as { id: string }).id;
    result.tensors = [...plan.tensors].sort((a, b) => (id(a) < id(b) ? -1 : 1));
  }
  // Within one node, frees go by the order of rows.
  if (Array.isArray(plan.frees)) result.frees = plan.frees.map((free) => JSON.stringify(free)).sort();
  for (const key of ["submodules", "methods"]) {
    const inside = plan[key] as Record<string, Row> | undefined;
    if (!inside) continue;
    result[key] = Object.fromEntries(Object.entries(inside).map(([name, graph]) => [name, byId(graph)]));
  }
  return result;
}

const SETTINGS: [options: Options, most: number][] = [
  [{ stepBudget: 3_000 }, Number.POSITIVE_INFINITY],
  [{ stepBudget: 3_000, inplace: true }, 2 ** 20],
  [{ stepBudget: 3_000, algorithm: "search" }, 2 ** 20],
  [{ stepBudget: 1, algorithm: "greedy_by_size" }, Number.POSITIVE_INFINITY],
  [{ stepBudget: 1, algorithm: "greedy_by_breadth" }, 2 ** 20],
  [{ stepBudget: 1, algorithm: "free_list" }, 2 ** 20],
  [{ stepBudget: 1, algorithm: "shared_by_size" }, 2 ** 20],
  [{ stepBudget: 1, algorithm: "naive" }, Number.POSITIVE_INFINITY],
  [{ stepBudget: 1, rules: "executorch-2024", algorithm: "greedy" }, Number.POSITIVE_INFINITY],
  [{ stepBudget: 1, rules: "executorch-2026", algorithm: "greedy" }, Number.POSITIVE_INFINITY],
  [{ stepBudget: 1, rules: "executorch-2026", algorithm: "naive" }, Number.POSITIVE_INFINITY],
];

describe("plans of everything in tests/data", () => {
  let folder: string;
  let cases: Case[];
  let memplan: Memplan;
  beforeAll(async () => {
    await buildPreset("native", "memplan_plan_lines");
    memplan = await createInstance();
    folder = mkdtempSync(join(tmpdir(), "memplan-"));
    cases = (await everyInput()).map((input, i) => {
      const path = join(folder, `${i}`);
      writeFileSync(path, input.text);
      return { ...input, path };
    });
    expect(cases.length).toBeGreaterThan(500);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  function answer(of: Memplan, input: Input, options: Options): string {
    try {
      return JSON.stringify(of.plan(input, options));
    } catch (error) {
      if (!(error instanceof MemplanError)) throw error;
      const { code, message, path, details } = error;
      return JSON.stringify({ code, message, path, details });
    }
  }

  function nativeLines(options: Options, chosen: Case[]): Promise<string[]> {
    const rules = ["sound", "executorch-2024", "executorch-2026"].indexOf(options.rules ?? "sound");
    const args = [rules, options.algorithm ?? "", options.stepBudget, options.inplace ? 1 : 0].map(String);
    return new Promise((resolve, reject) => {
      execFile(
        join(ROOT, "build/native/memplan_plan_lines"),
        [...args, ...chosen.map(({ path }) => path)],
        { maxBuffer: 2 ** 30 },
        (error, stdout) => (error ? reject(error) : resolve(stdout.trim().split("\n"))),
      );
    });
  }

  it.each(SETTINGS)(
    "are byte for byte the native program's, by %j",
    { timeout: 1_200_000 },
    async (options, most) => {
      const chosen = cases.filter(({ text }) => text.length <= most);
      const native = await nativeLines(options, chosen);
      expect(native.length).toBe(chosen.length);
      const different = chosen.filter(({ text }, i) => answer(memplan, text, options) !== native[i]);
      expect(different.map(({ name }) => name)).toEqual([]);
    },
  );

  it("are the same again, and in another instance", { timeout: 1_200_000 }, async () => {
    const other = await createInstance();
    const options = { stepBudget: 2_000 };
    for (const { name, text } of cases) {
      const first = answer(memplan, text, options);
      expect(answer(memplan, text, options) === first, name).toBe(true);
      expect(answer(other, new TextEncoder().encode(text), options) === first, name).toBe(true);
    }
  });

  it("are the same whatever the order of rows", { timeout: 1_200_000 }, () => {
    const random = new Random(5);
    const options = { stepBudget: 2_000 };
    for (const { name, text } of cases) {
      const plan = JSON.parse(answer(memplan, text, options)) as Row;
      if (plan.code !== undefined) continue;
      const again = JSON.parse(answer(memplan, shuffled(text, random), options)) as Row;
      expect(byId(again), name).toEqual(byId(plan));
    }
  });
});
