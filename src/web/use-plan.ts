import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "./api.ts";
import { useEffect } from "./effect.ts";

type Body = Readonly<Record<string, unknown>>;

export interface RequestedPlan<P> {
  /** What it was asked with: whoever does it sends exactly this. */
  readonly body: Body;
  readonly planned: P;
}

interface PlanView<P> {
  readonly plan?: RequestedPlan<P> | undefined;
  readonly error?: ApiError | undefined;
  /** What is shown is not of what is typed. */
  readonly isOld: boolean;
}

export interface Planning<P> extends PlanView<P> {
  /** Why the plan before this one was not carried out. */
  readonly refused: ApiError | undefined;
  /** Carries out what is shown; where that holds no more it fails, and the plan is asked for anew. */
  carryOut<A>(act: () => Promise<A>): Promise<A>;
  again(): void;
}

/** As long as a person who types does not pause. */
const PAUSE = 350;

/** What `body` would do, from the server; a plan that is not of what is typed is old and does nothing. */
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
  const again = () => setRefusal(({ count }) => ({ ...NOT_REQUESTED, count: count + 1 }));
  return { ...state, again, refused: refusal.request === request ? refusal.error : undefined, carryOut };
}

const NOT_REQUESTED = { count: 0, request: "" };
