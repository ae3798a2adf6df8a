import { type Input, load, type Memplan, MemplanError, type PlanToVerify } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { wrongCsv } from "./wrong_csv.ts";
import { rightInputs, type WrongInput, wrongInputs } from "./wrong_inputs.ts";
import { rightPlans, wrongPlans } from "./wrong_plans.ts";

describe("wrong inputs", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  function thrownBy(work: () => unknown): MemplanError | undefined {
    try {
      work();
      return undefined;
    } catch (error) {
      if (error instanceof MemplanError) return error;
      throw error;
    }
  }

  const errorOf = (input: unknown) => thrownBy(() => memplan.plan(input as Input, { stepBudget: 100 }));

  /** What an error lacks of what it should be; undefined where it is right. */
  function lacking(wanted: Pick<WrongInput, "what" | "code" | "path">, error: MemplanError | undefined) {
    const { what, code, path } = wanted;
    const isThere =
      path === "line"
        ? /^line \d+, column \d+$/.test(error?.path ?? "")
        : (error?.path ?? "").startsWith(path);
    if (isThere && new RegExp(`^${code}$`).test(error?.code ?? "")) return [];
    return [`${what}: wanted ${code} at ${path}, got ${error?.code} at ${error?.path}: ${error?.message}`];
  }

  it("are wrong in one place each: without that they plan", () => {
    for (const input of rightInputs()) expect(errorOf(input)).toBeUndefined();
    for (const { input, plan } of rightPlans()) {
      expect(thrownBy(() => memplan.verify(input as Input, plan as PlanToVerify))).toBeUndefined();
    }
  });

  it("of which there are a thousand, name their code and JSON path", () => {
    const table = wrongInputs();
    expect(table.length).toBeGreaterThan(1000);
    expect(table.flatMap((row) => lacking(row, errorOf(row.input)))).toEqual([]);
  });

  it("of CSV name their line and column", () => {
    const table = wrongCsv();
    expect(table.length).toBeGreaterThan(200);
    expect(table.flatMap((row) => lacking(row, errorOf(row.input)))).toEqual([]);
  });

  it("of verify, as plans, name their code and JSON path", () => {
    const table = wrongPlans();
    expect(table.length).toBeGreaterThan(150);
    const errors = table.flatMap((row) => {
      return lacking(
        row,
        thrownBy(() => memplan.verify(row.input as Input, row.plan as PlanToVerify)),
      );
    });
    expect(errors).toEqual([]);
  });

  it("leave the next call as it was", () => {
    const right = rightInputs()[0] as Input;
    const plan = memplan.plan(right, { stepBudget: 100 });
    const table = wrongInputs();
    for (let i = 0; i < table.length; i += 17) {
      expect(errorOf(table[i]?.input)).toBeDefined();
      expect(memplan.plan(right, { stepBudget: 100 })).toEqual(plan);
    }
  });

  it("may be a hundred million brackets", () => {
    const bytes = new Uint8Array(100_000_000).fill(0x5b);
    expect(errorOf(bytes)?.code).toMatch(/^INVALID_/);
    expect(errorOf(rightInputs()[0])).toBeUndefined();
  });
});
