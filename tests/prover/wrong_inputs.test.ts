import { type Input, load, type Memplan, MemplanError } from "memplan";
import { beforeAll, describe, expect, it } from "vitest";
import { rightInputs, wrongInputs } from "./wrong_inputs.ts";

describe("wrong inputs", () => {
  let memplan: Memplan;
  beforeAll(async () => {
    memplan = await load();
  });

  function errorOf(input: unknown): MemplanError | undefined {
    try {
      memplan.plan(input as Input, { stepBudget: 100 });
      return undefined;
    } catch (error) {
      if (error instanceof MemplanError) return error;
      throw error;
    }
  }

  it("are wrong in one place each: without that they plan", () => {
    for (const input of rightInputs()) expect(errorOf(input)).toBeUndefined();
  });

  it("of which there are a thousand, name their code and JSON path", () => {
    const table = wrongInputs();
    expect(table.length).toBeGreaterThan(1000);
    const amiss: string[] = [];
    for (const { what, input, code, path } of table) {
      const error = errorOf(input);
      const isThere =
        path === "line"
          ? /^line \d+, column \d+$/.test(error?.path ?? "")
          : (error?.path ?? "").startsWith(path);
      if (error?.code !== code || !isThere) {
        amiss.push(
          `${what}: wanted ${code} at ${path}, got ${error?.code} at ${error?.path}: ${error?.message}`,
        );
      }
    }
    expect(amiss).toEqual([]);
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
