import type { Decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Balance } from "../../model/account.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { PriceSight } from "../../ports/kind.ts";
import type { Timing, UnreadableFill, VenueFill, VenueOrder } from "../../ports/venue.ts";
import type { FillReading } from "./fill-cursor.ts";
import type { OrderReport } from "./order-life.ts";

/** What a pass has seen of one market of its account. */
export interface MarketSight extends PriceSight {
  readonly tradesRead: boolean;
  /** Trades not booked yet, oldest first; none where they were not read. */
  readonly trades: readonly VenueFill[];
  /** Orders whose trades were asked for on their own. */
  readonly asked?: ReadonlySet<string>;
  /** Rows of trades that cannot be booked as they stand. */
  readonly unreadable: readonly UnreadableFill[];
  /** How far trades have been read; undefined where there was nothing to read for. */
  readonly reading: FillReading | undefined;
}

/** Whether this pass would have seen an order's trades if the exchange showed them. */
export function isLookedFor(
  { symbol, exchangeId }: Pick<Order, "symbol" | "exchangeId">,
  { markets }: Pick<Observation, "markets">,
): boolean {
  const { tradesRead = false, asked: request } = markets.get(symbol) ?? {};
  return tradesRead || request?.has(exchangeId ?? "") === true;
}

/** What a pass has seen of its account. A market that could not be read is absent, never empty. */
export interface Observation {
  readonly markets: ReadonlyMap<Pair, MarketSight>;
  /** Of live orders, by client id; an order that was not looked up has none. */
  readonly sights: ReadonlyMap<string, OrderReport>;
  /** Undefined when they were not read. */
  readonly balances: readonly Balance[] | undefined;
  /** They were read before orders and trades. */
  readonly balancesFirst: boolean;
  /** Markets of which the venue refuses to tell, and why. */
  readonly refused: ReadonlyMap<Pair, string>;
  /** Orders of strategies, by the form of their id, that have no row. */
  readonly found: readonly VenueOrder[];
  /** Markets with a trade whose order could not be looked at any more, and since when. */
  readonly unlooked: ReadonlyMap<Pair, Millis>;
  /** Orders that trades name and that are no strategy's. */
  readonly foreign: readonly string[];
  /** Settled orders of ours to which trades arrived that nobody expected any more. */
  readonly late: readonly Order[];
  /** Mids of what fees in third assets are worth, where new trades were charged in them. */
  readonly feePrices?: ReadonlyMap<Pair, Decimal>;
  /** Price confidence by symbol, where a strategy asks for it. */
  readonly confidence?: ReadonlyMap<Pair, Confidence>;
  /** An order that the exchange has taken and does not show, long after it should: nothing is given up meanwhile. */
  readonly contradicted?: Order | undefined;
  readonly timing: Timing;
}
