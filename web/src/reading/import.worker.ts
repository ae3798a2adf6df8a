import { type ImportedModel, importModel } from "memplan/import";

/** A model file to be read; `dims` are sizes for its symbolic dimensions. */
export interface ImportRequest {
  bytes: Uint8Array;
  name: string;
  dims: Record<string, number>;
}

export type ImportAnswer =
  | {
      ok: true;
      imported: Omit<
        ImportedModel,
        "graph"
      > /** UTF-8 of the graph JSON; null where the file is the planner's own. */;
      graph: Uint8Array<ArrayBuffer> | null;
    }
  | { ok: false; code: string; message: string; path: string | undefined };

self.onmessage = async ({ data }: MessageEvent<ImportRequest>) => {
  let answer: ImportAnswer;
  try {
    const { graph, ...imported } = await importModel(data.bytes, { name: data.name, dims: data.dims });
    const bytes = graph ? new TextEncoder().encode(JSON.stringify(graph)) : null;
    answer = { ok: true, imported, graph: bytes };
  } catch (error) {
    const e = error as { code?: string; message?: string; path?: string };
    answer = { ok: false, code: e.code ?? "INTERNAL", message: e.message ?? String(error), path: e.path };
  }
  self.postMessage(answer, { transfer: answer.ok && answer.graph ? [answer.graph.buffer] : [] });
};
