import { load, MemplanError } from "memplan";
import { it } from "vitest";
import { writeFileSync } from "node:fs";
import { EVERYTHING, randomCase } from "/work/wt/prover/tests/prover/graph_generator.ts";
import { planOrNull } from "/work/wt/prover/tests/prover/planned.ts";
const memplan = await load();
it("x", { timeout: 1e9 }, () => {
  let found = 0; writeFileSync("/tmp/int_log.txt","start\n");
  for (let seed = Number(process.env.FROM ?? 1); seed < Number(process.env.TO ?? 20000) && found < 3; seed++) { if (seed % 500 === 0) writeFileSync("/tmp/int_log.txt", `at ${seed}\n`, {flag:"a"});
    const { graph, options } = randomCase(100_000 + seed, { ...EVERYTHING, empty: 0.01 });
    const plain = { ...options, inplace: false };
    for (const algorithm of ["naive", "greedy_by_size"]) {
      try { planOrNull(memplan, graph, { ...plain, algorithm }); } catch (e) { if (e instanceof MemplanError && e.code !== "INTERNAL") { console.log(seed, e.code, e.message.slice(0,200)); found++; continue; } writeFileSync("/tmp/int_log.txt", `${seed} ${algorithm} ${(e as Error).message}\n`, {flag:"a"}); console.log("SEED", seed, algorithm, JSON.stringify(plain), (e as Error).message); writeFileSync(`/tmp/int_${seed}.json`, JSON.stringify({graph, options: {...plain, algorithm}})); found++; break; }
    }
  }
});
