import { randomBytes } from "node:crypto";
import type { Options } from "memplan";
import { describe, expect, it } from "vitest";
import { kMostInputChars, readLink, writeLink } from "../../web/src/link.ts";
import fc from "../bindings/fast_check.ts";

const options = fc.record(
  {
    rules: fc.constantFrom("sound", "executorch-2024", "executorch-2026"),
    algorithm: fc.constantFrom("auto", "greedy", "naive"),
    alignment: fc.constantFrom(1, 16, 64),
    allocGraphInput: fc.boolean(),
    capacity: fc.nat(),
    inplace: fc.boolean(),
    controlFlowResults: fc.constantFrom("move", "copy"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Options>;

describe("a link", () => {
  it("gives back the input and the options it was made of", async () => {
    await fc.assert(
      fc.asyncProperty(
        options,
        fc.string({ unit: "grapheme" }),
        fc.uint8Array({ maxLength: 3000 }),
        async (o, title, bytes) => {
          const { fragment, inputLeftOut } = await writeLink({
            sample: null,
            input: { title, bytes },
            options: o,
          });
          expect(inputLeftOut).toBe(false);
          expect(fragment).toMatch(/^[\x21-\x7e]*$/);
          const back = await readLink(`#${fragment}`);
          expect(back.options).toEqual(o);
          expect([...(back.input?.bytes ?? [])]).toEqual([...bytes]);
          if (title) expect(back.input?.title).toBe(title);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("leaves out an input that is too long even when compressed, and says so", async () => {
    const bytes = new Uint8Array(randomBytes(kMostInputChars));
    const link = await writeLink({
      sample: null,
      input: { title: "large", bytes },
      options: { alignment: 64 },
    });
    expect(link.inputLeftOut).toBe(true);
    expect(link.fragment).toBe("alignment=64");
  });

  it("takes a sample by its name instead of its bytes", async () => {
    const link = await writeLink({ sample: "resnet50", input: null, options: {} });
    expect((await readLink(link.fragment)).sample).toBe("resnet50");
  });
});
