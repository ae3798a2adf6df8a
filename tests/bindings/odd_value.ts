/** What a caller may put in the place of any value of a graph. */
import fc from "./fast_check.ts";

/** JSON of any kind, and what is nearly right: names that exist, sizes at the edges, words of the format. */
export const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(-1, -0, 0, 1.5, 2 ** 53, 2 ** 31, 1e308, "", "x", "r", "nope", [], {}, null, true),
  fc.constantFrom<unknown>([[]], [null], ["x"], ["x", null], "inplace", "static", "output", "a\nb"),
);

/** Puts `value` at the end of the path `keys`. */
export function exchange(graph: unknown, keys: readonly (string | number)[], value: unknown): void {
  let parent = graph as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
  parent[keys[keys.length - 1] as string] = value;
}
