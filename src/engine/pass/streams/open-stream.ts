/** Keeps one account's connection open: opens it again with backoff, for as long as it is needed. */

import { MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountRef } from "../../../model/account.ts";
import type { Hint, Stream, StreamState, StreamStatus, Streams, StreamTopics } from "../../../ports/venue.ts";
import type { Local } from "../../../ports/within-time.ts";

/** A connection that is not live by then is closed and opened again. */
const MAX_OPENING_MS: Millis = 30 * SECOND;
/** A connection that was live for so long counts as a success. */
const LONG_LIVE: Millis = MINUTE;
const REOPEN: { readonly first: Millis; readonly max: Millis; readonly refused: Millis } = {
  first: SECOND,
  max: MINUTE,
  refused: 5 * MINUTE,
};

export interface StreamParts {
  readonly streams: Streams;
  readonly local: Pick<Local, "monotonic" | "sleep">;
  /** Returns a random number from 0 to 1, so that many servers do not reconnect at the same time. */
  readonly random: () => number;
}

interface StreamWatcher {
  readonly onHint: (hint: Hint) => void;
  readonly onState: (state: StreamState) => void;
}

export interface OpenStream {
  readonly state: StreamState;
  /** Number of times that it was opened again. */
  readonly reopened: number;
  follow(topics: StreamTopics): void;
  close(): void;
}

/** Opens a connection; returns undefined if the account has no streams. */
export function keepStream(
  { streams, local, random }: StreamParts,
  account: AccountRef,
  first: StreamTopics,
  { onHint, onState }: StreamWatcher,
): OpenStream | undefined {
  let topics = first;
  let state: StreamState = { state: "connecting", since: local.monotonic() };
  let stream: Stream | undefined;
  let failures = 0;
  let opened = 0;
  let isClosed = false;

  const change = (status: StreamStatus): void => {
    state = { ...status, since: local.monotonic() };
    onState(state);
  };

  const end = async (status: StreamStatus & { readonly state: "down" }): Promise<void> => {
    stream = undefined;
    const wasLasting = state.state === "live" && local.monotonic() - state.since >= LONG_LIVE;
    failures = wasLasting ? 0 : failures + 1;
    const longest = status.refused ? REOPEN.refused : Math.min(REOPEN.max, REOPEN.first * 2 ** failures);
    change(status);
    await local.sleep(longest * (0.5 + random() / 2));
    if (isClosed) return;
    change({ state: "connecting" });
    if (!isClosed) open();
  };

  const limitOpening = async (number: number): Promise<void> => {
    await local.sleep(MAX_OPENING_MS);
    if (isClosed || number !== opened || state.state !== "connecting") return;
    stream?.close();
    void end({ state: "down", reason: `not connected within ${MAX_OPENING_MS / SECOND} s` });
  };

  function open(): boolean {
    const number = ++opened;
    const isCurrent = () => !isClosed && number === opened && state.state !== "down";
    stream = streams.subscribe(account, topics, {
      onHint: (hint) => {
        if (isCurrent()) onHint(hint);
      },
      onStatus: (status) => {
        if (!isCurrent()) return;
        if (status.state === "down") void end(status);
        else if (status.state !== state.state) change(status);
      },
    });
    if (stream) void limitOpening(number);
    return stream !== undefined;
  }

  if (!open()) return undefined;
  return {
    get state() {
      return state;
    },
    get reopened() {
      return opened - 1;
    },
    follow(next) {
      topics = next;
      stream?.follow(next);
    },
    close() {
      isClosed = true;
      stream?.close();
    },
  };
}
