import { Flag, type Model, totalBytes } from "../arena/model";
import { nameAt } from "../arena/names";

/** How two plans of the same tensors differ. */
export interface Difference {
  /** Bytes of `b` over those of `a`. */
  bytes: number;
  /** Rows of `a` that lie elsewhere in `b`, or only in one of them. */
  moved: Uint32Array;
  /** Rows of `b` likewise. */
  movedThere: Uint32Array;
  same: number;
}

export function differenceOf(a: Model, b: Model): Difference {
  const rowIn = new Map<string, number>();
  for (let i = 0; i < b.tensorCount; i++) rowIn.set(keyOf(b, i), i);
  const moved: number[] = [];
  const movedThere: number[] = [];
  let same = 0;
  for (let i = 0; i < a.tensorCount; i++) {
    const j = rowIn.get(keyOf(a, i));
    const drawn = isDrawn(a, i);
    if (j === undefined) {
      if (drawn) moved.push(i);
      continue;
    }
    if (!drawn && !isDrawn(b, j)) continue;
    if (a.pool[i] === b.pool[j] && a.offset[i] === b.offset[j] && a.bytes[i] === b.bytes[j]) {
      same++;
    } else {
      moved.push(i);
      movedThere.push(j);
    }
  }
  return {
    bytes: totalBytes(b) - totalBytes(a),
    moved: Uint32Array.from(moved),
    movedThere: Uint32Array.from(movedThere),
    same,
  };
}

function isDrawn(model: Model, i: number): boolean {
  return (model.pool[i] as number) >= 0 && !((model.flags[i] as number) & Flag.kAlias);
}

function keyOf(model: Model, i: number): string {
  return `${model.scopes[model.scope[i] as number]?.path ?? ""}\n${nameAt(model.names, i)}`;
}
