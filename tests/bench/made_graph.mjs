// A made network of any size: a chain of operators with a few skip connections, in graph JSON.

/** The same graph each time; 100,000 tensors are about 18 MB of JSON. */
export function madeGraph(count) {
  const tensors = [];
  const nodes = [];
  let state = 1;
  const random = (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  for (let i = 0; i < count; i++) {
    const channels = 8 << random(5);
    tensors.push({
      id: `t${i}`,
      dtype: "float32",
      shape: [1, channels, 28, 28],
      nbytes: channels * 28 * 28 * 4,
    });
    nodes.push(
      i === 0
        ? { name: "input", op: "placeholder", target: "input", args: [], specs: ["t0"] }
        : {
            name: `node_${i}`,
            op: "call_function",
            target: "aten::convolution.out",
            args: [nodes[i - 1].name, ...(i > 8 && random(8) === 0 ? [nodes[i - 2 - random(6)].name] : [])],
            specs: [`t${i}`],
            variant: "out",
          },
    );
  }
  nodes.push({ name: "output", op: "output", args: [nodes[count - 1].name], specs: [`t${count - 1}`] });
  return { version: 1, name: "made", tensors, nodes, encounter_to_out_var_failure: true };
}
