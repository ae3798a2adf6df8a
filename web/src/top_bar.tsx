import { chooseFile } from "./drop";
import { ExportMenu, ShareButton } from "./export/export_menu";
import { kSamples } from "./samples";
import { closeSource, openFile, openSample, plan, source } from "./session";
import { chooseTheme, type ThemeChoice, themeChoice } from "./theme";

export function TopBar() {
  return (
    <header class="top-bar">
      <a
        class="wordmark"
        href="./"
        onClick={(event) => {
          event.preventDefault();
          closeSource();
        }}
      >
        memplan
      </a>
      {source.value && <SamplePicker />}
      <span class="spring" />
      {source.value && (
        <>
          <button type="button" onClick={() => chooseFile((file) => void openFile(file))}>
            Open…
          </button>
          {plan.value && <ExportMenu />}
          <ShareButton />
        </>
      )}
      <ThemeSwitch />
    </header>
  );
}

function SamplePicker() {
  const current = source.value?.sample ?? "";
  return (
    <label class="field inline">
      <span class="hidden">Model</span>
      <select
        value={current}
        onChange={(event) => {
          const sample = kSamples.find((s) => s.id === event.currentTarget.value);
          if (sample) void openSample(sample);
        }}
      >
        {current === "" && <option value="">{source.value?.title}</option>}
        {kSamples.map((s) => (
          <option key={s.id} value={s.id}>
            {s.title}
          </option>
        ))}
      </select>
    </label>
  );
}

const kNext: Record<ThemeChoice, ThemeChoice> = { system: "light", light: "dark", dark: "system" };
const kSign: Record<ThemeChoice, string> = { system: "◐", light: "○", dark: "●" };

function ThemeSwitch() {
  const choice = themeChoice.value;
  return (
    <button
      type="button"
      class="theme-switch"
      title={`Theme: ${choice}. Press for ${kNext[choice]}.`}
      aria-label={`Theme: ${choice}`}
      onClick={() => chooseTheme(kNext[choice])}
    >
      <span aria-hidden="true">{kSign[choice]}</span>
    </button>
  );
}
