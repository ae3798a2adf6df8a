import { effect } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { answering } from "../answers";
import { totalBytes } from "../arena/model";
import { Picture } from "../arena/picture";
import { StageView } from "../arena/stage_view";
import { fitBytes } from "../arena/view";
import { formatBytes, formatCount } from "../bytes";
import { colourBy, query, source, theme } from "../session";
import { beside } from "./beside";
import { contenders, reference, showBeside } from "./contenders";
import { differenceOf } from "./difference";
import { faultMarks } from "./fault_marks";

/** The other plan, at the scale of the one on show, with what differs. */
export function BesideView({ main }: { main: Picture }) {
  const row = contenders.value.find((c) => c.id === beside.value);
  const other = useOther(main);
  const [onlyMoved, setOnlyMoved] = useState(false);
  const difference = useMemo(() => (other ? differenceOf(main.model, other.model) : null), [main, other]);
  useEffect(() => {
    if (!difference || !other) return;
    main.highlight(onlyMoved ? difference.moved : null);
    other.highlight(onlyMoved ? difference.movedThere : null);
    return () => main.highlight(null);
  }, [difference, other, main, onlyMoved]);
  if (!row) return null;
  return (
    <div class="beside">
      <div class="beside-title">
        <h3>{row.label}</h3>
        {other && <p class="size">{formatBytes(totalBytes(other.model))}</p>}
        <button type="button" onClick={() => void showBeside(null)}>
          Close
        </button>
      </div>
      {other ? (
        <StageView picture={other} keys={false} />
      ) : (
        <p class="quiet">{row.failure ? `${row.failure.message} (${row.failure.code})` : "Drawing…"}</p>
      )}
      {difference && (
        <p class="quiet difference">
          {difference.bytes === 0
            ? "Both need the same"
            : `${formatBytes(Math.abs(difference.bytes))} ${difference.bytes > 0 ? "more" : "less"} than the plan on the left`}
          ; {formatCount(difference.moved.length)} tensors lie elsewhere, {formatCount(difference.same)} at
          the same place.{" "}
          {difference.moved.length > 0 && (
            <label class="tick inline">
              <input
                type="checkbox"
                checked={onlyMoved}
                onChange={(e) => setOnlyMoved(e.currentTarget.checked)}
              />
              <span>fade those that stay</span>
            </label>
          )}
          {other && other.faults.value.length > 0 && (
            <strong class="bad">
              {" "}
              Hatched in red: bytes that two live tensors both claim, or that lie wrong.
            </strong>
          )}
        </p>
      )}
    </div>
  );
}

/** Opens the contender's picture, and keeps its view that of the main one. */
function useOther(main: Picture): Picture | null {
  const [other, setOther] = useState<Picture | null>(null);
  const row = contenders.value.find((c) => c.id === beside.value);
  const plan = row?.plan ?? null;
  const report = row?.report ?? null;
  useEffect(() => {
    const from = source.value;
    if (!plan || !from) return setOther(null);
    let alive = true;
    let off = () => {};
    let opened: Picture | null = null;
    const input = { title: from.title, bytes: from.bytes, plan, reference: reference() };
    const drawn = Picture.open(input).then((picture) => {
      if (!alive) return picture.close();
      opened = picture;
      off = tie(main, picture);
      if (report) picture.faults.value = faultMarks(picture.model, report);
      setOther(picture);
    });
    void answering(drawn);
    return () => {
      alive = false;
      off();
      main.setScale(null);
      opened?.close();
      setOther(null);
    };
  }, [plan, main]);
  useEffect(() => {
    if (other && report) other.faults.value = faultMarks(other.model, report);
  }, [other, report]);
  return other;
}

/** One scale, one view, one selection for both. Gives a function that parts them. */
function tie(main: Picture, other: Picture): () => void {
  const alike =
    main.model.lanes.length === other.model.lanes.length &&
    main.model.scopes.length === other.model.scopes.length;
  const spans = [main, other].map((p) => p.model.lanes.map((_, lane) => fitBytes(p.model, lane)));
  main.setScale(spans[1] ?? null);
  other.setScale(spans[0] ?? null);
  const offs = [
    effect(() => {
      void [theme.value, colourBy.value, query.value];
      other.setTheme(theme.value);
      other.colourBy(colourBy.value);
    }),
    effect(() => {
      const view = main.view.value;
      if (alike) other.view.value = view;
    }),
    effect(() => {
      const view = other.view.value;
      if (alike && view !== main.view.peek()) main.view.value = view;
    }),
    effect(() => {
      other.scrub.value = main.scrub.value;
    }),
    effect(() => {
      if (main.model.tensorCount === other.model.tensorCount) other.pinned.value = main.pinned.value;
    }),
    effect(() => {
      if (main.model.tensorCount === other.model.tensorCount && other.pinned.value !== main.pinned.peek())
        main.select(other.pinned.value);
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}
