import { type Model, shortOperator } from "./model";

/** What a tensor's colour tells. */
export type ColourBy = "size" | "lifetime" | "operator" | "module" | "pool";

export interface Legend {
  by: ColourBy;
  /** Palette entry of each tensor; entries from kDim on are the same colours, faded. */
  colours: Uint8Array<ArrayBuffer>;
  entries: { ink: number; label: string }[];
  /** A scale runs from little to much; the others are categories. */
  scale: boolean;
}

/** Added to a palette entry for tensors that a search leaves out. */
export const kDim = 64;
const kSteps = 9;
const kCategories = 8;

/**
 * Categories after Okabe & Ito (2008), told apart with every common colour blindness; the scale is cut from
 * cividis (Nuñez et al. 2018), which looks the same to all. Both are listed once per theme, since a colour that
 * stands out on white is too dark on black.
 */
const kInks = {
  light: {
    scale: [
      "#dfe6f0",
      "#c3d2e6",
      "#a4bdd9",
      "#84a6cb",
      "#658fbb",
      "#4a78aa",
      "#345f95",
      "#21467a",
      "#112d57",
    ],
    categories: [
      "#4d8fc4",
      "#e6a33c",
      "#3f9f86",
      "#cf6f9c",
      "#77b7e0",
      "#c9692e",
      "#b9ad3a",
      "#7a6fb0",
      "#b4b6b8",
    ],
    hole: "#f6ede4",
    hatch: "#e3d2bf",
    ground: "#ffffff",
  },
  dark: {
    scale: [
      "#22334a",
      "#2b4565",
      "#365a82",
      "#4470a0",
      "#5888bd",
      "#76a3d3",
      "#98bfe3",
      "#bcd7ef",
      "#e2eef8",
    ],
    categories: [
      "#4f93cb",
      "#dd9f45",
      "#43a58d",
      "#c9739b",
      "#82bde2",
      "#c66f3a",
      "#b8ad4a",
      "#8a80c2",
      "#6d7276",
    ],
    hole: "#2a241f",
    hatch: "#4a3c2f",
    ground: "#14171a",
  },
} as const;

export type Theme = keyof typeof kInks;

export function inkColour(theme: Theme, scale: boolean, ink: number): string {
  const list = scale ? kInks[theme].scale : kInks[theme].categories;
  return list[ink] ?? list[list.length - 1] ?? "#888";
}

/** Colours of a theme as the raster wants them. */
export function inksOf(theme: Theme, scale: boolean): import("./raster").Inks {
  const list = scale ? kInks[theme].scale : kInks[theme].categories;
  const ground = rgb(kInks[theme].ground);
  const fill = new Uint32Array(2 * kDim);
  const edge = new Uint32Array(2 * kDim);
  list.forEach((hex, ink) => {
    const colour = rgb(hex);
    const rim = mix(colour, theme === "light" ? [20, 30, 45] : [8, 10, 12], theme === "light" ? 0.28 : 0.45);
    fill[ink] = pack(colour);
    edge[ink] = pack(rim);
    fill[ink + kDim] = pack(mix(colour, ground, 0.84));
    edge[ink + kDim] = pack(mix(rim, ground, 0.78));
  });
  return { fill, edge, hole: pack(rgb(kInks[theme].hole)), hatch: pack(rgb(kInks[theme].hatch)) };
}

/** Whether dark text is read better than light text on a palette entry. */
export function wantsDarkText(theme: Theme, scale: boolean, ink: number): boolean {
  const [r, g, b] = rgb(inkColour(theme, scale, ink % kDim));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}

type Rgb = [number, number, number];

function rgb(hex: string): Rgb {
  return [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)) as Rgb;
}

function mix(a: Rgb, b: Rgb, part: number): Rgb {
  return a.map((v, i) => Math.round(v * (1 - part) + (b[i] as number) * part)) as Rgb;
}

function pack([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function legendOf(model: Model, by: ColourBy, formatBytes: (n: number) => string): Legend {
  if (by === "size") return scaled(model, by, (i) => model.bytes[i] as number, formatBytes);
  if (by === "lifetime")
    return scaled(
      model,
      by,
      (i) => (model.last[i] as number) - (model.first[i] as number) + 1,
      (n) => `${Math.round(n)}`,
    );
  if (by === "pool")
    return categories(
      model,
      by,
      (i) => model.pool[i] as number,
      (k) => model.pools[k]?.name ?? "",
    );
  if (by === "module")
    return categories(
      model,
      by,
      (i) => moduleKey(model, i),
      (k) => moduleLabel(model.texts[k] ?? ""),
    );
  return categories(
    model,
    by,
    (i) => targetKey(model, i),
    (k) => shortOperator(model.texts[k] ?? "") || "unknown",
  );
}

function targetKey(model: Model, i: number): number {
  const row = model.producer[i] as number;
  return row < 0 ? 0 : (model.nodeTarget[row] as number);
}

function moduleKey(model: Model, i: number): number {
  const row = model.producer[i] as number;
  return row < 0 ? 0 : (model.nodeModule[row] as number);
}

function moduleLabel(path: string): string {
  return path || "no module";
}

/** Logarithmic steps between the least and the greatest value. */
function scaled(
  model: Model,
  by: ColourBy,
  value: (i: number) => number,
  format: (n: number) => string,
): Legend {
  let low = Number.POSITIVE_INFINITY;
  let high = 1;
  for (let i = 0; i < model.tensorCount; i++) {
    if ((model.pool[i] as number) < 0) continue;
    const v = Math.max(1, value(i));
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low > high) low = 1;
  const span = Math.log(high / low) || 1;
  const colours = new Uint8Array(model.tensorCount);
  for (let i = 0; i < model.tensorCount; i++) {
    const part = Math.log(Math.max(1, value(i)) / low) / span;
    colours[i] = Math.max(0, Math.min(kSteps - 1, Math.floor(part * kSteps)));
  }
  const entries = Array.from({ length: kSteps }, (_, ink) => ({
    ink,
    label: format(low * Math.exp((span * ink) / (kSteps - 1))),
  }));
  return { by, colours, entries, scale: true };
}

/** The groups that hold most bytes get a colour each; the rest share the last. */
function categories(
  model: Model,
  by: ColourBy,
  key: (i: number) => number,
  label: (key: number) => string,
): Legend {
  const bytes = new Map<number, number>();
  for (let i = 0; i < model.tensorCount; i++) {
    if ((model.pool[i] as number) >= 0)
      bytes.set(key(i), (bytes.get(key(i)) ?? 0) + (model.bytes[i] as number));
  }
  const ranked = [...bytes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([k]) => k);
  const inkOf = new Map(ranked.slice(0, kCategories).map((k, ink) => [k, ink]));
  const colours = new Uint8Array(model.tensorCount);
  for (let i = 0; i < model.tensorCount; i++) colours[i] = inkOf.get(key(i)) ?? kCategories;
  const entries = ranked.slice(0, kCategories).map((k, ink) => ({ ink, label: label(k) }));
  if (ranked.length > kCategories)
    entries.push({ ink: kCategories, label: `${ranked.length - kCategories} others` });
  return { by, colours, entries, scale: false };
}
