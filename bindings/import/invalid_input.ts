import { MemplanError } from "../error.js";

/** The error of every importer; `path` is a table path, a byte offset, or both. */
export function invalidInput(path: string, message: string): MemplanError {
  return new MemplanError("INVALID_INPUT", message, { path });
}

/** Valid input that asks for what cannot be honoured. */
export function unsupported(path: string, message: string): MemplanError {
  return new MemplanError("UNSUPPORTED", message, { path });
}
