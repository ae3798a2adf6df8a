/** Methods that share what they cannot share: buffers that are one by their names, and pools. */
import type { WrongInput } from "./wrong_inputs.ts";

/** A graph whose placeholders, by name, are buffers that it writes. */
function graphWithState(
  buffers: Record<string, string>,
  bytes: Record<string, number>,
  pool = 1,
): Record<string, unknown> {
  const names = Object.keys(buffers);
  return {
    encounter_to_out_var_failure: true,
    tensors: names.map((id) => ({ id, nbytes: bytes[id] ?? 16, mem_id: pool })),
    nodes: [
      ...names.map((name) => ({ name, op: "placeholder", target: name, specs: [name] })),
      ...names.map((name) => ({
        name: `new_${name}`,
        op: "call_function",
        target: "aten::copy_",
        args: [name],
        specs: [name],
        variant: "inplace",
      })),
      { name: "output", op: "output", args: [], specs: [] },
    ],
    signature: {
      inputs_to_buffers: buffers,
      buffers_to_mutate: Object.fromEntries(names.map((name) => [`new_${name}`, buffers[name]])),
    },
  };
}

export function* wrongState(): Generator<WrongInput> {
  const code = "INVALID_INPUT";
  const one = graphWithState({ k: "cache" }, {});
  for (const size of [16, 32]) {
    const twice = graphWithState({ k: "cache", v: "cache" }, { v: size });
    const what = `two tensors are one buffer, of 16 and ${size} bytes`;
    yield { what, input: twice, code, path: "nodes[1]" };
    yield {
      what: `a method: ${what}`,
      input: { methods: { one, two: twice } },
      code,
      path: "methods.two.nodes[1]",
    };
  }
  const path = "methods.two.tensors[0]";
  const larger = graphWithState({ k: "cache" }, { k: 32 });
  yield {
    what: "a buffer of another size in another method",
    input: { methods: { one, two: larger } },
    code,
    path,
  };
  const elsewhere = graphWithState({ k: "cache" }, {}, 2);
  yield {
    what: "a buffer of another pool in another method",
    input: { methods: { one, two: elsewhere } },
    code,
    path,
  };
  yield {
    what: "other pools in another method",
    input: { methods: { one: { ...one, pools: [{ mem_id: 1 }] }, two: { ...one, pools: [{ mem_id: 2 }] } } },
    code,
    path: "methods.two.pools",
  };
}
