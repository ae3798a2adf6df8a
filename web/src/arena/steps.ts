import type { Rects, Steps } from "./model";

/** Live bytes and highest end over time for rectangles [first, first + count). O(n log n). */
export function stepsOf(rects: Rects, first: number, count: number): Steps {
  const at = eventTimes(rects, first, count);
  const n = at.length;
  const live = new Float64Array(n);
  let size = 1;
  while (size < n) size *= 2;
  // A segment tree in which every node holds the highest end painted over its whole range.
  const tree = new Float64Array(2 * size);
  for (let r = first; r < first + count; r++) {
    const from = indexOf(at, rects.t0[r] as number);
    const to = indexOf(at, rects.t1[r] as number);
    const end = rects.b1[r] as number;
    const bytes = end - (rects.b0[r] as number);
    live[from] = (live[from] as number) + bytes;
    live[to] = (live[to] as number) - bytes;
    raise(tree, from + size, to + size, end);
  }
  for (let i = 1; i < n; i++) live[i] = (live[i] as number) + (live[i - 1] as number);
  for (let node = 1; node < size; node++) {
    const high = tree[node] as number;
    if (high > (tree[2 * node] as number)) tree[2 * node] = high;
    if (high > (tree[2 * node + 1] as number)) tree[2 * node + 1] = high;
  }
  return { at, live, high: tree.slice(size, size + n) };
}

function raise(tree: Float64Array, from: number, to: number, end: number): void {
  for (let l = from, r = to; l < r; l >>= 1, r >>= 1) {
    if (l & 1) {
      if (end > (tree[l] as number)) tree[l] = end;
      l++;
    }
    if (r & 1) {
      r--;
      if (end > (tree[r] as number)) tree[r] = end;
    }
  }
}

function eventTimes(rects: Rects, first: number, count: number): Float64Array<ArrayBuffer> {
  const all = new Float64Array(2 * count);
  all.set(rects.t0.subarray(first, first + count));
  all.set(rects.t1.subarray(first, first + count), count);
  all.sort();
  let kept = 0;
  for (let i = 0; i < all.length; i++) {
    if (kept === 0 || all[i] !== all[kept - 1]) all[kept++] = all[i] as number;
  }
  return all.slice(0, kept);
}

function indexOf(at: Float64Array, time: number): number {
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
