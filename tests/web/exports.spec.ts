import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Graph, load } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { buildModel } from "../../web/src/arena/build.ts";
import { packPlan } from "../../web/src/arena/packed_plan.ts";
import { planHeader } from "../../web/src/export/c_header.ts";
import { chromeTrace } from "../../web/src/export/chrome_trace.ts";
import { planCsv } from "../../web/src/export/csv.ts";
import { data } from "./site.ts";

let memplan: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  memplan = await load();
});

function planned(path: string) {
  const graph = JSON.parse(data(path).toString()) as Graph;
  const plan = memplan.plan(graph);
  return {
    graph,
    plan,
    model: buildModel({ title: graph.name ?? 'a "model"\\ */', graph, plan: packPlan(plan) }),
  };
}

const kNetworks = [
  "corpus/graphs/person_detect.et.json",
  "corpus/graphs/onnx_range_loop.json",
  "cases/20-pool-used-only-in-a-branch.json",
];

describe("the C header", () => {
  const folder = mkdtempSync(join(tmpdir(), "memplan-header-"));
  const compile = (compiler: string, standard: string, source: string) => {
    const file = join(folder, compiler === "g++" ? "use.cpp" : "use.c");
    writeFileSync(file, source);
    return execFileSync(
      compiler,
      [standard, "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only", file],
      { stdio: "pipe" },
    );
  };

  it.each(kNetworks)("compiles as C11 and as C++11: %s", (path) => {
    const { model, plan } = planned(path);
    const header = planHeader(model, plan);
    compile("gcc", "-std=c11", header);
    compile("g++", "-std=c++11", header);
  });

  it("compiles with names that hold quotes, backslashes, comment ends and other scripts", () => {
    const graph: Graph = {
      version: 1,
      encounter_to_out_var_failure: true,
      tensors: [{ id: 'a"b\\c*/??/é日', nbytes: 8 }],
      nodes: [{ name: "x", op: "placeholder", target: "x", specs: ['a"b\\c*/??/é日'] }],
    };
    const plan = memplan.plan(graph);
    compile(
      "gcc",
      "-std=c11",
      planHeader(buildModel({ title: "日*/\\", graph, plan: packPlan(plan) }), plan),
    );
  });

  it("does not compile where the arena set aside is too small", () => {
    const { model, plan } = planned("corpus/graphs/person_detect.et.json");
    const header = planHeader(model, plan);
    const name = /#ifndef (\w+_ARENA_CAPACITY)/.exec(header)?.[1];
    const size = plan.buffer_sizes[1] as number;
    compile("gcc", "-std=c11", `#define ${name} ${size}\n${header}`);
    expect(() => compile("gcc", "-std=c11", `#define ${name} ${size - 1}\n${header}`)).toThrow(
      /smaller than the plan/,
    );
  });
});

describe("the CSV", () => {
  it("is read again as a problem whose pinned offsets collide nowhere and need as much", () => {
    const { model, plan } = planned("corpus/graphs/person_detect.et.json");
    const again = memplan.plan(planCsv(model));
    expect(again.buffer_sizes).toEqual(plan.buffer_sizes);
  });
});

describe("the Chrome trace", () => {
  it.each(kNetworks)("has one event for each planned tensor, on rows without overlap: %s", (path) => {
    const { model } = planned(path);
    const { traceEvents } = JSON.parse(chromeTrace(model)) as {
      traceEvents: { ph: string; pid: number; tid: number; ts: number; dur: number }[];
    };
    const spans = traceEvents.filter((e) => e.ph === "X");
    expect(spans.length).toBe(new Set(model.rects.tensor).size);
    const rows = new Map<string, number>();
    for (const e of spans.sort((a, b) => a.ts - b.ts)) {
      const row = `${e.pid}/${e.tid}`;
      expect(e.ts).toBeGreaterThanOrEqual(rows.get(row) ?? 0);
      rows.set(row, e.ts + e.dur);
    }
  });
});
