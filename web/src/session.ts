import { batch, computed, effect, signal } from "@preact/signals";
import type { MemplanError, Options, Plan, PlanToVerify, Progress } from "memplan";
import { answering } from "./answers";
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

/** Turns of the files asked for, by the order in which they were, and the newest that was begun as a model. */
let given = 0;
let begun = 0;

/** False where a model asked for later has been begun: what is older is left, whatever comes in first. */
function isNewest(turn: number): boolean {
  return turn >= begun;
}

/** Gives up what runs for another model, unless that is too late. */
function begin(turn: number, title: string): boolean {
  if (!isNewest(turn)) return false;
  begun = turn;
  abandon();
  status.value = { kind: "reading", title };
  return true;
}

function abandon(): void {
  running?.abort.abort();
  running = null;
}

export function openSample(sample: Sample): Promise<void> {
  return answering(fetchSample(sample, ++given));
}

async function fetchSample(sample: Sample, turn: number): Promise<void> {
  begin(turn, sample.title);
  try {
    const response = await fetch(sample.url);
    if (!response.ok) throw new Error(`The sample could not be fetched (${response.status}).`);
    await readBytes(sample.title, new Uint8Array(await response.arrayBuffer()), sample.id, {}, turn);
  } catch (error) {
    if (isNewest(turn)) fail(sample.title, error);
  }
}

/** A model, or the plan of the one that is open. */
export function openFile(file: File): Promise<void> {
  return answering(readFile(file, ++given));
}

async function readFile(file: File, turn: number): Promise<void> {
  try {
    if (file.size > 2_000_000_000) throw new Error("Files over 2 GB are more than a page can hold.");
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!looksLikePlan(bytes)) return await readBytes(file.name, bytes, null, {}, turn);
    if (!source.value || status.value.kind === "failed")
      throw new Error("This is a plan, not a model: open the model first, then drop its plan.");
    foreign.value = { title: file.name, plan: JSON.parse(new TextDecoder().decode(bytes)) as PlanToVerify };
  } catch (error) {
    if (isNewest(turn)) fail(file.name, error);
  }
}

export function openBytes(name: string, file: Uint8Array): Promise<void> {
  return answering(readBytes(name, file, null, {}, ++given));
}

/** Sizes asked for since the dimensions on show. */
let resized: Record<string, number> = {};

/** Reads the file again with another size for one of its symbolic dimensions. */
export function setDim(dim: string, size: number): void {
  const now = source.value;
  if (!now) return;
  resized[dim] = size;
  const dims = { ...Object.fromEntries(now.symbols.map((s) => [s.name, s.value])), ...resized };
  void answering(readBytes(now.name, now.file, now.sample, dims, ++given));
}

async function readBytes(
  name: string,
  file: Uint8Array,
  sample: string | null,
  dims: Record<string, number>,
  turn: number,
): Promise<void> {
  const title = sample ? name : name.replace(/\.(json|csv|tflite|pte|onnx|txt)$/i, "");
  if (!begin(turn, title)) return;
  try {
    const read = await readModel(name, file, dims);
    if (!isNewest(turn)) return;
    batch(() => {
      source.value = { ...read, title, name, file, dims, sample };
      foreign.value = read.carried ? { title: `the plan in ${name}`, plan: read.carried } : null;
      if (!Object.keys(dims).length) query.value = "";
    });
    resized = {};
  } catch (error) {
    if (isNewest(turn)) fail(name, error);
    return;
  }
  await replan();
}

/** Shows an error in the place of a plan. */
export function fail(title: string, error: unknown): void {
  abandon();
  resized = {};
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
  begun = ++given;
  abandon();
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
  void answering(replan());
}

/** Ends the search; the best plan so far is shown. */
export function stop(): void {
  running?.stop.abort();
}

async function replan(): Promise<void> {
  const from = source.value;
  if (!from) return;
  abandon();
  const mine = { abort: new AbortController(), stop: new AbortController() };
  running = mine;
  status.value = { kind: "planning", progress: null, since: performance.now() };
  const preview = new Preview(from, options.value, mine.abort.signal, (next) =>
    show(from, next, () => running === mine),
  );
  try {
    const run = await planOrMisfit(from, mine, preview);
    if (running !== mine) return;
    const stopped = mine.stop.signal.aborted;
    preview.end();
    await show(from, run.plan, () => running === mine);
    if (running === mine) status.value = { kind: "done", ms: run.ms, stopped };
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
