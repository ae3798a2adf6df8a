import { colourBy } from "../session";
import { goToPeak, panBy, stepScrub, stepTensor, zoomAbout, zoomToTensor } from "./gestures";
import type { ColourBy } from "./palette";
import type { Picture } from "./picture";

const kColours: readonly ColourBy[] = ["size", "lifetime", "operator", "module", "pool"];
const kPan = 0.12;
const kZoom = 1.35;

/** speedscope's keys, and some for tensors and the scrubber. Letters work anywhere outside of fields, arrows on the picture. */
export function attachKeys(picture: Picture, stage: HTMLElement): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
    const onStage = document.activeElement === stage;
    if (!onStage && (event.key.length > 1 || event.key === " ") && event.key !== "Escape") return;
    if (act(picture, event.key, event.shiftKey)) event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches("input:not([type=checkbox]):not([type=range]), textarea, select") ||
      target.isContentEditable)
  );
}

function act(picture: Picture, key: string, shift: boolean): boolean {
  const lane = picture.lane.value;
  switch (key) {
    case "a":
    case "ArrowLeft":
      panBy(picture, lane, -kPan, 0);
      return true;
    case "d":
    case "ArrowRight":
      panBy(picture, lane, kPan, 0);
      return true;
    case "w":
    case "ArrowUp":
      panBy(picture, lane, 0, kPan);
      return true;
    case "s":
    case "ArrowDown":
      panBy(picture, lane, 0, -kPan);
      return true;
    case "+":
    case "=":
      zoomAbout(picture, lane, 1 / kZoom, shift && key !== "+" ? 1 : 1 / kZoom);
      return true;
    case "-":
    case "_":
      zoomAbout(picture, lane, kZoom, kZoom);
      return true;
    case "]":
      zoomAbout(picture, lane, 1, 1 / kZoom);
      return true;
    case "[":
      zoomAbout(picture, lane, 1, kZoom);
      return true;
    case "0":
    case "Home":
      picture.reset();
      return true;
    default:
      return select(picture, key);
  }
}

function select(picture: Picture, key: string): boolean {
  switch (key) {
    case "n":
      stepTensor(picture, 1);
      return true;
    case "p":
      stepTensor(picture, -1);
      return true;
    case "f":
      if (picture.pinned.value >= 0) zoomToTensor(picture, picture.pinned.value);
      return true;
    case ",":
    case ".":
      stepScrub(picture, key === "." ? 1 : -1);
      return true;
    case "m":
      goToPeak(picture);
      return true;
    case "/":
      document.querySelector<HTMLInputElement>("#search")?.focus();
      return true;
    case "1":
    case "2":
    case "3":
    case "4":
    case "5":
      colourBy.value = kColours[Number(key) - 1] ?? "size";
      return true;
    case "l":
      picture.lane.value = (picture.lane.value + 1) % Math.max(1, picture.model.lanes.length);
      return true;
    case "Escape":
      picture.select(-1);
      picture.scrub.value = null;
      return true;
    default:
      return false;
  }
}
