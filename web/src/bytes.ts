const kUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** "54.0 KiB": three significant digits, binary units. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (Math.abs(value) >= 1024 && unit < kUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return `${Math.round(value)} B`;
  const digits =
    Math.abs(value) >= 999.5 ? 0 : Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${kUnits[unit]}`;
}

/** Number and unit apart, for the large figure. */
export function splitBytes(bytes: number): { value: string; unit: string } {
  const [value, unit] = formatBytes(bytes).split(" ");
  return { value: value ?? "0", unit: unit ?? "B" };
}

const exact = new Intl.NumberFormat("en");

/** "55,296 bytes" */
export function exactBytes(bytes: number): string {
  return `${exact.format(bytes)} ${bytes === 1 ? "byte" : "bytes"}`;
}

export function formatCount(n: number): string {
  return exact.format(n);
}

/** "+12.5%" of `part` over `whole`; "0%" where equal. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const share = (100 * part) / whole;
  const digits = Math.abs(share) >= 100 ? 0 : Math.abs(share) >= 9.95 ? 0 : 1;
  return Math.abs(share) < 0.05 ? "<0.1%" : `${share.toFixed(digits)}%`;
}

export function formatMs(ms: number): string {
  if (ms < 0.095) return "<0.1 ms";
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
}

/** Round byte values for an axis of about `wanted` ticks: 1, 2, 4 … times a binary unit. */
export function byteTicks(from: number, to: number, wanted: number): number[] {
  const raw = (to - from) / Math.max(1, wanted);
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(1, raw))));
  return ticks(from, to, step);
}

/** Round decimal values for a time axis. */
export function countTicks(from: number, to: number, wanted: number): number[] {
  const raw = Math.max(1, (to - from) / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? power * 10;
  return ticks(from, to, step);
}

function ticks(from: number, to: number, step: number): number[] {
  const list: number[] = [];
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) list.push(v);
  return list;
}
