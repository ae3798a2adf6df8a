import { useEffect, useRef } from "preact/hooks";
import { formatBytes } from "../bytes";
import { operatorOf, shortOperator } from "./model";
import { nameAt, shortName } from "./names";
import type { Picture } from "./picture";

/** The short word on the tensor under the pointer. */
export function Tooltip({ picture }: { picture: Picture }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const frame = ref.current?.parentElement;
    if (!frame) return;
    const move = (event: PointerEvent) => {
      const tip = ref.current;
      if (!tip) return;
      const rect = frame.getBoundingClientRect();
      const x = event.clientX - rect.left;
      const y = event.clientY - rect.top;
      const left = x + 16 + tip.offsetWidth > rect.width ? Math.max(0, x - 12 - tip.offsetWidth) : x + 16;
      const top = y + 16 + tip.offsetHeight > rect.height ? Math.max(0, y - 12 - tip.offsetHeight) : y + 16;
      tip.style.setProperty("transform", `translate(${Math.round(left)}px, ${Math.round(top)}px)`);
    };
    frame.addEventListener("pointermove", move);
    return () => frame.removeEventListener("pointermove", move);
  }, [picture]);
  const { model } = picture;
  const tensor = picture.hovered.value;
  const shown = tensor >= 0;
  return (
    <div ref={ref} class={shown ? "tooltip shown" : "tooltip"} aria-hidden="true">
      {shown && (
        <>
          <strong>{shortName(nameAt(model.names, tensor), 80)}</strong>
          <span>
            {formatBytes(model.bytes[tensor] as number)} at{" "}
            {(model.offset[tensor] as number).toLocaleString("en")}
          </span>
          <span>
            {model.kind === "graph" ? "nodes" : "time"} {model.first[tensor]} to {model.last[tensor]}
            {operatorOf(model, tensor) && ` · ${shortOperator(operatorOf(model, tensor))}`}
          </span>
        </>
      )}
    </div>
  );
}
