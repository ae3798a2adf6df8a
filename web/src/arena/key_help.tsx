const kKeys: [string, string][] = [
  ["W A S D, arrows", "pan"],
  ["+ −", "zoom both axes"],
  ["[ ]", "zoom bytes only"],
  ["0", "show all"],
  ["M", "go to the peak"],
  [", .", "move the scrubber by one node"],
  ["N P", "next and previous tensor"],
  ["F", "zoom to the pinned tensor"],
  ["/", "search; Enter steps through what is found"],
  ["1 to 5", "colour by size, lifetime, operator, module, pool"],
  ["L", "next lane"],
  ["Esc", "let go"],
];

/** The keys, and what mouse and fingers do, for those who look for them. */
export function KeyHelp() {
  return (
    <details class="key-help">
      <summary>Keys, mouse and touch</summary>
      <dl>
        {kKeys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        Wheel zooms at the pointer; with Shift only time, with Alt only bytes. Drag pans, click pins, double
        click zooms to a tensor. Two fingers pinch each axis apart. Letters work anywhere, arrows on the
        picture.
      </p>
    </details>
  );
}
