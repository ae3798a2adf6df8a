/**
 * What memplan saves on the networks of the corpus: bytes by ExecuTorch's two planners, and whether those plans are
 * sound; bytes by `auto`; of these what nesting saved against reserving submodules below the outer graph; and what
 * writing over inputs (`inplace`) takes off beyond.
 */
import { readdirSync, readFileSync } from "node:fs";
import { load } from "memplan";

const folder = new URL("../data/corpus/graphs/", import.meta.url);
const memplan = await load();
const totalOf = ({ buffer_sizes }) => buffer_sizes.reduce((sum, bytes) => sum + bytes, 0);

function upstream(graph, rules) {
  try {
    const plan = memplan.plan(graph, { rules });
    return { total: totalOf(plan), isSound: memplan.verify(graph, plan, {}).ok };
  } catch (error) {
    return { refused: error.code };
  }
}

const say = ({ total, isSound, refused }) => refused ?? `${total}${isSound ? "" : " unsound"}`;
const columns = ["network", "2024", "2026", "auto", "at bound", "nesting", "in place", "saved"];
const widths = [34, 20, 20, 12, 9, 9, 12, 7];
const print = (row) =>
  console.log(
    row
      .map((cell, at) => String(cell).padEnd(widths[at]))
      .join(" ")
      .trimEnd(),
  );

print(columns);
const sums = { nesting: 0, before: 0, inPlace: 0, unsound: { "executorch-2024": 0, "executorch-2026": 0 } };
let networks = 0;
for (const file of readdirSync(folder).sort()) {
  const graph = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  if (graph.nodes === undefined) continue; // a plan
  const theirs = ["executorch-2024", "executorch-2026"].map((rules) => {
    const one = upstream(graph, rules);
    if (one.isSound === false) sums.unsound[rules]++;
    return one;
  });
  const ours = memplan.plan(graph, {});
  const inPlace = memplan.plan(graph, { inplace: true });
  const before = totalOf(ours);
  const after = totalOf(inPlace);
  networks++;
  sums.nesting += ours.saved?.nesting ?? 0;
  sums.before += before;
  sums.inPlace += before - after;
  print([
    file.replace(".json", ""),
    ...theirs.map(say),
    before,
    ours.optimal ? "yes" : "no",
    ours.saved?.nesting ?? 0,
    after,
    `${((100 * (before - after)) / Math.max(before, 1)).toFixed(1)}%`,
  ]);
}
console.log(
  `${networks} networks: ${sums.before} bytes by auto, ${sums.nesting} saved by nesting, ` +
    `${sums.inPlace} more (${((100 * sums.inPlace) / sums.before).toFixed(1)}%) in place; ` +
    `unsound by sound's verifier: ${sums.unsound["executorch-2024"]} plans of 2024, ` +
    `${sums.unsound["executorch-2026"]} of 2026`,
);
