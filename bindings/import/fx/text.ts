import { invalidInput } from "../invalid_input.js";
import { codeStatement, type FxStatement, nodeStatement, parameters, returned } from "./statement.js";

/** One graph of the text. */
export interface FxFunction {
  /** The class it is the `forward` of; empty for a bare graph. */
  name: string;
  statements: (FxStatement & { source: string | undefined })[];
  /** Names returned, or undefined where the text ends before that. */
  returns: string[] | undefined;
  submodules: FxFunction[];
}

export interface FxText {
  functions: FxFunction[];
  /** Kinds of inputs by name, from the graph signature that an exported program prints. */
  kinds: Map<string, { kind: string; target: string }>;
  /** Buffers that outputs replace, by output name. */
  mutations: Map<string, string>;
  /** Lines that were not understood, the first few. */
  strange: string[];
}

/** A line of the signature that an exported program prints: `p_weight: PARAMETER target='weight'`. */
const kSignatureLine =
  /^(\w+): (PARAMETER|BUFFER|CONSTANT_TENSOR|USER_INPUT|TOKEN|CUSTOM_OBJ|BUFFER_MUTATION|USER_OUTPUT|USER_INPUT_MUTATION|LOSS_OUTPUT)\b(?: target='([^']*)')?/;

const kColour = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");
const kMostLine = 65536;
const kStrangeShown = 5;

/** Reads the printed text of a graph: `print(graph)`, `print_readable()`, or an exported program. */
export function readFxText(text: string): FxText {
  const reader = new FxReader();
  // Coloured output from a terminal.
  const plain = text.replaceAll(kColour, "");
  for (const [index, line] of plain.split(/\r?\n/).entries()) {
    if (line.length > kMostLine)
      throw invalidInput(`line ${index + 1}`, `is longer than ${kMostLine} characters`);
    reader.line(line);
  }
  return reader.result();
}

interface OpenClass {
  indent: number;
  name: string;
  function: FxFunction | undefined;
}

class FxReader {
  private readonly functions: FxFunction[] = [];
  private readonly classes: OpenClass[] = [];
  private readonly kinds = new Map<string, { kind: string; target: string }>();
  private readonly mutations = new Map<string, string>();
  private readonly strange: string[] = [];
  private current: FxFunction | undefined;
  private names = new Set<string>();
  private source: string | undefined;

  line(raw: string): void {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) this.comment(line);
    else if (!this.heading(line, raw.length - raw.trimStart().length)) this.body(line);
  }

  /** The lines that open a class or a graph; false for any other. */
  private heading(line: string, indent: number): boolean {
    const opened = /^class (\w+)\(/.exec(line);
    if (opened !== null) {
      this.openClass(indent, opened[1] ?? "");
      return true;
    }
    const isMethod = /^def \w+\(self\b/.test(line);
    if (!isMethod && !/^graph\(/.test(line)) return false;
    const end = line.lastIndexOf(")");
    if (end < 0) return false;
    this.open(parameters(line.slice(line.indexOf("(") + 1, end).replaceAll("%", "")));
    return true;
  }

  private body(line: string): void {
    const values = returned(line);
    const kind = kSignatureLine.exec(line);
    if (values !== undefined) this.close(values);
    else if (kind !== null) this.signature(kind[1] ?? "", kind[2] ?? "", kind[3] ?? "");
    else {
      const statement = nodeStatement(line) ?? codeStatement(line, (name) => this.names.has(name));
      if (statement !== undefined) this.add(statement);
      else if (this.current !== undefined && this.strange.length < kStrangeShown) {
        this.strange.push(line.slice(0, 80));
      }
    }
  }

  result(): FxText {
    const { functions, kinds, mutations, strange } = this;
    return { functions, kinds, mutations, strange };
  }

  /** `# File: model.py:12 in forward, code: …` tells where the next values come from. */
  private comment(line: string): void {
    const file = /^# File: (\S+:\d+)/.exec(line);
    if (file !== null) this.source = file[1];
  }

  private openClass(indent: number, name: string): void {
    while ((this.classes.at(-1)?.indent ?? -1) >= indent) this.classes.pop();
    this.classes.push({ indent, name, function: undefined });
    this.current = undefined;
  }

  private open(inputs: { name: string; type: string }[]): void {
    const inside = this.classes.at(-1);
    const opened: FxFunction = {
      name: inside?.name ?? "",
      statements: [],
      returns: undefined,
      submodules: [],
    };
    const parent = this.classes.at(-2)?.function;
    if (inside !== undefined && inside.function === undefined && parent !== undefined)
      parent.submodules.push(opened);
    else this.functions.push(opened);
    if (inside !== undefined) inside.function = opened;
    this.current = opened;
    this.names = new Set();
    this.source = undefined;
    for (const { name, type } of inputs) {
      const rest = { op: "placeholder", target: name, args: [], argText: "", item: undefined } as const;
      this.add({ name, type, ...rest, args: [] });
    }
  }

  private close(values: string[]): void {
    if (this.current === undefined) return;
    this.current.returns = values.filter((name) => this.names.has(name));
    this.current = undefined;
  }

  private add(statement: FxStatement): void {
    // Lines pasted without the first ones are a graph all the same.
    if (this.current === undefined) this.open([]);
    if (this.current === undefined) return;
    if (statement.op === "output") {
      this.close(statement.args);
      return;
    }
    this.names.add(statement.name);
    this.current.statements.push({ ...statement, source: this.source });
  }

  private signature(name: string, kind: string, target: string): void {
    if (kind === "BUFFER_MUTATION") this.mutations.set(name, target);
    else if (!kind.endsWith("OUTPUT")) this.kinds.set(name, { kind, target });
  }
}
