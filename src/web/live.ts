import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, ask, type Requested, sendRequest } from "./api.ts";
import { onEach } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { createValue } from "./session.ts";

/** Increases whenever something happened that a page can show. */
const changeCount = createValue(0);

/** How the page is updated: by the stream, by polling, or not at all. */
export const link = createValue<{
  readonly how: "connecting" | "live" | "polling" | "offline";
  readonly at: number;
}>({
  how: "connecting",
  at: Date.now(),
});

/** Time in milliseconds without any data, even a heartbeat, after which a proxy is assumed to buffer the stream. */
const SILENCE_MS = 25_000;
const POLL_INTERVAL_MS = 5000;
/** Number of streams without any data after which the page polls. */
const MAX_SILENT_STREAMS = 2;
/** Duration of polling before another stream is tried, because the proxy may be gone. */
const POLL_DURATION_MS = 600_000;

/** Reloads what the page shows. */
export const reloadAll = (): void => changeCount.set(changeCount.get() + 1);
const isAt = (how: "live" | "polling") => link.set({ how, at: Date.now() });
/** Marks the connection as lost; the data stay as old as the last update. */
const isGone = () => link.set({ how: "offline", at: link.get().at });

/** Follows events until the returned function is called. */
export function startLive(): () => void {
  const ended = new AbortController();
  void followAll(ended.signal);
  return () => ended.abort();
}

interface Cursor {
  last?: string;
  etag?: string;
}

async function followAll(ended: AbortSignal): Promise<void> {
  const cursor: Cursor = {};
  let silent = 0;
  let streamedAt = Date.now();
  while (!ended.aborted) {
    try {
      if (silent >= MAX_SILENT_STREAMS && Date.now() - streamedAt < POLL_DURATION_MS)
        await poll(cursor, ended);
      else {
        silent = (await followStream(cursor, ended)) ? 0 : silent + 1;
        streamedAt = Date.now();
      }
    } catch {
      if (ended.aborted) return;
      isGone();
      await waitFor(POLL_INTERVAL_MS, ended);
    }
  }
}

/**
 * Reads one response until it ends or falls silent; returns whether anything arrived. Uses `fetch`, because an
 * EventSource cannot send a token.
 */
async function followStream(cursor: Cursor, ended: AbortSignal): Promise<boolean> {
  const quiet = new AbortController();
  const signal = AbortSignal.any([ended, quiet.signal]);
  let timer = setTimeout(() => quiet.abort(), SILENCE_MS);
  let hasCome = false;
  try {
    const response = await sendRequest("GET /events", { headers: headersOf(cursor), signal });
    // Signs out, because the token has ended.
    if (response.status === 401) await ask("GET /session");
    if (!response.ok || !response.body) throw new Error(`the server returned status ${response.status}`);
    let rest = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), SILENCE_MS);
      hasCome = true;
      isAt("live");
      const messages = (rest + part.value).split("\n\n");
      rest = messages.pop() ?? "";
      hear(messages, cursor);
    }
    return hasCome;
  } catch (error) {
    if (quiet.signal.aborted && !ended.aborted) return hasCome;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const headersOf = ({ last }: Cursor): Record<string, string> => ({
  accept: "text/event-stream",
  ...(last === undefined ? {} : { "last-event-id": last }),
});

function hear(messages: readonly string[], cursor: Cursor): void {
  for (const message of messages) {
    const id = /^id: ?(.*)$/m.exec(message)?.[1];
    if (id) cursor.last = id;
  }
  // A heartbeat contains no news.
  if (messages.some((message) => /^event:/m.test(message)) && !document.hidden) reloadAll();
}

async function poll(cursor: Cursor, ended: AbortSignal): Promise<void> {
  const response = await sendRequest("GET /events", {
    query: { after: cursor.last },
    headers: { accept: "application/json", ...(cursor.etag ? { "if-none-match": cursor.etag } : {}) },
    signal: ended,
  });
  if (!response.ok && response.status !== 304)
    throw new Error(`the server returned status ${response.status}`);
  isAt("polling");
  if (response.status !== 304) {
    const { last } = (await response.json()) as { last: number };
    cursor.last = String(last);
    cursor.etag = response.headers.get("etag") ?? "";
    reloadAll();
  }
  await waitFor(POLL_INTERVAL_MS, ended);
}

const waitFor = (millis: number, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

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
const LIVE_INTERVAL_MS = 60_000;

/** Loads a route; the previous response stays visible while the next one loads. Without a route it makes no request. */
export function useLoad<T>(
  route: string | undefined,
  query: Requested["query"] = {},
  { live = false, every = live ? LIVE_INTERVAL_MS : undefined, keep = false }: How = {},
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
        const sent = route.startsWith("POST") ? { body: query } : { query };
        const data = await ask<T>(route, { ...sent, signal: ended.signal });
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
    const stopHearing = changeCount.hear(() => void ((live || isUnreached) && load()));
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
