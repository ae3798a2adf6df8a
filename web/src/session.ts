import { batch, computed, effect, signal } from "@preact/signals";
import type { MemplanError, Options, Plan, PlanToVerify, Progress } from "memplan";
import { totalBytes } from "./arena/model";
import type { ColourBy, Theme } from "./arena/palette";
import { Picture } from "./arena/picture";
import { planInWorker } from "./planner";
import { Preview } from "./preview";
import { looksLikePlan, type ReadModel, readModel } from "./reading/read_file";
import type { Sample } from "./samples";

/** What is being planned. */
export interface Source extends ReadModel {
  title: string;
  /** The file's name. */
  name: string;
  /** The file as it was given, to be read again with other dimensions. */
  file: Uint8Array;
  /** Sizes chosen for symbolic dimensions. */
  dims: Record<string, number>;
  sample: string | null;
}

export type Status =
  | { kind: "empty" }
  | { kind: "reading"; title: string }
  | { kind: "planning"; progress: Progress | null; since: number }
  | { kind: "done"; ms: number; stopped: boolean }
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
/** Why the plan on show does not fit the capacity asked for. */
export const misfit = signal<Failure | null>(null);
/** A plan made elsewhere that was dropped on the page, for the comparison. */
export const foreign = signal<{ title: string; plan: PlanToVerify } | null>(null);
export const query = signal("");
export const colourBy = signal<ColourBy>("operator");
export const theme = signal<Theme>("light");

export const busy = computed(() => status.value.kind === "reading" || status.value.kind === "planning");

let running: { abort: AbortController; stop: AbortController } | null = null;

/** Errors of the package, of reading and of drawing in one form. */
export function failureOf(error: unknown): Failure {
  const e = error as Partial<MemplanError> & { message?: string };
  return {
    code: e.code ?? "UNREADABLE",
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
  try {
    if (file.size > 2_000_000_000) throw new Error("Files over 2 GB are more than a page can hold.");
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (looksLikePlan(bytes)) {
      if (!picture.value)
        throw new Error("This is a plan, not a model: open the model first, then drop its plan.");
      foreign.value = { title: file.name, plan: JSON.parse(new TextDecoder().decode(bytes)) as PlanToVerify };
      return;
    }
    status.value = { kind: "reading", title: file.name };
    await openBytes(file.name, bytes, null);
  } catch (error) {
    fail(file.name, error);
  }
}

export async function openBytes(
  name: string,
  file: Uint8Array,
  sample: string | null,
  dims: Record<string, number> = {},
): Promise<void> {
  const title = sample ? name : name.replace(/\.(json|csv|tflite|pte|onnx|txt)$/i, "");
  try {
    const read = await readModel(name, file, dims);
    batch(() => {
      source.value = { ...read, title, name, file, dims, sample };
      foreign.value = read.carried ? { title: `the plan in ${name}`, plan: read.carried } : null;
      if (!Object.keys(dims).length) query.value = "";
    });
  } catch (error) {
    return fail(name, error);
  }
  await replan();
}

/** Reads the file again with other sizes for its symbolic dimensions. */
export async function setDims(dims: Record<string, number>): Promise<void> {
  const now = source.value;
  if (now) await openBytes(now.name, now.file, now.sample, dims);
}

/** Shows an error in the place of a plan. */
export function fail(title: string, error: unknown): void {
  batch(() => {
    status.value = { kind: "failed", title, error: failureOf(error) };
    plan.value = null;
    misfit.value = null;
    closePicture();
  });
}

function closePicture(): void {
  picture.value?.close();
  picture.value = null;
}

/** Back to the start. */
export function closeSource(): void {
  running?.abort.abort();
  running = null;
  batch(() => {
    source.value = null;
    plan.value = null;
    foreign.value = null;
    misfit.value = null;
    closePicture();
    options.value = {};
    query.value = "";
    status.value = { kind: "empty" };
    history.replaceState(null, "", location.pathname + location.search);
  });
}

/** Changes options and plans anew; undefined takes an option back to its default. */
export function setOptions(change: { [K in keyof Options]?: Options[K] | undefined }): void {
  const next = { ...options.value, ...change };
  options.value = Object.fromEntries(Object.entries(next).filter(([, v]) => v !== undefined)) as Options;
  void replan();
}

/** Ends the search; the best plan so far is shown. */
export function stop(): void {
  running?.stop.abort();
}

export async function replan(): Promise<void> {
  const from = source.value;
  if (!from) return;
  running?.abort.abort();
  const mine = { abort: new AbortController(), stop: new AbortController() };
  running = mine;
  status.value = { kind: "planning", progress: null, since: performance.now() };
  const preview = new Preview(from, options.value, mine.abort.signal, (next) =>
    show(from, next, () => running === mine),
  );
  try {
    const run = await planOrMisfit(from, mine, preview);
    if (running !== mine) return;
    preview.end();
    await show(from, run.plan, () => running === mine);
    if (running === mine) status.value = { kind: "done", ms: run.ms, stopped: mine.stop.signal.aborted };
  } catch (error) {
    preview.end();
    if (running === mine) fail(from.name, error);
  }
}

/** A plan that does not fit its capacity is shown all the same, with the reason beside it. */
async function planOrMisfit(from: Source, mine: NonNullable<typeof running>, preview: Preview) {
  const more = {
    signal: mine.abort.signal,
    stopSignal: mine.stop.signal,
    onProgress: (progress: Progress) => {
      const now = status.value;
      if (running !== mine || now.kind !== "planning") return;
      status.value = { ...now, progress };
      preview.consider(progress);
    },
  };
  try {
    const run = await planInWorker(from.bytes, { ...options.value, ...more });
    if (running === mine) misfit.value = null;
    return run;
  } catch (error) {
    const failure = failureOf(error);
    if (!["DOES_NOT_FIT", "NOT_FOUND_IN_TIME"].includes(failure.code)) throw error;
    // The option wins over a capacity that the file itself gives.
    const run = await planInWorker(from.bytes, {
      ...options.value,
      capacity: Number.MAX_SAFE_INTEGER,
      ...more,
    });
    if (running === mine) misfit.value = failure;
    return run;
  }
}

let showing = 0;

/** Puts a plan on show; keeps view and selection where the tensors are the same. */
async function show(from: Source, next: Plan, wanted: () => boolean): Promise<void> {
  if (!wanted()) return;
  const turn = ++showing;
  const opened = await Picture.open({
    title: from.title,
    bytes: from.bytes,
    plan: next,
    capacity: capacities(options.value.capacity ?? missed(), next.buffer_sizes.length),
  });
  // A preview may take longer to draw than the plan that came after it.
  if (!wanted() || turn !== showing) return opened.close();
  dress(opened);
  const old = picture.value;
  if (old) opened.follow(old);
  batch(() => {
    plan.value = next;
    picture.value = opened;
  });
  old?.close();
}

/** Gives a picture the colours and the search of the page. */
export function dress(opened: Picture): void {
  opened.setTheme(theme.value);
  opened.colourBy(colourBy.value);
  if (query.value) void opened.search(query.value);
}

/** The capacity of the file that was missed, by mem_id. */
function missed(): number[] | undefined {
  const details = misfit.value?.details;
  if (!details) return undefined;
  const list: number[] = [];
  list[details.mem_id] = details.available;
  return list;
}

export function capacities(capacity: Options["capacity"], pools: number): (number | null)[] {
  if (capacity === undefined) return [];
  return typeof capacity === "number" ? new Array<number>(pools).fill(capacity) : capacity;
}

/** Bytes of the plan on show. */
export const shownTotal = computed(() => (picture.value ? totalBytes(picture.value.model) : null));

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
