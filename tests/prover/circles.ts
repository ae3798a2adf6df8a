/** What goes round in circles: views of views, bases of bases. */

type Json = Record<string, unknown>;

/** Views of what is not there yet, of themselves and in a circle, and two bases that cannot both be kept. */
export function* views(graph: Json): Generator<{ graph: Json; path: string; what: string; code: string }> {
  const code = "INVALID_INPUT";
  const view = (name: string, of: string) => {
    return { name, op: "call_function", target: "memory.view", args: [of], specs: ["a"] };
  };
  const nodes = graph.nodes as Json[];
  const before = [...nodes.slice(0, 5)];
  for (const length of [1, 2, 3, 7]) {
    const ring = Array.from({ length }, (_, i) => view(`ring${i}`, `ring${(i + 1) % length}`));
    const what = `a circle of ${length} views`;
    yield { graph: { ...graph, nodes: [...before, ...ring] }, path: "nodes[5].args[0]", what, code };
  }
  const apart = [...before, { ...view("v", "b"), specs: ["c"] }];
  const what = "a view is put in two places";
  yield { graph: { ...graph, nodes: apart }, path: "nodes[5].specs", what, code };
}

/** Circles of bases of each length and kind; the path names one of the tensors in the circle. */
export function* circles(graph: Json): Generator<{ graph: Json; path: string; what: string; code: string }> {
  for (const keys of [
    ["inplace_base", "inplace_base"],
    ["storage_base", "storage_base"],
    ["inplace_base", "storage_base"],
  ]) {
    for (const length of [2, 3, 5]) {
      const ring = Array.from({ length }, (_, i) => ({
        id: `ring${i}`,
        nbytes: 8,
        [keys[i % 2] as string]: `ring${(i + 1) % length}`,
      }));
      yield {
        graph: { ...graph, tensors: [...(graph.tensors as Json[]), ...ring] },
        path: "tensors[",
        what: `a circle of ${length} by ${keys.join(" and ")}`,
        code: "INVALID_INPUT",
      };
    }
  }
}
