import { MemplanError } from "./error.js";

const encoder = new TextEncoder();

/**
 * The UTF-8 bytes of an input: an object as its JSON, text as it is, bytes as they are (not copied).
 * Throws `INVALID_INPUT` for whatever has no JSON form. `what` names the input in messages.
 */
export function inputBytes(input: unknown, what: "input" | "plan"): Uint8Array {
  if (typeof input === "string") return encodeText(input);
  if (typeof input !== "object" || input === null) throw notAnInput(input, what);
  let text: string | undefined;
  try {
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    text = JSON.stringify(input);
  } catch (cause) {
    throw new MemplanError("INVALID_INPUT", `the ${what} cannot be read: ${reason(cause)}`, { cause });
  }
  if (text === undefined) throw notAnInput(undefined, what);
  return encodeText(text);
}

function notAnInput(value: unknown, what: string): MemplanError {
  const kind = value === null ? "null" : typeof value;
  return new MemplanError("INVALID_INPUT", `the ${what} must be an object, text or bytes, not ${kind}`);
}

/** The text's UTF-8. Throws `OUT_OF_MEMORY`. */
export function encodeText(text: string): Uint8Array {
  try {
    return encoder.encode(text);
  } catch (cause) {
    throw new MemplanError("OUT_OF_MEMORY", "no memory for the text's bytes", { cause });
  }
}

/** What a thrown value says; it can be anything. */
function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "reading it threw";
}
