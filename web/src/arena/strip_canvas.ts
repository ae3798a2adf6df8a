/** Fits a canvas to its box at the screen's resolution and gives a context in CSS pixels. */
export function contextFor(
  canvas: HTMLCanvasElement,
): { context: CanvasRenderingContext2D; width: number; height: number } | null {
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const context = canvas.getContext("2d");
  if (!context || width < 1) return null;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Fills the area under a step curve given per pixel. */
export function fillCurve(
  context: CanvasRenderingContext2D,
  curve: Float64Array,
  most: number,
  x: number,
  bottom: number,
  height: number,
  /** Pixels per entry. */
  step = 1,
): void {
  context.beginPath();
  context.moveTo(x, bottom);
  for (let i = 0; i < curve.length; i++) {
    const y = bottom - ((curve[i] as number) / most) * height;
    context.lineTo(x + i * step, y);
    context.lineTo(x + (i + 1) * step, y);
  }
  context.lineTo(x + curve.length * step, bottom);
  context.fill();
}
