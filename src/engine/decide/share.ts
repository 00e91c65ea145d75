import { type Decimal, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { boundsAfter } from "../../limits/standing.ts";
import type { Balance } from "../../model/account.ts";
import type { Capital, Funds, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import { mayBeMet } from "../../model/own-orders.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import { isFinal } from "../reconcile/order-life.ts";
import { exitReach } from "./exit.ts";

/** Balances and orders that the remaining strategies of an account can use in this pass. */
export interface StrategyAllowance {
  /** Undefined if the balances were not read. */
  readonly funds: Funds | undefined;
  /** Assets that invisible orders may lock; these orders are counted as if they did. */
  readonly doubted: ReadonlySet<string>;
  readonly resting: ReadonlyMap<Pair, readonly Resting[]>;
  /** Number of orders that can still be placed. */
  readonly limit: number;
  /** Planned buys of this pass in quote, by quote asset. */
  readonly openBuys: Funds;
  readonly short: boolean;
  readonly bounds: Bounds;
}

/** The strategies of the account, and their kinds. */
export interface Among {
  readonly strategies: readonly Strategy[];
  readonly kinds: Kinds;
}

/**
 * Returns the allowance before the first strategy. `orders` are the account's unsettled orders as just observed, and
 * those of unread markets that can still arrive.
 */
export function firstShare(
  observation: Observation,
  orders: readonly Order[],
  { limit, bounds, strategies, kinds }: Pick<StrategyAllowance, "limit" | "bounds"> & Among,
): StrategyAllowance {
  const unseen = unseenNeeds(observation, orders);
  return {
    funds: observation.balances && freeFunds(observation.balances, unseen),
    doubted: new Set(unseen.map(({ asset }) => asset)),
    resting: new Map(
      [...observation.markets].map(([symbol, observed]) => [
        symbol,
        [
          ...restingOn(symbol, observed, orders),
          // No other strategy buys where an exiting strategy is about to sell.
          ...strategies
            .filter((strategy) => strategy.symbol === symbol)
            .flatMap((strategy) => exitReach(kinds(strategy.kind), strategy, observed)),
        ],
      ]),
    ),
    limit,
    openBuys: {},
    short: false,
    bounds,
  };
}

/** Returns the allowance after a strategy planned `intents` on its symbol. */
export function afterTurn(
  share: StrategyAllowance,
  { strategy: { symbol }, quote: market }: { strategy: Strategy; quote: Quote | undefined },
  turn: { intents: readonly Order[]; funds: Funds | undefined; short: boolean },
): StrategyAllowance {
  const { quote } = splitPair(symbol);
  const bought = turn.intents.filter(({ side }) => side === "buy").map(notional);
  const resting = new Map(share.resting);
  resting.set(symbol, [...(share.resting.get(symbol) ?? []), ...turn.intents]);
  return {
    funds: turn.funds,
    doubted: share.doubted,
    resting,
    limit: share.limit - turn.intents.length,
    openBuys: { ...share.openBuys, [quote]: (share.openBuys[quote] ?? ZERO) + sum(bought) },
    short: share.short || turn.short,
    bounds: market
      ? turn.intents.reduce((bounds, intent) => boundsAfter(bounds, intent, market), share.bounds)
      : share.bounds,
  };
}

// Orders that can be on the exchange without being visible are counted as if they were.
function freeFunds(balances: readonly Balance[], unseen: ReturnType<typeof unseenNeeds>): Funds {
  const funds = new Map(balances.map(({ asset, free }) => [asset, free]));
  for (const { asset, amount } of unseen) funds.set(asset, (funds.get(asset) ?? ZERO) - amount);
  return Object.fromEntries(funds);
}

/** The fees of a market that was not read are unknown. */
const NO_FEES = { maker: ZERO, taker: ZERO, buyFeeIn: "unknown" } as const;

const unseenNeeds = ({ markets, reports }: Observation, orders: readonly Order[]) =>
  orders.flatMap((order) => {
    const market = markets.get(order.symbol)?.market ?? { ...splitPair(order.symbol), ...NO_FEES };
    const isUnseen = order.state === "pending" || order.state === "unknown";
    return isUnseen && typeof reports.get(order.clientId) !== "object" ? [need(market, order)] : [];
  });

// The user's own orders too, because filling them would also be a self-trade.
function restingOn(symbol: Pair, { open }: MarketSnapshot, orders: readonly Order[]): Resting[] {
  // An ended order that waits for its trades is no longer open, unless the list still shows it.
  const mine = orders.filter((order) => order.symbol === symbol && !isFinal(order));
  const known = new Set(mine.map(({ exchangeId }) => exchangeId));
  return [
    ...mine.filter(mayBeMet).map((order) => ({ side: order.side, price: farthest(order), order })),
    ...open.filter(({ id }) => !known.has(id)).map(({ side, price, id }) => ({ side, price, id })),
  ];
}

/** A price above every real price. */
const ANY: Decimal = ONE * ONE;

// A market order that is not confirmed can trade at any price.
const farthest = ({ type, side, price }: Order): Decimal =>
  type === "limit" ? price : side === "buy" ? ANY : ZERO;

const notional = ({ price, amount }: Pick<Order, "price" | "amount">): Decimal => mul(price, amount, "up");

/** Adds strategies and orders of markets that this pass did not read, because they share the capital. */
export const ofAllMarkets = <T extends Among & { readonly orders: readonly Order[] }>(
  among: T,
  snapshot: Pick<Snapshot, "strategies" | "orders">,
  { markets }: Pick<Observation, "markets">,
): T => {
  const isUnread = ({ symbol }: { readonly symbol: Pair }) => !markets.has(symbol);
  return {
    ...among,
    strategies: [...among.strategies, ...snapshot.strategies.filter(isUnread)],
    orders: [...among.orders, ...snapshot.orders.filter(isUnread)],
  };
};

/** Returns the capital that limits are a share of: all quote of the account, and the cost of its strategies' base. */
export function capitalOf(
  { id, symbol, kind, state }: Strategy,
  { balances }: Observation,
  { strategies, kinds, orders, planned }: Among & { orders: readonly Order[]; planned: Funds },
): Capital | undefined {
  if (!balances) return undefined;
  const asset = splitPair(symbol).quote;
  const { free, used } = balances.find((balance) => balance.asset === asset) ?? { free: ZERO, used: ZERO };
  const same = strategies.filter((strategy) => splitPair(strategy.symbol).quote === asset);
  const buys = (ids: readonly string[]) =>
    sum(
      orders
        .filter(({ side, strategy }) => side === "buy" && ids.includes(strategy ?? ""))
        .map(({ price, amount, booked }) => notional({ price, amount: amount - booked })),
    );
  const all = buys(same.map((strategy) => strategy.id));
  return {
    whole: free + used + sum(same.map((strategy) => kinds(strategy.kind).holdings(strategy.state).cost)),
    quote: free + used,
    position: kinds(kind).holdings(state).cost + buys([id]),
    openBuys: all + (planned[asset] ?? ZERO),
  };
}
