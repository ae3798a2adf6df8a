/** Bytes between two walls, parts that fill them, and how often: the optimum is full to the byte. */
const BIN = 1e12;
const PARTS = 12;
const BINS = 9;

/** Bytes of the smallest plan there is, which is the lower bound too. */
export const ENDLESS_BOUND = BINS * (BIN + 1);

/**
 * A problem that no search ends by itself, however fast the machine; CSV. Nine bins between pinned walls, and twelve
 * parts for each that fill it to the byte, all live at once: bin packing without a byte to spare. To find the optimum
 * is to solve it with numbers of 40 bits, and to prove another plan the smallest is out of reach, since the bound is
 * the optimum. Better plans than those of one pass are found at once.
 */
export function endlessProblem(): string {
  const rows = ["id,lower,upper,size,offset"];
  let state = 8;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let bin = 0; bin < BINS; bin++) {
    rows.push(`wall${bin},0,9,1,${(bin + 1) * BIN + bin}`);
    const weights = Array.from({ length: PARTS }, () => 0.3 + random());
    const sum = weights.reduce((a, b) => a + b);
    const sizes = weights.map((weight) => Math.floor((BIN * weight) / sum));
    const rest = BIN - sizes.reduce((a, b) => a + b);
    sizes.forEach((size, i) => {
      rows.push(`part${rows.length},0,9,${i === 0 ? size + rest : size},`);
    });
  }
  return `${rows.join("\n")}\n`;
}
