/**
 * A table of inputs that are wrong in one place each, with the code and the path that must be answered. It is written
 * from the format's description: every field, missing, of each other type, and out of its range; in a graph, in a
 * submodule, in one of several methods; and what no single field shows, such as circles of bases.
 */

import { circles, views } from "./circles.ts";
import { wrongState } from "./wrong_state.ts";

export interface WrongInput {
  what: string;
  /** An object, JSON text, or bytes. */
  input: unknown;
  code: string;
  /** A JSON path; "line" where only line and column can be told. */
  path: string;
}

type Kind = "text" | "number" | "flag" | "list" | "map";

interface Field {
  key: string;
  kind: Kind;
  required?: boolean;
  /** Wrong values of the right type, with their code. */
  outOfRange?: [value: unknown, code: string][];
}

const OF_KIND: Record<Kind, unknown> = { text: "x", number: 5, flag: true, list: [], map: {} };
const UNBOUNDED: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [-2, "INVALID_INPUT"],
  [1.5, "INVALID_INPUT"],
  [1e300, "TOO_LARGE"],
  [2 ** 53, "TOO_LARGE"],
];
const POOL: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [0, "INVALID_INPUT"],
  [1.5, "INVALID_INPUT"],
];
const COUNT: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [0.5, "INVALID_INPUT"],
];
const ALIGNMENT: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [0, "INVALID_INPUT"],
  [3, "INVALID_INPUT"],
  [24, "INVALID_INPUT"],
];

const text = (key: string, more: Partial<Field> = {}): Field => ({ key, kind: "text", ...more });
const number = (key: string, outOfRange = UNBOUNDED, more: Partial<Field> = {}): Field => {
  return { key, kind: "number", outOfRange, ...more };
};

const TENSOR: Field[] = [
  text("id", { required: true }),
  text("dtype", { outOfRange: [["float3", "INVALID_INPUT"]] }),
  { key: "shape", kind: "list" },
  number("nbytes"),
  { key: "const", kind: "flag" },
  text("dynamism", { outOfRange: [["dynamic", "INVALID_INPUT"]] }),
  number("mem_id", POOL),
  text("inplace_base", { outOfRange: [["nobody", "INVALID_INPUT"]] }),
  text("storage_base", { outOfRange: [["nobody", "INVALID_INPUT"]] }),
  number("storage_base_offset"),
  number("cost"),
  text("device"),
];
const NODE: Field[] = [
  text("name", { required: true }),
  text("op", { required: true, outOfRange: [["call", "INVALID_INPUT"]] }),
  text("target"),
  { key: "args", kind: "list" },
  { key: "specs", kind: "list" },
  text("variant", { outOfRange: [["in-place", "INVALID_INPUT"]] }),
  { key: "weight_has_gradient", kind: "flag" },
  text("backend_id"),
  { key: "submodules", kind: "list" },
  number("carried", COUNT),
  number("mapped", COUNT),
  { key: "scratch", kind: "list" },
  text("source"),
  text("module"),
];
const SCRATCH: Field[] = [
  number("nbytes", UNBOUNDED, { required: true }),
  number("alignment", ALIGNMENT),
  number("mem_id", POOL),
];
const POOLS: Field[] = [
  number("mem_id", POOL, { required: true }),
  text("name"),
  number("capacity"),
  number("alignment", ALIGNMENT),
];
const GRAPH: Field[] = [
  { key: "tensors", kind: "list", required: true },
  { key: "nodes", kind: "list", required: true },
  text("name"),
  { key: "submodules", kind: "map" },
  { key: "signature", kind: "map" },
  { key: "pools", kind: "list" },
  { key: "input_mem_buffer_sizes", kind: "list" },
  { key: "encounter_to_out_var_failure", kind: "flag" },
  number("version", [
    [0, "INVALID_INPUT"],
    [2, "INVALID_INPUT"],
    [1.5, "INVALID_INPUT"],
  ]),
];
const BUFFER: Field[] = [
  text("id", { required: true }),
  number("lower", UNBOUNDED, { required: true }),
  number("upper", UNBOUNDED, { required: true }),
  number("size", UNBOUNDED, { required: true }),
  number("alignment", ALIGNMENT),
  number("mem_id", POOL),
  { key: "gaps", kind: "list" },
];

/** A small graph that is right, with a place for every field. */
function rightGraph(): Record<string, unknown> {
  return {
    version: 1,
    name: "right",
    tensors: [
      { id: "x", dtype: "uint8", shape: [8], const: false, dynamism: "static", device: "cpu" },
      { id: "a", nbytes: 8, mem_id: 1, cost: 1 },
      { id: "b", nbytes: 8, inplace_base: "a" },
      { id: "c", nbytes: 4, storage_base: "a", storage_base_offset: 4 },
      { id: "r", nbytes: 8 },
    ],
    nodes: [
      { name: "x", op: "placeholder", target: "x", specs: ["x"] },
      {
        name: "a",
        op: "call_function",
        target: "aten::mm",
        args: ["x"],
        specs: ["a"],
        source: "m.py:1",
        module: "m",
      },
      {
        name: "b",
        op: "call_function",
        target: "aten::relu",
        args: ["a"],
        specs: ["b"],
        variant: "functional",
      },
      {
        name: "c",
        op: "call_function",
        target: "aten::mm",
        args: ["b"],
        specs: ["c"],
        scratch: [{ nbytes: 4 }],
      },
      {
        name: "r",
        op: "call_function",
        target: "while",
        args: ["c", "x"],
        specs: [],
        submodules: ["test", "body"],
        carried: 0,
      },
      { name: "output", op: "output", args: ["c"], specs: ["c"] },
    ],
    submodules: { test: rightSubmodule(), body: rightSubmodule() },
    signature: { inputs_to_buffers: { x: "state" }, buffers_to_mutate: {} },
    pools: [{ mem_id: 1, name: "RAM", capacity: 4096, alignment: 16 }],
    input_mem_buffer_sizes: [0, 0],
    encounter_to_out_var_failure: true,
  };
}

function rightSubmodule(): Record<string, unknown> {
  return {
    tensors: [
      { id: "i", nbytes: 4 },
      { id: "j", nbytes: 8 },
    ],
    nodes: [
      { name: "i", op: "placeholder", target: "i", specs: ["i"] },
      { name: "j", op: "placeholder", target: "j", specs: ["j"] },
      { name: "output", op: "output", args: [], specs: [] },
    ],
  };
}

export function rightInputs(): unknown[] {
  return [rightGraph(), { methods: { one: rightGraph(), two: rightGraph() } }, rightBuffers()];
}

function rightBuffers(): Record<string, unknown> {
  const row = (id: string, lower: number) => ({ id, lower, upper: lower + 4, size: 16 });
  return {
    capacity: 4096,
    buffers: [{ ...row("p", 0), alignment: 16, mem_id: 1, gaps: [[1, 2]] }, row("q", 2), row("s", 9)],
    conflicts: [["p", "s"]],
  };
}

type Json = Record<string, unknown>;
type Place = { what: string; prefix: string; wrap: (graph: Json) => unknown };

/** Where a wrong graph may stand. */
const PLACES: Place[] = [
  { what: "graph", prefix: "", wrap: (graph) => graph },
  {
    what: "submodule",
    prefix: "submodules.extra.",
    wrap: (graph) => ({
      ...rightGraph(),
      submodules: { ...(rightGraph().submodules as Json), extra: graph },
    }),
  },
  {
    what: "method",
    prefix: "methods.two.",
    wrap: (graph) => ({ methods: { one: rightGraph(), two: graph } }),
  },
  {
    what: "submodule of a method",
    prefix: "methods.two.submodules.extra.",
    wrap: (graph) => ({
      methods: {
        two: { ...rightGraph(), submodules: { ...(rightGraph().submodules as Json), extra: graph } },
      },
    }),
  },
];

/** Each way in which one field of an object can be wrong. */
function* wrongFields(
  fields: Field[],
  base: Json,
): Generator<{ object: Json; key: string; what: string; code: string }> {
  for (const { key, kind, required, outOfRange } of fields) {
    if (required) {
      const { [key]: _, ...object } = base;
      yield { object, key, what: `${key} is missing`, code: "INVALID_INPUT" };
    }
    const wrongTypes = Object.entries(OF_KIND).filter(([other]) => other !== kind);
    for (const [other, value] of wrongTypes) {
      yield { object: { ...base, [key]: value }, key, what: `${key} is a ${other}`, code: "INVALID_INPUT" };
    }
    yield { object: { ...base, [key]: null }, key, what: `${key} is null`, code: "INVALID_INPUT" };
    for (const [value, code] of outOfRange ?? []) {
      yield { object: { ...base, [key]: value }, key, what: `${key} is ${value}`, code };
    }
  }
}

/** A copy of `graph` with one row replaced. */
function withRow(graph: Json, list: string, index: number, row: unknown): Json {
  const rows = [...(graph[list] as unknown[])];
  rows[index] = row;
  return { ...graph, [list]: rows };
}

function rowOf(graph: Json, list: string, index: number): Json {
  return (graph[list] as Json[])[index] as Json;
}

function* wrongRows(graph: Json): Generator<{ graph: Json; path: string; what: string; code: string }> {
  const rows: [list: string, index: number, fields: Field[]][] = [
    ["tensors", 1, TENSOR],
    ["nodes", 1, NODE],
    ["pools", 0, POOLS],
  ];
  for (const [list, index, fields] of rows) {
    const base = list === "tensors" ? { id: "a", dtype: "uint8", shape: [8] } : rowOf(graph, list, index);
    for (const { object, key, what, code } of wrongFields(fields, base)) {
      yield { graph: withRow(graph, list, index, object), path: `${list}[${index}].${key}`, what, code };
    }
    for (const value of [5, "x", null, [], true]) {
      const what = `${list}[0] is ${JSON.stringify(value)}`;
      yield { graph: withRow(graph, list, 0, value), path: `${list}[0]`, what, code: "INVALID_INPUT" };
    }
  }
  for (const { object, key, what, code } of wrongFields(SCRATCH, { nbytes: 4, alignment: 4, mem_id: 1 })) {
    const node = { ...rowOf(graph, "nodes", 1), scratch: [{ nbytes: 1 }, object] };
    yield {
      graph: withRow(graph, "nodes", 1, node),
      path: `nodes[1].scratch[1].${key}`,
      what: `scratch ${what}`,
      code,
    };
  }
}

function* wrongElements(graph: Json): Generator<{ graph: Json; path: string; what: string; code: string }> {
  const tensor = { id: "a", dtype: "uint8", shape: [8] };
  const code = "INVALID_INPUT";
  for (const [value, why] of [
    ...UNBOUNDED.slice(0, 2),
    ["5", code],
    [null, code],
    [[], code],
    [true, code],
  ] as const) {
    const wrong = { ...tensor, shape: [2, value] };
    yield {
      graph: withRow(graph, "tensors", 1, wrong),
      path: "tensors[1].shape[1]",
      what: `a dimension is ${value}`,
      code: why,
    };
    const sizes = { ...graph, input_mem_buffer_sizes: [0, value] };
    yield { graph: sizes, path: "input_mem_buffer_sizes[1]", what: `taken bytes are ${value}`, code: why };
  }
  const node = rowOf(graph, "nodes", 1);
  for (const value of [5, true, [], {}, null, "nobody"]) {
    for (const key of ["args", "specs", "submodules"]) {
      if (key === "specs" && value === null) continue;
      const wrong = { ...node, target: "while", [key]: [value] };
      yield {
        graph: withRow(graph, "nodes", 1, wrong),
        path: `nodes[1].${key}[0]`,
        what: `${key} hold ${JSON.stringify(value)}`,
        code,
      };
    }
  }
  for (const [key, at] of [
    ["inputs_to_buffers", "nobody"],
    ["buffers_to_mutate", "x"],
  ] as const) {
    const signature = { inputs_to_buffers: { x: "state" }, [key]: { [at]: "nobody" } };
    const what = `${key} names nobody`;
    yield { graph: { ...graph, signature }, path: `signature.${key}.${at}`, what, code };
  }
  for (const value of [5, true, [], {}, null]) {
    for (const key of ["inputs_to_buffers", "buffers_to_mutate"]) {
      const of = (inside: unknown) => ({ ...graph, signature: { [key]: inside } });
      const what = `${key} holds ${JSON.stringify(value)}`;
      yield { graph: of({ x: value }), path: `signature.${key}.x`, what, code };
      if (typeof value === "object" && value !== null && !Array.isArray(value)) continue;
      yield { graph: of(value), path: `signature.${key}`, what: `${key} is ${JSON.stringify(value)}`, code };
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) continue;
    const submodules = { ...(graph.submodules as Json), body: value };
    yield {
      graph: { ...graph, submodules },
      path: "submodules.body",
      what: `a submodule is ${JSON.stringify(value)}`,
      code,
    };
  }
}

/** What only shows when rows are seen together. */
function* contradictions(graph: Json): Generator<{ graph: Json; path: string; what: string; code: string }> {
  const code = "INVALID_INPUT";
  const tensor = (index: number, more: Json) =>
    withRow(graph, "tensors", index, { ...rowOf(graph, "tensors", index), ...more });
  const node = (index: number, more: Json) =>
    withRow(graph, "nodes", index, { ...rowOf(graph, "nodes", index), ...more });
  yield { graph: tensor(2, { id: "x" }), path: "tensors[2].id", what: "two tensors have one id", code };
  yield { graph: node(2, { name: "x" }), path: "nodes[2].name", what: "two nodes have one name", code };
  yield {
    graph: node(1, { args: ["b"] }),
    path: "nodes[1].args[0]",
    what: "a node is used before it is made",
    code,
  };
  yield { graph: node(1, { args: ["x", "a"] }), path: "nodes[1].args[1]", what: "a node uses itself", code };
  yield {
    graph: node(1, { submodules: ["body"] }),
    path: "nodes[1].submodules",
    what: "an operator has submodules",
    code,
  };
  yield {
    graph: node(4, { submodules: ["test", "nobody"] }),
    path: "nodes[4].submodules[1]",
    what: "a submodule is unknown",
    code,
  };
  for (const key of ["inplace_base", "storage_base"]) {
    yield {
      graph: tensor(4, { [key]: "r" }),
      path: `tensors[4].${key}`,
      what: `${key} is the tensor itself`,
      code,
    };
  }
  const pools = [...(graph.pools as Json[]), { mem_id: 1 }];
  yield { graph: { ...graph, pools }, path: "pools[1].mem_id", what: "two pools have one mem_id", code };
  const { dtype: _, ...noType } = { id: "a", dtype: "uint8", shape: [8] };
  yield {
    graph: withRow(graph, "tensors", 1, noType),
    path: "tensors[1].dtype",
    what: "no dtype and no nbytes",
    code,
  };
  const noShape = { id: "a", dtype: "uint8" };
  yield {
    graph: withRow(graph, "tensors", 1, noShape),
    path: "tensors[1].shape",
    what: "no shape and no nbytes",
    code,
  };
  const huge = { id: "a", dtype: "float32", shape: [2 ** 50, 4] };
  yield {
    graph: withRow(graph, "tensors", 1, huge),
    path: "tensors[1].shape",
    what: "a product too large",
    code: "TOO_LARGE",
  };
}

function* wrongGraphs(): Generator<WrongInput> {
  for (const { what: where, prefix, wrap } of PLACES) {
    const graph = rightGraph();
    for (const { object, key, what, code } of wrongFields(GRAPH, graph)) {
      yield { what: `${where}: ${what}`, input: wrap(object), code, path: prefix + key };
    }
    for (const rows of [wrongRows, wrongElements, contradictions, views, circles]) {
      for (const { graph: wrong, path, what, code } of rows(graph)) {
        yield { what: `${where}: ${what}`, input: wrap(wrong), code, path: prefix + path };
      }
    }
  }
}

function* wrongIntervals(): Generator<WrongInput> {
  const right = rightBuffers();
  const code = "INVALID_INPUT";
  for (const { object, key, what, code: why } of wrongFields(BUFFER, rowOf(right, "buffers", 1))) {
    yield {
      what: `buffer: ${what}`,
      input: withRow(right, "buffers", 1, object),
      code: why,
      path: `buffers[1].${key}`,
    };
  }
  for (const value of [5, "x", null, [], true]) {
    const input = withRow(right, "buffers", 2, value);
    yield { what: `buffers[2] is ${JSON.stringify(value)}`, input, code, path: "buffers[2]" };
  }
  const row = (more: Json) => withRow(right, "buffers", 1, { ...rowOf(right, "buffers", 1), ...more });
  yield { what: "ends before it begins", input: row({ lower: 9, upper: 8 }), code, path: "buffers[1].upper" };
  yield { what: "two buffers have one id", input: row({ id: "p" }), code, path: "buffers[1].id" };
  for (const gaps of [
    [[0, 3]],
    [[5, 7]],
    [
      [3, 4],
      [3, 5],
    ],
    [[3]],
    [[4, 3]],
    [[3, 4, 5]],
    [3, 4],
    ["3-4"],
  ]) {
    yield { what: `gaps are ${JSON.stringify(gaps)}`, input: row({ gaps }), code, path: "buffers[1].gaps" };
  }
  for (const [conflicts, path] of [
    [[["p"]], "conflicts[0]"],
    [[["p", "nobody"]], "conflicts[0][1]"],
    [[["nobody", "p"]], "conflicts[0][0]"],
    [[["p", "p"]], "conflicts[0]"],
    [[["p", "q", "s"]], "conflicts[0]"],
    [["p"], "conflicts[0]"],
    ["p", "conflicts"],
    [null, "conflicts"],
  ] as const) {
    yield { what: `conflicts are ${JSON.stringify(conflicts)}`, input: { ...right, conflicts }, code, path };
  }
  for (const [capacity, path, why] of [
    ["1", "capacity", code],
    [-1, "capacity", code],
    [1.5, "capacity", code],
    [2 ** 53, "capacity", "TOO_LARGE"],
    [[0, -1], "capacity[1]", code],
    [[0, "1"], "capacity[1]", code],
    [null, "capacity", code],
  ] as const) {
    yield { what: `capacity is ${JSON.stringify(capacity)}`, input: { ...right, capacity }, code: why, path };
  }
}

function* wrongTexts(): Generator<WrongInput> {
  const right = JSON.stringify(rightGraph());
  const code = "INVALID_JSON";
  const bytes = (...parts: (string | number)[]) => {
    const encoder = new TextEncoder();
    return Uint8Array.from(
      parts.flatMap((part) => (typeof part === "number" ? [part] : [...encoder.encode(part)])),
    );
  };
  const texts: [what: string, input: string | Uint8Array][] = [
    ["nothing", ""],
    ["blanks", " \n\t "],
    ["a byte order mark", `\ufeff${right}`],
    ["a byte order mark in bytes", bytes(0xef, 0xbb, 0xbf, right)],
    ["UTF-16", Uint8Array.from([...right.slice(0, 40)].flatMap((char) => [char.charCodeAt(0), 0]))],
    ["two values", `${right} ${right}`],
    ["a comment", `{ /* right */ ${right.slice(1)}`],
    ["a comma too many", right.replace("]", ",]")],
    ["single quotes", right.replaceAll('"', "'")],
    ["a bare word", "tensors"],
    ["NaN", right.replace('"nbytes":8', '"nbytes":NaN')],
    ["Infinity", right.replace('"nbytes":8', '"nbytes":Infinity')],
    ["a leading zero", right.replace('"nbytes":8', '"nbytes":08')],
    ["a hexadecimal number", right.replace('"nbytes":8', '"nbytes":0x8')],
    ["a bare minus", right.replace('"nbytes":8', '"nbytes":-')],
    ["a number without digits", right.replace('"nbytes":8', '"nbytes":.5')],
    ["a wrong escape", '{"name": "\\x41"}'],
    ["half an escape", '{"name": "\\u12'],
    ["half a surrogate pair", '{"name": "\\ud800"}'],
    ["a line break in a string", '{"name": "a\nb"}'],
    ["a string without an end", '{"name": "abc'],
    ["lists without an end", `{"a":${"[".repeat(100)}`],
    ["objects without an end", '{"a":'.repeat(100)],
  ];
  for (let end = 1; end < right.length; end += Math.ceil(right.length / 40)) {
    texts.push([`the first ${end} characters`, right.slice(0, end)]);
  }
  const broken: [string, number[]][] = [
    ["a byte that starts nothing", [0xff]],
    ["a lone continuation byte", [0x80]],
    ["a cut sequence of two", [0xc3]],
    ["a cut sequence of three", [0xe2, 0x82]],
    ["a cut sequence of four", [0xf0, 0x9f, 0x98]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong sequence of three", [0xe0, 0x80, 0xaf]],
    ["an overlong sequence of four", [0xf0, 0x80, 0x80, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["past the last character", [0xf4, 0x90, 0x80, 0x80]],
    ["five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ];
  for (const [what, sequence] of broken) {
    texts.push([`${what} in a value`, bytes('{"name": "', ...sequence, '"}')]);
    texts.push([`${what} in a key`, bytes('{"', ...sequence, '": 1}')]);
    texts.push([`${what} after the end`, bytes(right, ...sequence)]);
    texts.push([
      `${what} in an id`,
      bytes('{"tensors": [{"id": "', ...sequence, '", "nbytes": 1}], "nodes": []}'),
    ]);
  }
  for (const [what, input] of texts) yield { what: `text: ${what}`, input, code, path: "line" };
}

function* wrongForms(): Generator<WrongInput> {
  const code = "INVALID_INPUT";
  const graph = rightGraph();
  const both = { ...graph, ...rightBuffers() };
  yield { what: "lists in lists", input: `{"a":${"[".repeat(1_000_000)}`, code: "INVALID_JSON", path: "a" };
  yield { what: "objects in objects", input: '{"a":'.repeat(1_000_000), code: "INVALID_JSON", path: "a" };
  yield { what: "nothing but lists", input: "[".repeat(1_000_000), code, path: "" };
  yield { what: "a graph and buffers", input: both, code, path: "" };
  yield { what: "a graph and methods", input: { ...graph, methods: { one: rightGraph() } }, code, path: "" };
  yield { what: "no methods", input: { methods: {} }, code, path: "methods" };
  for (const value of [5, "x", null, [], true]) {
    const shown = JSON.stringify(value);
    yield { what: `methods are ${shown}`, input: { methods: value }, code, path: "methods" };
    yield { what: `a method is ${shown}`, input: { methods: { one: value } }, code, path: "methods.one" };
    if (value === true) continue;
    yield {
      what: `shared_buffers is ${shown}`,
      input: { methods: { one: graph }, shared_buffers: value },
      code,
      path: "shared_buffers",
    };
  }
}

export function wrongInputs(): WrongInput[] {
  return [...wrongGraphs(), ...wrongIntervals(), ...wrongTexts(), ...wrongForms(), ...wrongState()];
}
