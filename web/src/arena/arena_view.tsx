import { formatBytes, formatCount } from "../bytes";
import { beside } from "../compare/beside";
import { later } from "../later";
import { colourBy, query } from "../session";
import { KeyHelp } from "./key_help";
import { Legend } from "./legend";
import { LiveStrip } from "./live_strip";
import { totalBytes } from "./model";
import { Overview } from "./overview";
import type { ColourBy } from "./palette";
import type { Picture } from "./picture";
import { StageView } from "./stage_view";
import { ViewButtons } from "./view_buttons";

const kColours: { value: ColourBy; label: string /** Only where there are nodes. */; graphs?: boolean }[] = [
  { value: "size", label: "size" },
  { value: "lifetime", label: "lifetime" },
  { value: "operator", label: "operator", graphs: true },
  { value: "module", label: "module", graphs: true },
  { value: "pool", label: "pool" },
];

const BesideView = later(() => import("../compare/beside_view").then((m) => m.BesideView));

/** Lights up what it finds, here and in the table below; Enter steps through it. */
function SearchField({ picture }: { picture: Picture }) {
  const found = picture.found.value;
  return (
    <label class="field inline search">
      <span class="hidden">Search by name</span>
      <input
        id="search"
        type="search"
        placeholder="Search by name ( / )"
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") stepFound(picture, event.shiftKey ? -1 : 1);
          if (event.key === "Escape") query.value = "";
        }}
      />
      {found && <span class="count">{formatCount(found.length)}</span>}
    </label>
  );
}

function stepFound(picture: Picture, by: 1 | -1): void {
  const found = picture.found.value;
  if (!found?.length) return;
  const at = found.indexOf(picture.pinned.value);
  const next = at < 0 ? 0 : (at + by + found.length) % found.length;
  picture.select(found[next] ?? -1);
}

/** The picture with everything around it. */
export function ArenaView({ picture }: { picture: Picture }) {
  return (
    <section class="arena" aria-label="Arena">
      <div class="arena-bar">
        <label class="field inline">
          <span>Colour by</span>
          <select
            value={picture.legend.value.by}
            onChange={(event) => {
              colourBy.value = event.currentTarget.value as ColourBy;
            }}
          >
            {kColours
              .filter((c) => c.graphs !== true || picture.model.kind === "graph")
              .map((c) => (
                <option key={c.value} value={c.value}>
                  {c.label}
                </option>
              ))}
          </select>
        </label>
        <SearchField picture={picture} />
        <ViewButtons picture={picture} />
        <Legend picture={picture} />
      </div>
      <Overview picture={picture} />
      <div class={beside.value ? "stages two" : "stages"}>
        <div>
          {beside.value && (
            <div class="beside-title">
              <h3>This plan</h3>
              <p class="size">{formatBytes(totalBytes(picture.model))}</p>
            </div>
          )}
          <StageView picture={picture} keys={true} />
          <LiveStrip picture={picture} />
        </div>
        {beside.value && <BesideView main={picture} />}
      </div>
      <KeyHelp />
    </section>
  );
}
