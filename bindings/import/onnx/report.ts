import { listNames } from "../name_list.js";

/** Collects what a model does not tell, for the notes of an import. */
export class OnnxReport {
  private readonly unsized = new Map<string, string>();
  private readonly conflicts = new Set<string>();
  private readonly symbols = new Set<string>();
  /** Paths of the nodes that compute on constants only. */
  readonly folded = new Set<string>();
  external = 0;

  unknownSize(tensor: string, reason: string): void {
    if (!this.unsized.has(tensor)) this.unsized.set(tensor, reason);
  }

  /** The file declares another shape than its inputs give. */
  conflict(tensor: string): void {
    this.conflicts.add(tensor);
  }

  openSymbol(symbol: string): void {
    this.symbols.add(symbol);
  }

  /** Dimensions without a size, in the order they were met. */
  openSymbols(): string[] {
    return [...this.symbols];
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.symbols.size > 0) {
      const [first = ""] = this.symbols;
      const hint = `give them as dims, or on the command line as --dim ${first}=1`;
      notes.push(`Extents without a value: ${listNames([...this.symbols])}; ${hint}.`);
    }
    if (this.unsized.size > 0) {
      const names = [...this.unsized].map(([name, reason]) => (reason === "" ? name : `${name} (${reason})`));
      notes.push(`Size unknown, not planned (${names.length}): ${listNames(names)}.`);
    }
    if (this.conflicts.size > 0) {
      notes.push(
        `Declared with another shape than the inputs give, which was taken: ${listNames([...this.conflicts])}.`,
      );
    }
    if (this.folded.size > 0)
      notes.push(`${this.folded.size} nodes compute on constants only; their results count as constants.`);
    if (this.external > 0)
      notes.push(`${this.external} constants lie in other files, which planning does not need.`);
    return notes;
  }
}
