import { useMemo, useState } from "preact/hooks";
import { operatorOf, shortOperator } from "./arena/model";
import { nameAt, shortName } from "./arena/names";
import type { Picture } from "./arena/picture";
import { formatCount } from "./bytes";
import { flagWords } from "./inspector";
import { query } from "./session";

type Column = "row" | "name" | "bytes" | "offset" | "first" | "last" | "operator";
const kColumns: { key: Column; label: string; number: boolean }[] = [
  { key: "name", label: "Tensor", number: false },
  { key: "bytes", label: "Bytes", number: true },
  { key: "offset", label: "Offset", number: true },
  { key: "first", label: "From", number: true },
  { key: "last", label: "To", number: true },
  { key: "operator", label: "Operator", number: false },
];
const kRowHeight = 1.9;
const kShown = 16;
/** Rows beyond which sorting takes long enough to be asked for. */
const kMostSortedUnasked = 200_000;

/** The picture in words: every tensor with its place; sortable, searchable, and any length. */
export function TensorTable({ picture }: { picture: Picture }) {
  const [sort, setSort] = useState<{ by: Column; down: boolean }>(() =>
    picture.model.tensorCount > kMostSortedUnasked ? { by: "row", down: false } : { by: "bytes", down: true },
  );
  const [top, setTop] = useState(0);
  const found = picture.found.value;
  const order = useMemo(() => sortRows(picture, found, sort.by, sort.down), [picture, found, sort]);
  const rem =
    typeof document === "undefined"
      ? 16
      : Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const first = Math.max(0, Math.floor(top / (kRowHeight * rem)) - 8);
  const rows = order.subarray(first, first + kShown + 24);
  return (
    <section class="table" aria-label="Tensors">
      <div class="table-bar">
        <h2>Tensors</h2>
        <p class="quiet" aria-live="polite">
          {found
            ? `${formatCount(order.length)} of ${formatCount(picture.model.tensorCount)}`
            : formatCount(order.length)}
        </p>
      </div>
      <section
        class="scroller"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by keyboard.
        tabIndex={0}
        aria-label="Rows"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <table class="rows-table" aria-rowcount={order.length + 1}>
          <thead>
            <tr>
              {kColumns.map((c) => (
                <th
                  key={c.key}
                  scope="col"
                  class={c.number ? "number" : ""}
                  aria-sort={sort.by === c.key ? (sort.down ? "descending" : "ascending") : "none"}
                >
                  <button
                    type="button"
                    class="plain"
                    onClick={() => setSort({ by: c.key, down: sort.by === c.key ? !sort.down : c.number })}
                  >
                    {c.label}
                    <span aria-hidden="true">{sort.by === c.key ? (sort.down ? " ↓" : " ↑") : ""}</span>
                  </button>
                </th>
              ))}
              <th scope="col">Role</th>
            </tr>
          </thead>
          <tbody>
            <tr class="pad" style={{ height: `${first * kRowHeight}rem` }} />
            {[...rows].map((tensor, i) => (
              <Row key={tensor} picture={picture} tensor={tensor} index={first + i + 2} />
            ))}
            <tr
              class="pad"
              style={{ height: `${Math.max(0, order.length - first - rows.length) * kRowHeight}rem` }}
            />
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Row({ picture, tensor, index }: { picture: Picture; tensor: number; index: number }) {
  const { model } = picture;
  const scope = model.scopes[model.scope[tensor] as number]?.path;
  const placed = (model.pool[tensor] as number) >= 0;
  const name = nameAt(model.names, tensor);
  const lives = (model.first[tensor] as number) >= 0;
  return (
    <tr aria-rowindex={index} class={picture.pinned.value === tensor ? "on" : ""}>
      <th scope="row">
        <button type="button" class="plain" title={name} onClick={() => picture.select(tensor)}>
          {scope && <span class="quiet">{scope} › </span>}
          {shownName(name, query.value)}
        </button>
      </th>
      <td class="number">{formatCount(model.bytes[tensor] as number)}</td>
      <td class="number">{placed ? formatCount(model.offset[tensor] as number) : "–"}</td>
      <td class="number">{lives ? formatCount(model.first[tensor] as number) : "–"}</td>
      <td class="number">{lives ? formatCount(model.last[tensor] as number) : "–"}</td>
      <td>{shortOperator(operatorOf(model, tensor))}</td>
      <td>{[...flagWords(model.flags[tensor] as number), ...(placed ? [] : ["not planned"])].join(", ")}</td>
    </tr>
  );
}

/** The part of a fused operator's name that was searched for, or its first. */
function shownName(name: string, text: string): string {
  const wanted = text.trim().toLowerCase();
  const part = wanted ? name.split(";").find((p) => p.toLowerCase().includes(wanted)) : undefined;
  return shortName(part ?? name, 64);
}

function sortRows(picture: Picture, found: Uint32Array | null, by: Column, down: boolean): Uint32Array {
  const { model } = picture;
  const rows = found ? Uint32Array.from(found) : Uint32Array.from({ length: model.tensorCount }, (_, i) => i);
  if (by === "row") return rows;
  const sign = down ? -1 : 1;
  if (by === "name" || by === "operator") {
    const text = new Map<number, string>();
    for (const i of rows) text.set(i, by === "name" ? nameAt(model.names, i) : operatorOf(model, i));
    const order = new Intl.Collator("en", { numeric: true });
    return rows.sort((a, b) => sign * order.compare(text.get(a) ?? "", text.get(b) ?? "") || a - b);
  }
  const column = model[by];
  // What is not planned comes last, whichever way.
  const unplanned = (i: number) => ((model.pool[i] as number) < 0 ? 1 : 0);
  return rows.sort(
    (a, b) => unplanned(a) - unplanned(b) || sign * ((column[a] as number) - (column[b] as number)) || a - b,
  );
}
