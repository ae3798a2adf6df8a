import { theme } from "../session";
import { inkColour } from "./palette";
import type { Picture } from "./picture";

/** What the colours mean: a scale with its two ends, or a swatch for each group. */
export function Legend({ picture }: { picture: Picture }) {
  const legend = picture.legend.value;
  const colour = (ink: number) => inkColour(theme.value, legend.scale, ink);
  if (legend.scale) {
    return (
      <p class="legend scale">
        <span>{legend.entries[0]?.label}</span>
        <span class="ramp" aria-hidden="true">
          {legend.entries.map((e) => (
            <i key={e.ink} style={{ background: colour(e.ink) }} />
          ))}
        </span>
        <span>{legend.entries[legend.entries.length - 1]?.label}</span>
      </p>
    );
  }
  return (
    <ul class="legend groups">
      {legend.entries.map((e) => (
        <li key={e.ink}>
          <i aria-hidden="true" style={{ background: colour(e.ink) }} />
          {e.label}
        </li>
      ))}
    </ul>
  );
}
