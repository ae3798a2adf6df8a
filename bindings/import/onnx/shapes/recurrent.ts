/** Recurrent layers. */
import type { Rule } from "../operator.js";

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
  DynamicQuantizeLSTM: recurrent,
  CausalConvWithState: causalConvolution,
};
