/** Follows the streams of accounts with strategies: hints start passes early, and quiet accounts have fewer passes. */

import type { Decimal } from "../../../kernel/decimal.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { midOf } from "../../../kernel/spread.ts";
import { formatSpan, type Millis, SECOND } from "../../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../../model/account.ts";
import type { Strategy } from "../../../model/strategy.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Kinds, WakePrices } from "../../../ports/kind.ts";
import type { StrategyView } from "../../../ports/stores/store.ts";
import type { Hint, Reactions, StreamReport, StreamState, StreamTopics } from "../../../ports/venue.ts";
import type { Local, Log } from "../../../ports/within-time.ts";
import { stopLevels } from "../../decide/ending.ts";
import type { Pass } from "../pass.ts";
import { isStopWatched } from "../stop-watch.ts";
import { REPORTED_AFTER } from "./down.ts";
import { keepStream, type OpenStream, type StreamParts } from "./open-stream.ts";

/** Interval of passes while only fills concern an account's strategies, and its stream is live. */
const QUIET_INTERVAL: Millis = 30 * SECOND;
/** Number of rounds after a hint in which passes wait for the next round, because reads can show a fill later. */
const ROUNDS_AFTER_HINT = 3;
/** Minimum time between two wakes by the price of a pair, which can stay beyond its threshold. */
const PRICE_GAP: Millis = SECOND;
const MAX_CONNECTIONS = 200;

interface FollowParts
  extends Pick<Deps, "store" | "kinds" | "log" | "streams">,
    Omit<StreamParts, "streams"> {
  /** Time between two rounds. */
  readonly interval: Millis;
  readonly run: (account: AccountKey) => Promise<Pass | undefined>;
}

interface FollowedAccount {
  wakes: Wakes;
  connection?: OpenStream | undefined;
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
    if (!streams || open >= MAX_CONNECTIONS) return;
    const request = (isAtOnce?: boolean) => early.request(account, isAtOnce);
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
    /** Starts a round's pass if one is due. Half an interval early, because a round can be late. */
    paceOf: (account: AccountKey): Millis | undefined =>
      now() < (accounts.get(account)?.nextAt ?? 0) - interval / 2 ? undefined : begin(account),
    /**
     * Takes the results of passes. Only a complete pass lets the next one wait, and a strategy that leaves the market
     * waits for no round.
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
      const wakes = wakesOf(await store.strategies({ stopped: false, counted: false }), kinds);
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
  /** Requests an early pass, on request although the rate limit has postponed one. */
  readonly request: (isAtOnce?: boolean) => void;
  /** Logs the end of a reported downtime. */
  readonly recovered: () => void;
}

/** Requests an early pass after a hint, and records when the stream goes down. */
const listenerOf = (followed: FollowedAccount, { now, request, recovered }: ListenerParts) => ({
  onHint(hint: Hint): void {
    if (hint.kind === "orders") {
      followed.hintAt = now();
      request();
    } else {
      const pricedAt = followed.pricedAt.get(hint.symbol) ?? Number.NEGATIVE_INFINITY;
      if (now() - pricedAt < PRICE_GAP || !reaches(followed.wakes.at.get(hint.symbol) ?? [], hint)) return;
      followed.pricedAt.set(hint.symbol, now());
      // A reached stop price can use reserved calls.
      request(true);
    }
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
  wakes.isQuiet && connection?.state.state === "live" && now - hintAt > ROUNDS_AFTER_HINT * interval;

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

/** Minimum time between the starts of two early passes of an account. */
const EARLY_GAP: Millis = 250;
/** Early passes that an account can make in a row. Each round adds one, so hints never cost more than rounds. */
const MAX_EARLY_PASSES = 60;

interface EarlyParts {
  readonly local: Pick<Local, "monotonic" | "sleep">;
  /** Time between two rounds. */
  readonly interval: Millis;
  /** Runs a pass over an account if it is due; returns undefined if it is not. Never rejects. */
  readonly run: (account: AccountKey) => Promise<Pass | undefined>;
}

interface EarlyAccount {
  isWaiting: boolean;
  /** Whether a loop serves its requests. */
  isServed: boolean;
  pass?: Promise<Pass | undefined> | undefined;
  startedAt: Millis;
  /** When the rate limit has calls for a pass that it postponed. */
  retryAt: Millis;
  /** When the account could save no further passes; it is later than now by one interval for each used one. */
  fullAt: Millis;
}

/**
 * Schedules passes that a hint requests before the next round: at most one waits per account, however many hints
 * arrive.
 */
export function earlyPasses({ local, interval, run }: EarlyParts) {
  const accounts = new Map<AccountKey, EarlyAccount>();
  let isStopped = false;

  const stateOf = (account: AccountKey): EarlyAccount => {
    const known = accounts.get(account);
    if (known) return known;
    const made = {
      isWaiting: false,
      isServed: false,
      retryAt: 0,
      startedAt: Number.NEGATIVE_INFINITY,
      fullAt: 0,
    };
    accounts.set(account, made);
    return made;
  };

  const waitOf = ({ startedAt, retryAt, fullAt }: EarlyAccount): Millis => {
    const now = local.monotonic();
    return Math.max(
      startedAt + EARLY_GAP - now,
      retryAt - now,
      fullAt - (MAX_EARLY_PASSES - 1) * interval - now,
    );
  };

  async function serve(account: AccountKey, state: EarlyAccount): Promise<void> {
    if (state.isServed) return;
    state.isServed = true;
    while (state.isWaiting && !isStopped) {
      const wait = waitOf(state);
      if (wait > 0) {
        // In parts, because a request can end it.
        await local.sleep(Math.min(wait, EARLY_GAP));
        continue;
      }
      state.isWaiting = false;
      state.startedAt = local.monotonic();
      state.fullAt = Math.max(state.fullAt, state.startedAt) + interval;
      state.pass = run(account);
      const pass = await state.pass;
      // Another pass holds the lease, and can have read the exchange before the hint.
      if (pass?.outcome === "busy") state.isWaiting = true;
      if (pass?.retryIn === undefined) continue;
      state.isWaiting = true;
      state.retryAt = local.monotonic() + pass.retryIn + EARLY_GAP;
    }
    state.isServed = false;
  }

  return {
    /**
     * Requests a pass as soon as possible; one that has started does not count. `isAtOnce` waits for no calls of the
     * rate limit.
     */
    request(account: AccountKey, isAtOnce = false): void {
      const state = stateOf(account);
      state.isWaiting = true;
      if (isAtOnce) state.retryAt = 0;
      void serve(account, state);
    },
    /** A round starts a pass of the account, which serves a waiting request. */
    serves(account: AccountKey): void {
      const state = accounts.get(account);
      if (state) state.isWaiting = false;
    },
    /** Starts no further pass, and waits for those that run. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all([...accounts.values()].map(({ pass }) => pass));
    },
  };
}

/** Upper bounds in milliseconds; longer times count only in the total. */
const BUCKETS: readonly Millis[] = [0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30, 60].map((bound) => bound * SECOND);

/** Counts the times from fills to the orders that answer them, since this process started. */
function reactionTimes() {
  const counts = new Map<AccountKey, { buckets: number[]; count: number; sum: Millis }>();
  return {
    add(account: AccountKey, time: Millis): void {
      const known = counts.get(account) ?? { buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
      counts.set(account, known);
      // A fill's time is the exchange's, which can be slightly ahead.
      const positive = Math.max(0, time);
      known.count++;
      known.sum += positive;
      for (const [at, bound] of BUCKETS.entries())
        if (positive <= bound) known.buckets[at] = (known.buckets[at] ?? 0) + 1;
    },
    read: (): Reactions[] =>
      [...counts].map(([account, { buckets, count, sum }]) => ({
        account,
        count,
        sum,
        buckets: BUCKETS.map((most, at) => ({ most, count: buckets[at] ?? 0 })),
      })),
  };
}

/** What an account's strategies wait for. */
interface Wakes extends StreamTopics {
  /** Prices at which a strategy of a pair can act. */
  readonly at: ReadonlyMap<Pair, readonly WakePrices[]>;
  /** Whether only fills concern its strategies, so that a pass can wait longer while hints of fills arrive. */
  readonly isQuiet: boolean;
}

/** Returns what the strategies of each real account wait for. */
export function wakesOf(views: readonly StrategyView[], kinds: Kinds): ReadonlyMap<AccountKey, Wakes> {
  const live = views.filter(({ strategy }) => parseAccountKey(strategy.account).kind === "live");
  const accounts = [...new Set(live.map(({ strategy }) => strategy.account))];
  return new Map(
    accounts.map((account) => [
      account,
      accountWakes(
        live.filter(({ strategy }) => strategy.account === account),
        kinds,
      ),
    ]),
  );
}

function accountWakes(views: readonly StrategyView[], kinds: Kinds): Wakes {
  const at = new Map<Pair, WakePrices[]>();
  let isQuiet = true;
  for (const view of views) {
    const { strategy } = view;
    const own = ownWakes(strategy, kinds);
    const prices = [...stopWakes(strategy), ...(own ? [own] : [])].filter(hasPrice);
    isQuiet &&= own !== undefined && prices.length === 0 && isSettled(view);
    if (prices.length > 0) at.set(strategy.symbol, [...(at.get(strategy.symbol) ?? []), ...prices]);
  }
  const orders = [...new Set(views.map(({ strategy }) => strategy.symbol))].sort();
  return { orders, prices: [...at.keys()].sort(), at, isQuiet };
}

/** A state that this version cannot read wakes nothing, and waits for the next round. */
function ownWakes(strategy: Strategy, kinds: Kinds): WakePrices | undefined {
  try {
    return kinds(strategy.kind).wakesAt?.(strategy);
  } catch {
    return undefined;
  }
}

const stopWakes = (strategy: Strategy): WakePrices[] => {
  if (!isStopWatched(strategy)) return [];
  const { below, above } = stopLevels(strategy);
  return [{ below: below?.price, above: above?.price }];
};

const hasPrice = ({ below, above }: WakePrices): boolean => below !== undefined || above !== undefined;

/** Returns whether a strategy has all its orders, and nothing to retry. */
const isSettled = ({ strategy, memory, accountError }: StrategyView): boolean =>
  strategy.status === "running" &&
  strategy.phase === "active" &&
  strategy.wants === "run" &&
  strategy.lastError === null &&
  strategy.state.refused.length === 0 &&
  strategy.config.confidence === undefined &&
  (strategy.edits ?? 0) === (strategy.state.edits ?? 0) &&
  accountError === null &&
  memory.turn === 0;

/** Returns whether the mid price has reached a price at which a strategy can act. */
export function reaches(prices: readonly WakePrices[], quote: { bid: Decimal; ask: Decimal }): boolean {
  const mid = midOf(quote);
  return prices.some(
    ({ below, above }) => (below !== undefined && mid <= below) || (above !== undefined && mid >= above),
  );
}
