import { signal } from "@preact/signals";
import { openFile } from "./session";

/** Whether a file hangs over the page. */
export const dragging = signal(false);

/** Takes files dropped anywhere and text pasted outside of fields. Gives a function that ends it. */
export function watchDrops(): () => void {
  const off = new AbortController();
  const { signal } = off;
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener(
    "dragenter",
    (event) => {
      if (!hasFiles(event)) return;
      depth++;
      dragging.value = true;
    },
    { signal },
  );
  addEventListener(
    "dragleave",
    () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) dragging.value = false;
    },
    { signal },
  );
  addEventListener(
    "dragover",
    (event) => {
      if (hasFiles(event)) event.preventDefault();
    },
    { signal },
  );
  addEventListener(
    "drop",
    (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      dragging.value = false;
      const file = event.dataTransfer?.files[0];
      if (file) void openFile(file);
    },
    { signal },
  );
  addEventListener(
    "paste",
    (event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (file) void openFile(file);
      else if (text.trim()) void openFile(new File([text], "pasted text"));
    },
    { signal },
  );
  return () => off.abort();
}

/** Asks for a file with the browser's own dialog. */
export function chooseFile(then: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) then(file);
  };
  input.click();
}
