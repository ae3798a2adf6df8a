/**
 * A column of strings kept as UTF-8 and offsets, so that a million names cross from worker to page
 * by transfer instead of by copy; a name is decoded when somebody looks at it.
 */
export interface Names {
  /** UTF-8 of all names, end to end. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Start of each name, plus the end of the last. */
  starts: Uint32Array<ArrayBuffer>;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function packNames(list: readonly string[]): Names {
  const starts = new Uint32Array(list.length + 1);
  let bytes = new Uint8Array(Math.max(64, list.length * 16));
  let end = 0;
  for (let i = 0; i < list.length; i++) {
    const name = list[i] as string;
    if (bytes.length - end < name.length * 3) {
      const grown = new Uint8Array((bytes.length + name.length * 3) * 2);
      grown.set(bytes);
      bytes = grown;
    }
    end += encoder.encodeInto(name, bytes.subarray(end)).written;
    starts[i + 1] = end;
  }
  return { bytes: bytes.slice(0, end), starts };
}

export function nameAt(names: Names, i: number): string {
  return decoder.decode(names.bytes.subarray(names.starts[i], names.starts[i + 1]));
}

/** Rows whose name contains `text`, case ignored; stops after `limit` hits. */
export function findNames(names: Names, text: string, limit: number): number[] {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  for (let i = 0; i + 1 < names.starts.length && found.length < limit; i++) {
    if (nameAt(names, i).toLowerCase().includes(wanted)) found.push(i);
  }
  return found;
}

/**
 * A name as people say it: of the parts that a fused TFLite operator strings together the first one, and of a long
 * path the end, since that is where names differ.
 */
export function shortName(name: string, most = 36): string {
  const semicolon = name.indexOf(";");
  const own = semicolon > 0 ? name.slice(0, semicolon) : name;
  if (own.length <= most) return own;
  const tail = own.slice(own.length - most + 1);
  const slash = tail.indexOf("/");
  return `…${slash >= 0 && slash < most / 2 ? tail.slice(slash) : tail}`;
}
