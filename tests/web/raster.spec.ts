import { describe, expect, it } from "vitest";
import type { Lane, Rects } from "../../web/src/arena/model.ts";
import { columnMost, type Inks, rasterise } from "../../web/src/arena/raster.ts";
import { stepsOf } from "../../web/src/arena/steps.ts";
import fc from "../bindings/fast_check.ts";

interface Box {
  t0: number;
  life: number;
  b0: number;
  bytes: number;
}

const boxes = fc.array(
  fc.record({
    t0: fc.integer({ min: 0, max: 60 }),
    life: fc.integer({ min: 1, max: 20 }),
    b0: fc.integer({ min: 0, max: 400 }),
    bytes: fc.integer({ min: 1, max: 200 }),
  }),
  { minLength: 1, maxLength: 30 },
);

function rectsOf(list: Box[]): Rects {
  return {
    tensor: Uint32Array.from(list.keys()),
    t0: Float64Array.from(list, (b) => b.t0),
    t1: Float64Array.from(list, (b) => b.t0 + b.life),
    b0: Float64Array.from(list, (b) => b.b0),
    b1: Float64Array.from(list, (b) => b.b0 + b.bytes),
  };
}

function laneOf(rects: Rects): Lane {
  const count = rects.tensor.length;
  const steps = stepsOf(rects, 0, count);
  return {
    scope: 0,
    pool: 0,
    top: 600,
    bottom: 0,
    firstRect: 0,
    rectCount: count,
    steps,
    peak: 0,
    peakAt: 0,
  };
}

const inks: Inks = {
  fill: new Uint32Array(128).fill(0xff0000ff),
  edge: new Uint32Array(128).fill(0xff00ff00),
  hole: 0xff111111,
  hatch: 0xff222222,
};

describe("steps", () => {
  it("give the live bytes and the highest end at every time, as counting does", () => {
    fc.assert(
      fc.property(boxes, (list) => {
        const steps = stepsOf(rectsOf(list), 0, list.length);
        for (let i = 0; i < steps.at.length; i++) {
          for (const time of [steps.at[i] as number, ((steps.at[i + 1] ?? 99) as number) - 1]) {
            if (time < (steps.at[i] as number)) continue;
            const live = list.filter((b) => b.t0 <= time && time < b.t0 + b.life);
            expect(steps.live[i]).toBe(live.reduce((sum, b) => sum + b.bytes, 0));
            expect(steps.high[i]).toBe(Math.max(0, ...live.map((b) => b.b0 + b.bytes)));
          }
        }
      }),
    );
  });
});

describe("the raster", () => {
  const view = { lane: 0, x: 3, y: 2, width: 90, height: 70, t0: 0, t1: 80, b0: 0, b1: 600 };
  const draw = (list: Box[], change = {}) => {
    const rects = rectsOf(list);
    return rasterise(
      100,
      80,
      [{ ...view, ...change }],
      [laneOf(rects)],
      rects,
      new Uint8Array(list.length),
      inks,
      null,
    );
  };

  it("says at each pixel a tensor that lies there, to within a pixel", () => {
    fc.assert(
      fc.property(boxes, (list) => {
        const { ids } = draw(list);
        const wrong: string[] = [];
        ids.forEach((id, at) => {
          const box = list[id - 1];
          if (!box) return;
          const time = ((at % 100) + 0.5 - view.x) * (80 / 90);
          const byte = (view.y + 70 - Math.floor(at / 100) - 0.5) * (600 / 70);
          const near = (from: number, to: number, value: number, slack: number) =>
            from - slack <= value && value <= to + slack;
          if (!near(box.t0, box.t0 + box.life, time, 80 / 90)) wrong.push(`${id} at time ${time}`);
          if (!near(box.b0, box.b0 + box.bytes, byte, 600 / 70)) wrong.push(`${id} at byte ${byte}`);
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it("loses no tensor, however small, unless another is drawn over it", () => {
    fc.assert(
      fc.property(boxes, (list) => {
        const alone = list.slice(0, 1);
        expect(draw(alone).ids.some((id) => id === 1)).toBe(true);
        const tiny = alone.map((b) => ({ ...b, life: 1, bytes: 1 }));
        expect(draw(tiny, { t1: 100_000, b1: 1e12 }).ids.filter((id) => id === 1)).toHaveLength(1);
      }),
    );
  });

  it("draws nothing outside of its lane, at any zoom", () => {
    const range = fc.tuple(
      fc.double({ min: 0, max: 70, noNaN: true }),
      fc.double({ min: 0.01, max: 40, noNaN: true }),
    );
    fc.assert(
      fc.property(boxes, range, range, (list, [t0, span], [b0, height]) => {
        const { ids, pixels } = draw(list, { t0, t1: t0 + span, b0: b0 * 5, b1: (b0 + height) * 5 });
        const outside = [...ids.keys()].filter((at) => {
          const x = at % 100;
          const y = Math.floor(at / 100);
          return x < view.x || x >= view.x + view.width || y < view.y || y >= view.y + view.height;
        });
        expect(outside.filter((at) => ids[at] !== 0 || pixels[at] !== 0)).toEqual([]);
      }),
    );
  });

  it("shades free bytes below a live tensor and none above the highest", () => {
    const { pixels, ids } = draw([{ t0: 0, life: 80, b0: 300, bytes: 100 }]);
    const at = (x: number, bytes: number) => (view.y + 70 - 1 - Math.floor((bytes / 600) * 70)) * 100 + x;
    expect([inks.hole, inks.hatch]).toContain(pixels[at(40, 100)]);
    expect(ids[at(40, 350)]).toBe(1);
    expect(pixels[at(40, 500)]).toBe(0);
  });

  it("gives the most live bytes of each pixel column", () => {
    fc.assert(
      fc.property(boxes, (list) => {
        const lane = laneOf(rectsOf(list));
        const most = columnMost({ ...view, width: 80 }, lane, "live");
        for (let time = 0; time < 80; time++) {
          const live = list.filter((b) => b.t0 <= time && time < b.t0 + b.life);
          expect(most[time]).toBe(live.reduce((sum, b) => sum + b.bytes, 0));
        }
      }),
    );
  });
});
