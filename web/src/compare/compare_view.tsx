import { useEffect } from "preact/hooks";
import { exactBytes, formatBytes, formatMs, formatShare } from "../bytes";
import { chooseFile } from "../drop";
import { foreign, openFile, options, shownTotal, source, status } from "../session";
import { beside } from "./beside";
import {
  type Contender,
  contenders,
  race,
  racing,
  resetContenders,
  runQuick,
  showBeside,
} from "./contenders";

/** Every other way to plan this, with bytes, time and whether it is right. */
export function CompareView() {
  const from = source.value;
  const given = foreign.value;
  const settings = options.value;
  useEffect(() => {
    void resetContenders().then(() => {
      if (given) void showBeside("file");
      else if (beside.value) void showBeside(beside.value);
    });
  }, [from, given, settings]);
  const done = status.value.kind === "done";
  const rows = contenders.value;
  const idle = !racing.value && rows.length > 0 && rows.every((c) => c.total === null && !c.failure);
  useEffect(() => {
    if (done && idle) void runQuick();
  }, [done, idle]);
  const ran = rows.filter((r) => r.total !== null);
  const most = Math.max(1, shownTotal.value ?? 1, ...ran.map((r) => r.total ?? 0));
  return (
    <section class="compare" aria-label="Compare">
      <div class="table-bar">
        <h2>Compare</h2>
        <button
          type="button"
          class="primary"
          disabled={racing.value || rows.length === 0}
          onClick={() => void race()}
        >
          {racing.value ? "Running…" : "Race all"}
        </button>
        <button type="button" onClick={() => chooseFile((file) => void openFile(file))}>
          Load a plan…
        </button>
        <p class="quiet">
          What ExecuTorch would allocate, what each algorithm reaches, or a plan JSON made elsewhere.
        </p>
      </div>
      <UpstreamSentence />
      <div class="table-scroll">
        <table class="contenders">
          <thead>
            <tr>
              <th scope="col">Plan</th>
              <th scope="col" class="wide">
                Arena
              </th>
              <th scope="col" class="number">
                Against this
              </th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col">Right?</th>
              <th scope="col">
                <span class="hidden">Show</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ContenderRow key={row.id} row={row} most={most} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What today's ExecuTorch would do with this model, in a sentence. */
function UpstreamSentence() {
  const row = contenders.value.find((c) => c.id === "executorch-2026");
  const mine = shownTotal.value;
  if (!row || row.total === null || mine === null) return null;
  const more = row.total - mine;
  const size =
    more === 0
      ? "as much as this plan"
      : `${formatBytes(Math.abs(more))} (${formatShare(Math.abs(more), mine)}) ${more > 0 ? "more" : "less"} than this plan`;
  const faults = row.report?.errors.length ?? 0;
  return (
    <p class="upstream">
      Today’s ExecuTorch would allocate <strong>{formatBytes(row.total)}</strong>, {size}
      {row.report &&
        (faults === 0 ? ", and its plan is sound" : <strong class="bad">, and its plan is not sound</strong>)}
      .
    </p>
  );
}

function ContenderRow({ row, most }: { row: Contender; most: number }) {
  const mine = shownTotal.value;
  const on = beside.value === row.id;
  return (
    <tr class={on ? "on" : ""} aria-busy={row.running}>
      <th scope="row">{row.group === "algorithm" ? <code>{row.label}</code> : row.label}</th>
      <td class="wide">
        {row.failure && row.total === null ? (
          <span class="bad">
            {row.failure.code === "DOES_NOT_FIT" ? "does not fit" : row.failure.message}{" "}
            <code>{row.failure.code}</code>
          </span>
        ) : row.total === null ? (
          <span class="quiet">{row.running ? "planning…" : "not run"}</span>
        ) : (
          <span class="measure" title={exactBytes(row.total)}>
            <span class="bar" style={{ width: `${(100 * row.total) / most}%` }} aria-hidden="true" />
            <span>{formatBytes(row.total)}</span>
          </span>
        )}
      </td>
      <td class="number">{row.total !== null && mine !== null ? against(row.total, mine) : ""}</td>
      <td class="number">{row.ms === null ? "" : formatMs(row.ms)}</td>
      <td>
        <Rightness row={row} />
      </td>
      <td>
        <button type="button" aria-pressed={on} onClick={() => void showBeside(on ? null : row.id)}>
          {on ? "Hide" : "Beside"}
          <span class="hidden"> {row.label}</span>
        </button>
      </td>
    </tr>
  );
}

function against(total: number, mine: number): string {
  if (total === mine) return "the same";
  const sign = total > mine ? "+" : "−";
  return `${sign}${formatBytes(Math.abs(total - mine))} (${sign}${formatShare(Math.abs(total - mine), mine)})`;
}

function Rightness({ row }: { row: Contender }) {
  if (row.group === "algorithm") return <span class="quiet">{row.total === null ? "" : "checked"}</span>;
  if (!row.report)
    return row.failure && row.total !== null ? <code class="bad">{row.failure.code}</code> : null;
  if (row.report.ok) return <span class="good">sound</span>;
  const n = row.report.errors.length;
  return (
    <details class="faults">
      <summary class="bad">
        {n} {n === 1 ? "fault" : "faults"}
      </summary>
      <ul>
        {row.report.errors.slice(0, 20).map((e) => (
          <li key={`${e.graph}${e.tensors.join()}${e.nodes.join()}${e.message}`}>
            <code>{e.code}</code> {e.message}
          </li>
        ))}
        {n > 20 && <li>and {n - 20} more</li>}
      </ul>
    </details>
  );
}
