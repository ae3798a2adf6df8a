const kNamesShown = 8;

/** `"a", "b" and 3 more`: enough to look them up, short enough to read. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, kNamesShown).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
