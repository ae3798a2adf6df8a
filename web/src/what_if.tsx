import type { Algorithm, Options, Rules } from "memplan";
import { useEffect, useState } from "preact/hooks";
import { algorithms } from "./planner";
import { options, setOptions } from "./session";

const kRules: { value: Rules; label: string }[] = [
  { value: "sound", label: "Sound" },
  { value: "executorch-2026", label: "ExecuTorch 2026" },
  { value: "executorch-2024", label: "ExecuTorch 2024" },
];

/** The settings, as questions one can play with. */
export function WhatIf() {
  const [table, setTable] = useState<readonly Algorithm[]>([]);
  useEffect(() => {
    algorithms().then(setTable, () => setTable([]));
  }, []);
  const now = options.value;
  const rules = now.rules ?? "sound";
  const known = table.filter((a) => a.rules.includes(rules));
  const sound = rules === "sound";
  return (
    <section class="what-if" aria-label="What if">
      <h2>What if</h2>
      <Choice
        label="Rules"
        value={rules}
        choices={kRules}
        onChange={(v) =>
          setOptions({ rules: v === "sound" ? undefined : (v as Rules), algorithm: undefined })
        }
      />
      <Choice
        label="Algorithm"
        value={now.algorithm ?? (sound ? "auto" : "greedy")}
        choices={known.map((a) => ({ value: a.name, label: a.name }))}
        hint={known.find((a) => a.name === (now.algorithm ?? (sound ? "auto" : "greedy")))?.summary}
        onChange={(v) => setOptions({ algorithm: v === (sound ? "auto" : "greedy") ? undefined : v })}
      />
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
        <Tick label="inputs" name="allocGraphInput" />
        <Tick label="outputs" name="allocGraphOutput" />
        <Tick label="mutable buffers" name="allocMutableBuffers" />
      </fieldset>
    </section>
  );
}

function Choice(props: {
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

type Owned = "allocGraphInput" | "allocGraphOutput" | "allocMutableBuffers";

function Tick({ label, name }: { label: string; name: Owned }) {
  const change = (on: boolean): { [K in keyof Options]?: Options[K] | undefined } => ({
    [name]: on ? undefined : false,
  });
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={options.value[name] ?? true}
        onChange={(event) => setOptions(change(event.currentTarget.checked))}
      />
      <span>{label}</span>
    </label>
  );
}
