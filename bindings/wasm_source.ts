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

/** How to get the bytes behind a URL; Node has a way of its own for files. */
export type ReadUrl = (url: string | URL) => Promise<Uint8Array | Response>;

const FIX =
  "Serve the file memplan.wasm of the package there, or hand it in: load({ wasm }) takes a URL, bytes, a Response or a WebAssembly.Module; memplan/inline needs no file";

/** Compiles a source. Throws `WASM_LOAD`, naming the URL and the fix. */
export async function compileWasm(source: WasmSource, readUrl: ReadUrl): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  let where = "the given bytes";
  let bytes: Uint8Array;
  try {
    let found: Awaited<WasmSource> = await source;
    if (typeof found === "string" || found instanceof URL) {
      where = String(found);
      found = await readUrl(found);
    }
    if (typeof Response === "function" && found instanceof Response) {
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
    return await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (cause) {
    throw failure(where, `it does not compile (${cause instanceof Error ? cause.message : cause})`, cause);
  }
}

function asBytes(found: unknown): Uint8Array {
  if (found instanceof ArrayBuffer) return new Uint8Array(found);
  if (ArrayBuffer.isView(found)) return new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
  throw new TypeError("it is no URL, bytes, Response or WebAssembly.Module");
}

/** Every wasm file begins with a zero byte and "asm"; a server that answers each path with a page is found out. */
function checkMagic(bytes: Uint8Array, where: string): void {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return;
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
  const what = start.startsWith("<") ? "it is a page of HTML, not WebAssembly" : "it is not WebAssembly";
  throw failure(where, what);
}

function failure(where: string, what: string, cause?: unknown): MemplanError {
  return new MemplanError("WASM_LOAD", `memplan cannot load its WebAssembly from ${where}: ${what}. ${FIX}`, {
    cause,
  });
}
