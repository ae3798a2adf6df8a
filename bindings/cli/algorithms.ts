import { EXIT } from "./commands.js";
import { openCore } from "./model.js";

export async function printAlgorithms({ json }: { json?: boolean }): Promise<number> {
  const { algorithms } = await openCore();
  if (json) {
    process.stdout.write(`${JSON.stringify(algorithms, null, 2)}\n`);
    return EXIT.done;
  }
  const width = Math.max(...algorithms.map(({ name }) => name.length));
  for (const { name, summary } of algorithms) process.stdout.write(`${name.padEnd(width)}  ${summary}\n`);
  return EXIT.done;
}
