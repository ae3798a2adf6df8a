import type { Plan } from "memplan";
import { type Model, totalBytes } from "../arena/model";
import { nameAt } from "../arena/names";

/**
 * A C11 and C++11 header with the offset of every planned tensor. It asserts, when it is compiled, that the arena
 * set aside is large enough: define `<NAME>_ARENA_CAPACITY` (`<NAME>_<POOL>_CAPACITY` with several pools) before
 * including it, or let it be the size the plan needs.
 */
export function planHeader(model: Model, plan: Plan): string {
  const name = identifier(model.title);
  const upper = name.toUpperCase();
  const lines = [
    `/* ${commentSafe(model.title)}: memory plan, ${totalBytes(model)} bytes in all.`,
    `   Made by memplan: algorithm ${plan.algorithm}, rules ${plan.rules}${plan.optimal ? ", proven optimal" : ""}. */`,
    `#ifndef MEMPLAN_${upper}_H`,
    `#define MEMPLAN_${upper}_H`,
    "",
    "#include <stdint.h>",
    "",
    "#ifndef MEMPLAN_STATIC_ASSERT",
    "#ifdef __cplusplus",
    "#define MEMPLAN_STATIC_ASSERT(condition, message) static_assert(condition, message)",
    "#else",
    "#define MEMPLAN_STATIC_ASSERT(condition, message) _Static_assert(condition, message)",
    "#endif",
    "#endif",
    "",
    "#ifndef MEMPLAN_TENSOR",
    "#define MEMPLAN_TENSOR",
    "typedef struct MemplanTensor {",
    "  const char *name;",
    "  uint32_t pool;   /* mem_id, from 1 */",
    "  uint64_t offset; /* bytes from the start of the pool */",
    "  uint64_t bytes;",
    "} MemplanTensor;",
    "#endif",
    "",
  ];
  for (const pool of model.pools) lines.push(...poolLines(model, upper, pool));
  lines.push(...tableLines(model, name, upper));
  lines.push(`#endif /* MEMPLAN_${upper}_H */`, "");
  return lines.join("\n");
}

function poolLines(model: Model, upper: string, pool: Model["pools"][number]): string[] {
  const arena =
    model.pools.length > 1
      ? `${upper}_${identifier(pool.name).toUpperCase()}_${pool.memId}`
      : `${upper}_ARENA`;
  const capacity = pool.capacity ?? pool.size;
  return [
    `#define ${arena}_BYTES UINT64_C(${pool.size})`,
    `#ifndef ${arena}_CAPACITY`,
    `#define ${arena}_CAPACITY UINT64_C(${capacity})`,
    "#endif",
    `MEMPLAN_STATIC_ASSERT(${arena}_CAPACITY >= ${arena}_BYTES,`,
    `                      "${arena}_CAPACITY is smaller than the plan's ${pool.size} bytes");`,
    "",
  ];
}

function tableLines(model: Model, name: string, upper: string): string[] {
  const rows: number[] = [];
  for (let i = 0; i < model.tensorCount; i++) if ((model.pool[i] as number) >= 0) rows.push(i);
  const lines = [`#define ${upper}_TENSOR_COUNT ${rows.length}`];
  if (rows.length === 0) return [...lines, ""];
  lines.push(`static const MemplanTensor ${name}_tensors[${upper}_TENSOR_COUNT] = {`);
  for (const i of rows) {
    const scope = model.scopes[model.scope[i] as number]?.path;
    const text = scope ? `${scope}/${nameAt(model.names, i)}` : nameAt(model.names, i);
    const memId = model.pools[model.pool[i] as number]?.memId ?? 1;
    lines.push(
      `    {${cString(text)}, ${memId}, UINT64_C(${model.offset[i]}), UINT64_C(${model.bytes[i]})},`,
    );
  }
  lines.push("};", "");
  return lines;
}

function identifier(text: string): string {
  const cleaned = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^[a-z]/.test(cleaned) ? cleaned : `model_${cleaned}`.replace(/_$/, "");
}

/** A C string literal of UTF-8; octal escapes, since hexadecimal ones swallow what follows. */
function cString(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`;
    else if (byte === 0x3f) out += "\\?";
    else if (byte >= 0x20 && byte < 0x7f) out += String.fromCharCode(byte);
    else out += `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `${out}"`;
}

function commentSafe(text: string): string {
  return text.replaceAll("*/", "* /").replace(/[\r\n\\]+/g, " ");
}
