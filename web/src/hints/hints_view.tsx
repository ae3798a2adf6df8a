import { batch } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { answering } from "../answers";
import { goToPeak } from "../arena/gestures";
import type { Picture } from "../arena/picture";
import { plan, status } from "../session";
import { type Hint, hintsOf } from "./peak";
import { reportedHints } from "./reported";

/** What makes the arena as large as it is, and what would make it smaller, in words. */
export function HintsView({ picture }: { picture: Picture }) {
  const own = useMemo(() => hintsOf(picture.model), [picture]);
  const [savings, setSavings] = useState<Hint[]>([]);
  const done = status.value.kind === "done";
  useEffect(() => {
    setSavings([]);
    if (!done) return;
    const given = new AbortController();
    const found = import("./savings").then((m) => m.savingHints(picture.model, given.signal));
    const told = found.then(
      (hints) => given.signal.aborted || setSavings(hints),
      () => {},
    );
    void answering(told);
    return () => given.abort();
  }, [picture, done]);
  const of = plan.value;
  const hints = [...own, ...(of ? reportedHints(of) : []), ...savings];
  if (hints.length === 0) return null;
  return (
    <section class="hints" aria-label="Why, and what would help">
      <h2>Why, and what would help</h2>
      <ul>
        {hints.map((h) => (
          <li key={h.id}>
            {h.text}
            {(h.at || h.tensors.length > 0) && (
              <button type="button" class="link" onClick={() => follow(picture, h)}>
                Show
                <span class="hidden"> this in the picture</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function follow(picture: Picture, hint: Hint): void {
  batch(() => {
    if (hint.at) {
      picture.lane.value = hint.at.lane;
      goToPeak(picture);
    }
    const first = hint.tensors[0];
    if (first !== undefined) picture.select(first);
  });
}
