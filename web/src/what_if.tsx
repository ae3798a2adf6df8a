import type { Algorithm, Options, Rules } from "memplan";
import { useEffect, useState } from "preact/hooks";
import { answering } from "./answers";
import { kBoards } from "./boards";
import { formatBytes } from "./bytes";
import { DimSliders } from "./dim_sliders";
import { algorithms } from "./planner";
import { options, picture, plan, setOptions } from "./session";

const kRules: { value: Rules; label: string }[] = [
  { value: "sound", label: "Sound" },
  { value: "executorch-2026", label: "ExecuTorch 2026" },
  { value: "executorch-2024", label: "ExecuTorch 2024" },
];

/** Under the ExecuTorch rules the algorithms are upstream's own. */
const kUpstream: Partial<Record<Rules, string[]>> = {
  "executorch-2024": ["greedy", "naive"],
  "executorch-2026": ["greedy", "naive", "greedy_no_overlap", "suite_naive_greedy", "suite_greedy_naive"],
};

/** Names that the rules know, the default first. */
export function algorithmNames(table: readonly Algorithm[], rules: Rules): string[] {
  return kUpstream[rules] ?? table.map((a) => a.name);
}

/** The settings, as questions one can play with. */
export function WhatIf() {
  const [table, setTable] = useState<readonly Algorithm[]>([]);
  useEffect(() => {
    void answering(algorithms().then(setTable, () => setTable([])));
  }, []);
  const now = options.value;
  const rules = now.rules ?? "sound";
  const sound = rules === "sound";
  const usual = sound ? "auto" : "greedy";
  const chosen = now.algorithm ?? usual;
  const entry = table.find((a) => a.name === chosen);
  // Intervals have no nodes: who owns them and how operators write is no question there.
  const isGraph = picture.value?.model.kind !== "intervals";
  return (
    <section class="what-if" aria-label="What if">
      <h2>What if</h2>
      {isGraph && (
        <Choice
          label="Rules"
          value={rules}
          choices={kRules}
          onChange={(v) => setOptions(rulesChange(v as Rules))}
        />
      )}
      <Choice
        label="Algorithm"
        value={chosen}
        choices={algorithmNames(table, rules).map((name) => ({ value: name, label: name }))}
        hint={sound ? entry?.summary : undefined}
        onChange={(v) => setOptions({ algorithm: v === usual ? undefined : v })}
      />
      {sound && (entry?.searches ?? true) && (
        <Choice
          label="Search for at most"
          value={String(now.timeLimitMs ?? 1000)}
          choices={[100, 1000, 5000, 20000, 60000].map((n) => ({ value: String(n), label: `${n / 1000} s` }))}
          onChange={(v) => setOptions({ timeLimitMs: v === "1000" ? undefined : Number(v) })}
        />
      )}
      <Capacity />
      <DimSliders />
      {isGraph && <GraphChoices sound={sound} />}
      <Ownership />
    </section>
  );
}

/** What can be asked of graphs only. */
function GraphChoices({ sound }: { sound: boolean }) {
  const now = options.value;
  return (
    <>
      <Choice
        label="Alignment"
        value={String(now.alignment ?? 16)}
        choices={[1, 4, 8, 16, 32, 64, 128, 256].map((n) => ({
          value: String(n),
          label: `${n} ${n === 1 ? "byte" : "bytes"}`,
        }))}
        onChange={(v) => setOptions({ alignment: v === "16" ? undefined : Number(v) })}
      />
      <fieldset>
        <legend>The plan owns</legend>
        <Tick label="inputs" name="allocGraphInput" standard={true} />
        <Tick label="outputs" name="allocGraphOutput" standard={true} />
        <Tick label="mutable buffers" name="allocMutableBuffers" standard={true} />
      </fieldset>
      {sound && (
        <fieldset>
          <legend>Operators may</legend>
          <Tick label="write over a dying input" name="inplace" standard={false} />
          <Results />
        </fieldset>
      )}
    </>
  );
}

/** Options that only `sound` knows leave with it. */
function rulesChange(rules: Rules): { [K in keyof Options]?: Options[K] | undefined } {
  const base = { rules: rules === "sound" ? undefined : rules, algorithm: undefined };
  return rules === "sound"
    ? base
    : { ...base, inplace: undefined, controlFlowResults: undefined, timeLimitMs: undefined };
}

function Capacity() {
  const now = options.value.capacity;
  const board = kBoards.find((b) => b.sram === now);
  const value = now === undefined ? "" : (board?.id ?? "own");
  return (
    <>
      <Choice
        label="It has to fit"
        value={value}
        choices={[
          { value: "", label: "anywhere" },
          ...kBoards.map((b) => ({ value: b.id, label: `${b.name}, ${formatBytes(b.sram)}` })),
          { value: "own", label: "my own size…" },
        ]}
        hint={board ? `${board.chip}; its other needs come out of the same SRAM.` : undefined}
        onChange={(v) => {
          const used = plan.value?.buffer_sizes.reduce((a, b) => a + b, 0) ?? 65536;
          const own = Math.max(1024, Math.ceil(used / 1024) * 1024);
          setOptions({ capacity: v === "" ? undefined : (kBoards.find((b) => b.id === v)?.sram ?? own) });
        }}
      />
      {value === "own" && typeof now === "number" && (
        <label class="field">
          <span>KiB of memory</span>
          <input
            type="number"
            min="1"
            step="1"
            value={now / 1024}
            onChange={(event) => {
              const kib = event.currentTarget.valueAsNumber;
              if (kib > 0) setOptions({ capacity: Math.round(kib * 1024) });
            }}
          />
        </label>
      )}
    </>
  );
}

export function Choice(props: {
  label: string;
  value: string;
  choices: { value: string; label: string }[];
  hint?: string | undefined;
  onChange: (value: string) => void;
}) {
  const missing = !props.choices.some((c) => c.value === props.value);
  return (
    <label class="field">
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {missing && <option value={props.value}>{props.value}</option>}
        {props.choices.map((c) => (
          <option key={c.value} value={c.value}>
            {c.label}
          </option>
        ))}
      </select>
      {props.hint && <small>{props.hint}</small>}
    </label>
  );
}

type Switch = "allocGraphInput" | "allocGraphOutput" | "allocMutableBuffers" | "inplace";

function Tick({ label, name, standard }: { label: string; name: Switch; standard: boolean }) {
  const now = options.value[name];
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={now === undefined ? standard : now !== false}
        onChange={(event) => {
          const on = event.currentTarget.checked;
          setOptions({ [name]: on === standard ? undefined : on });
        }}
      />
      <span>{label}</span>
    </label>
  );
}

function Results() {
  const copy = options.value.controlFlowResults === "copy";
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={copy}
        onChange={(event) =>
          setOptions({ controlFlowResults: event.currentTarget.checked ? "copy" : undefined })
        }
      />
      <span>copy a branch’s results out</span>
    </label>
  );
}

/** All four answers to who owns inputs and outputs, where the plan tells them. */
function Ownership() {
  const totals = plan.value?.ownership;
  if (!totals) return null;
  const rows: [string, number][] = [
    ["both", totals.both],
    ["inputs only", totals.inputs],
    ["outputs only", totals.outputs],
    ["neither", totals.neither],
  ];
  return (
    <table class="ownership">
      <caption>If the plan owned …</caption>
      <tbody>
        {rows.map(([label, bytes]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td class="number">{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
