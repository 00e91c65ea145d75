/** Follows the streams of accounts with strategies: hints start passes early, and quiet accounts have fewer passes. */

import { messageOf } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { formatSpan, type Millis, SECOND } from "../../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../../model/account.ts";
import type { Deps } from "../../../ports/deps.ts";
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
  const early = earlyPasses({
    local,
    interval,
    run: (account) =>
      run(account).catch(
        (error: unknown) => void log("error", "a pass failed", { reason: messageOf(error) }),
      ),
  });
  const now = () => local.monotonic();

  const hear = (account: AccountKey, followed: FollowedAccount) => (hint: Hint) => {
    if (hint.kind === "orders") followed.hintAt = now();
    else {
      const pricedAt = followed.pricedAt.get(hint.symbol) ?? Number.NEGATIVE_INFINITY;
      if (now() - pricedAt < PRICE_GAP || !reaches(followed.wakes.at.get(hint.symbol) ?? [], hint)) return;
      followed.pricedAt.set(hint.symbol, now());
    }
    early.request(account);
  };

  const changed = (account: AccountKey, followed: FollowedAccount) => (state: StreamState) => {
    if (state.state === "down") {
      followed.downSince ??= state.since;
      followed.nextAt = 0;
    } else if (state.state === "live") {
      if (followed.isReported) log("info", "the stream is live again", { account });
      followed.downSince = undefined;
      followed.isReported = false;
      // It can have missed anything.
      followed.hintAt = now();
      early.request(account);
    }
  };

  function connect(account: AccountKey, followed: FollowedAccount): void {
    const open = [...accounts.values()].filter(({ connection }) => connection).length;
    if (!streams || open >= MOST_CONNECTIONS) return;
    const listener = { onHint: hear(account, followed), onState: changed(account, followed) };
    followed.connection = keepStream(
      { streams, local, random },
      parseAccountKey(account),
      followed.wakes,
      listener,
    );
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

  function reportDowntime(account: AccountKey, followed: FollowedAccount): void {
    const { connection, downSince, isReported } = followed;
    if (isReported || downSince === undefined || now() - downSince < REPORTED_AFTER) return;
    followed.isReported = true;
    const reason = connection?.state.state === "down" ? connection.state.reason : "it does not connect";
    const effect = `passes run every ${formatSpan(interval)} instead`;
    log("warn", `a stream is down; ${effect}`, { account, reason });
  }

  const isQuiet = ({ wakes, connection, hintAt }: FollowedAccount): boolean =>
    wakes.isQuiet && connection?.state.state === "live" && now() - hintAt > TICKS_AFTER_HINT * interval;

  /** Starts a pass: returns the time until the account's next one. */
  function begin(account: AccountKey): Millis {
    early.serves(account);
    const followed = accounts.get(account);
    if (!followed) return interval;
    const pace = isQuiet(followed) ? Math.max(interval, QUIET_INTERVAL) : interval;
    followed.nextAt = now() + pace;
    return pace;
  }

  return {
    begin,
    /** Starts a tick's pass if one is due. Half an interval early, because a tick can be late. */
    paceOf: (account: AccountKey): Millis | undefined =>
      now() < (accounts.get(account)?.nextAt ?? 0) - interval / 2 ? undefined : begin(account),
    /** Takes the results of passes. Only a complete pass lets the next one wait. */
    passed(passes: readonly Pass[]): void {
      for (const { account, outcome, reactions: times = [] } of passes) {
        const followed = accounts.get(account);
        if (followed && outcome !== "stepped") followed.nextAt = Math.min(followed.nextAt, now() + interval);
        for (const time of times) reactions.add(account, time);
      }
    },
    /** Reads strategies, and opens or closes streams. */
    async refresh(): Promise<void> {
      if (!streams) return;
      const wakes = wakesOf(await store.strategies({ stopped: false }), kinds);
      for (const [account, { connection }] of accounts) {
        if (wakes.has(account)) continue;
        connection?.close();
        accounts.delete(account);
      }
      for (const [account, accountWakes] of wakes) follow(account, accountWakes);
      for (const [account, followed] of accounts) reportDowntime(account, followed);
    },
    report: (): StreamReport => ({
      streams: [...accounts].flatMap(([account, { connection, downSince }]) =>
        connection
          ? [
              {
                account,
                ...connection.state,
                for: now() - connection.state.since,
                downFor: downSince === undefined ? undefined : now() - downSince,
                reopened: connection.reopened,
              },
            ]
          : [],
      ),
      reactions: reactions.read(),
    }),
    async stop(): Promise<void> {
      for (const { connection } of accounts.values()) connection?.close();
      await early.stop();
    },
  };
}

const topicsText = ({ orders, prices }: Wakes): string => JSON.stringify([orders, prices]);
