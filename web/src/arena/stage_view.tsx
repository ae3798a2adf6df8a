import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { overlayInks, themeChoice } from "../theme";
import { attachPointer, isWidest } from "./gestures";
import { attachKeys } from "./keys";
import type { Picture } from "./picture";
import { Stage } from "./stage";
import { Tooltip } from "./tooltip";

/** The canvases of a picture, with mouse, touch and, for one of them, the page's keys. */
export function StageView({ picture, keys }: { picture: Picture; keys: boolean }) {
  const holder = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const box = holder.current;
    if (!box || !ground.current || !overlay.current) return;
    const stage = new Stage(picture, ground.current, overlay.current, overlayInks());
    exposeStage(box, stage);
    const resize = () => {
      const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      // Half the window: the answer above and the strip below stay in sight.
      const wanted = Math.min(Math.max(320 * unit, innerHeight * 0.42), 720 * unit);
      const height = stage.resize(box.clientWidth, wanted, unit);
      box.style.setProperty("height", `${height}px`);
      tellView(box, stage);
    };
    const observer = new ResizeObserver(resize);
    observer.observe(box);
    resize();
    const offPointer = attachPointer(stage, box);
    const offKeys = keys ? attachKeys(picture, box) : () => {};
    const offView = effect(() => {
      void picture.view.value;
      tellView(box, stage);
      // Where there is nothing to pan, a finger that goes up or down scrolls the page.
      const widest = picture.model.lanes.every((_, lane) => isWidest(picture, lane));
      box.style.setProperty("touch-action", widest ? "pan-y" : "none");
      stage.invalidate();
    });
    const offPaint = effect(() => {
      void themeChoice.value;
      void picture.paints.value;
      stage.inks = overlayInks();
      stage.repaintAll();
    });
    const offMarks = effect(() => {
      void [picture.hovered.value, picture.pinned.value, picture.scrub.value, picture.faults.value];
      stage.repaint();
    });
    return () => {
      for (const off of [offPointer, offKeys, offView, offPaint, offMarks]) off();
      observer.disconnect();
      stage.close();
      delete box.dataset.drawn;
    };
  }, [picture, keys]);
  return (
    <div class="stage-frame">
      <div
        ref={holder}
        class="stage"
        role="application"
        aria-label={`Arena picture of ${picture.model.title}`}
        aria-describedby="stage-keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture takes keys; the table below is its text.
        tabIndex={0}
      >
        <canvas ref={ground} />
        <canvas ref={overlay} />
      </div>
      <Tooltip picture={picture} />
      <p id={keys ? "stage-keys" : undefined} class="hidden">
        Arrow keys or W A S D pan, plus and minus zoom, 0 shows all, N and P step through tensors, comma and
        full stop move the scrubber, M goes to the peak, Escape lets go. The table of tensors below says the
        same in text.
      </p>
    </div>
  );
}

/** For scripts that look on: what is seen of the first lane, as times and bytes, and where the lane lies, in pixels. */
function tellView(box: HTMLElement, stage: Stage): void {
  const { x, y } = stage.picture.view.peek();
  const lane = stage.layout.boxes[0];
  box.dataset.view = [x[0]?.from, x[0]?.to, y[0]?.from, y[0]?.to].join(" ");
  box.dataset.lane = [lane?.x, lane?.y, lane?.width, lane?.height].join(" ");
}

/** Lets the frame-time script in tests/bench listen to what the picture costs. */
function exposeStage(box: HTMLElement, stage: Stage): void {
  stage.onFrame = (ms) => box.dispatchEvent(new CustomEvent("memplan:frame", { detail: ms }));
  stage.onDrawn = (drawn) => {
    box.dataset.drawn = String(Number(box.dataset.drawn ?? 0) + 1);
    box.dispatchEvent(new CustomEvent("memplan:drawn", { detail: drawn.ms }));
  };
}
