import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { MemplanError } from "../error.js";
import type { ImportFormat } from "../import.js";
import { Core } from "../instance.js";
import type { Graph, Methods, PlanToVerify } from "../types.js";
import { NODE_HOST } from "../wasm_host_node.js";
import { compileWasm } from "../wasm_source.js";

/** A model as the planner takes it. */
export interface Model {
  format: ImportFormat;
  /** The file. */
  bytes: Uint8Array;
  /** Graph JSON, CSV, or what was read from a model file. */
  input: Uint8Array | Graph | Methods;
  /** The plan that the file carries. */
  plan?: PlanToVerify;
}

/** A file's bytes; `-` is standard input. Throws INVALID_INPUT where it cannot be read. */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return path === "-" ? await buffer(process.stdin) : await readFile(path);
  } catch (cause) {
    throw new MemplanError("INVALID_INPUT", `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

export async function readModel(path: string, dims: Record<string, number> | undefined): Promise<Model> {
  const bytes = await readBytes(path);
  const start = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
  // What begins like JSON is the reader's to complain of, an empty file too.
  if (start.startsWith("{") || start.startsWith("[") || bytes.length === 0) {
    return { format: "json", bytes, input: bytes };
  }
  const { importModel } = await import("../import.js");
  const model = await importModel(bytes, dims ? { dims } : {});
  for (const note of model.notes) process.stderr.write(`note: ${note}\n`);
  return {
    format: model.format,
    bytes,
    input: model.graph ?? bytes,
    ...(model.plan ? { plan: model.plan } : {}),
  };
}

export async function openCore(): Promise<Core> {
  return new Core(await compileWasm(new URL("./memplan.wasm", import.meta.url), NODE_HOST));
}
