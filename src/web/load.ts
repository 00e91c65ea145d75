import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, ask, type Requested } from "./api.ts";
import { onEach } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { pulse } from "./live.ts";

export interface Loaded<T> {
  readonly data?: T | undefined;
  readonly error?: ApiError | undefined;
  again(): void;
}

interface How {
  /** Asked anew whenever something has happened, and each minute; otherwise when it is asked for something else. */
  readonly live?: boolean;
  /** Asked anew after so many milliseconds, while the page is looked at. */
  readonly every?: number;
  /** The answer to another question stays in sight too, as the page before does while an older one is on its way. */
  readonly keep?: boolean;
}

/** That nothing happens is news as well: of a grid that nobody steps any more. */
const LIVE_EVERY = 60_000;

/** What a route answers; a last answer stays in sight while the next is waited for. Without a route nothing is asked. */
export function useLoad<T>(
  route: string | undefined,
  query: Requested["query"] = {},
  { live = false, every = live ? LIVE_EVERY : undefined, keep = false }: How = {},
): Loaded<T> {
  const request = route === undefined ? "" : `${route} ${JSON.stringify(query)}`;
  const [state, setState] = useState<{ request: string; data?: T; error?: ApiError }>({ request: "" });
  const run = useRef<() => void>(() => {});
  useEffect(() => {
    if (route === undefined) return undefined;
    const ended = new AbortController();
    let isAsking = false;
    let isDue = false;
    let isUnreached = false;
    const load = async () => {
      if (isAsking) {
        isDue = true;
        return;
      }
      isAsking = true;
      isDue = false;
      try {
        const data = await ask<T>(route, { query: query ?? {}, signal: ended.signal });
        isUnreached = false;
        setState({ request, data });
      } catch (error) {
        if (ended.signal.aborted) return;
        isUnreached = (error as ApiError).status === 0;
        setState((before) => ({
          ...(before.request === request || keep ? before : {}),
          request,
          error: error as ApiError,
        }));
      } finally {
        isAsking = false;
      }
      if (isDue && !ended.signal.aborted) void load();
    };
    run.current = () => void load();
    void load();
    // A pulse says that the server is reached again, too.
    const stopHearing = pulse.hear(() => void ((live || isUnreached) && load()));
    const endEach = every && onEach(every, () => document.hidden || void load());
    return () => {
      ended.abort();
      stopHearing();
      if (endEach) endEach();
    };
  }, [request, live, every]);
  const isSame = state.request === request;
  return {
    data: isSame || keep ? state.data : undefined,
    error: isSame ? state.error : undefined,
    again: () => run.current?.(),
  };
}
