/** Attention, of ai.onnx and of com.microsoft. */
import { type Operator, product, type Result, type Rule } from "../operator.js";
import type { Dim } from "../value.js";

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

/**
 * Attention and QAttention of com.microsoft: one input holds Q, K and V, weights project it. `pastAt` is the input
 * with the cache of keys and values, which a buffer that is shared holds in full.
 */
function packedAttention(op: Operator, pastAt: number, dtype: string | undefined): Result[] {
  const [batch = op.fresh(), steps = op.fresh()] = op.shape(0);
  const sizes = op.ints("qkv_hidden_sizes");
  const hidden = sizes?.[2] ?? divide(op, op.shape(1)[1], 3);
  const heads = op.int("num_heads", 0);
  const past = op.has(pastAt) ? op.shape(pastAt)[3] : 0;
  const total = op.int("past_present_share_buffer", 0) === 1 ? (past ?? op.fresh()) : add(op, steps, past);
  return [
    { dtype, shape: [batch, steps, hidden] },
    { dtype, shape: [2, batch, heads, total, divide(op, hidden, heads)] },
  ];
}

/** MultiHeadAttention of com.microsoft, and its form for one token at a time. */
function multiHead(op: Operator, pastAt: number, bufferIsShared: boolean): Result[] {
  const dtype = op.dtype(0);
  const heads = op.int("num_heads", 0);
  const query = op.shape(0);
  const [batch = op.fresh(), steps = op.fresh()] = query;
  const headSize = query.length === 5 ? (query[4] ?? op.fresh()) : divide(op, query[2], heads);
  // Keys and values are rows beside the query, or hold heads as an axis; five axes pack them in one.
  const keys = op.has(1) ? op.shape(1) : query;
  const newKeys = keys[keys.length === 4 ? 2 : 1];
  const values = op.has(2) ? op.shape(2) : undefined;
  const valueSize =
    values === undefined
      ? headSize
      : values.length === 4
        ? (values[3] ?? op.fresh())
        : divide(op, values[2], heads);
  const past = op.has(pastAt) ? op.shape(pastAt)[2] : 0;
  const total = bufferIsShared ? (past ?? op.fresh()) : add(op, newKeys, past);
  return [
    { dtype, shape: [batch, steps, product([heads, valueSize], op.fresh)] },
    { dtype, shape: [batch, heads, total, headSize] },
    { dtype, shape: [batch, heads, total, valueSize] },
    { dtype, shape: [batch, heads, steps, total] },
  ];
}

/** GroupQueryAttention of com.microsoft: the cache grows to the length that input 6 says, or is longer already. */
const groupQuery: Rule = (op) => {
  const dtype = op.dtype(0);
  const [heads, kvHeads] = [op.int("num_heads", 0), op.int("kv_num_heads", 0)];
  const query = op.shape(0);
  const [batch = op.fresh(), steps = op.fresh()] = query;
  const headSize = divide(op, query[2], op.has(1) ? heads : heads + 2 * kvHeads);
  const past = op.has(3) ? op.shape(3)[2] : 0;
  const wish = op.content(6)?.[0] ?? add(op, past, op.has(1) ? op.shape(1)[1] : steps);
  const longest = typeof past === "number" && typeof wish === "number" ? Math.max(past, wish) : op.fresh();
  const present = [batch, kvHeads, past === 0 ? wish : longest, headSize];
  return [
    { dtype, shape: [batch, steps, product([heads, headSize], op.fresh)] },
    { dtype: op.dtype(3) ?? dtype, shape: present },
    { dtype: op.dtype(4) ?? dtype, shape: present },
  ];
};

const like: Rule = (op) => [{ dtype: op.dtype(0), shape: op.inputs[0]?.shape }];

export const kAttentionRules: Record<string, Rule> = {
  Attention: attention,
  LinearAttention: linearAttention,
  RotaryEmbedding: like,
};

export const kContribAttentionRules: Record<string, Rule> = {
  Attention: (op) => packedAttention(op, 4, op.dtype(0)),
  QAttention: (op) => packedAttention(op, 8, op.dtype(3)),
  MultiHeadAttention: (op) => multiHead(op, 6, op.has(8)),
  DecoderMaskedMultiHeadAttention: (op) => multiHead(op, 5, op.int("past_present_share_buffer", 0) === 1),
  GroupQueryAttention: groupQuery,
};
