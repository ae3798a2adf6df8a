/** One line of a printed FX graph, in either of the forms that torch prints. */

export interface FxStatement {
  name: string;
  /** What stands for the value's type, as `f32[1, 64]`; empty where nothing does. */
  type: string;
  op: "placeholder" | "get_attr" | "call_function" | "call_module" | "call_method" | "output";
  target: string;
  /** Names that stand in the arguments, in order. */
  args: string[];
  /** The whole argument text. */
  argText: string;
  /** Of an item of a tuple. */
  item: number | undefined;
}

const kNodeOps = new Set([
  "placeholder",
  "get_attr",
  "call_function",
  "call_module",
  "call_method",
  "output",
]);

/** `%relu : f32[1, 64] [num_users=1] = call_function[target=aten.relu](args = (%x,), kwargs = {})`, or undefined. */
export function nodeStatement(line: string): FxStatement | undefined {
  const equals = line.indexOf(" = ");
  if (equals < 0) return undefined;
  const left = /^%?([\w.]+)\s*(?::(.*))?$/.exec(line.slice(0, equals).trim());
  const right = line.slice(equals + 3).trim();
  const op = /^(\w+)\[/.exec(right)?.[1];
  if (left === null || op === undefined || !kNodeOps.has(op)) return undefined;
  const name = left[1] ?? "";
  const end = closing(right, op.length);
  const inside = right.slice(op.length + 1, end);
  const target = inside.startsWith("target=") ? inside.slice(7) : inside;
  const argText = right.slice(end + 1);
  const args = [...argText.matchAll(/%([\w.]+)/g)].map((match) => match[1] ?? "");
  const item = isGetItem(target) ? Number(/,\s*(\d+)\s*\)/.exec(argText)?.[1] ?? Number.NaN) : undefined;
  const type = (left[2] ?? "").replace(/\[#?(?:num_)?users=\d+\]/, "").trim();
  return { name, type: unquoted(type), op: op as FxStatement["op"], target, args, argText, item };
}

/** `relu: "f32[1, 64]" = torch.ops.aten.relu.default(x);  x = None`, or undefined. */
export function codeStatement(line: string, known: (name: string) => boolean): FxStatement | undefined {
  // Hand-cut rather than by one expression, which long lines without an end would make quadratic.
  const name = /^[A-Za-z_]\w*/.exec(line)?.[0];
  if (name === undefined) return undefined;
  let rest = line.slice(name.length).trimStart();
  let type = "";
  if (rest.startsWith(":")) {
    rest = rest.slice(1).trimStart();
    const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : undefined;
    const end = quote === undefined ? rest.indexOf("=") : rest.indexOf(quote, 1) + 1;
    if (end <= 0) return undefined;
    type = unquoted(rest.slice(0, end).trim());
    rest = rest.slice(end).trimStart();
  }
  if (!rest.startsWith("=") || rest.startsWith("==")) return undefined;
  const right = withoutReleases(rest.slice(1).trimStart());
  const attribute = /^self\.([\w.]+)$/.exec(right);
  if (attribute !== null) {
    return { name, type, op: "get_attr", target: attribute[1] ?? "", args: [], argText: "", item: undefined };
  }
  const item = /^([A-Za-z_]\w*)\[(\d+)\]$/.exec(right);
  if (item !== null) {
    const base = item[1] ?? "";
    const more = { args: [base], argText: right, item: Number(item[2]) };
    return { name, type, op: "call_function", target: "operator.getitem", ...more };
  }
  const call = /^([A-Za-z_][\w.]*)\(/.exec(right);
  if (call === null) return undefined;
  const target = call[1] ?? "";
  const argText = right.slice(target.length);
  const args = identifiers(argText).filter(known);
  const [base = "", ...method] = target.split(".");
  if (target.startsWith("self.")) {
    return { name, type, op: "call_module", target: target.slice(5), args, argText, item: undefined };
  }
  if (known(base) && method.length === 1) {
    const more = { target: method[0] ?? "", args: [base, ...args], argText, item: undefined };
    return { name, type, op: "call_method", ...more };
  }
  return { name, type, op: "call_function", target, args, argText, item: undefined };
}

/** The names that stand behind `return`. */
export function returned(line: string): string[] | undefined {
  const match = /^return\b(.*)$/.exec(line);
  return match === null ? undefined : identifiers((match[1] ?? "").replaceAll("%", ""));
}

/** `x: "f32[1, 64]", y` between the brackets of a `def`, `self` left out. */
export function parameters(text: string): { name: string; type: string }[] {
  const found: { name: string; type: string }[] = [];
  for (const match of text.matchAll(
    /([A-Za-z_]\w*)\s*(?::\s*("[^"]*"|'[^']*'|[\w.]+(?:\[[^\]]*\])?))?\s*(?:,|$)/g,
  )) {
    const name = match[1] ?? "";
    if (name !== "self") found.push({ name, type: unquoted(match[2] ?? "") });
  }
  return found;
}

export function isGetItem(target: string): boolean {
  return /(^|[. ])getitem>?$/.test(target);
}

/** The index of the bracket that closes the one at `open`, or the end. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    if (text[index] === "[") depth++;
    else if (text[index] === "]" && --depth === 0) return index;
  }
  return text.length;
}

function unquoted(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}

/** Without the `;  x = None` that print_readable puts behind a value's last use. */
function withoutReleases(text: string): string {
  const at = text.indexOf(";  ");
  const kept = (at < 0 ? text : text.slice(0, at)).trimEnd();
  return kept.endsWith(";") ? kept.slice(0, -1) : kept;
}

function identifiers(text: string): string[] {
  const plain = text.replace(/"[^"]*"|'[^']*'/g, "");
  return [...plain.matchAll(/(?<![\w.])([A-Za-z_]\w*)(?!\w|\s*=[^=]|\()/g)].map((match) => match[1] ?? "");
}
