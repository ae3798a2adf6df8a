import type { ImportFormat } from "./imported_model.js";
import { invalidInput } from "./invalid_input.js";

const kTextWindow = 65536;

/** Tells the format by the bytes alone; throws INVALID_INPUT where they are of none. */
export function formatOf(bytes: Uint8Array): ImportFormat {
  const identifier = String.fromCharCode(...bytes.subarray(4, 8));
  if (identifier === "TFL3") return "tflite";
  // ET12 is the only schema identifier so far; later ones keep its two letters.
  if (/^ET\d\d$/.test(identifier)) return "pte";
  return textFormatOf(bytes) ?? binaryFormatOf(bytes);
}

function textFormatOf(bytes: Uint8Array): ImportFormat | undefined {
  const head = bytes.subarray(0, kTextWindow);
  if (head.includes(0)) return undefined;
  let text: string;
  try {
    // A window may cut a character in two; streaming holds that back.
    text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: head.length < bytes.length });
  } catch {
    return undefined;
  }
  if (/^\s*[{[]/.test(text)) return "json";
  if (isFxText(text)) return "fx";
  const header = /^[^\n\r]*/.exec(text.trimStart())?.[0] ?? "";
  const isCsv = header.split(",").some((column) => kCsvColumns.has(columnName(column)));
  return isCsv ? "csv" : undefined;
}

/** Whatever has one of them is the CSV reader's to complain of. */
const kCsvColumns = new Set(["id", "buffer", "buffer_id", "lower", "start", "begin", "upper", "end", "size"]);

function columnName(cell: string): string {
  const name = cell.trim();
  return (/^"(.*)"$/.exec(name)?.[1] ?? name).trim().toLowerCase();
}

/** A line as torch.fx prints it: `%name : … = op[…`, `def forward(self…` or `name: "f32[1]" = torch.ops.…`. */
const kFxLines = [
  /^%?[\w.]+\s*(?::[^=]*(?:users=\d+\][^=]*)?)?=\s*(?:placeholder|get_attr|call_function|call_module|call_method|output)\[/,
  /^def \w+\(self\b/,
  /^\w+\s*(?::[^=]*)?=\s*torch\.ops\./,
];

/** Looks at one line after the other: an expression over all of them takes quadratic time on blank ones. */
function isFxText(text: string): boolean {
  return text.split("\n").some((line) => {
    const start = line.trim().slice(0, 400);
    return kFxLines.some((pattern) => pattern.test(start));
  });
}

/** ONNX has no magic number: a ModelProto is told by its fields, each with a length that fits the file. */
function binaryFormatOf(bytes: Uint8Array): ImportFormat {
  if (looksLikeModelProto(bytes)) return "onnx";
  throw invalidInput(
    "byte 0",
    "this is no model file that can be read: not .tflite (TFL3), .pte (ET12), .onnx, an FX graph, CSV or JSON",
  );
}

/** The wire type of each field of ModelProto, by number. */
const kModelProtoFields: Record<number, number> = {
  1: 0,
  2: 2,
  3: 2,
  4: 2,
  5: 0,
  6: 2,
  7: 2,
  8: 2,
  14: 2,
  20: 2,
  25: 2,
  26: 2,
};

function looksLikeModelProto(bytes: Uint8Array): boolean {
  let position = 0;
  let fields = 0;
  let hasGraph = false;
  while (position < bytes.length && fields < 16 && !hasGraph) {
    const tag = varint(bytes, position);
    if (tag === undefined) return false;
    const number = Math.floor(tag.value / 8);
    if (kModelProtoFields[number] !== tag.value % 8) return false;
    const value = varint(bytes, tag.next);
    if (value === undefined) return false;
    hasGraph = number === 7;
    position = tag.value % 8 === 0 ? value.next : value.next + value.value;
    fields++;
  }
  return fields > 0;
}

function varint(bytes: Uint8Array, start: number): { value: number; next: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let position = start; position < start + 10; position++) {
    const byte = bytes[position];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next: position + 1 };
    scale *= 128;
  }
  return undefined;
}
