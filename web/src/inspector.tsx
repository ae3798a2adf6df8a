import { zoomToTensor } from "./arena/gestures";
import { describe } from "./arena/live_strip";
import { Flag, liveAt, type Model, nodeRow, operatorOf, shortOperator } from "./arena/model";
import { nameAt, shortName } from "./arena/names";
import type { Picture } from "./arena/picture";
import { exactBytes, formatBytes, formatCount, formatShare } from "./bytes";
import { HintsView } from "./hints/hints_view";

/** Beside the picture: the pinned tensor, and what is live at the scrubber or the peak. */
export function Inspector({ picture }: { picture: Picture }) {
  return (
    <aside class="inspector" aria-label="Details">
      {picture.pinned.value >= 0 && <TensorDetails picture={picture} tensor={picture.pinned.value} />}
      <HintsView picture={picture} />
      <LiveList picture={picture} />
    </aside>
  );
}

export function flagWords(flags: number): string[] {
  const words: [number, string][] = [
    [Flag.kInput, "input"],
    [Flag.kOutput, "output"],
    [Flag.kState, "state"],
    [Flag.kConst, "constant"],
    [Flag.kUnbound, "no size bound"],
    [Flag.kAlias, "shares its base's bytes"],
    [Flag.kUnused, "never used"],
  ];
  return words.filter(([bit]) => flags & bit).map(([, word]) => word);
}

function TensorDetails({ picture, tensor }: { picture: Picture; tensor: number }) {
  const { model } = picture;
  const row = model.producer[tensor] as number;
  const placed = (model.pool[tensor] as number) >= 0;
  const facts: [string, string][] = [["size", exactBytes(model.bytes[tensor] as number)]];
  if (placed) {
    const offset = model.offset[tensor] as number;
    facts.push([
      "bytes",
      `${formatCount(offset)} to ${formatCount(offset + (model.bytes[tensor] as number))}`,
    ]);
    if (model.pools.length > 1) facts.push(["pool", model.pools[model.pool[tensor] as number]?.name ?? ""]);
  } else facts.push(["place", "not planned"]);
  facts.push(["lives", `${model.first[tensor]} to ${model.last[tensor]}`]);
  if ((model.object[tensor] as number) >= 0) facts.push(["shared object", String(model.object[tensor])]);
  const type = model.texts[model.type[tensor] as number];
  if (type) facts.push(["type", type]);
  if (row >= 0) {
    facts.push(["made by", `${nameAt(model.nodeNames, row)} (${operatorOf(model, tensor)})`]);
    const source = model.texts[model.nodeSource[row] as number];
    const module = model.texts[model.nodeModule[row] as number];
    if (source) facts.push(["source", source]);
    if (module) facts.push(["module", module]);
  }
  const words = flagWords(model.flags[tensor] as number);
  if (words.length) facts.push(["is", words.join(", ")]);
  return (
    <section class="pinned" aria-label="Pinned tensor">
      <h2>
        <code>{nameAt(model.names, tensor)}</code>
      </h2>
      <dl class="rows">
        {facts.map(([k, v]) => (
          <div key={k}>
            <dt>{k}</dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        {placed && (
          <button type="button" title="Zoom to it (F)" onClick={() => zoomToTensor(picture, tensor)}>
            Zoom to it
          </button>
        )}
        <button type="button" title="Let go (Escape)" onClick={() => picture.select(-1)}>
          Let go
        </button>
      </p>
    </section>
  );
}

const kMostRows = 60;

function LiveList({ picture }: { picture: Picture }) {
  const { model } = picture;
  const lane = model.lanes[picture.lane.value];
  if (!lane) return <p class="quiet">Nothing is planned here.</p>;
  const at = picture.scrub.value ?? { scope: lane.scope, time: lane.peakAt };
  const live = liveAt(model, at.scope, at.time);
  const total = live.reduce((sum, i) => sum + (model.bytes[i] as number), 0);
  const row = nodeRow(model, at.scope, at.time);
  return (
    <section class="live" aria-label="What is live">
      <h2>
        {picture.scrub.value ? "At" : "At the peak,"} {model.kind === "graph" ? "node" : "time"}{" "}
        {formatCount(at.time)}
      </h2>
      <p class="quiet" title={describe(picture, at.scope, at.time)}>
        {row >= 0 && <code>{shortName(nameAt(model.nodeNames, row))}</code>} {formatBytes(total)} live in{" "}
        {live.length} {live.length === 1 ? "tensor" : "tensors"}
      </p>
      <ol>
        {live.slice(0, kMostRows).map((i) => (
          <LiveRow
            key={i}
            picture={picture}
            tensor={i}
            most={model.bytes[live[0] as number] as number}
            total={total}
            model={model}
          />
        ))}
      </ol>
      {live.length > kMostRows && (
        <p class="quiet">and {formatCount(live.length - kMostRows)} smaller ones</p>
      )}
    </section>
  );
}

function LiveRow(props: { picture: Picture; model: Model; tensor: number; most: number; total: number }) {
  const { picture, model, tensor } = props;
  const bytes = model.bytes[tensor] as number;
  const row = model.producer[tensor] as number;
  const place = row < 0 ? "" : (model.texts[model.nodeSource[row] as number] ?? "");
  return (
    <li>
      <button
        type="button"
        class={picture.pinned.value === tensor ? "live-row on" : "live-row"}
        aria-pressed={picture.pinned.value === tensor}
        onClick={() => picture.select(picture.pinned.value === tensor ? -1 : tensor)}
        onPointerEnter={() => {
          picture.hovered.value = tensor;
        }}
        onPointerLeave={() => {
          picture.hovered.value = -1;
        }}
      >
        <span
          class="bar"
          style={{ width: `${(100 * bytes) / Math.max(1, props.most)}%` }}
          aria-hidden="true"
        />
        <span class="name">{shortName(nameAt(model.names, tensor), 60)}</span>
        <span class="size">{formatBytes(bytes)}</span>
        <span class="from">
          {shortOperator(operatorOf(model, tensor))}
          {place && ` · ${place}`}
        </span>
        <span class="share">{formatShare(bytes, props.total)}</span>
      </button>
    </li>
  );
}
