import { type Decimal, min, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { boundsAfter } from "../../limits/standing.ts";
import type { Balance } from "../../model/account.ts";
import type { Capital, Funds, OwnBase, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import { mayBeMet } from "../../model/own-orders.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import { isFinal } from "../reconcile/order-life.ts";
import { neededOf, needsOf } from "../reserves.ts";
import { exitReach } from "./exit.ts";
import { isRecovering } from "./turn.ts";

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

/**
 * Returns the free base that no strategy of the account holds or needs, and no manual order uses. Balances must be
 * read before orders and trades; otherwise a fill in between would look like the user's base.
 */
export function ownBase(
  market: Market,
  observation: Observation,
  {
    strategies,
    kinds,
    orders,
    lease: { now },
    booked,
    epoch,
  }: Among & Pick<Snapshot, "orders" | "lease" | "booked" | "epoch">,
): OwnBase | undefined {
  const { balances, balancesFirst, markets } = observation;
  if (!balances || !balancesFirst) return undefined;
  const asset = market.base;
  if (lacksFills(asset, strategies, observation, { epoch, now })) return { least: ZERO, isSure: false };
  const { free, used } = balances.find((balance) => balance.asset === asset) ?? { free: ZERO, used: ZERO };
  const same = strategies.filter(({ symbol }) => splitPair(symbol).base === asset);
  const mine = orders.filter(({ strategy }) => same.some(({ id }) => id === strategy));
  const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings(state).base));
  const manual = manualUses(orders, market);
  const sells = mine.filter(({ side }) => side === "sell");
  const uses = [...sells.map((order) => ({ order, amount: order.amount - order.booked })), ...manual];
  const sure = uses.filter(({ order }) => hasLocked(order, observation, now));
  // Base that is not used is not locked, whatever an order of ours looks like.
  const locked = min(used, sum(sure.map(({ amount }) => amount)));
  const spending = strategies.filter(({ symbol }) => splitPair(symbol).quote === asset);
  const needs = needsOf(spending, orders, { kinds, marketOf: () => market });
  const kept = neededOf(needs, { asset, used: used - locked });
  const unbooked = sum(mine.map((order) => unbookedBuy(order, observation)));
  const given = givenLately(asset, observation, { booked, now });
  const inUse = holding + sum(manual.map(({ amount }) => amount));
  // The exchange can refuse a market forever, so a start must not wait for it.
  const isRead = same.every(({ symbol }) => markets.has(symbol));
  return {
    least: free - (inUse - locked) - kept - unbooked - given,
    isSure: isRead && sure.length === uses.length && given === ZERO,
  };
}

/**
 * Returns whether fills of strategies that trade an asset can be missing, because the database was restored or has
 * lost commits. A market that the exchange refuses cannot recover, so nothing waits for it.
 */
const lacksFills = (
  asset: string,
  strategies: readonly Strategy[],
  { markets, timing }: Observation,
  { epoch, now }: Pick<Snapshot, "epoch"> & { now: Millis },
): boolean =>
  strategies.some((strategy) => {
    const { base, quote } = splitPair(strategy.symbol);
    if ((base !== asset && quote !== asset) || !markets.has(strategy.symbol)) return false;
    return isRecovering(strategy, { orphan: null, unshown: null, epoch, now, timing });
  });

/** Returns what each manual order uses of the market's base, at the fees of this market. */
const manualUses = (orders: readonly Order[], market: Market) =>
  orders
    .filter(({ strategy }) => strategy === null)
    .map((order) => {
      const { symbol, side, price, amount, filled } = order;
      return {
        order,
        ...need({ ...market, ...splitPair(symbol) }, { side, price, amount: amount - filled }),
      };
    })
    .filter(({ asset }) => asset === market.base);

// The balances can be older than a trade by the read lag: then they still contained what it gave away.
function givenLately(
  asset: string,
  { markets, timing }: Observation,
  { booked, now }: Pick<Snapshot, "booked"> & { now: Millis },
): Decimal {
  if (timing.readLag === 0) return ZERO;
  const fills = [
    ...Object.entries(booked).map(([symbol, known]) => [symbol, [...known.values()]] as const),
    ...[...markets].map(([symbol, { trades }]) => [symbol, trades] as const),
  ];
  return sum(
    fills.flatMap(([symbol, some]) => {
      const { base, quote } = splitPair(symbol as Pair);
      return some
        .filter(({ at }) => at + timing.skew > now - timing.readLag)
        .filter(({ side }) => (side === "sell" ? base : quote) === asset)
        .map(({ side, amount, notional }) => (side === "sell" ? amount : notional));
    }),
  );
}

// The balances can be older than the order by the read lag: then they still contained its base.
function hasLocked({ clientId }: Order, { reports, timing }: Observation, now: Millis): boolean {
  const report = reports.get(clientId);
  if (typeof report !== "object") return false;
  return timing.readLag === 0 || report.at + timing.skew <= now - timing.readLag;
}

// If reads are delayed, an order that still looks open can have filled before the balances were read.
function unbookedBuy(
  { side, clientId, amount, filled, booked }: Order,
  { reports, timing }: Observation,
): Decimal {
  if (side === "sell") return ZERO;
  const isCertain = timing.readLag === 0 && typeof reports.get(clientId) === "object";
  return (isCertain ? filled : amount) - booked;
}

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
