import { batch, computed, effect, signal } from "@preact/signals";
import type { MemplanError, Options, Plan, Progress } from "memplan";
import type { ColourBy, Theme } from "./arena/palette";
import { Picture } from "./arena/picture";
import { planInWorker } from "./planner";
import type { Sample } from "./samples";

/** What is being planned. */
export interface Source {
  title: string;
  /** UTF-8 of graph JSON, interval JSON or CSV. */
  bytes: Uint8Array;
  sample: string | null;
}

export type Status =
  | { kind: "empty" }
  | { kind: "reading"; title: string }
  | { kind: "planning"; progress: Progress | null }
  | { kind: "drawing" }
  | { kind: "done"; ms: number }
  | { kind: "failed"; title: string; error: Failure };

export interface Failure {
  code: string;
  message: string;
  path: string | undefined;
  details: MemplanError["details"];
}

export const source = signal<Source | null>(null);
export const options = signal<Options>({});
export const status = signal<Status>({ kind: "empty" });
export const plan = signal<Plan | null>(null);
export const picture = signal<Picture | null>(null);
export const query = signal("");
export const colourBy = signal<ColourBy>("size");
export const theme = signal<Theme>("light");

export const busy = computed(() => ["reading", "planning", "drawing"].includes(status.value.kind));

let running: AbortController | null = null;

/** Errors of the package, of reading and of drawing in one form. */
export function failureOf(error: unknown): Failure {
  const e = error as Partial<MemplanError> & { message?: string };
  return {
    code: e.code ?? "INTERNAL",
    message: e.message ?? String(error),
    path: e.path,
    details: e.details,
  };
}

export async function openSample(sample: Sample): Promise<void> {
  status.value = { kind: "reading", title: sample.title };
  try {
    const response = await fetch(sample.url);
    if (!response.ok) throw new Error(`The sample could not be fetched (${response.status}).`);
    await openBytes(sample.title, new Uint8Array(await response.arrayBuffer()), sample.id);
  } catch (error) {
    fail(sample.title, error);
  }
}

export async function openFile(file: File): Promise<void> {
  status.value = { kind: "reading", title: file.name };
  try {
    await openBytes(file.name.replace(/\.(json|csv)$/i, ""), new Uint8Array(await file.arrayBuffer()), null);
  } catch (error) {
    fail(file.name, error);
  }
}

export async function openBytes(title: string, bytes: Uint8Array, sample: string | null): Promise<void> {
  source.value = { title, bytes, sample };
  await replan();
}

function fail(title: string, error: unknown): void {
  batch(() => {
    status.value = { kind: "failed", title, error: failureOf(error) };
    plan.value = null;
    closePicture();
  });
}

function closePicture(): void {
  picture.value?.close();
  picture.value = null;
}

/** Back to the start. */
export function closeSource(): void {
  running?.abort();
  batch(() => {
    source.value = null;
    plan.value = null;
    closePicture();
    status.value = { kind: "empty" };
  });
}

/** Changes options and plans anew; undefined takes an option back to its default. */
export function setOptions(change: { [K in keyof Options]?: Options[K] | undefined }): void {
  const next = { ...options.value, ...change };
  options.value = Object.fromEntries(Object.entries(next).filter(([, v]) => v !== undefined)) as Options;
  void replan();
}

export function stop(): void {
  running?.abort();
}

export async function replan(): Promise<void> {
  const from = source.value;
  if (!from) return;
  running?.abort();
  const mine = new AbortController();
  running = mine;
  status.value = { kind: "planning", progress: null };
  try {
    const run = await planInWorker(from.bytes, options.value, {
      signal: mine.signal,
      onProgress: (progress) => {
        if (running === mine) status.value = { kind: "planning", progress };
      },
    });
    if (running !== mine) return;
    status.value = { kind: "drawing" };
    await show(from, run.plan, mine);
    if (running === mine) status.value = { kind: "done", ms: run.ms };
  } catch (error) {
    if (running === mine) fail(from.title, error);
  }
}

async function show(from: Source, next: Plan, mine: AbortController): Promise<void> {
  const opened = await Picture.open({
    title: from.title,
    bytes: from.bytes,
    plan: next,
    capacity: capacities(options.value.capacity, next.buffer_sizes.length),
  });
  if (running !== mine) return opened.close();
  opened.setTheme(theme.value);
  opened.colourBy(colourBy.value);
  if (query.value) void opened.search(query.value);
  const old = picture.value;
  if (old && sameShape(old, opened)) {
    opened.pinned.value = old.pinned.value;
    opened.scrub.value = old.scrub.value;
  }
  batch(() => {
    plan.value = next;
    picture.value = opened;
  });
  old?.close();
}

function sameShape(a: Picture, b: Picture): boolean {
  return a.model.tensorCount === b.model.tensorCount && a.model.title === b.model.title;
}

function capacities(capacity: Options["capacity"], pools: number): (number | null)[] {
  if (capacity === undefined) return [];
  return typeof capacity === "number" ? new Array<number>(pools).fill(capacity) : capacity;
}

effect(() => {
  const by = colourBy.value;
  picture.peek()?.colourBy(by);
});

effect(() => {
  const next = theme.value;
  picture.peek()?.setTheme(next);
});

effect(() => {
  const text = query.value;
  void picture.peek()?.search(text.trim());
});
