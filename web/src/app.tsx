import { useEffect } from "preact/hooks";
import { ArenaView } from "./arena/arena_view";
import { AlgorithmTable } from "./compare/algorithm_table";
import { watchDrops } from "./drop";
import { FailureView } from "./failure_view";
import { Headline } from "./headline";
import { Inspector } from "./inspector";
import { Landing } from "./landing";
import { picture, source, status } from "./session";
import { TensorTable } from "./tensor_table";
import { TopBar } from "./top_bar";
import { WhatIf } from "./what_if";

export function App() {
  useEffect(() => watchDrops(), []);
  const state = status.value;
  const open = source.value !== null;
  return (
    <>
      <a class="skip" href="#answer">
        Skip to the answer
      </a>
      <TopBar />
      <main id="answer" class={open ? "workbench" : "welcome"}>
        {!open && state.kind !== "failed" && <Landing />}
        {state.kind === "failed" && <FailureView failure={state.error} title={state.title} />}
        {open && state.kind !== "failed" && <Headline />}
        {open && (
          <>
            <WhatIf />
            {picture.value ? <ArenaView picture={picture.value} /> : <PicturePending />}
            {picture.value ? <Inspector picture={picture.value} /> : <div class="inspector" />}
            {picture.value && <AlgorithmTable />}
            {picture.value && <TensorTable picture={picture.value} />}
          </>
        )}
      </main>
    </>
  );
}

function PicturePending() {
  const failed = status.value.kind === "failed";
  return (
    <section class={failed ? "arena pending failed" : "arena pending"} aria-label="Arena">
      <p>{failed ? "No picture without a plan." : "Planning…"}</p>
    </section>
  );
}
