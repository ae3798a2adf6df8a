import type { BuildInput } from "./build";
import type { Model } from "./model";
import type { Inks, LaneView } from "./raster";

/** What the page asks of the picture worker. */
export type PictureRequest =
  | {
      kind: "open";
      serial: number;
      input: Omit<BuildInput, "graph" | "gaps"> & {
        /** UTF-8 of graph, interval JSON or CSV. */ bytes: Uint8Array;
      };
    }
  | { kind: "colours"; colours: Uint8Array<ArrayBuffer> }
  | { kind: "inks"; inks: Inks }
  | {
      kind: "draw";
      serial: number;
      width: number;
      height: number;
      views: LaneView[];
      ids: Uint32Array<ArrayBuffer> | null;
    }
  | { kind: "find"; serial: number; text: string };

/** What it answers. */
export type PictureAnswer =
  | { kind: "model"; serial: number; model: Model }
  | { kind: "failed"; serial: number; message: string }
  | {
      kind: "picture";
      serial: number;
      bitmap: ImageBitmap;
      ids: Uint32Array<ArrayBuffer>;
      width: number;
      height: number;
      views: LaneView[];
      labels: Float64Array<ArrayBuffer>;
      /** Most bytes live in each pixel column, per view. */
      curves: Float64Array<ArrayBuffer>[];
      /** Milliseconds the drawing took. */
      ms: number;
    }
  | { kind: "found"; serial: number; rows: Uint32Array<ArrayBuffer> };
