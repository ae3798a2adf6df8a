/** Best and median of some runs, in milliseconds, after one to warm up; in Node and on a page. */
export function measure(work, runs = 7) {
  work();
  const times = Array.from({ length: runs }, () => {
    const begin = performance.now();
    work();
    return performance.now() - begin;
  }).sort((a, b) => a - b);
  return { best: times[0], median: times[runs >> 1] };
}
