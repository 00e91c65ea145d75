import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, ask, type Requested } from "./api.ts";
import { onEach } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { pulse } from "./live.ts";

export interface Loaded<T> {
  readonly data?: T | undefined;
  /** When the data arrived; an error after it does not change it. */
  readonly at?: number | undefined;
  readonly error?: ApiError | undefined;
  again(): void;
}

interface How {
  /** Reloads whenever something happened, and each minute; otherwise only when the route changes. */
  readonly live?: boolean;
  /** Reload interval in milliseconds while the page is visible. */
  readonly every?: number;
  /** Keeps showing the previous response while another route loads. */
  readonly keep?: boolean;
}

/** Reload interval without events, which detects stalled grids. */
const LIVE_EVERY = 60_000;

/** Loads a route; the previous response stays visible while the next one loads. Without a route it makes no request. */
export function useLoad<T>(
  route: string | undefined,
  query: Requested["query"] = {},
  { live = false, every = live ? LIVE_EVERY : undefined, keep = false }: How = {},
): Loaded<T> {
  const request = route === undefined ? "" : `${route} ${JSON.stringify(query)}`;
  const [state, setState] = useState<{ request: string; data?: T; at?: number; error?: ApiError }>({
    request: "",
  });
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
        setState({ request, data, at: Date.now() });
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
    // A pulse also means that the server can be reached again.
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
    at: isSame || keep ? state.at : undefined,
    error: isSame ? state.error : undefined,
    again: () => run.current?.(),
  };
}
