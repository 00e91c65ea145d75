import { useEffect, useRef, useState } from "hono/jsx/dom";
import { type ApiError, type Asked, ask } from "./api.ts";
import { pulse } from "./live.ts";

export interface Loaded<T> {
  readonly data?: T | undefined;
  readonly error?: ApiError | undefined;
  again(): void;
}

interface How {
  /** Asked anew whenever something has happened; otherwise when it is asked for something else. */
  readonly live?: boolean;
  /** Asked anew after so many milliseconds, while the page is looked at. */
  readonly every?: number;
}

/** What a route answers; a last answer stays in sight while the next is waited for. Without a route nothing is asked. */
export function useLoad<T>(
  route: string | undefined,
  query: Asked["query"] = {},
  { live = false, every }: How = {},
): Loaded<T> {
  const asked = route === undefined ? "" : `${route} ${JSON.stringify(query)}`;
  const [state, setState] = useState<{ asked: string; data?: T; error?: ApiError }>({ asked: "" });
  const run = useRef<() => void>(() => {});
  useEffect(() => {
    if (route === undefined) return undefined;
    const ended = new AbortController();
    let isAsking = false;
    let isDue = false;
    const load = async () => {
      if (isAsking) {
        isDue = true;
        return;
      }
      isAsking = true;
      isDue = false;
      try {
        const data = await ask<T>(route, { query: query ?? {}, signal: ended.signal });
        setState({ asked, data });
      } catch (error) {
        if (ended.signal.aborted) return;
        setState((before) => ({
          ...(before.asked === asked ? before : {}),
          asked,
          error: error as ApiError,
        }));
      } finally {
        isAsking = false;
      }
      if (isDue && !ended.signal.aborted) void load();
    };
    run.current = () => void load();
    void load();
    const stopHearing = live ? pulse.hear(() => void load()) : undefined;
    const timer = every && setInterval(() => document.hidden || void load(), every);
    return () => {
      ended.abort();
      stopHearing?.();
      clearInterval(timer);
    };
  }, [asked, live, every]);
  const isSame = state.asked === asked;
  return {
    data: isSame ? state.data : undefined,
    error: isSame ? state.error : undefined,
    again: () => run.current?.(),
  };
}
