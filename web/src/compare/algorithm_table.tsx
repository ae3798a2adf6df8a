import { exactBytes, formatMs, formatShare } from "../bytes";
import { plan } from "../session";

/** What each algorithm reached when `auto` ran several. */
export function AlgorithmTable() {
  const results = plan.value?.results;
  if (!results || results.length < 2) return null;
  const best = Math.min(...results.flatMap((r) => (r.total === null ? [] : [r.total])));
  return (
    <section class="race" aria-label="Algorithms">
      <h2>What each algorithm reached</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Algorithm</th>
            <th scope="col" class="number">
              Bytes
            </th>
            <th scope="col" class="number">
              Over the best
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {results.map((r) => (
            <tr key={r.algorithm}>
              <th scope="row">{r.algorithm}</th>
              <td class="number">{r.total === null ? "none" : exactBytes(r.total)}</td>
              <td class="number">{r.total === null ? "" : formatShare(r.total - best, best)}</td>
              <td class="number">{r.time_ms === undefined ? "" : formatMs(r.time_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
