import { signal } from "@preact/signals";

/** Id of the contender drawn beside the plan on show; null for none. */
export const beside = signal<string | null>(null);
