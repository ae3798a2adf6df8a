import { MemplanError } from "./error.js";

/**
 * Where the WebAssembly comes from: the URL of `memplan.wasm` (in Node also a path), its bytes, a `Response`
 * (also a promise of one, as `fetch` gives), or a compiled module.
 */
export type WasmSource =
  | string
  | URL
  | Uint8Array
  | ArrayBuffer
  | Response
  | Promise<Response>
  | WebAssembly.Module;

/** What a page and Node do in different ways. */
export interface WasmHost {
  /** The bytes behind a URL. */
  readUrl(url: string | URL): Promise<Uint8Array | Response>;
  compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module | Promise<WebAssembly.Module>;
}

export const WEB_HOST: WasmHost = {
  readUrl: (url) => fetch(url),
  compile: (bytes) => WebAssembly.compile(bytes),
};

const FIX =
  "Serve the file memplan.wasm of the package there, or hand it in: load({ wasm }) takes a URL, bytes, a Response or a WebAssembly.Module; memplan/inline needs no file";

/** Compiles a source. Throws `WASM_LOAD`, naming the URL and the fix. */
export async function compileWasm(source: WasmSource, host: WasmHost): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  let where = "the given bytes";
  let bytes: Uint8Array;
  try {
    let found: Awaited<WasmSource> = await source;
    if (typeof found === "string" || found instanceof URL) {
      where = String(found);
      found = await host.readUrl(found);
    }
    // In this order: the mention of Response alone makes Node load its HTTP client, 20 ms of work.
    if (!isBytes(found) && typeof Response === "function" && found instanceof Response) {
      where = found.url || where;
      if (!found.ok) throw new Error(`the server answered ${found.status}`);
      found = await found.arrayBuffer();
    }
    bytes = asBytes(found);
  } catch (cause) {
    throw failure(where, cause instanceof Error ? cause.message : String(cause), cause);
  }
  checkMagic(bytes, where);
  try {
    return await host.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (cause) {
    throw failure(where, `it does not compile (${cause instanceof Error ? cause.message : cause})`, cause);
  }
}

function isBytes(found: unknown): found is ArrayBuffer | ArrayBufferView {
  return found instanceof ArrayBuffer || ArrayBuffer.isView(found);
}

function asBytes(found: unknown): Uint8Array {
  if (!isBytes(found)) throw new TypeError("it is no URL, bytes, Response or WebAssembly.Module");
  if (found instanceof ArrayBuffer) return new Uint8Array(found);
  return new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
}

/** Every wasm file begins with a zero byte and "asm"; a server that answers each path with a page is found out. */
function checkMagic(bytes: Uint8Array, where: string): void {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return;
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
  const what = start.startsWith("<") ? "it is a page of HTML, not WebAssembly" : "it is not WebAssembly";
  throw failure(where, what);
}

/** For a module that is WebAssembly of something else, or of another version. */
export function notMemplan(cause?: unknown): MemplanError {
  return failure("the given module", "it is WebAssembly, but not this memplan's", cause);
}

function failure(where: string, what: string, cause?: unknown): MemplanError {
  return new MemplanError("WASM_LOAD", `memplan cannot load its WebAssembly from ${where}: ${what}. ${FIX}`, {
    cause,
  });
}
