import { totalBound, totalBytes, unsharedBytes } from "./arena/model";
import { exactBytes, formatBytes, formatMs, formatShare, splitBytes } from "./bytes";
import { busy, picture, plan, source, status, stop } from "./session";

/** The answer before all else: bytes of the arena, against the bound and against no sharing. */
export function Headline() {
  const shown = picture.value;
  const of = plan.value;
  const state = status.value;
  if (!shown || !of) {
    return (
      <section class="headline waiting" aria-live="polite">
        <p class="title">{source.value?.title}</p>
        <Progress />
      </section>
    );
  }
  const total = totalBytes(shown.model);
  const bound = totalBound(shown.model);
  const unshared = unsharedBytes(shown.model);
  const { value, unit } = splitBytes(total);
  return (
    <section class="headline" aria-live="polite">
      <div class="figure">
        <p class="title">{source.value?.title}</p>
        <p class="total" title={exactBytes(total)}>
          <span class="value">{value}</span> <span class="unit">{unit}</span>
        </p>
        <p class="exact">{exactBytes(total)}</p>
      </div>
      <dl class="facts">
        <div>
          <dt>{bound === null ? "Lower bound" : total === bound ? "Lower bound, met" : "Lower bound"}</dt>
          <dd>{bound === null ? "not known under these rules" : formatBytes(bound)}</dd>
        </div>
        <div>
          <dt>Gap</dt>
          <dd>
            {bound === null
              ? "–"
              : total === bound
                ? "none"
                : `${formatBytes(total - bound)} (${formatShare(total - bound, bound)})`}
          </dd>
        </div>
        <div>
          <dt>Without sharing</dt>
          <dd>
            {formatBytes(unshared)}
            {total > 0 && unshared > total && (
              <span class="quiet"> · {(unshared / total).toFixed(1)}× as much</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Planned by</dt>
          <dd>
            {of.algorithm}
            {state.kind === "done" && <span class="quiet"> in {formatMs(state.ms)}</span>}
          </dd>
        </div>
      </dl>
      <Verdict optimal={of.optimal} rules={of.rules} met={bound !== null && bound === total} />
      {busy.value && <Progress />}
    </section>
  );
}

function Verdict({ optimal, rules, met }: { optimal: boolean | undefined; rules: string; met: boolean }) {
  if (optimal || met) return <p class="verdict proven">Proven optimal: no plan can be smaller.</p>;
  if (rules !== "sound")
    return <p class="verdict">As ExecuTorch plans it; not checked for being right or small.</p>;
  return <p class="verdict open">Not proven: a smaller plan may exist.</p>;
}

function Progress() {
  const state = status.value;
  const progress = state.kind === "planning" ? state.progress : null;
  const text =
    state.kind === "reading"
      ? "Reading…"
      : state.kind === "drawing"
        ? "Drawing…"
        : progress
          ? `${progress.phase}: ${progress.bestPeak === null ? "no plan yet" : formatBytes(progress.bestPeak)}, bound ${formatBytes(progress.lowerBound)}`
          : "Planning…";
  return (
    <p class="progress">
      <span class="pulse" aria-hidden="true" />
      {text}
      {state.kind === "planning" && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
    </p>
  );
}
