import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { answering } from "./answers";

/** A part of the page whose code is fetched when it is first shown, so that the first view does not wait for it. */
export function later<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null;
  return function Later(props: P) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part) return;
      let alive = true;
      const fetched = load().then((part) => {
        loaded = part;
        if (alive) setPart(() => part);
      });
      void answering(fetched);
      return () => {
        alive = false;
      };
    }, [Part]);
    return Part ? <Part {...props} /> : null;
  };
}
