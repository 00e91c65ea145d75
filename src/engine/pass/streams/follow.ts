/** Follows the streams of accounts with strategies: hints start passes early, and quiet accounts have fewer passes. */

import { messageOf } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { formatSpan, type Millis, SECOND } from "../../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../../model/account.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Log } from "../../../ports/local.ts";
import type { Hint, StreamReport, StreamState } from "../../../ports/stream.ts";
import type { Pass } from "../step.ts";
import { REPORTED_AFTER } from "./down.ts";
import { earlyPasses } from "./early.ts";
import { type KeptStream, keepStream, type StreamParts } from "./kept-stream.ts";
import { reactionTimes } from "./reactions.ts";
import { reaches, type Wakes, wakesOf } from "./wake.ts";

/** Interval of passes while only fills concern an account's strategies, and its stream is live. */
const QUIET_INTERVAL: Millis = 30 * SECOND;
/** Number of tick intervals after a hint in which passes keep the tick, because reads can show a fill later. */
const TICKS_AFTER_HINT = 3;
/** Minimum time between two wakes by the price of a pair, which can stay beyond its threshold. */
const PRICE_GAP: Millis = SECOND;
const MOST_CONNECTIONS = 200;

interface FollowParts
  extends Pick<Deps, "store" | "kinds" | "log" | "streams">,
    Omit<StreamParts, "streams"> {
  /** Tick interval. */
  readonly interval: Millis;
  readonly run: (account: AccountKey) => Promise<Pass | undefined>;
}

interface FollowedAccount {
  wakes: Wakes;
  connection?: KeptStream | undefined;
  /** Times of this process's clock. */
  hintAt: Millis;
  nextAt: Millis;
  /** When a price last started a pass. */
  readonly pricedAt: Map<Pair, Millis>;
  downSince?: Millis | undefined;
  isReported: boolean;
}

export type Follower = ReturnType<typeof followStreams>;

export function followStreams({ store, kinds, log, streams, local, random, interval, run }: FollowParts) {
  const accounts = new Map<AccountKey, FollowedAccount>();
  const reactions = reactionTimes();
  const failed = (error: unknown) => void log("error", "a pass failed", { reason: messageOf(error) });
  const early = earlyPasses({ local, interval, run: (account) => run(account).catch(failed) });
  const now = () => local.monotonic();

  function connect(account: AccountKey, followed: FollowedAccount): void {
    const open = [...accounts.values()].filter(({ connection }) => connection).length;
    if (!streams || open >= MOST_CONNECTIONS) return;
    const request = () => early.request(account);
    const recovered = () => log("info", "the stream is live again", { account });
    const listener = listenerOf(followed, { now, request, recovered });
    const parts = { streams, local, random };
    followed.connection = keepStream(parts, parseAccountKey(account), followed.wakes, listener);
  }

  function follow(account: AccountKey, wakes: Wakes): void {
    const followed = accounts.get(account);
    if (followed) {
      if (topicsText(followed.wakes) !== topicsText(wakes)) followed.connection?.follow(wakes);
      followed.wakes = wakes;
      return;
    }
    const made = { wakes, hintAt: now(), nextAt: 0, pricedAt: new Map(), isReported: false };
    accounts.set(account, made);
    connect(account, made);
  }

  /** Starts a pass: returns the time until the account's next one. */
  function begin(account: AccountKey): Millis {
    early.serves(account);
    const followed = accounts.get(account);
    if (!followed) return interval;
    const pace = needsFewPasses(followed, now(), interval) ? Math.max(interval, QUIET_INTERVAL) : interval;
    followed.nextAt = now() + pace;
    return pace;
  }

  return {
    begin,
    /** Starts a tick's pass if one is due. Half an interval early, because a tick can be late. */
    paceOf: (account: AccountKey): Millis | undefined =>
      now() < (accounts.get(account)?.nextAt ?? 0) - interval / 2 ? undefined : begin(account),
    /**
     * Takes the results of passes. Only a complete pass lets the next one wait, and a strategy that leaves the market
     * waits for no tick.
     */
    passed(passes: readonly Pass[]): void {
      for (const { account, outcome, isLeaving, reactions: times = [] } of passes) {
        if (isLeaving && streams) early.request(account);
        const followed = accounts.get(account);
        if (followed && outcome !== "stepped") followed.nextAt = Math.min(followed.nextAt, now() + interval);
        for (const time of times) reactions.add(account, time);
      }
    },
    /** Reads strategies, and opens or closes streams. */
    async refresh(): Promise<void> {
      if (!streams) return;
      const wakes = wakesOf(await store.strategies({ stopped: false }), kinds);
      dropOthers(accounts, wakes);
      for (const [account, accountWakes] of wakes) follow(account, accountWakes);
      for (const [account, followed] of accounts)
        if (isDowntimeDue(followed, now())) reportDowntime(log, account, followed, interval);
    },
    report: (): StreamReport => ({
      streams: [...accounts].flatMap(([account, followed]) => statesOf(account, followed, now())),
      reactions: reactions.read(),
    }),
    async stop(): Promise<void> {
      for (const { connection } of accounts.values()) connection?.close();
      await early.stop();
    },
  };
}

interface ListenerParts {
  readonly now: () => Millis;
  /** Requests an early pass. */
  readonly request: () => void;
  /** Logs the end of a reported downtime. */
  readonly recovered: () => void;
}

/** Requests an early pass after a hint, and records when the stream goes down. */
const listenerOf = (followed: FollowedAccount, { now, request, recovered }: ListenerParts) => ({
  onHint(hint: Hint): void {
    if (hint.kind === "orders") followed.hintAt = now();
    else {
      const pricedAt = followed.pricedAt.get(hint.symbol) ?? Number.NEGATIVE_INFINITY;
      if (now() - pricedAt < PRICE_GAP || !reaches(followed.wakes.at.get(hint.symbol) ?? [], hint)) return;
      followed.pricedAt.set(hint.symbol, now());
    }
    request();
  },
  onState(state: StreamState): void {
    if (state.state === "down") {
      followed.downSince ??= state.since;
      followed.nextAt = 0;
    } else if (state.state === "live") {
      if (followed.isReported) recovered();
      followed.downSince = undefined;
      followed.isReported = false;
      // It can have missed anything.
      followed.hintAt = now();
      request();
    }
  },
});

const isDowntimeDue = ({ isReported, downSince }: FollowedAccount, now: Millis): boolean =>
  !isReported && downSince !== undefined && now - downSince >= REPORTED_AFTER;

function reportDowntime(log: Log, account: AccountKey, followed: FollowedAccount, interval: Millis): void {
  const { connection } = followed;
  followed.isReported = true;
  const reason = connection?.state.state === "down" ? connection.state.reason : "it does not connect";
  const effect = `passes run every ${formatSpan(interval)} instead`;
  log("warn", `a stream is down; ${effect}`, { account, reason });
}

const needsFewPasses = (
  { wakes, connection, hintAt }: FollowedAccount,
  now: Millis,
  interval: Millis,
): boolean =>
  wakes.isQuiet && connection?.state.state === "live" && now - hintAt > TICKS_AFTER_HINT * interval;

/** Closes the streams of accounts without strategies. */
function dropOthers(accounts: Map<AccountKey, FollowedAccount>, wakes: ReadonlyMap<AccountKey, Wakes>): void {
  for (const [account, { connection }] of accounts) {
    if (wakes.has(account)) continue;
    connection?.close();
    accounts.delete(account);
  }
}

const statesOf = (
  account: AccountKey,
  { connection, downSince }: FollowedAccount,
  now: Millis,
): StreamReport["streams"] =>
  connection
    ? [
        {
          account,
          ...connection.state,
          for: now - connection.state.since,
          downFor: downSince === undefined ? undefined : now - downSince,
          reopened: connection.reopened,
        },
      ]
    : [];

const topicsText = ({ orders, prices }: Wakes): string => JSON.stringify([orders, prices]);
