import { setDim, source } from "./session";

/** A slider for each symbolic dimension that the model names. */
export function DimSliders() {
  const from = source.value;
  const symbols = from?.symbols ?? [];
  if (!from || symbols.length === 0) return null;
  return (
    <fieldset class="dims">
      <legend>Dimensions</legend>
      {symbols.map((s) => {
        const { value } = s;
        return (
          <label key={s.name} class="field">
            <span>
              {s.name} <output>{value}</output>
            </span>
            <input
              type="range"
              min={s.least}
              max={Math.max(s.most, value)}
              step="1"
              value={value}
              onChange={(event) => setDim(s.name, event.currentTarget.valueAsNumber)}
            />
          </label>
        );
      })}
    </fieldset>
  );
}
