import { useEffect } from "preact/hooks";
import { ArenaView } from "./arena/arena_view";
import { watchDrops } from "./drop";
import { notice } from "./export/export_menu";
import { FailureView } from "./failure_view";
import { Headline } from "./headline";
import { Inspector } from "./inspector";
import { Landing } from "./landing";
import { later } from "./later";
import { picture, source, status } from "./session";
import { TensorTable } from "./tensor_table";
import { TopBar } from "./top_bar";
import { WhatIf } from "./what_if";

const CompareView = later(() => import("./compare/compare_view").then((m) => m.CompareView));

export function App() {
  useEffect(() => watchDrops(), []);
  const state = status.value;
  const open = source.value !== null;
  const file = source.value?.file;
  useEffect(() => {
    // Another model is another page: at its top, and with the focus where it begins.
    if (!file) return;
    scrollTo(0, 0);
    document.getElementById("answer")?.focus({ preventScroll: true });
  }, [file]);
  return (
    <>
      <a class="skip" href="#answer">
        Skip to the answer
      </a>
      <TopBar />
      <main id="answer" tabIndex={-1} class={open ? "workbench" : "welcome"}>
        {!open && state.kind !== "failed" && <Landing />}
        {state.kind === "failed" && <FailureView failure={state.error} title={state.title} />}
        {open && state.kind !== "failed" && <Headline />}
        {open && (
          <>
            <WhatIf />
            {picture.value ? <ArenaView picture={picture.value} /> : <PicturePending />}
            {picture.value ? <Inspector picture={picture.value} /> : <div class="inspector" />}
            {picture.value && <CompareView />}
            {picture.value && <TensorTable picture={picture.value} />}
          </>
        )}
      </main>
      <p class={notice.value ? "notice shown" : "notice"} role="status">
        {notice.value}
      </p>
      <footer class="foot">
        <p>
          Everything is computed on your machine. Nothing is uploaded, and once loaded this page works
          offline.
        </p>
      </footer>
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
