/**
 * The stable codes of {@link MemplanError}. Under the ExecuTorch rules the upper-case kinds of upstream's own
 * failures join them (`UNEXPECTED_TARGET`, `NOT_SORTED`, …).
 */
export type ErrorCode =
  | "INVALID_JSON"
  | "INVALID_INPUT"
  | "INVALID_OPTION"
  | "TOO_LARGE"
  | "OUT_OF_MEMORY"
  | "BAD_SUBMODULE"
  | "PINS_COLLIDE"
  | "UNSUPPORTED"
  | "DOES_NOT_FIT"
  | "NOT_FOUND_IN_TIME"
  | "ABORTED"
  | "WASM_LOAD"
  | "INTERNAL"
  | (string & {});

/** A tensor or buffer named in {@link FitDetails}. */
export interface NamedBytes {
  /** As in the input. */
  id: string;
  /** Its size. */
  bytes: number;
}

/** Why a problem does not fit its capacity, at the step where most is missing. Sizes are bytes. */
export interface FitDetails {
  /** Memory pool. */
  mem_id: number;
  /** Node index, or the time of an interval problem. */
  node: number;
  /** Live at `node`, or of the smallest plan known. */
  required: number;
  /** The capacity. */
  available: number;
  /** `required` − `available`. */
  excess: number;
  /** All that is live at `node`, largest first. */
  live: NamedBytes[];
  /** The three largest of them. */
  culprits: NamedBytes[];
}

/** Everything that memplan throws. After one, the next call works. */
export class MemplanError extends Error {
  /** Always `MemplanError`. */
  override readonly name = "MemplanError";
  /** Stable; for programs. */
  readonly code: ErrorCode;
  /** Where in the input: a JSON path (`tensors[3].nbytes`), line and column, or the option's name. */
  readonly path: string | undefined;
  /** With `DOES_NOT_FIT` and `NOT_FOUND_IN_TIME`. */
  readonly details: FitDetails | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { path?: string | undefined; details?: FitDetails | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.path = more.path;
    this.details = more.details;
  }
}
