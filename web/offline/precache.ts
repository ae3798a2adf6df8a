import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import type { Plugin } from "vite";

const kWorker = "service_worker.js";

/**
 * Tells the service worker the files of the build. It must lie beside the page under a name of its own, since
 * its folder is what it may answer for.
 */
export function precache(publicFolder: string): Plugin {
  return {
    name: "memplan-precache",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = Object.values(bundle).find((c) => c.type === "chunk" && c.fileName === kWorker);
      if (worker?.type !== "chunk") return this.error("the service worker is not among the entries");
      const built = Object.keys(bundle).filter(
        (f) => f !== kWorker && f !== "index.html" && !f.endsWith(".map"),
      );
      const files = ["./", ...[...built, ...readdirSync(publicFolder)].sort().map((f) => `./${f}`)];
      const build = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 12);
      worker.code = worker.code
        .replaceAll("__MEMPLAN_FILES__", JSON.stringify(files))
        .replaceAll("__MEMPLAN_BUILD__", JSON.stringify(build));
    },
  };
}
