import { chooseFile, dragging } from "./drop";
import { LandingPicture } from "./landing_picture";
import { kSamples, type Sample } from "./samples";
import { openFile, openSample, status } from "./session";

export function Landing() {
  const reading = status.value.kind === "reading";
  return (
    <>
      <div class="hero">
        <div class="say">
          <h1>How big must the arena be?</h1>
          <p>
            memplan finds where every tensor of a network lives in memory: the smallest plan there is, the
            proof that it is, and a picture of why.
          </p>
          <div class={dragging.value ? "drop-zone over" : "drop-zone"}>
            <p>
              Drop a model here, or{" "}
              <button type="button" class="link" onClick={() => chooseFile((file) => void openFile(file))}>
                choose a file
              </button>
            </p>
            <p class="quiet">
              .tflite, .onnx, .pte, graph JSON or MiniMalloc CSV. Nothing leaves your machine.
            </p>
          </div>
        </div>
        <LandingPicture />
      </div>
      <section class="samples" aria-busy={reading}>
        <h2>Or start with one of these</h2>
        <ul>
          {kSamples.map((s) => (
            <SampleCard key={s.id} sample={s} />
          ))}
        </ul>
      </section>
    </>
  );
}

function SampleCard({ sample }: { sample: Sample }) {
  return (
    <li>
      <button type="button" class="sample" onClick={() => void openSample(sample)}>
        <span class="kind">{sample.kind}</span>
        <strong>{sample.title}</strong>
        <span class="look">{sample.look}</span>
      </button>
    </li>
  );
}
