import type { Decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Balance } from "../../model/account.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { PriceSnapshot } from "../../ports/kind.ts";
import type { Timing, UnreadableFill, VenueFill, VenueOrder } from "../../ports/venue.ts";
import type { FillReading } from "./fill-cursor.ts";
import type { OrderReport } from "./order-life.ts";

/** Observations of one market in a pass. */
export interface MarketSnapshot extends PriceSnapshot {
  readonly tradesRead: boolean;
  /** Unbooked trades, oldest first; empty if they were not read. */
  readonly trades: readonly VenueFill[];
  /** Orders whose trades were queried individually. */
  readonly requestedOrders?: ReadonlySet<string>;
  /** Trade rows that cannot be booked as the exchange returned them. */
  readonly unreadable: readonly UnreadableFill[];
  /** Whether this pass has read the last page of ended orders that a restored database can lack. */
  readonly searched?: boolean;
  /** Where the search for ended orders continues. */
  readonly searchPage?: string | undefined;
  /** How far trades were read; undefined if no reading was needed. */
  readonly reading: FillReading | undefined;
}

/** Returns whether this pass requested the trades of this order by its id. */
export const areTradesRequested = (
  { symbol, exchangeId }: Pick<Order, "symbol" | "exchangeId">,
  { markets }: Pick<Observation, "markets">,
): boolean => markets.get(symbol)?.requestedOrders?.has(exchangeId ?? "") === true;

/** Returns whether this pass would have observed a new order's trades if the exchange showed them. */
export const isLookedFor = (
  order: Pick<Order, "symbol" | "exchangeId">,
  { markets }: Pick<Observation, "markets">,
): boolean => markets.get(order.symbol)?.tradesRead === true || areTradesRequested(order, { markets });

/** Observations of an account in a pass. A market that could not be read is absent, never empty. */
export interface Observation {
  readonly markets: ReadonlyMap<Pair, MarketSnapshot>;
  /** Live orders by client id; an order that was not looked up is absent. */
  readonly reports: ReadonlyMap<string, OrderReport>;
  /** Undefined if they were not read. */
  readonly balances: readonly Balance[] | undefined;
  /** Whether they were read before orders and trades. */
  readonly balancesFirst: boolean;
  /** Markets that the exchange refuses to return, and why. */
  readonly refused: ReadonlyMap<Pair, string>;
  /** Orders without a row whose id has the format of a strategy's order. */
  readonly found: readonly VenueOrder[];
  /** Markets with a trade whose order can no longer be looked up, and since when. */
  readonly unlooked: ReadonlyMap<Pair, Millis>;
  /** Orders in trades that belong to no strategy. */
  readonly foreign: readonly string[];
  /** Settled orders of ours with unexpected late trades. */
  readonly late: readonly Order[];
  /** Mid prices that give the value of new fees in third assets. */
  readonly feePrices?: ReadonlyMap<Pair, Decimal>;
  /** Price confidence by symbol, if a strategy uses it. */
  readonly confidence?: ReadonlyMap<Pair, Confidence>;
  /** An accepted order that the exchange does not show long after it should; meanwhile no order is given up. */
  readonly contradicted?: Order | undefined;
  readonly timing: Timing;
}
