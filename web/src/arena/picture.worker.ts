import type { Graph, IntervalProblem, Methods } from "memplan";
import { buildModel } from "./build";
import { type Lane, type Rects, transferables } from "./model";
import { findNames, type Names } from "./names";
import type { PictureAnswer, PictureRequest } from "./picture_protocol";
import { columnMost, type Inks, rasterise } from "./raster";

interface Open {
  lanes: Lane[];
  rects: Rects;
  names: Names;
}

let open: Open | null = null;
let colours: Uint8Array<ArrayBuffer> = new Uint8Array(0);
let inks: Inks | null = null;
let pixels: Uint32Array<ArrayBuffer> | null = null;

self.onmessage = async ({ data }: MessageEvent<PictureRequest>) => {
  switch (data.kind) {
    case "open":
      openModel(data);
      break;
    case "colours":
      colours = data.colours;
      break;
    case "inks":
      inks = data.inks;
      break;
    case "draw":
      await draw(data);
      break;
    case "find":
      if (open) {
        const rows = Uint32Array.from(findNames(open.names, data.text, Number.POSITIVE_INFINITY));
        answer({ kind: "found", serial: data.serial, rows }, [rows.buffer]);
      }
  }
};

function answer(message: PictureAnswer, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function openModel({ serial, input }: PictureRequest & { kind: "open" }): void {
  try {
    const { bytes, ...rest } = input;
    const model = buildModel({ ...rest, ...readShape(bytes) });
    // The page gets the columns themselves; what drawing and searching need stays here as a copy.
    open = structuredClone({ lanes: model.lanes, rects: model.rects, names: model.names });
    colours = new Uint8Array(model.tensorCount);
    answer({ kind: "model", serial, model }, transferables(model));
  } catch (error) {
    answer({ kind: "failed", serial, message: error instanceof Error ? error.message : String(error) });
  }
}

/** The parts of the input that a plan does not repeat. The planner has checked it before. */
function readShape(bytes: Uint8Array): {
  graph: Graph | Methods | null;
  gaps: Map<string, [number, number][]> | null;
} {
  let first = 0;
  while (first < bytes.length && (bytes[first] as number) <= 32) first++;
  if (bytes[first] !== 0x7b) return { graph: null, gaps: gapsOfCsv(bytes) };
  const value = JSON.parse(new TextDecoder().decode(bytes)) as Graph | Methods | IntervalProblem;
  if ("buffers" in value) {
    const gaps = new Map(value.buffers.flatMap((b) => (b.gaps?.length ? [[b.id, b.gaps] as const] : [])));
    return { graph: null, gaps: gaps.size ? gaps : null };
  }
  return { graph: value, gaps: null };
}

/** Gaps of a CSV with such a column; null for the many without. */
function gapsOfCsv(bytes: Uint8Array): Map<string, [number, number][]> | null {
  const lineEnd = bytes.indexOf(10);
  const header = new TextDecoder()
    .decode(bytes.subarray(0, lineEnd < 0 ? bytes.length : lineEnd))
    .trim()
    .split(",");
  const at = header.indexOf("gaps");
  const id = header.indexOf("id");
  if (at < 0 || id < 0) return null;
  const inclusive = header.includes("end") ? 1 : 0;
  const gaps = new Map<string, [number, number][]>();
  for (const line of new TextDecoder().decode(bytes.subarray(lineEnd + 1)).split("\n")) {
    const cells = line.trim().split(",");
    const own = (cells[at] ?? "").split(" ").filter(Boolean);
    if (!own.length) continue;
    gaps.set(
      cells[id] ?? "",
      own.map((gap) => {
        const [from, to] = gap.split("-").map(Number);
        return [from ?? 0, (to ?? 0) + inclusive];
      }),
    );
  }
  return gaps;
}

async function draw(request: PictureRequest & { kind: "draw" }): Promise<void> {
  if (!open || !inks) return;
  const { width, height, views } = request;
  const start = performance.now();
  const count = width * height;
  const reuse =
    pixels?.length === count && request.ids?.length === count ? { pixels, ids: request.ids } : null;
  const picture = rasterise(width, height, views, open.lanes, open.rects, colours, inks, reuse);
  pixels = picture.pixels;
  const image = new ImageData(new Uint8ClampedArray(picture.pixels.buffer), width, height);
  const bitmap = await createImageBitmap(image);
  const curves = views.map((view) => columnMost(view, (open as Open).lanes[view.lane] as Lane, "live"));
  answer(
    {
      kind: "picture",
      serial: request.serial,
      bitmap,
      ids: picture.ids,
      width,
      height,
      views,
      labels: picture.labels,
      curves,
      ms: performance.now() - start,
    },
    [bitmap, picture.ids.buffer, picture.labels.buffer, ...curves.map((c) => c.buffer)],
  );
}
