import { effect } from "@preact/signals";
import { answering } from "./answers";
import { readLink, writeLink } from "./link";
import { kSamples } from "./samples";
import { fail, openBytes, openSample, options, source } from "./session";

/** Opens what the address asks for, follows it when it changes, and keeps it up to date for samples. */
export async function startFromLink(): Promise<void> {
  const followed = answering(follow());
  addEventListener("hashchange", () => void answering(follow()));
  await followed;
  effect(() => {
    const from = source.value;
    const now = options.value;
    if (!from?.sample) return;
    const written = writeLink({ sample: from.sample, input: null, options: now }).then(({ fragment }) => {
      if (source.peek() === from && location.hash !== `#${fragment}`)
        history.replaceState(null, "", `#${fragment}`);
    });
    void answering(written);
  });
}

async function follow(): Promise<void> {
  const { hash } = location;
  if (hash.length < 2) return;
  try {
    const state = await readLink(hash);
    if (location.hash !== hash) return;
    options.value = state.options;
    const sample = kSamples.find((s) => s.id === state.sample);
    if (sample) await openSample(sample);
    else if (state.input) await openBytes(state.input.title, state.input.bytes);
    else if (state.sample) throw new Error(`There is no sample called ${state.sample}.`);
  } catch (error) {
    fail("the link", error);
  }
}
