import { type Input, load, MemplanError, type Options } from "memplan";
import { expect, it } from "vitest";
import { rightInputs } from "./wrong_inputs.ts";

const RULES: Options["rules"][] = ["sound", "executorch-2024", "executorch-2026"];

/** The paths of all fields there are, and what takes one out. */
function fieldsOf(value: unknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return Array.isArray(value) ? fieldsOf(field, at) : [at, ...fieldsOf(field, at)];
  });
}

function without(input: unknown, path: PropertyKey[]): Input {
  const copy = structuredClone(input) as Record<PropertyKey, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<PropertyKey, unknown>;
  delete at[path.at(-1) as PropertyKey];
  return copy as unknown as Input;
}

/** What plan and verify say of an input: nothing, or the codes of their errors. */
async function codesOf(input: Input, right: Input, rules: Options["rules"]): Promise<string[]> {
  const memplan = await load();
  const options: Options = { rules, inplace: rules === "sound", stepBudget: 100 };
  const codes: string[] = [];
  const attempt = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof MemplanError)) throw error;
      codes.push(error.code);
    }
  };
  attempt(() => memplan.verify(input, memplan.plan(input, options), options));
  attempt(() => memplan.verify(input, memplan.plan(right, options), options));
  return codes;
}

it("any field may be left out, under any rules: a plan, or an error that is the input's", async () => {
  const faults: string[] = [];
  let count = 0;
  for (const right of rightInputs() as Input[]) {
    for (const path of fieldsOf(right)) {
      for (const rules of RULES) {
        count++;
        const codes = await codesOf(without(right, path), right, rules);
        if (codes.includes("INTERNAL")) faults.push(`${path.join(".")} under ${rules}`);
      }
    }
  }
  expect(count).toBeGreaterThan(500);
  expect(faults).toEqual([]);
});
