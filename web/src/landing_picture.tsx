import { inkColour } from "./arena/palette";
import { kSamples } from "./samples";
import { openSample, theme } from "./session";

/** The plan of MobileNet v2: first node, nodes alive, offset and size in thousandths of the arena, colour. */
// biome-ignore format: a table.
const kRects = [
  [0, 2, 267, 100, 3], [1, 2, 0, 267, 0], [2, 2, 267, 267, 1], [3, 2, 800, 133, 0], [4, 2, 0, 800, 0],
  [5, 2, 800, 200, 1], [6, 5, 600, 50, 0], [7, 2, 0, 300, 0], [8, 2, 300, 300, 1], [9, 2, 0, 50, 0],
  [10, 2, 300, 50, 2], [11, 2, 0, 300, 0], [12, 2, 300, 75, 1], [13, 5, 200, 17, 0], [14, 2, 0, 100, 0],
  [15, 2, 100, 100, 1], [16, 2, 0, 17, 0], [17, 5, 217, 17, 2], [18, 2, 0, 100, 0], [19, 2, 100, 100, 1],
  [20, 2, 200, 17, 0], [21, 2, 100, 17, 2], [22, 2, 0, 100, 0], [23, 2, 100, 25, 1], [24, 5, 125, 8, 0],
  [25, 2, 0, 50, 0], [26, 2, 50, 50, 1], [27, 2, 100, 8, 0], [28, 5, 108, 8, 2], [29, 2, 0, 50, 0],
  [30, 2, 50, 50, 1], [31, 2, 100, 8, 0], [32, 5, 117, 8, 2], [33, 2, 0, 50, 0], [34, 2, 50, 50, 1],
  [35, 2, 100, 8, 0], [36, 2, 108, 8, 2], [37, 2, 0, 50, 0], [38, 2, 50, 50, 1], [39, 5, 150, 13, 0],
  [40, 2, 0, 75, 0], [41, 2, 75, 75, 1], [42, 2, 0, 13, 0], [43, 5, 163, 13, 2], [44, 2, 0, 75, 0],
  [45, 2, 75, 75, 1], [46, 2, 150, 13, 0], [47, 2, 75, 13, 2], [48, 2, 0, 75, 0], [49, 2, 75, 19, 1],
  [50, 5, 63, 5, 0], [51, 2, 0, 31, 0], [52, 2, 31, 31, 1], [53, 2, 0, 5, 0], [54, 5, 68, 5, 2],
  [55, 2, 0, 31, 0], [56, 2, 31, 31, 1], [57, 2, 63, 5, 0], [58, 2, 31, 5, 2], [59, 2, 0, 31, 0],
  [60, 2, 31, 31, 1], [61, 2, 63, 10, 0], [62, 2, 0, 42, 0],
] as const;

const kNodes = 64;

/** What the page is about, at a glance; it opens the very sample it shows. */
export function LandingPicture() {
  const sample = kSamples.find((s) => s.id === "mobilenet_v2");
  if (!sample) return null;
  return (
    <button type="button" class="landing-picture" onClick={() => void openSample(sample)}>
      <svg viewBox={`0 0 ${kNodes} 1000`} preserveAspectRatio="none" aria-hidden="true">
        <title>The plan of MobileNet v2</title>
        {kRects.map(([x, width, y, height, ink]) => (
          <rect
            key={`${x} ${y}`}
            x={x + 0.04}
            y={1000 - y - height}
            width={width - 0.08}
            height={height - 2}
            fill={inkColour(theme.value, false, ink)}
          />
        ))}
      </svg>
      <span class="caption">
        MobileNet v2: 65 tensors of 6.72 MiB in 1.44 MiB, proven to be the least. Across: its nodes, in order;
        upward: bytes.
      </span>
    </button>
  );
}
