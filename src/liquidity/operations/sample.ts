import { messageOf, VenueError } from "../../kernel/errors.ts";
import { medianOf } from "../../kernel/spread.ts";
import { dayOf, type Millis } from "../../kernel/time.ts";
import { accountKey } from "../../model/account.ts";
import type { Book } from "../../model/market.ts";
import type { Order, OrderState, OrderTerms } from "../../model/order.ts";
import type { PromisedPair, WatchedPair } from "../../model/samples/promise.ts";
import {
  type Absence,
  foldSamples,
  MINUTES_PER_DAY,
  minuteOf,
  ownLevels,
  type Sides,
  sampleBook,
} from "../../model/samples/sample.ts";
import type { RefusalReason } from "../../model/strategy.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";
import { upRuleOf } from "../page-tables.tsx";
import type { LiquidityDeps } from "../store/store.ts";
import { readLiquidity } from "./days.ts";
import { signDays } from "./proof.ts";
import { recentPairs } from "./report.ts";

type SampleDeps = Pick<
  LiquidityDeps,
  "liquidity" | "store" | "venue" | "exchanges" | "reference" | "requests" | "inTime" | "log" | "local"
>;

/** Maximum number of levels that every exchange returns in one response. */
const SAMPLED_LEVELS = 100;
/** Maximum number of requests for a pair's sample. */
const REQUESTS_PER_SAMPLE = 4;

/** States of an order that the exchange has accepted and not ended. */
const ON_THE_BOOK: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/**
 * Samples each pair once a minute, in the first process that starts: its book, and our part of it. A book that cannot
 * be read gives no sample: that minute is unknown.
 */
export async function sampleLiquidity(deps: SampleDeps): Promise<void> {
  const { liquidity, store, requests, log } = deps;
  if (!liquidity || (requests && requests() < 2 * REQUESTS_PER_SAMPLE)) return;
  const promised = await sampledPairs(deps);
  if (promised.length === 0) return;
  const now = await store.now();
  const pairs = withoutRules(promised);
  const lacking = await liquidity.store.lacking(pairs, minuteOf(now));
  if (lacking.length === 0) return;
  for (const pair of lacking) {
    if (requests && requests() < REQUESTS_PER_SAMPLE) return;
    await samplePair(deps, pair).catch(async (error: unknown) => {
      log("warn", "a book was not read", { ...pair, reason: messageOf(error) });
      await liquidity.store.keepMiss(pair, { minute: minuteOf(now), cause: absenceCauseOf(error) });
    });
  }
  if (minuteOf(now) % MINUTES_PER_DAY >= MINUTES_OF_ADDING_UP) return;
  await addUpYesterday(deps, promised, now);
  await signYesterday(deps, pairs, now);
}

const sampledPairs = (deps: SampleDeps): Promise<readonly PromisedPair[]> =>
  recentPairs(deps, deps.local.monotonic(), async () => dayOf(await deps.store.now()));

/** Returns each pair once, without its rules. */
export const withoutRules = (pairs: readonly PromisedPair[]): WatchedPair[] => [
  ...new Map(
    pairs.map(({ exchange, symbol }) => [`${exchange} ${symbol}`, { exchange, symbol }] as const),
  ).values(),
];

/** How long after midnight UTC a day is computed, also after late samples; later, a report computes it. */
const MINUTES_OF_ADDING_UP = 60;

async function addUpYesterday(
  { liquidity, ...deps }: SampleDeps,
  pairs: readonly PromisedPair[],
  now: Millis,
): Promise<void> {
  if (!liquidity) return;
  const to = dayOf(now) * MINUTES_PER_DAY;
  for (const { promise, exchange, symbol } of pairs) {
    if (deps.requests && deps.requests() < 2 * REQUESTS_PER_SAMPLE) return;
    const from = to - MINUTES_PER_DAY;
    const rule = promise && upRuleOf(promise);
    const pair = { exchange, symbol };
    const request = { pair, from, to, today: dayOf(now), since: from, rule };
    await readLiquidity({ ...deps, store: liquidity.store }, request).catch((error: unknown) =>
      deps.log("warn", "a day of samples was not summed", { ...pair, reason: messageOf(error) }),
    );
  }
}

/** Maximum number of days of a pair that are signed at once, so a backlog is signed within the hour. */
const DAYS_SIGNED_AT_ONCE = 3;

async function signYesterday(
  { liquidity, log, requests }: SampleDeps,
  pairs: readonly WatchedPair[],
  now: Millis,
): Promise<void> {
  const { store, proofs } = liquidity ?? {};
  if (!store || !proofs || (requests && requests() < 2 * REQUESTS_PER_SAMPLE)) return;
  const signAll = async () => {
    const key = await proofs.key();
    if (!key) return;
    for (const pair of pairs) {
      if (requests && requests() < 2 * REQUESTS_PER_SAMPLE) return;
      await signDays({ store, proofs }, pair, { key, now, most: requests ? 1 : DAYS_SIGNED_AT_ONCE });
    }
  };
  await signAll().catch((error: unknown) =>
    log("warn", "a day was not signed", { reason: messageOf(error) }),
  );
}

/** What sampling leaves to later passes: requests and time. */
interface LeftToPasses {
  readonly requests: number;
  readonly within: Millis;
}

/**
 * Samples before the passes. If there is one pass per minute, the book is worst right before it, because filled
 * orders are still missing; sampling after it would show more than was offered. Pairs that do not fit in time are
 * sampled afterwards.
 */
export async function sampleFirst(deps: SampleDeps, left: LeftToPasses): Promise<void> {
  const { liquidity, requests, local } = deps;
  if (!liquidity) return;
  const sampled = sampleLiquidity({
    ...deps,
    ...(requests ? { requests: () => requests() - left.requests } : {}),
  });
  await Promise.race([sampled, local.sleep(left.within)]);
}

/** Result if sources that list the pair did not respond: the price is unknown, not missing. */
const UNKNOWN_ELSEWHERE = { reference: null, sources: null };

/** Returns the median price of other sources and their number. Without any, the sample is still valid. */
async function priceElsewhere(deps: SampleDeps, { exchange, symbol }: WatchedPair) {
  const { reference, exchanges, requests, log } = deps;
  if (!reference) return { reference: null, sources: 0 };
  if (requests && requests() < REQUESTS_PER_SAMPLE + 2 * exchanges.length) return UNKNOWN_ELSEWHERE;
  const result = await reference(exchange, symbol).catch((error: unknown) => {
    log("warn", "no other price source was read", { exchange, symbol, reason: messageOf(error) });
    return undefined;
  });
  if (!result || (result.prices.length === 0 && result.listed)) return UNKNOWN_ELSEWHERE;
  const prices = result.prices.map(({ price }) => price);
  return { reference: medianOf(prices) ?? null, sources: prices.length };
}

async function samplePair(deps: SampleDeps, pair: WatchedPair): Promise<void> {
  const { liquidity, store, venue } = deps;
  const place = venue(pair.exchange);
  const account = accountKey(place.account);
  const [{ book, own }, elsewhere] = await Promise.all([
    lookAtPair(deps, pair, place),
    priceElsewhere(deps, pair),
  ]);
  const at = await store.now();
  const sample = sampleBook(
    { at, bid: undefined, ask: undefined, book, limit: SAMPLED_LEVELS, ...elsewhere },
    own,
  );
  const isThere = sample.ownOrders.bids > 0 && sample.ownOrders.asks > 0;
  const views = isThere ? [] : await store.strategies({ account, stopped: false });
  const ofPair = views.filter(({ strategy }) => strategy.symbol === pair.symbol);
  const absence = absenceOf(sample.ownOrders, ofPair);
  for (const row of foldSamples([{ ...sample, absence }])) await liquidity?.store.keep(pair, row);
}

/** Maximum number of reads while a pass moves orders. */
const MAX_SAMPLE_READS = 2;

/** Reads the book and own orders in it; the book decides about open orders, whatever the last pass observed. */
async function lookAtPair(
  { store, inTime, requests }: SampleDeps,
  { exchange, symbol }: WatchedPair,
  venue: Venue,
): Promise<{ readonly book: Book; readonly own: readonly OrderTerms[] }> {
  const account = accountKey(venue.account);
  const ownNow = async () =>
    (await store.unsettledOrders(account)).filter(
      (order) => order.symbol === symbol && order.type === "limit",
    );
  const isSame = (a: readonly Order[], b: readonly Order[]) =>
    a.map(({ clientId, state }) => `${clientId} ${state}`).join() ===
    b.map(({ clientId, state }) => `${clientId} ${state}`).join();
  let before = await ownNow();
  for (let looks = 1; ; looks++) {
    const book = await inTime(exchange, () => forAnyone(venue).book(symbol, SAMPLED_LEVELS));
    const after = await ownNow();
    const isLast = looks >= MAX_SAMPLE_READS || (requests && requests() < REQUESTS_PER_SAMPLE);
    const orders = after.filter(({ state }) => ON_THE_BOOK.includes(state));
    if (isLast || isSame(before, after)) return { book, own: ownLevels(book, orders, SAMPLED_LEVELS) };
    before = after;
  }
}

/** Refusals that mean too little free balance, or too much inventory. */
const LACKS_FUNDS: readonly RefusalReason[] = [
  "no_quote",
  "no_base",
  "inventory_missing",
  "safety_reserve",
  "max_position",
  "min_position",
];

/**
 * Returns why own orders are missing on a side of a book, from the states of their strategies; `views` are the running
 * strategies of this account and pair.
 */
export function absenceOf(own: Sides<number>, views: readonly StrategyView[]): Absence | null {
  if (own.bids > 0 && own.asks > 0) return null;
  const active = views.filter(({ strategy: { wants, phase } }) => wants === "run" && phase !== "paused");
  const reasons = active.flatMap(({ strategy }) => strategy.state.refused.map(({ reason }) => reason));
  if (active.length === 0 || reasons.includes("killed")) return "pause";
  if (active.some(({ accountError }) => accountError !== null) || reasons.includes("balance_unreadable"))
    return "exchange";
  return reasons.some((reason) => LACKS_FUNDS.includes(reason)) ? "funds" : "ours";
}

/** Returns why a book could not be read. */
export const absenceCauseOf = (error: unknown): Absence =>
  error instanceof VenueError ? "exchange" : "ours";
