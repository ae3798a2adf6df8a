/** Emscripten's glue, as the build leaves it (an alias in tsdown.config.ts says where). */
declare module "memplan-glue" {
  /** What bindings/memplan.cpp registers, and the views of memory that the glue renews when it grows. */
  export interface Glue {
    HEAPU8: Uint8Array<ArrayBuffer>;
    HEAP32: Int32Array<ArrayBuffer>;
    HEAPU32: Uint32Array<ArrayBuffer>;
    HEAPF64: Float64Array<ArrayBuffer>;
    outputTable(): number;
    reserveInput(bytes: number): number;
    reservePlan(bytes: number): number;
    reserveCapacity(count: number): number;
    reserveNames(bytes: number): number;
    start(
      rules: number,
      flags: number,
      alignment: number,
      seed: number,
      stopAt: number,
      numbers: number,
      jsonBytes: number,
      lines: number,
      budget: number,
    ): number;
    step(handle: number, budget: number): number;
    progress(handle: number): void;
    finish(handle: number, answer: number): number;
    cancel(handle: number): void;
    verify(rules: number, flags: number, alignment: number): number;
    algorithms(): void;
  }

  /** Fills `module` with the functions above, at once. */
  export default function createModule(module: {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): WebAssembly.Exports;
    printErr(text: string): void;
  }): void;
}

/** The wasm as base64, for `memplan/inline`. */
declare module "memplan-bytes" {
  const base64: string;
  export default base64;
}
