/** Lines of CSV that are wrong in one place each, with the code, the line and where told the column. */
import type { WrongInput } from "./wrong_inputs.ts";

const HEADER = "id,lower,upper,size,alignment,offset,mem_id,gaps";
const ROWS = ["a,0,9,64,16,0,1,3-5 6-7", "b,2,4,32,,,,", "c,9,12,8,8,,2,"];
const COLUMNS = HEADER.split(",");

/** Column of the cell `at` in a line of cells, in bytes from 1. */
function columnOf(cells: string[], at: number): number {
  return cells.slice(0, at).reduce((sum, cell) => sum + cell.length + 1, 1);
}

/** The right file with one cell replaced, in row `row` (from 0) and column `key`. */
function withCell(row: number, key: string, value: string): { input: string; path: string } {
  const at = COLUMNS.indexOf(key);
  const lines = [...ROWS];
  const cells = (lines[row] as string).split(",");
  cells[at] = value;
  lines[row] = cells.join(",");
  return {
    input: `${[HEADER, ...lines].join("\n")}\n`,
    path: `line ${row + 2}, column ${columnOf(cells, at)}`,
  };
}

function* wrongCells(): Generator<WrongInput> {
  const invalid = "INVALID_INPUT";
  const numbers = ["-1", "1.5", "0x10", "1e3", "x", " ", "+1", "1 2", "\u0661"];
  for (const row of [0, 1, 2]) {
    for (const key of ["lower", "upper", "size", "alignment", "offset", "mem_id"]) {
      for (const value of numbers) {
        // Blank means none where a cell may be empty.
        if (value === " " && ["alignment", "offset", "mem_id"].includes(key)) continue;
        yield { what: `CSV: ${key} is "${value}"`, ...withCell(row, key, value), code: invalid };
      }
      const tooLarge = key === "alignment" || key === "mem_id" ? invalid : "TOO_LARGE";
      for (const value of ["9007199254740992", "99999999999999999999999"]) {
        const code = key === "mem_id" || key === "alignment" ? `(${invalid}|TOO_LARGE)` : tooLarge;
        yield { what: `CSV: ${key} is ${value}`, ...withCell(row, key, value), code };
      }
    }
    for (const value of ["0", "3", "24", "6"]) {
      yield { what: `CSV: alignment is ${value}`, ...withCell(row, "alignment", value), code: invalid };
    }
    for (const value of ["0", "65537"]) {
      yield { what: `CSV: mem_id is ${value}`, ...withCell(row, "mem_id", value), code: invalid };
    }
    for (const key of ["lower", "upper", "size", "id"]) {
      yield { what: `CSV: ${key} is empty`, ...withCell(row, key, ""), code: invalid };
    }
  }
  for (const value of [
    "3",
    "3-",
    "-3",
    "5-3",
    "3-5-7",
    "3-5 4-6",

    "3-12",
    "x-y",
    "3..5",
  ]) {
    const { input } = withCell(0, "gaps", value);
    yield { what: `CSV: gaps are "${value}"`, input, code: invalid, path: "line 2, column " };
  }
  yield { what: "CSV: a window", ...withCell(0, "gaps", "3-5@0:64"), code: "UNSUPPORTED" };
  yield { what: "CSV: an id is there twice", ...withCell(2, "id", "a"), code: invalid };
  yield { what: "CSV: ends before it begins", ...withCell(2, "upper", "8"), code: invalid };
  yield { what: "CSV: a pin off its alignment", ...withCell(0, "offset", "8"), code: invalid, path: "" };
}

function* wrongLines(): Generator<WrongInput> {
  const invalid = "INVALID_INPUT";
  const file = (header: string, ...rows: string[]) => `${[header, ...rows].join("\n")}\n`;
  for (const key of ["id", "lower", "upper", "size"]) {
    const input = file(COLUMNS.filter((name) => name !== key).join(","), ...ROWS);
    yield { what: `CSV: no column ${key}`, input, code: "INVALID_(JSON|INPUT)", path: "line 1" };
  }
  for (const [key, twice] of [
    ["lower", "lower"],
    ["lower", "start"],
    ["id", "buffer"],
    ["upper", "end"],
    ["size", "size"],
  ] as const) {
    const input = file(`${HEADER},${twice}`, ...ROWS.map((row) => `${row},1`));
    yield { what: `CSV: ${key} is there twice, as ${twice}`, input, code: invalid, path: "line 1" };
  }
  const right = ROWS[0] as string;
  yield { what: "CSV: a cell too many", input: file(HEADER, `${right},1`), code: invalid, path: "line 2" };
  yield {
    what: "CSV: a cell too few",
    input: file(HEADER, right.replace(/,[^,]*$/, "")),
    code: invalid,
    path: "line 2",
  };
  yield { what: "CSV: an open quote", input: file(HEADER, `"${right}`), code: invalid, path: "line 2" };
  yield {
    what: "CSV: text after a quote",
    input: file(HEADER, `"a"b${right.slice(1)}`),
    code: invalid,
    path: "line 2",
  };
  const bytes = (text: string, ...sequence: number[]) => {
    const encoder = new TextEncoder();
    const [before, after] = text.split("?") as [string, string];
    return Uint8Array.from([...encoder.encode(before), ...sequence, ...encoder.encode(after)]);
  };
  for (const sequence of [
    [0xff],
    [0x80],
    [0xc3],
    [0xe2, 0x82],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
  ]) {
    const input = bytes(file(HEADER, right, `b?${right.slice(1)}`), ...sequence);
    const what = `CSV: ${sequence.map((byte) => byte.toString(16)).join(" ")} in an id`;
    yield { what, input, code: "INVALID_JSON", path: "line 3, column 1" };
  }
}

export function wrongCsv(): WrongInput[] {
  return [...wrongCells(), ...wrongLines()];
}
