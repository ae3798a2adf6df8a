import { goToPeak, zoomAbout } from "./gestures";
import type { Picture } from "./picture";

export function ViewButtons({ picture }: { picture: Picture }) {
  const zoom = (factor: number) => zoomAbout(picture, picture.lane.value, factor, factor);
  return (
    <div class="view-buttons" role="toolbar" aria-label="View">
      <button type="button" title="Go to the peak (M)" onClick={() => goToPeak(picture)}>
        Peak
      </button>
      <button type="button" title="Zoom out (−)" aria-label="Zoom out" onClick={() => zoom(1.5)}>
        −
      </button>
      <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(1 / 1.5)}>
        +
      </button>
      <button type="button" title="Show all (0)" onClick={() => picture.reset()}>
        All
      </button>
    </div>
  );
}
