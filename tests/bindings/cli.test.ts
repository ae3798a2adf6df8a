import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, type Plan } from "memplan";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { smallGraph } from "./small_graph.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const DATA = fileURLToPath(new URL("../data/", import.meta.url));

interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

function memplan(args: string[], input = ""): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args]);
    const outcome: Outcome = { status: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      outcome.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      outcome.stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ ...outcome, status }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

describe("the command line", () => {
  let folder: string;
  let model: string;
  let planFile: string;
  let plan: Plan;
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "memplan-"));
    model = at("model.json");
    planFile = at("plan.json");
    plan = (await load()).plan(smallGraph());
    writeFileSync(model, JSON.stringify(smallGraph()));
    writeFileSync(planFile, JSON.stringify(plan));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("plan: plan JSON on standard output, nothing on standard error, status 0", async () => {
    const { status, stdout, stderr } = await memplan(["plan", model]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(plan);
    expect(status).toBe(0);
  });

  it("plan -: reads standard input", async () => {
    const { status, stdout } = await memplan(["plan", "-"], JSON.stringify(smallGraph()));
    expect(JSON.parse(stdout)).toEqual(plan);
    expect(status).toBe(0);
  });

  it("plan -o: writes the file and nothing else", async () => {
    const { status, stdout } = await memplan(["plan", model, "-o", at("out.json")]);
    expect(stdout).toBe("");
    expect(JSON.parse(readFileSync(at("out.json"), "utf8"))).toEqual(plan);
    expect(status).toBe(0);
  });

  it("plan: every option arrives", async () => {
    const here = await load();
    const options = [
      ["--alignment 64", { alignment: 64 }],
      ["--no-alloc-graph-input", { allocGraphInput: false }],
      ["--no-alloc-graph-output", { allocGraphOutput: false }],
      ["--no-alloc-mutable-buffers", { allocMutableBuffers: false }],
      ["--algorithm naive", { algorithm: "naive" }],
      ["--rules executorch-2024", { rules: "executorch-2024" }],
      ["--control-flow-results copy", { controlFlowResults: "copy" }],
      ["--inplace", { inplace: true }],
      ["--inplace aten::relu,aten::exp", { inplace: ["aten::relu", "aten::exp"] }],
      ["--seed 7 --step-budget 1000", { seed: 7, stepBudget: 1000 }],
      ["--stop-at 4096", { stopAt: 4096 }],
      ["--capacity 4096", { capacity: 4096 }],
      ["--capacity 0,4096", { capacity: [0, 4096] }],
      ["--time-limit 3600000", { timeLimitMs: 3_600_000 }],
    ] as const;
    await Promise.all(
      options.map(async ([flags, wanted]) => {
        const { stdout, stderr } = await memplan(["plan", model, ...flags.split(" ")]);
        expect(stderr).toBe("");
        expect(JSON.parse(stdout)).toEqual(here.plan(smallGraph(), { ...wanted } as never));
      }),
    );
  });

  it("CSV in gives CSV out, in the file's order, with offsets that a plan may have", async () => {
    const csv = "size,id,upper,lower\n4,b1,3,0\n8,b2,9,3\n4,b3,9,0\n";
    const { status, stdout } = await memplan(["plan", "-"], csv);
    const rows = stdout.trim().split("\n");
    expect(rows[0]).toBe("id,lower,upper,size,offset");
    expect(rows.slice(1).map((row) => row.split(",").slice(0, 4).join())).toEqual([
      "b1,0,3,4",
      "b2,3,9,8",
      "b3,0,9,4",
    ]);
    const planned = (await load()).plan(csv);
    expect(rows.slice(1).map((row) => Number(row.split(",")[4]))).toEqual(
      planned.tensors.map((t) => t.mem_offset),
    );
    expect(status).toBe(0);
  });

  it("CSV in gives JSON out where -o names a .json", async () => {
    writeFileSync(at("b.csv"), "id,lower,upper,size\nb1,0,3,4\n");
    expect((await memplan(["plan", at("b.csv"), "-o", at("b.json")])).status).toBe(0);
    expect(JSON.parse(readFileSync(at("b.json"), "utf8")).tensors).toHaveLength(1);
    expect((await memplan(["plan", at("b.csv"), "-o", at("b.out.csv")])).status).toBe(0);
    expect(readFileSync(at("b.out.csv"), "utf8")).toBe("id,lower,upper,size,offset\nb1,0,3,4,0\n");
  });

  it("a full disk is an error of use, told in one line", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [CLI, "plan", model], { stdio: ["ignore", full, "pipe"] });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const status = await new Promise((resolve) => child.on("close", resolve));
    closeSync(full);
    expect(stderr).toMatch(/^memplan: cannot write to standard output: [^\n]*\n$/);
    expect(status).toBe(2);
  });

  it("CSV in gives JSON out with --json", async () => {
    const { stdout } = await memplan(["plan", "-", "--json"], "id,lower,upper,size\nb1,0,3,4\n");
    expect(JSON.parse(stdout).tensors).toHaveLength(1);
  });

  it.each(['"id","lower","upper","size"\n', "\ufeffid,lower,upper,size\r\n", "size,end,start,id\n"])(
    "plan: reads a CSV that begins with %j, as the package does",
    async (header) => {
      const csv = `${header}5,5,5,5\n`;
      const { status, stdout, stderr } = await memplan(["plan", "-", "-o", at("odd.json")], csv);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
      expect(JSON.parse(readFileSync(at("odd.json"), "utf8"))).toEqual((await load()).plan(csv));
    },
  );

  it("plan: a model file is imported, with notes on standard error", async () => {
    const { status, stdout, stderr } = await memplan([
      "plan",
      join(DATA, "corpus/models/tflm_person_detect.tflite"),
    ]);
    expect(stderr).toMatch(/^note: /);
    expect(JSON.parse(stdout).buffer_sizes).toEqual([0, 55296]);
    expect(status).toBe(0);
  });

  it("plan: status 1 and the reason where it does not fit", async () => {
    const { status, stdout, stderr } = await memplan(["plan", model, "--capacity", "100"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("DOES_NOT_FIT");
    expect(stderr).toContain("64 bytes: ");
    expect(status).toBe(1);
  });

  it("verify: status 0 for a right plan, 1 for a wrong one, the report on standard output", async () => {
    const right = await memplan(["verify", model, planFile]);
    expect(JSON.parse(right.stdout)).toMatchObject({ ok: true, errors: [] });
    expect(right.status).toBe(0);

    const overlapping = structuredClone(plan);
    for (const tensor of overlapping.tensors) tensor.mem_offset = 0;
    const wrong = await memplan(["verify", model, "-"], JSON.stringify(overlapping));
    expect(JSON.parse(wrong.stdout)).toMatchObject({ ok: false, errors: expect.any(Array) });
    for (const { code } of JSON.parse(wrong.stdout).errors) expect(code).toBe("STORAGE_OVERLAP");
    expect(wrong.status).toBe(1);
  });

  it("verify: takes the options that the plan says it was made with", async () => {
    const made = await memplan(["plan", model, "--no-alloc-graph-input", "--alignment", "64"]);
    expect((await memplan(["verify", model, "-"], made.stdout)).status).toBe(0);
    expect((await memplan(["verify", model, "-", "--alignment", "128"], made.stdout)).status).toBe(1);
  });

  it.each([
    ["options of its own", { options: { strategy: "fast", alignment: 16 } }],
    ["rules of its own", { rules: "theirs", options: { alignment: "none" } }],
    ["no options to speak of", { rules: undefined, options: null }],
  ])("verify: takes another planner's plan with %s", async (_, more) => {
    const theirs = { buffer_sizes: plan.buffer_sizes, tensors: plan.tensors, ...more };
    const { status, stderr } = await memplan(["verify", model, "-"], JSON.stringify(theirs));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("verify: says which of the two files is wrong, and in which line", async () => {
    const broken = '{"version": 1, "name": "\\u0041",\n "tensors": [,]}';
    const wrongPlan = await memplan(["verify", model, "-"], broken);
    expect(wrongPlan).toMatchObject({ status: 2, stderr: expect.stringContaining("in the plan: ") });
    expect(wrongPlan.stderr).toContain("line 2, column 14");
    const wrongModel = await memplan(["verify", "-", planFile], broken);
    expect(wrongModel).toMatchObject({ status: 2, stderr: expect.not.stringContaining("in the plan: ") });
    expect(wrongModel.stderr).toContain("line 2, column 14");
  });

  it("check: of several methods, names what makes the highest peak", async () => {
    const small = { ...smallGraph(), tensors: smallGraph().tensors.map((t) => ({ ...t, nbytes: 16 })) };
    const text = JSON.stringify({ methods: { small, large: smallGraph() } });
    const { status, stderr } = await memplan(["check", "-", "--max", "100"], text);
    expect(stderr).toMatch(/64 bytes: large\/[xry]/);
    expect(stderr).not.toContain("small/");
    expect(status).toBe(1);
  });

  it("check: status 0 within the budget, 1 over it with what makes the peak", async () => {
    const within = await memplan(["check", model, "--max", "128"]);
    expect(within).toMatchObject({ status: 0, stderr: "" });
    expect(within.stdout).toContain("128 bytes");
    const over = await memplan(["check", model, "--max", "100"]);
    expect(over).toMatchObject({ status: 1, stdout: "" });
    expect(over.stderr).toContain("28 bytes over the budget of 100 bytes (proven: no plan is smaller)");
    expect(over.stderr).toMatch(/64 bytes: [xry]/);
  });

  it("check --compare: status 1 where the plan grew", async () => {
    expect((await memplan(["check", model, "--compare", planFile])).status).toBe(0);
    const smaller = { ...plan, buffer_sizes: [0, 64] };
    const grown = await memplan(["check", model, "--compare", "-"], JSON.stringify(smaller));
    expect(grown.status).toBe(1);
    expect(grown.stderr).toContain("64 bytes more than");
    const nonsense = await memplan(["check", model, "--compare", "-"], "{}");
    expect(nonsense.status).toBe(2);
  });

  it("algorithms: one a line, with its summary", async () => {
    const { status, stdout } = await memplan(["algorithms"]);
    const names = (await load()).algorithms.map(({ name }) => name);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(["auto", "naive", "greedy", "greedy_by_size"]));
    expect(status).toBe(0);
  });

  it.each([
    [["plan"], "missing required argument"],
    [["plan", "{model}", "--alignment", "x"], "no whole number"],
    [["plan", "{model}", "--alignment", "3"], "INVALID_OPTION"],
    [["plan", "{model}", "--algorithm", "nope"], "INVALID_OPTION"],
    [["plan", "{model}", "--rules", "nope"], "Allowed choices"],
    [["plan", "{model}", "--dim", "batch"], "name=size"],
    [["plan", "{model}", "--frobnicate"], "unknown option"],
    [["plan", "{model}", "-o", "out.csv"], "UNSUPPORTED"],
    [["plan", "{model}", "-o", "out.tflite"], "UNSUPPORTED"],
    [["plan", "/nowhere/model.json"], "cannot read /nowhere/model.json"],
    [["verify", "{model}", "/nowhere/plan.json"], "cannot read /nowhere/plan.json"],
    [["verify", "-", "-"], "only one"],
    [["check", "{model}"], "--max"],
    [["frobnicate"], "unknown command"],
  ])("%j is bad usage: status 2", async (args, words) => {
    const { status, stdout, stderr } = await memplan(args.map((arg) => arg.replace("{model}", model)));
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  it.each([
    ["nothing", "", "INVALID_JSON"],
    ["half a graph", '{"tensors": [', "INVALID_JSON"],
    ["a CSV without a column", "id,lower,upper\na,0,5\n", '"size" is missing'],
    ["a CSV with other names", "ID,Lower,Upper,Size\na,0,5,1\n", "id,lower,upper,size"],
    ["a graph with a wrong field", '{"tensors": [{"id": 5}], "nodes": []}', "tensors[0].id"],
    ["no format that there is", "\u0001\u0002\u0003", "INVALID_INPUT"],
  ])("%s is bad input: status 2, with the path", async (_, text, words) => {
    const { status, stdout, stderr } = await memplan(["plan", "-"], text);
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  it("says its version and its help with status 0", async () => {
    const version = await memplan(["--version"]);
    expect(version).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    const help = await memplan(["plan", "--help"]);
    expect(help.status).toBe(0);
    for (const flag of [
      "--rules",
      "--algorithm",
      "--alignment",
      "--no-alloc-graph-input",
      "--capacity",
      "--dim",
    ]) {
      expect(help.stdout).toContain(flag);
    }
  });

  it("no command at all is bad usage, with the help", async () => {
    const { status, stderr } = await memplan([]);
    expect(status).toBe(2);
    expect(stderr).toContain("Usage: memplan");
  });
});
