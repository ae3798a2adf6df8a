import { signal } from "@preact/signals";
import type { OverlayInks } from "./arena/overlay";
import { theme } from "./session";

export type ThemeChoice = "system" | "light" | "dark";

const kKey = "memplan-theme";

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(kKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

export const themeChoice = signal<ThemeChoice>(stored());

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

function apply(): void {
  const choice = themeChoice.value;
  theme.value = choice === "system" ? (dark?.matches ? "dark" : "light") : choice;
  document.documentElement.dataset.theme = theme.value;
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  try {
    localStorage.setItem(kKey, choice);
  } catch {
    // A page without storage keeps the choice for this visit.
  }
  apply();
}

dark?.addEventListener("change", apply);
apply();

/** Colours of the canvas marks, read from the style sheet so that both speak one language. */
export function overlayInks(): OverlayInks {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    theme: theme.value,
    text: of("--text"),
    faint: of("--faint"),
    rule: of("--rule"),
    plan: of("--plan"),
    bound: of("--bound"),
    ceiling: of("--ceiling"),
    fault: of("--fault"),
    select: of("--select"),
    ground: of("--ground"),
    font: of("--sans"),
  };
}
