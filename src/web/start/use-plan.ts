import { useEffect, useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import type { Planned } from "../types.ts";
import { bodyOf, type Form } from "./form.ts";

export interface Plan {
  /** What it was asked with: a start sends exactly this. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly planned: Planned;
}

interface State {
  readonly plan?: Plan | undefined;
  readonly error?: ApiError | undefined;
  /** What is shown is not of what is typed. */
  readonly isOld: boolean;
}

/** As long as a person who types does not pause. */
const PAUSE = 350;

/** The plan of what is typed, from the server; a plan that is not of what is typed is old and starts nothing. */
export function usePlan(form: Form): State & { again(): void } {
  const [state, setState] = useState<State>({ isOld: true });
  const [count, setCount] = useState(0);
  const body = bodyOf(form);
  const asked = body ? JSON.stringify(body) : "";
  useEffect(() => {
    setState((before) => ({ ...before, isOld: true }));
    if (!body) return undefined;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ask<Planned>("POST /strategy/grid/preview", { body, signal: ended.signal }).then(
        (planned) => setState({ plan: { body, planned }, isOld: false }),
        (error) => ended.signal.aborted || setState({ error, isOld: true }),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [asked, count]);
  return { ...state, again: () => setCount(count + 1) };
}
