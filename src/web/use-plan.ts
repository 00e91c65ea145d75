import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "./api.ts";
import { useEffect } from "./effect.ts";

type Body = Readonly<Record<string, unknown>>;

export interface RequestedPlan<P> {
  /** The request of the plan; executing it sends exactly this. */
  readonly body: Body;
  readonly planned: P;
}

interface PlanView<P> {
  readonly plan?: RequestedPlan<P> | undefined;
  readonly error?: ApiError | undefined;
  /** Whether the plan is older than the form. */
  readonly isOld: boolean;
}

export interface Planning<P> extends PlanView<P> {
  /** Why the previous plan was not executed. */
  readonly refused: ApiError | undefined;
  /** Executes the shown plan; if it is outdated, this fails and loads the plan again. */
  carryOut<A>(act: () => Promise<A>): Promise<A>;
  again(): void;
}

/** Time in milliseconds to wait for a pause in typing. */
const PAUSE = 350;

/** Returns the server's plan for `body`; a plan that does not match the form is outdated and cannot be executed. */
export function usePlan<P>(route: string, body: Body | undefined): Planning<P> {
  const [state, setState] = useState<PlanView<P>>({ isOld: true });
  const [refusal, setRefusal] = useState<{ count: number; request: string; error?: ApiError }>(NOT_REQUESTED);
  const { count } = refusal;
  const request = body ? JSON.stringify(body) : "";
  useEffect(() => {
    setState((before) => ({ ...before, isOld: true }));
    if (!body) return undefined;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ask<P>(route, { body, signal: ended.signal }).then(
        (planned) => setState({ plan: { body, planned }, isOld: false }),
        (error) => ended.signal.aborted || setState({ error, isOld: true }),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [route, request, count]);
  const carryOut: Planning<P>["carryOut"] = async (act) => {
    try {
      return await act();
    } catch (failed) {
      const error = failed as ApiError;
      setRefusal((before) => ({ count: before.count + 1, request, error }));
      throw error;
    }
  };
  const again = () => setRefusal((before) => ({ ...before, count: before.count + 1 }));
  return { ...state, again, refused: refusal.request === request ? refusal.error : undefined, carryOut };
}

const NOT_REQUESTED = { count: 0, request: "" };
