import { formatBytes } from "../bytes";
import { beside } from "../compare/beside";
import { later } from "../later";
import { colourBy } from "../session";
import { Legend } from "./legend";
import { LiveStrip } from "./live_strip";
import { totalBytes } from "./model";
import { Overview } from "./overview";
import type { ColourBy } from "./palette";
import type { Picture } from "./picture";
import { StageView } from "./stage_view";
import { ViewButtons } from "./view_buttons";

const kColours: { value: ColourBy; label: string }[] = [
  { value: "size", label: "size" },
  { value: "lifetime", label: "lifetime" },
  { value: "operator", label: "operator" },
  { value: "module", label: "module" },
  { value: "pool", label: "pool" },
];

const BesideView = later(() => import("../compare/beside_view").then((m) => m.BesideView));

/** The picture with everything around it. */
export function ArenaView({ picture }: { picture: Picture }) {
  return (
    <section class="arena" aria-label="Arena">
      <div class="arena-bar">
        <label class="field inline">
          <span>Colour by</span>
          <select
            value={colourBy.value}
            onChange={(event) => {
              colourBy.value = event.currentTarget.value as ColourBy;
            }}
          >
            {kColours.map((c) => (
              <option key={c.value} value={c.value}>
                {c.label}
              </option>
            ))}
          </select>
        </label>
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
    </section>
  );
}
