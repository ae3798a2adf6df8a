/** Recurrent layers and attention. */
import { NotKnown, type Operator, product, type Result, type Rule } from "../operator.js";
import type { Dim } from "../value.js";

/** RNN, GRU and LSTM: all steps, the last state and, for LSTM, the last cell. */
const recurrent: Rule = (op) => {
  const [first = op.fresh(), second = op.fresh()] = op.shape(0);
  const batchFirst = op.int("layout", 0) === 1;
  const [steps, batch] = batchFirst ? [second, first] : [first, second];
  const directions = op.text("direction", "forward") === "bidirectional" ? 2 : 1;
  const hidden = op.int("hidden_size", 0) || (op.shape(2).at(-1) ?? op.fresh());
  const state = batchFirst ? [batch, directions, hidden] : [directions, batch, hidden];
  const all = batchFirst ? [batch, steps, directions, hidden] : [steps, directions, batch, hidden];
  const dtype = op.dtype(0);
  return [
    { dtype, shape: all },
    { dtype, shape: state },
    { dtype, shape: state },
  ];
};

const divide = (op: Operator, dim: Dim | undefined, by: number): Dim =>
  typeof dim === "number" && by > 0 && dim % by === 0 ? dim / by : op.fresh();

const add = (op: Operator, a: Dim | undefined, b: Dim | undefined): Dim =>
  typeof a === "number" && typeof b === "number" ? a + b : op.fresh();

/** ai.onnx Attention-23: Q, K, V with heads as an axis (rank 4) or inside the last (rank 3), past and present. */
const attention: Rule = (op) => {
  const [q, k, v] = [op.shape(0), op.shape(1), op.shape(2)];
  const dtype = op.dtype(0);
  const heads = op.int("q_num_heads", 0);
  const kvHeads = op.int("kv_num_heads", 0);
  const [batch = op.fresh()] = q;
  const past = op.has(4) ? op.shape(4)[2] : 0;
  const [kvAxis, headSize, valueSize, kvCount]: [Dim | undefined, Dim, Dim, Dim | undefined] =
    k.length === 4
      ? [k[2], k[3] ?? op.fresh(), v[3] ?? op.fresh(), k[1]]
      : [k[1], divide(op, k[2], kvHeads), divide(op, v[2], kvHeads), kvHeads];
  const total = add(op, kvAxis, past);
  const queryHeads = q.length === 4 ? (q[1] ?? op.fresh()) : heads;
  const steps = (q.length === 4 ? q[2] : q[1]) ?? op.fresh();
  const output =
    q.length === 4
      ? [batch, queryHeads, steps, valueSize]
      : [batch, steps, product([heads, valueSize], op.fresh)];
  const pair = kvCount ?? op.fresh();
  return [
    { dtype, shape: output },
    { dtype: op.dtype(4) ?? op.dtype(1), shape: [batch, pair, total, headSize] },
    { dtype: op.dtype(5) ?? op.dtype(2), shape: [batch, pair, total, valueSize] },
    { dtype, shape: [batch, queryHeads, steps, total] },
  ];
};

/** Attention of com.microsoft: one input holds Q, K and V, weights project it. */
const packedAttention: Rule = (op) => {
  const [batch = op.fresh(), steps = op.fresh()] = op.shape(0);
  const sizes = op.ints("qkv_hidden_sizes");
  const hidden = sizes?.[2] ?? divide(op, op.shape(2)[0], 3);
  const heads = op.int("num_heads", 0);
  const past = op.has(4) ? op.shape(4)[3] : 0;
  const present = [2, batch, heads, add(op, steps, past), divide(op, hidden, heads)];
  return [
    { dtype: op.dtype(0), shape: [batch, steps, hidden] },
    { dtype: op.dtype(0), shape: present },
  ];
};

/** MultiHeadAttention and GroupQueryAttention of com.microsoft: output like the query, present like the past. */
function cachedAttention(op: Operator, pastAt: number, kvHeadsName: string): Result[] {
  const query = op.shape(0);
  const dtype = op.dtype(0);
  const [batch = op.fresh()] = query;
  const heads = op.int("num_heads", 0);
  const kvHeads = op.int(kvHeadsName, heads);
  const past = op.has(pastAt) ? op.shape(pastAt) : undefined;
  if (query.length !== 3) throw new NotKnown(`a query of ${query.length} axes`);
  const steps = query[1] ?? op.fresh();
  const packed = !op.has(1);
  const parts = packed ? heads + 2 * kvHeads : heads;
  const headSize = divide(op, query[2], parts);
  const hidden = packed ? product([heads, headSize], op.fresh) : (query[2] ?? op.fresh());
  // How far the cache is filled lies in the values of an input, unless there is no cache yet.
  const keys = op.has(1) ? op.shape(1)[1] : steps;
  const length = past === undefined ? (keys ?? op.fresh()) : add(op, past[2], keys);
  const present = [batch, kvHeads, length, headSize];
  return [
    { dtype, shape: [batch, steps, hidden] },
    { dtype, shape: present },
    { dtype, shape: present },
  ];
}

const linearAttention: Rule = (op) => {
  const [query, value] = [op.shape(0), op.shape(2)];
  const [queryHeads, pairs] = [op.int("q_num_heads", 0), op.int("kv_num_heads", 0)];
  const [batch = op.fresh(), steps = op.fresh()] = query;
  const [keySize, valueSize] = [divide(op, query[2], queryHeads), divide(op, value[2], pairs)];
  const dtype = op.dtype(0);
  return [
    { dtype, shape: [batch, steps, product([queryHeads, valueSize], op.fresh)] },
    { dtype: op.dtype(3) ?? dtype, shape: [batch, pairs, keySize, valueSize] },
  ];
};

const causalConvolution: Rule = (op) => {
  const [batch = op.fresh(), channels = op.fresh()] = op.shape(0);
  const kernel = op.shape(1).at(-1);
  const state = typeof kernel === "number" ? kernel - 1 : op.fresh();
  return [
    { dtype: op.dtype(0), shape: op.shape(0) },
    { dtype: op.dtype(0), shape: [batch, channels, state] },
  ];
};

export const kRecurrentRules: Record<string, Rule> = {
  RNN: recurrent,
  GRU: recurrent,
  LSTM: recurrent,
  LinearAttention: linearAttention,
  CausalConvWithState: causalConvolution,
  Attention: (op) => (op.node.domain === "" ? attention(op) : packedAttention(op)),
  MultiHeadAttention: (op) => cachedAttention(op, 6, "num_heads"),
  GroupQueryAttention: (op) => cachedAttention(op, 3, "kv_num_heads"),
  RotaryEmbedding: (op) => [{ dtype: op.dtype(0), shape: op.inputs[0]?.shape }],
};
