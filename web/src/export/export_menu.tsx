import { signal } from "@preact/signals";
import type { Plan } from "memplan";
import { useEffect, useRef } from "preact/hooks";
import { answering } from "../answers";
import type { Picture } from "../arena/picture";
import { layoutStage } from "../arena/view";
import { writeLink } from "../link";
import { options, picture, plan, source, theme } from "../session";
import { fileStem, saveFile } from "./save";

/** What the last export or link has to say. */
export const notice = signal("");

interface Way {
  label: string;
  detail: string;
  run: (stem: string, shown: Picture, of: Plan) => Promise<void>;
}

/** What writes a format is fetched when it is wanted. */
const kWays: readonly Way[] = [
  {
    label: "Plan JSON",
    detail: "every key, to be read back or checked",
    run: async (stem, _, of) =>
      saveFile(`${stem}.plan.json`, JSON.stringify(of, null, 1), "application/json"),
  },
  {
    label: "CSV",
    detail: "MiniMalloc’s columns with the offset",
    run: async (stem, { model }) => {
      const { planCsv } = await import("./csv");
      saveFile(`${stem}.csv`, planCsv(model), "text/csv");
    },
  },
  {
    label: "C header",
    detail: "offsets, and an assert on the arena’s size",
    run: async (stem, { model }, of) => {
      const { planHeader } = await import("./c_header");
      saveFile(`${stem}.h`, planHeader(model, of), "text/x-c");
    },
  },
  {
    label: "Chrome trace",
    detail: "for chrome://tracing and Perfetto",
    run: async (stem, { model }) => {
      const { chromeTrace } = await import("./chrome_trace");
      saveFile(`${stem}.trace.json`, chromeTrace(model), "application/json");
    },
  },
  { label: "PNG", detail: "the picture as it stands", run: (stem) => savePng(stem) },
  {
    label: "SVG",
    detail: "the picture as it stands, with names as text",
    run: async (stem, { model, legend, view }) => {
      const { pictureSvg } = await import("./svg");
      const layout = layoutStage(model, 1200, 620, 1);
      saveFile(
        `${stem}.svg`,
        pictureSvg(model, legend.value, view.value, layout, theme.value),
        "image/svg+xml",
      );
    },
  },
];

function runWay(way: Way): void {
  const shown = picture.value;
  const of = plan.value;
  if (shown && of) void answering(way.run(fileStem(shown.model.title), shown, of));
}

export function ExportMenu() {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = details.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !menu.contains(event.target as Node)) {
        menu.open = false;
        if (event instanceof KeyboardEvent) menu.querySelector("summary")?.focus();
      }
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details ref={details} class="menu">
      <summary>Export</summary>
      <ul>
        {kWays.map((w) => (
          <li key={w.label}>
            <button
              type="button"
              onClick={() => {
                if (details.current) details.current.open = false;
                runWay(w);
              }}
            >
              <strong>{w.label}</strong>
              <span class="quiet">{w.detail}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function ShareButton() {
  const share = async () => {
    const from = source.value;
    if (!from) return;
    const { fragment, inputLeftOut } = await writeLink({
      sample: from.sample,
      input: { title: from.title, bytes: from.bytes },
      options: options.value,
    });
    history.replaceState(null, "", `#${fragment}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    const where = copied ? "The link is copied" : "The link is in the address bar";
    say(
      inputLeftOut
        ? `${where}; it carries the settings only, since this model is too large for a link.`
        : `${where}. It carries ${from.sample ? "the sample" : "the model"} and the settings.`,
    );
  };
  return (
    <button type="button" onClick={() => void answering(share())}>
      Link
    </button>
  );
}

let clearing: ReturnType<typeof setTimeout> | undefined;

function say(text: string): void {
  notice.value = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    notice.value = "";
  }, 6000);
}

/** Both canvases on the page's ground. */
async function savePng(stem: string): Promise<void> {
  const stage = document.querySelector(".stage");
  const [ground, overlay] = stage ? [...stage.querySelectorAll("canvas")] : [];
  if (!ground || !overlay) return;
  const sheet = document.createElement("canvas");
  sheet.width = overlay.width;
  sheet.height = overlay.height;
  const context = sheet.getContext("2d");
  if (!context) return;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.imageSmoothingEnabled = false;
  context.drawImage(ground, 0, 0, sheet.width, sheet.height);
  context.drawImage(overlay, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => sheet.toBlob(resolve, "image/png"));
  if (blob) saveFile(`${stem}.png`, blob, "image/png");
}
