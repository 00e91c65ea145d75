import { ask, sendRequest } from "./api.ts";
import { createValue } from "./value.ts";

/** Counts up whenever something has happened that a page may show. */
export const pulse = createValue(0);

/** Whether what is shown follows what happens: by the stream, by asking again, or not at all. */
export const link = createValue<{
  readonly how: "connecting" | "live" | "polling" | "offline";
  readonly at: number;
}>({
  how: "connecting",
  at: Date.now(),
});

/** Without a word for so long, not even a heartbeat, the stream is taken for held back by somebody between. */
const SILENCE = 25_000;
const POLL_EVERY = 5000;
/** After so many streams that told nothing at all it is asked again and again instead. */
const MOST_SILENT = 2;
/** For so long; then one more stream is tried, as whoever held it back may be gone. */
const POLL_FOR = 600_000;

const beat = () => pulse.set(pulse.get() + 1);
const isAt = (how: "live" | "polling") => link.set({ how, at: Date.now() });
/** What is shown stays as old as the last word. */
const isGone = () => link.set({ how: "offline", at: link.get().at });

/** Follows what happens until it is ended. */
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
      if (silent >= MOST_SILENT && Date.now() - streamedAt < POLL_FOR) await poll(cursor, ended);
      else {
        silent = (await followStream(cursor, ended)) ? 0 : silent + 1;
        streamedAt = Date.now();
      }
    } catch {
      if (ended.aborted) return;
      isGone();
      await waitFor(POLL_EVERY, ended);
    }
  }
}

/** Reads one answer to its end, or until it is silent; whether anything came. `fetch`, as an EventSource can send no token. */
async function followStream(cursor: Cursor, ended: AbortSignal): Promise<boolean> {
  const quiet = new AbortController();
  const signal = AbortSignal.any([ended, quiet.signal]);
  let timer = setTimeout(() => quiet.abort(), SILENCE);
  let hasCome = false;
  try {
    const response = await sendRequest("GET /events", { headers: headersOf(cursor), signal });
    // Signs out: the token has ended.
    if (response.status === 401) await ask("GET /session");
    if (!response.ok || !response.body) throw new Error(`the server returned status ${response.status}`);
    let rest = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), SILENCE);
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
  // A heartbeat tells nothing.
  if (messages.some((message) => /^event:/m.test(message)) && !document.hidden) beat();
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
    beat();
  }
  await waitFor(POLL_EVERY, ended);
}

const waitFor = (millis: number, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
