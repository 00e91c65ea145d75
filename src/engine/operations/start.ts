import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { exitsOnLoss } from "../../limits/allowed.ts";
import { positionExposure } from "../../limits/position.ts";
import type { Balance } from "../../model/account.ts";
import type { Standings } from "../../model/limits.ts";
import type { Book, Market } from "../../model/market.ts";
import type { Elsewhere } from "../../model/memory.ts";
import { isInBook } from "../../model/order.ts";
import { planHashOf } from "../../model/shown-plan.ts";
import { freeBeside, type PairAmounts } from "../../model/strategy.ts";
import type { ConfiguredExchanges, OtherPrices } from "../../ports/exchanges.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { ReadyStart } from "../../ports/plan.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import { willSellAtOnce } from "../decide/ending.ts";
import type { PositionStrategy } from "../position/position.ts";
import { balancesForStart, readKept, strategiesOn, type TradingPlace, venueForStart } from "./start-reads.ts";

/** A start of a strategy with one position, after its reads and its plan. */
interface PositionStart<S extends PositionStrategy> extends Pick<ReadyStart, "shown" | "facts" | "warnings"> {
  readonly reads: StartReads & { readonly standings: Standings };
  /** Version of the state, and the beginning of the id. */
  readonly version: number;
  readonly prefix: string;
  readonly config: S["config"];
  readonly stateAt: (startPrice: Decimal) => S["state"];
  /** Price at which base is counted for limits; undefined if unknown. */
  readonly mid: Decimal | undefined;
  /** Its largest order in quote; default: a whole side. */
  readonly largest?: Decimal | undefined;
  /** Returns the price at which its base is booked. Throws if it cannot start. */
  readonly startPrice: () => Decimal;
  readonly isShown: boolean;
}

/** Returns a start that can be shown and stored. */
export function readyPosition<S extends PositionStrategy>(
  { marketTime }: Pick<ConfiguredExchanges, "marketTime">,
  start: PositionStart<S>,
): ReadyStart {
  const { reads, version, prefix, config, stateAt, startPrice, shown, facts, warnings, isShown } = start;
  const { venue, market, killed, now } = reads;
  return {
    venue,
    market,
    killed,
    shown,
    planHash: planHashOf(shown),
    uses: config.budget,
    warnings,
    exposure: () => exposureAtStart(start),
    facts() {
      if (!isShown) startPrice();
      return facts();
    },
    check: () => void startPrice(),
    begin: async () => ({
      version,
      config,
      state: stateAt(startPrice()),
      status: config.triggerPrice === undefined ? "running" : "idle",
      prefix,
      startedAt: marketTime(venue.account, now),
    }),
  };
}

function exposureAtStart<S extends PositionStrategy>({
  config,
  stateAt,
  reads,
  mid,
  largest,
}: PositionStart<S>) {
  const { market, standings } = reads;
  const sellsAtOnce = (at: Decimal) => willSellAtOnce({ config, state: {} }, at);
  return positionExposure(
    { symbol: market.symbol, config, state: stateAt(ONE), phase: "starting" },
    {
      mid,
      largest,
      sellsAtOnce,
      buys: [],
      exitsOnLoss: exitsOnLoss(standings.all[0]?.limits ?? {}, market.quote),
    },
  );
}

/** What a start needs of the account and its market. */
export interface StartReads {
  readonly venue: Venue;
  readonly market: Market;
  readonly book: Book;
  readonly open: readonly VenueOrder[];
  readonly balances: readonly Balance[];
  /** What other strategies of the account still need, and whether any of them trades its base or quote. */
  readonly kept: PairAmounts;
  readonly isShared: boolean;
  readonly killed: boolean;
  /** Protocol time. */
  readonly now: Millis;
  readonly interval: Millis;
}

export async function readStart(deps: StrategyDeps, place: TradingPlace): Promise<StartReads> {
  const venue = venueForStart(deps, place);
  const balances = await balancesForStart(deps, place);
  return readMarketFor(deps, { venue, symbol: place.symbol, balances });
}

/** The account and pair, and a strategy whose own need does not count as others' need. */
export interface ReadPlace extends Pick<StartReads, "venue" | "balances"> {
  readonly symbol: Pair;
  readonly beside?: string;
}

export async function readMarketFor(
  deps: StrategyDeps,
  { venue, symbol, balances, beside }: ReadPlace,
): Promise<StartReads> {
  const market = await venue.market(symbol);
  const book = await venue.book(symbol, 100);
  const open = (await venue.openOrders(symbol)).filter(isInBook);
  const running = await strategiesOn(deps, venue);
  const others = running.filter(({ strategy }) => strategy.id !== beside);
  const mine = Object.values(splitPair(symbol));
  return {
    venue,
    market,
    book,
    open,
    balances,
    kept: await readKept(deps, others, { market, balances }),
    isShared: others.some(({ strategy }) =>
      Object.values(splitPair(strategy.symbol)).some((asset) => mine.includes(asset)),
    ),
    killed: await deps.store.killed(),
    now: await deps.store.now(),
    interval: deps.interval ?? MINUTE,
  };
}

/** Reads prices of the pair from other sources. */
export async function readPricesElsewhere(
  reference: OtherPrices["reference"] | undefined,
  { venue, now }: StartReads,
  symbol: Pair,
): Promise<Elsewhere> {
  const found = await reference?.(venue.account.exchange, symbol);
  const prices = (found?.prices ?? []).map((one) => ({ ...one, at: now }));
  return { prices, requestedAt: now, bookAt: now };
}

/** Returns the budget: the requested amounts, within what is free and not needed by other strategies. */
export function budgetFor(
  request: { readonly baseBudget?: Decimal | undefined; readonly quoteBudget?: Decimal | undefined },
  { market, balances, kept, isShared }: StartReads,
): PairAmounts {
  const { baseBudget, quoteBudget } = request;
  if (isShared && (baseBudget === undefined || quoteBudget === undefined))
    throw new AppError(
      "Invalid request",
      `other strategies of this account trade in ${market.base} or ${market.quote}; set baseBudget and quoteBudget to limit this one`,
    );
  const free = freeBeside(kept, balances, market);
  return { base: baseBudget ?? free.base, quote: quoteBudget ?? free.quote };
}
