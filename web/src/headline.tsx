import { totalBound, totalBytes, unsharedBytes } from "./arena/model";
import { shortName } from "./arena/names";
import { kBoards, smallestBoard } from "./boards";
import { exactBytes, formatBytes, formatMs, formatShare, splitBytes } from "./bytes";
import { busy, misfit, options, picture, plan, source, status, stop } from "./session";

/** The answer before all else: bytes of the arena, against the bound and against no sharing. */
export function Headline() {
  const shown = picture.value;
  const of = plan.value;
  if (!shown || !of) {
    return (
      <section class="headline waiting" aria-label="Answer">
        <p class="title">{source.value?.title}</p>
        <ProgressLine />
      </section>
    );
  }
  const total = totalBytes(shown.model);
  const { value, unit } = splitBytes(total);
  return (
    <section class="headline" aria-label="Answer">
      <div class="figure" aria-live="polite">
        <h1 class="title">{source.value?.title}</h1>
        <p class="total" title={exactBytes(total)}>
          <span class="value">{value}</span> <span class="unit">{unit}</span>
        </p>
        <p class="exact">
          {exactBytes(total)}
          {shown.model.pools.length > 1 && ` in ${shown.model.pools.length} pools`}
        </p>
      </div>
      <div class="reasons">
        <Verdict />
        <Facts />
      </div>
      {busy.value && <ProgressLine />}
      <MisfitLine />
      <Notes />
    </section>
  );
}

function Facts() {
  const shown = picture.value;
  const of = plan.value;
  const state = status.value;
  if (!shown || !of) return null;
  const total = totalBytes(shown.model);
  const bound = totalBound(shown.model);
  const unshared = unsharedBytes(shown.model);
  return (
    <dl class="facts">
      <div>
        <dt>Lower bound</dt>
        <dd>{bound === null ? "none under these rules" : formatBytes(bound)}</dd>
      </div>
      <div>
        <dt>Gap</dt>
        <dd>{gapWords(total, bound)}</dd>
      </div>
      <div>
        <dt>Without sharing</dt>
        <dd>
          {formatBytes(unshared)}
          {total > 0 && unshared > 1.05 * total && (
            <span class="quiet"> {(unshared / total).toFixed(1)}×</span>
          )}
        </dd>
      </div>
      <div>
        <dt>Smallest board</dt>
        <dd>{boardWords(total)}</dd>
      </div>
      <div>
        <dt>Planned by</dt>
        <dd>
          {of.algorithm}
          {state.kind === "done" && <span class="quiet"> in {formatMs(state.ms)}</span>}
        </dd>
      </div>
    </dl>
  );
}

function gapWords(total: number, bound: number | null): string {
  if (bound === null) return "–";
  if (total === bound) return "none";
  return `${formatBytes(total - bound)} (${formatShare(total - bound, bound)})`;
}

function boardWords(total: number) {
  const board = smallestBoard(total);
  if (!board) return `none of ${kBoards.length}`;
  return (
    <>
      {board.name} <span class="quiet">{formatShare(total, board.sram)} of its SRAM</span>
    </>
  );
}

function Verdict() {
  const of = plan.value;
  const shown = picture.value;
  if (!of || !shown) return null;
  const met = totalBound(shown.model) === totalBytes(shown.model);
  if (of.optimal || (met && of.rules === "sound"))
    return (
      <p class="verdict proven">
        <strong>Proven optimal.</strong> No plan can be smaller.
      </p>
    );
  if (of.rules !== "sound")
    return (
      <p class="verdict">
        <strong>As ExecuTorch plans it.</strong> Compare below whether it is right.
      </p>
    );
  const state = status.value;
  const stopped = state.kind === "done" && state.stopped;
  return (
    <p class="verdict open">
      <strong>{stopped ? "Stopped." : "Not proven."}</strong> A smaller plan may exist.
    </p>
  );
}

function MisfitLine() {
  const why = misfit.value;
  const capacity = options.value.capacity;
  const d = why?.details;
  if (!why) return null;
  return (
    <div class="misfit" role="alert">
      <p>
        <strong>
          {why.code === "DOES_NOT_FIT"
            ? "It does not fit, and that is proven."
            : "No plan that fits was found in time."}
        </strong>{" "}
        {d
          ? `Node ${d.node} needs ${exactBytes(d.required)}; there are ${exactBytes(d.available)}, ${exactBytes(d.excess)} too few.`
          : typeof capacity === "number"
            ? `There are ${exactBytes(capacity)}.`
            : why.message}
        {d && d.culprits.length > 0 && (
          <>
            {" "}
            Largest there: {d.culprits.map((c) => `${shortName(c.id)} (${formatBytes(c.bytes)})`).join(", ")}.
          </>
        )}{" "}
        Shown is the plan without the limit.
      </p>
    </div>
  );
}

function Notes() {
  const notes = source.value?.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <details class="notes">
      <summary>
        {notes.length} {notes.length === 1 ? "note" : "notes"} on how this file was read
      </summary>
      <ul>
        {notes.map((n) => (
          <li key={n}>{n}</li>
        ))}
      </ul>
    </details>
  );
}

function ProgressLine() {
  const state = status.value;
  const progress = state.kind === "planning" ? state.progress : null;
  const best = progress?.bestPeak;
  return (
    <div class="progress" role="status">
      <span class="pulse" aria-hidden="true" />
      {state.kind === "reading" ? (
        <span>Reading…</span>
      ) : progress ? (
        <>
          <span>
            Searching, <code>{progress.phase}</code>
          </span>
          <span>best {best === null || best === undefined ? "none yet" : formatBytes(best)}</span>
          <span>bound {formatBytes(progress.lowerBound)}</span>
        </>
      ) : (
        <span>Planning…</span>
      )}
      {state.kind === "planning" && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  );
}
