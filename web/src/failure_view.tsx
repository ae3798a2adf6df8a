import { shortName } from "./arena/names";
import { exactBytes } from "./bytes";
import { chooseFile } from "./drop";
import { type Failure, openFile, options, setOptions } from "./session";

/** What the codes mean to somebody who has never read the format. */
const kPlain: Record<string, string> = {
  INVALID_JSON: "This is neither JSON nor CSV that can be read.",
  INVALID_INPUT: "Something in this file is missing, wrong or there twice.",
  INVALID_OPTION: "One of the settings cannot be used here.",
  TOO_LARGE: "A size in this file is larger than can be counted exactly.",
  OUT_OF_MEMORY: "This is more than the browser lets one page hold.",
  BAD_SUBMODULE: "A control-flow node and its submodule do not match.",
  PINS_COLLIDE: "Two buffers are pinned to the same bytes at the same time.",
  DOES_NOT_FIT: "This cannot fit, and that is proven.",
  NOT_FOUND_IN_TIME: "No plan was found in time that fits.",
  UNSUPPORTED: "The chosen algorithm cannot do what this input asks for.",
  WASM_LOAD: "The planner could not be loaded.",
  UNREADABLE: "This could not be opened.",
};

export function FailureView({ failure, title }: { failure: Failure; title: string }) {
  return (
    <section class="failure" role="alert">
      <h1>{kPlain[failure.code] ?? "This cannot be planned."}</h1>
      <p class="message">
        {failure.path && <code class="path">{failure.path}</code>} {failure.message}
      </p>
      {failure.details && <FitTable details={failure.details} />}
      <p class="quiet">
        {title} · <code>{failure.code}</code>
      </p>
      <p class="actions">
        <button type="button" onClick={() => chooseFile((file) => void openFile(file))}>
          Choose another file
        </button>
        {Object.keys(options.value).length > 0 && (
          <button
            type="button"
            onClick={() => {
              setOptions(Object.fromEntries(Object.keys(options.value).map((k) => [k, undefined])));
            }}
          >
            Back to the default settings
          </button>
        )}
      </p>
    </section>
  );
}

function FitTable({ details }: { details: NonNullable<Failure["details"]> }) {
  return (
    <table class="facts">
      <tbody>
        <tr>
          <th scope="row">needed at node {details.node}</th>
          <td>{exactBytes(details.required)}</td>
        </tr>
        <tr>
          <th scope="row">there is</th>
          <td>{exactBytes(details.available)}</td>
        </tr>
        <tr>
          <th scope="row">too much by</th>
          <td>{exactBytes(details.excess)}</td>
        </tr>
        {details.culprits.map((c) => (
          <tr key={c.id}>
            <th scope="row">
              <code title={c.id}>{shortName(c.id)}</code>
            </th>
            <td>{exactBytes(c.bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
