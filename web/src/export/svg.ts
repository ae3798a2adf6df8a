import type { Model } from "../arena/model";
import { nameAt } from "../arena/names";
import { inkColour, type Legend, type Theme, wantsDarkText } from "../arena/palette";
import type { StageLayout, View } from "../arena/view";
import { formatBytes } from "../bytes";

/** Rectangles beyond which an SVG serves nobody. */
const kMostRects = 60_000;

/** The picture as it stands, with axes' limits and names as real text. */
export function pictureSvg(
  model: Model,
  legend: Legend,
  view: View,
  layout: StageLayout,
  theme: Theme,
): string {
  const ink = theme === "light" ? "#17202a" : "#e8ecef";
  const paper = theme === "light" ? "#ffffff" : "#14171a";
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${layout.width}" height="${layout.height}" viewBox="0 0 ${layout.width} ${layout.height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${escaped(model.title)}: ${model.pools.map((p) => formatBytes(p.size)).join(", ")}</title>`,
    `<rect width="100%" height="100%" fill="${paper}"/>`,
  ];
  for (const box of layout.boxes) {
    const lane = model.lanes[box.lane];
    const x = view.x[lane?.scope ?? 0];
    const y = view.y[box.lane];
    if (!lane || !x || !y) continue;
    const toX = (t: number) => box.x + ((t - x.from) / (x.to - x.from)) * box.width;
    const toY = (b: number) => box.y + box.height - ((b - y.from) / (y.to - y.from)) * box.height;
    out.push(
      `<svg x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" viewBox="${box.x} ${box.y} ${box.width} ${box.height}">`,
    );
    const { rects } = model;
    for (let r = lane.firstRect; r < lane.firstRect + lane.rectCount && out.length < kMostRects; r++) {
      const left = toX(rects.t0[r] as number);
      const right = toX(rects.t1[r] as number);
      const top = toY(rects.b1[r] as number);
      const bottom = toY(rects.b0[r] as number);
      if (right < box.x || left > box.x + box.width || bottom < box.y || top > box.y + box.height) continue;
      const tensor = rects.tensor[r] as number;
      out.push(rectSvg(model, legend, theme, paper, tensor, left, top, right - left, bottom - top));
    }
    out.push("</svg>");
    out.push(...limitSvg(model, lane.pool, box, toY, ink, y.to));
  }
  out.push("</svg>");
  return out.join("\n");
}

function rectSvg(
  model: Model,
  legend: Legend,
  theme: Theme,
  paper: string,
  tensor: number,
  x: number,
  y: number,
  width: number,
  height: number,
): string {
  const ink = legend.colours[tensor] as number;
  const fill = inkColour(theme, legend.scale, ink);
  const name = nameAt(model.names, tensor);
  const shape = `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(width)}" height="${fixed(height)}" fill="${fill}" stroke="${paper}" stroke-width="0.5"><title>${escaped(name)}, ${model.bytes[tensor]} bytes at ${model.offset[tensor]}</title></rect>`;
  const room = Math.floor((width - 8) / 6.2);
  if (height < 14 || room < 4) return shape;
  const text = name.length <= room ? name : `…${name.slice(name.length - room + 1)}`;
  const colour = wantsDarkText(theme, legend.scale, ink) ? "#0d1720" : "#ffffff";
  return `${shape}<text x="${fixed(x + 4)}" y="${fixed(y + Math.min(height / 2 + 4, 14))}" fill="${colour}">${escaped(text)}</text>`;
}

function limitSvg(
  model: Model,
  poolIndex: number,
  box: StageLayout["boxes"][number],
  toY: (bytes: number) => number,
  ink: string,
  most: number,
): string[] {
  const pool = model.pools[poolIndex];
  if (!pool || box.depth > 0) return [];
  const lines: [number, string, string][] = [[pool.size, `plan ${formatBytes(pool.size)}`, ""]];
  if (pool.bound !== null && pool.bound !== pool.size)
    lines.push([pool.bound, `lower bound ${formatBytes(pool.bound)}`, ' stroke-dasharray="6 4"']);
  if (pool.capacity !== null)
    lines.push([pool.capacity, `capacity ${formatBytes(pool.capacity)}`, ' stroke-dasharray="2 3"']);
  return lines
    .filter(([bytes]) => bytes <= most)
    .map(
      ([bytes, label, dash]) =>
        `<path d="M${box.x} ${fixed(toY(bytes))}H${fixed(box.x + box.width)}" stroke="${ink}" stroke-width="1.5"${dash}/>` +
        `<text x="${fixed(box.x + box.width - 4)}" y="${fixed(toY(bytes) - 4)}" text-anchor="end" font-weight="600" fill="${ink}">${escaped(label)}</text>`,
    );
}

function fixed(n: number): string {
  return String(Math.round(n * 100) / 100);
}

function escaped(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows none of these.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "�")
  );
}
