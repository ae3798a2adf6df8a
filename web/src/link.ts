import type { Options } from "memplan";

/** What a link carries in its fragment, which no server ever sees. */
export interface LinkState {
  sample: string | null;
  /** Title and UTF-8 of the input, where it is small enough. */
  input: { title: string; bytes: Uint8Array } | null;
  options: Options;
}

/** Characters of a compressed input beyond which a link leaves it out: chat programs cut longer ones. */
export const kMostInputChars = 8000;

type Plain = string | number | boolean;
const kNumbers = ["alignment", "capacity", "timeLimitMs", "stepBudget", "seed", "stopAt"] as const;
const kSwitches = ["allocGraphInput", "allocGraphOutput", "allocMutableBuffers", "inplace"] as const;
const kWords = ["rules", "algorithm", "controlFlowResults"] as const;

/** The fragment for a state, without `#`. `input` is null in the answer's stead where it was too long. */
export async function writeLink(state: LinkState): Promise<{ fragment: string; inputLeftOut: boolean }> {
  const fields = new URLSearchParams();
  let inputLeftOut = false;
  if (state.sample) fields.set("sample", state.sample);
  else if (state.input) {
    const packed = base64Url(await pass(state.input.bytes, new CompressionStream("deflate-raw")));
    if (packed.length <= kMostInputChars) {
      fields.set("title", state.input.title);
      fields.set("input", packed);
    } else inputLeftOut = true;
  }
  for (const [key, value] of Object.entries(state.options)) {
    if (isPlain(value)) fields.set(key, String(value));
  }
  return { fragment: fields.toString(), inputLeftOut };
}

/** Reads a fragment; what it does not understand is left out. Rejects where the input is damaged. */
export async function readLink(fragment: string): Promise<LinkState> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const packed = fields.get("input");
  const input = packed
    ? {
        title: fields.get("title") ?? "shared model",
        bytes: await pass(fromBase64Url(packed), new DecompressionStream("deflate-raw")),
      }
    : null;
  const options: Record<string, Plain> = {};
  for (const key of kNumbers) {
    const value = fields.get(key);
    if (value !== null && /^\d+$/.test(value)) options[key] = Number(value);
  }
  for (const key of kSwitches) if (fields.has(key)) options[key] = fields.get(key) === "true";
  for (const key of kWords) {
    const value = fields.get(key);
    if (value) options[key] = value;
  }
  return { sample: fields.get("sample"), input, options: options as Options };
}

function isPlain(value: unknown): value is Plain {
  return ["string", "number", "boolean"].includes(typeof value);
}

async function pass(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const body = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

function base64Url(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
}
