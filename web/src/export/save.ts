/** Hands a file to the reader through the browser's own download. */
export function saveFile(name: string, data: Blob | string, type: string): void {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then; a browser that is slower keeps its own reference.
  setTimeout(() => URL.revokeObjectURL(url), 30_000);
}

/** A name that every file system takes. */
export function fileStem(title: string): string {
  return (
    title
      .replace(/[^\w.-]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 80) || "memplan"
  );
}
