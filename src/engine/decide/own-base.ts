import { type Decimal, min, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { OwnBase } from "../../model/intent.ts";
import type { Market } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Observation } from "../reconcile/observation.ts";
import { neededOf, needsOf } from "../reserves.ts";
import type { Among } from "./share.ts";
import { isRecovering } from "./turn.ts";

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
