/** Plans that verify cannot read, wrong in one place each, for a graph, a graph with submodules, methods and buffers. */

export interface WrongPlan {
  what: string;
  input: unknown;
  plan: unknown;
  code: string;
  path: string;
}

type Json = Record<string, unknown>;

const GRAPH = {
  tensors: [
    { id: "x", nbytes: 8 },
    { id: "y", nbytes: 8, dynamism: "dynamic_unbound" },
  ],
  nodes: [
    { name: "x", op: "placeholder", target: "x", specs: ["x"] },
    { name: "f", op: "call_function", target: "aten::f", args: ["x"], specs: ["y"] },
    { name: "c", op: "call_function", target: "map", args: ["x"], specs: [], submodules: ["body"] },
    { name: "output", op: "output", args: ["x"], specs: ["x"] },
  ],
  submodules: {
    body: {
      tensors: [{ id: "i", nbytes: 8 }],
      nodes: [
        { name: "i", op: "placeholder", target: "i", specs: ["i"] },
        { name: "output", op: "output", args: [] },
      ],
    },
  },
};

const row = (id: string): Json => ({
  id,
  lifetime: [0, 3],
  allocated_memory: 16,
  mem_id: 1,
  mem_obj_id: 0,
  mem_offset: 0,
});

function graphPlan(): Json {
  return {
    buffer_sizes: [0, 32],
    tensors: [row("x"), { ...row("y"), mem_id: null, mem_offset: null }],
    frees: [{ after: "f", tensor: "y" }],
    submodules: { body: { buffer_sizes: [0, 32], tensors: [{ ...row("i"), mem_offset: 16 }], frees: [] } },
  };
}

interface Place {
  what: string;
  input: unknown;
  prefix: string;
  wrap: (plan: Json) => Json;
}

const METHODS = { methods: { one: GRAPH, two: GRAPH } };
const PLACES: Place[] = [
  { what: "graph", input: GRAPH, prefix: "", wrap: (plan) => plan },
  {
    what: "method",
    input: METHODS,
    prefix: "methods.two.",
    wrap: (plan) => ({ buffer_sizes: [0, 32], methods: { one: graphPlan(), two: plan } }),
  },
];

export function rightPlans(): { input: unknown; plan: unknown }[] {
  return PLACES.map(({ input, wrap }) => ({ input, plan: wrap(graphPlan()) }));
}

const TYPES: Record<string, unknown> = { text: "x", number: 5, flag: true, list: [], map: {}, null: null };

/** Every value that `key` cannot have. */
function* wrongValues(accepts: string[], more: [unknown, string][] = []): Generator<[unknown, string]> {
  for (const [type, value] of Object.entries(TYPES)) {
    if (!accepts.includes(type)) yield [value, "INVALID_INPUT"];
  }
  yield* more;
}

const UNBOUNDED: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [0.5, "INVALID_INPUT"],
  [2 ** 53, "TOO_LARGE"],
  [1e300, "TOO_LARGE"],
];
const BOUNDED: [unknown, string][] = [
  [-1, "INVALID_INPUT"],
  [0.5, "INVALID_INPUT"],
  [2 ** 33, "INVALID_INPUT"],
];

function* wrongRows(): Generator<{ plan: Json; path: string; code: string; what: string }> {
  const plan = graphPlan();
  const withRow = (more: Json) => ({ ...plan, tensors: [row("x"), { ...row("y"), ...more }] });
  const columns: [key: string, accepts: string[], more: [unknown, string][]][] = [
    [
      "id",
      ["text"],
      [
        ["nobody", "INVALID_INPUT"],
        ["x", "INVALID_INPUT"],
        ["", "INVALID_INPUT"],
      ],
    ],
    ["lifetime", ["list", "null"], []],
    ["allocated_memory", ["number", "null"], UNBOUNDED],
    ["mem_id", ["number", "null"], [...BOUNDED, [65537, "INVALID_INPUT"]]],
    ["mem_obj_id", ["number", "null"], BOUNDED],
    ["mem_offset", ["number", "null"], UNBOUNDED],
  ];
  for (const [key, accepts, more] of columns) {
    for (const [value, code] of wrongValues(accepts, more)) {
      const what = `${key} is ${JSON.stringify(value)}`;
      yield { plan: withRow({ [key]: value }), path: `tensors[1].${key}`, code, what };
    }
  }
  const { id: _, ...nameless } = row("y");
  const what = "a row without id";
  yield {
    plan: { ...plan, tensors: [row("x"), nameless] },
    path: "tensors[1].id",
    code: "INVALID_INPUT",
    what,
  };
  for (const [value, code] of wrongValues(["number", "null"], UNBOUNDED)) {
    const wrong = withRow({ lifetime: [0, value] });
    yield {
      plan: wrong,
      path: "tensors[1].lifetime[1]",
      code,
      what: `a lifetime ends at ${JSON.stringify(value)}`,
    };
  }
  const long = withRow({ lifetime: [0, 1, 2] });
  yield { plan: long, path: "tensors[1].lifetime", code: "INVALID_INPUT", what: "a lifetime of three" };
}

function* wrongParts(): Generator<{ plan: Json; path: string; code: string; what: string }> {
  const plan = graphPlan();
  const code = "INVALID_INPUT";
  const parts: [key: string, accepts: string[]][] = [
    ["tensors", ["list"]],
    ["frees", ["list", "null"]],
    ["submodules", ["map", "null"]],
    ["buffer_sizes", ["list", "null"]],
  ];
  for (const [key, accepts] of parts) {
    for (const [value] of wrongValues(accepts)) {
      yield { plan: { ...plan, [key]: value }, path: key, code, what: `${key} is ${JSON.stringify(value)}` };
    }
  }
  for (const [value, why] of wrongValues(["number"], UNBOUNDED)) {
    const sizes = { ...plan, buffer_sizes: [0, value] };
    yield {
      plan: sizes,
      path: "buffer_sizes[1]",
      code: why,
      what: `a pool has ${JSON.stringify(value)} bytes`,
    };
  }
  const { tensors: _, ...rowless } = plan;
  yield { plan: rowless, path: "tensors", code, what: "no tensors" };
  for (const list of ["tensors", "frees"]) {
    for (const [value] of wrongValues(["map"])) {
      yield {
        plan: { ...plan, [list]: [value] },
        path: `${list}[0]`,
        code,
        what: `a row of ${list} is ${JSON.stringify(value)}`,
      };
    }
  }
  for (const key of ["after", "tensor"]) {
    for (const [value] of wrongValues(["text"], [["nobody", code]])) {
      const free = { after: "f", tensor: "y", [key]: value };
      yield {
        plan: { ...plan, frees: [free] },
        path: `frees[0].${key}`,
        code,
        what: `${key} is ${JSON.stringify(value)}`,
      };
    }
    const free = Object.fromEntries(
      Object.entries({ after: "f", tensor: "y" }).filter(([name]) => name !== key),
    );
    yield { plan: { ...plan, frees: [free] }, path: `frees[0].${key}`, code, what: `a free without ${key}` };
  }
  for (const [value] of wrongValues(["map"])) {
    const submodules = { body: value };
    yield {
      plan: { ...plan, submodules },
      path: "submodules.body",
      code,
      what: `a submodule is ${JSON.stringify(value)}`,
    };
  }
  const body = (plan.submodules as Json).body as Json;
  yield {
    plan: { ...plan, submodules: { nobody: body } },
    path: "submodules.nobody",
    code,
    what: "an unknown submodule",
  };
  const inner = { ...plan, submodules: { body: { ...body, tensors: [row("x")] } } };
  yield { plan: inner, path: "submodules.body.tensors[0].id", code, what: "a tensor of another graph" };
}

function* wrongRoots(): Generator<WrongPlan> {
  const code = "INVALID_INPUT";
  const plan = graphPlan();
  const graph = (what: string, wrong: unknown, path: string, why = code): WrongPlan => {
    return { what, input: GRAPH, plan: wrong, code: why, path };
  };
  const { buffer_sizes: _, ...sizeless } = plan;
  yield graph("no buffer_sizes", sizeless, "buffer_sizes");
  yield graph("methods for one graph", { ...plan, methods: {} }, "methods");
  yield { what: "no methods", input: METHODS, plan, code, path: "" };
  const unknown = { buffer_sizes: [0, 32], methods: { nobody: plan } };
  yield { what: "an unknown method", input: METHODS, plan: unknown, code, path: "methods.nobody" };
  for (const key of ["rules", "graph_hash"]) {
    for (const [value] of wrongValues(["text", "null"])) {
      yield graph(`${key} is ${JSON.stringify(value)}`, { ...plan, [key]: value }, key);
    }
  }
  const text = JSON.stringify(plan);
  for (const [what, wrong] of [
    ["nothing", ""],
    ["half of it", text.slice(0, 60)],
    ["two plans", text + text],
    ["a byte order mark", `\ufeff${text}`],
    ["brackets without end", `{"a":${"[".repeat(100_000)}`],
  ] as const) {
    yield graph(what, wrong, "", "INVALID_JSON");
  }
  yield graph("a list", "[]", "");
  yield graph("brackets", "[".repeat(1_000_000), "");
  yield graph("two of a key", `{"tensors":[],"tensors":[],"buffer_sizes":[]}`, "tensors");
  const buffers = { buffers: [{ id: "p", lower: 0, upper: 4, size: 16 }] };
  const rowOf = (more: Json) => ({
    buffer_sizes: [0, 16],
    tensors: [{ id: "p", mem_id: 1, mem_offset: 0, ...more }],
  });
  for (const [key, value] of [
    ["id", "q"],
    ["mem_id", "1"],
    ["mem_offset", -1],
    ["mem_offset", 0.5],
  ] as const) {
    yield {
      what: `of buffers: ${key} is ${value}`,
      input: buffers,
      plan: rowOf({ [key]: value }),
      code,
      path: `tensors[0].${key}`,
    };
  }
}

export function wrongPlans(): WrongPlan[] {
  const inPlaces = PLACES.flatMap(({ what: where, input, prefix, wrap }) =>
    [...wrongRows(), ...wrongParts()]
      // The one buffer_sizes that has to be there is the root's.
      .filter(({ path }) => prefix === "" || path !== "buffer_sizes")
      .map(({ plan, path, code, what }) => {
        return { what: `plan of a ${where}: ${what}`, input, plan: wrap(plan), code, path: prefix + path };
      }),
  );
  return [...inPlaces, ...wrongRoots()];
}
