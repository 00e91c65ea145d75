import { type Decimal, max, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import {
  type AccountKey,
  accountKey,
  type Balance,
  balanceIn,
  parseAccountKey,
} from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { describeRefusals } from "../../model/refusal-text.ts";
import { lockedBy, type PairAmounts, type Strategy } from "../../model/strategy.ts";
import type { ConfiguredExchanges, DryBalances, DryRuns } from "../../ports/exchanges.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";
import type { Pass } from "../pass/pass.ts";
import { neededOf, needsOf } from "../reserves.ts";

/** The account of a start and its balances: the real account, or a paper trading account next to it. */
export interface TradingPlace {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
  /** Name of the strategy to start. */
  readonly name?: string | undefined;
}

export function venueForStart(
  deps: ConfiguredExchanges,
  { exchange, dryRun, dryBalance }: TradingPlace,
): Venue {
  if (dryBalance && !dryRun) throw new AppError("Invalid request", "dryBalance requires dryRun");
  return dryRun ? requirePaper(deps).venue(exchange) : deps.venue(exchange);
}

const paperBalances = ({ symbol, dryBalance }: TradingPlace): DryBalances => ({
  given: dryBalance,
  quote: splitPair(symbol).quote,
});

export const balancesForStart = (
  deps: ConfiguredExchanges,
  tradingPlace: TradingPlace,
): Promise<readonly Balance[]> =>
  tradingPlace.dryRun
    ? requirePaper(deps).balances(tradingPlace.exchange, paperBalances(tradingPlace))
    : deps.venue(tradingPlace.exchange).balances();

/** Returns the strategies that run on an account. */
export const strategiesOn = ({ store }: StoreDeps, { account }: Venue): Promise<readonly StrategyView[]> =>
  store.strategies({ stopped: false, account: accountKey(account) });

/** Sets the balances of a paper account. Refuses while a strategy uses the account, because its assets would vanish. */
export async function fundPaper(deps: StrategyDeps, tradingPlace: TradingPlace, venue: Venue): Promise<void> {
  const { exchange, dryRun, dryBalance } = tradingPlace;
  if (!dryRun) return;
  if (dryBalance && (await strategiesOn(deps, venue)).length > 0)
    throw new AppError(
      "Conflict",
      `a dry run on ${exchange} uses these balances; stop it, or remove dryBalance`,
    );
  await requirePaper(deps).fund(exchange, paperBalances(tradingPlace));
}

function requirePaper({ dry }: ConfiguredExchanges): DryRuns {
  if (!dry) throw new AppError("Start failed", "paper trading is not available here");
  return dry;
}

/** Returns what the strategies of an account still need of both assets; each pair at the fees of this one. */
export async function readKept(
  { store, kinds }: StoreDeps,
  views: readonly StrategyView[],
  { market, balances }: { readonly market: Market; readonly balances: readonly Balance[] },
): Promise<PairAmounts> {
  const [first] = views;
  if (!first) return { base: ZERO, quote: ZERO };
  const orders = await store.unsettledOrders(first.strategy.account);
  const strategies = views.map(({ strategy }) => strategy);
  const needs = needsOf(strategies, orders, { kinds, marketOf: () => market });
  const keptOf = (asset: string) => neededOf(needs, balanceIn(balances, asset));
  return { base: keptOf(market.base), quote: keptOf(market.quote) };
}

/** Describes how a start went; `pass` is its first pass, if this process runs passes. */
export function describeStart(
  { strategy, openOrders }: Pick<StrategyView, "strategy" | "openOrders">,
  pass: Pass | undefined,
): string {
  const { id, status, phase, config, symbol, state } = strategy;
  if (pass?.outcome === "failed")
    return `${id} is stored and ${status}; its first pass failed (${pass.message}) and is tried again`;
  if (pass === undefined || pass.outcome === "busy")
    return `${id} is stored and ${status}; its first orders follow with the next pass`;
  if (status === "stopped") return `${id} has been started, and stopped since`;
  if (status === "idle" && config.triggerPrice !== undefined)
    return `${id} waits until the market reaches ${text(config.triggerPrice)}`;
  if (openOrders === 0 && state.closedSince !== undefined)
    return `${id} is ${status}, but no order is placed: ${closedText(symbol)}`;
  if (phase !== "active") return `${id} is ${status}; more of its orders follow`;
  if (openOrders > 0) return `${id} is running and its orders are placed`;
  const why = state.refused.length === 0 ? "" : ` (${describeRefusals(state.refused)})`;
  return `${id} is running, and none of its orders is open now${why}`;
}

const closedText = (symbol: Pair): string =>
  `the exchange has closed ${symbol}; its orders follow when the pair trades again`;

/** Returns a warning if the exchange has closed the pair of a start. */
export const closedWarnings = ({
  active,
  symbol,
}: Pick<Market, "active" | "symbol">): { code: string; message: string }[] =>
  active ? [] : [{ code: "market_closed", message: `no order is placed now: ${closedText(symbol)}` }];

/** Returns the venue of a strategy to change. Throws AppError if this process cannot reach it. */
export function venueForChange(
  { venueOf }: Pick<ConfiguredExchanges, "venueOf">,
  account: AccountKey,
): Venue {
  const of = parseAccountKey(account);
  const venue = venueOf(of);
  if (venue) return venue;
  throw new AppError(
    "Exchange error",
    `nothing is changed: this process is not configured for ${of.exchange}; use a process that is`,
  );
}

const UNREACHED: readonly VenueError["failure"][] = ["unavailable", "rate_limited", "refused"];

/** Reads what a change must know from the exchange. Throws AppError if the exchange does not return it. */
export async function readForChange<T>({ account }: Venue, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof VenueError) || !UNREACHED.includes(error.failure)) throw error;
    const message = `nothing is changed: ${account.exchange} could not be read (${error.message}); the strategy continues unchanged`;
    throw new AppError("Exchange error", message, { cause: error });
  }
}

/** Returns the free balances, including what a strategy's own orders lock, because they can be moved. */
export function freedOf(
  strategy: Pick<Strategy, "id">,
  orders: readonly Order[],
  { market, balances }: { readonly market: Market; readonly balances: readonly Balance[] },
): Balance[] {
  const locked = lockedBy(strategy, orders, market);
  return (["base", "quote"] as const).map((side) => {
    const { asset, free, used } = balanceIn(balances, market[side]);
    return { asset, free: free + locked[side], used: max(ZERO, used - locked[side]) };
  });
}
