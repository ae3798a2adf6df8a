/**
 * For scripts that use the page: `data-asked` on its root element counts what was asked of it (a file, a setting, a
 * search, a picture, a comparison), from the very event on; `data-shown` counts what of that is answered and on show.
 * The page is at rest where both are equal.
 */
let asked = 0;
let shown = 0;

/** Counts one more thing asked. Gives the function to call, once or more often, when its answer stands in the page. */
export function ask(): () => void {
  tell("asked", ++asked);
  let isAnswered = false;
  return () => {
    if (isAnswered) return;
    isAnswered = true;
    afterPaint(() => tell("shown", ++shown));
  };
}

/** Counts work as asked until it has ended, well or not. */
export async function answering<T>(work: Promise<T>): Promise<T> {
  const answered = ask();
  try {
    return await work;
  } finally {
    answered();
  }
}

/**
 * After the next frame and the effects it lets run, which may ask for more, and after the frame behind them: whoever
 * renders what was answered waits for a frame and a timer, and stands in both queues before the second turn of this.
 */
function afterPaint(then: () => void): void {
  const turn = (next: () => void) => requestAnimationFrame(() => setTimeout(next));
  turn(() => turn(then));
}

function tell(what: "asked" | "shown", count: number): void {
  document.documentElement.dataset[what] = String(count);
}

tell("asked", asked);
tell("shown", shown);
