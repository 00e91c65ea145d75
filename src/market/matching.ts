import { type Decimal, div, min, mul, ONE, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { BookLevel, Market, Side } from "../model/market.ts";
import type { Fee, NewOrder, OrderStatus } from "../model/order.ts";
import type { VenueFill, VenueOrder } from "../ports/venue.ts";

export interface Arrival {
  readonly market: Market;
  /** The other side of the book, best first. */
  readonly levels: Iterable<BookLevel>;
  readonly at: Millis;
}

/** Adds a new order to the books: what crosses the market fills at once, and the rest of a limit order stays open. */
export function place(
  books: VenueBooks,
  order: NewOrder,
  { market, levels, at }: Arrival,
): BookChange | { readonly rejected: string; readonly wouldTake?: boolean } {
  const rejected = placingRefusal(order, market);
  if (rejected) return { rejected };
  const takes = matchLevels(order, levels);
  if (order.timeInForce === "post_only" && takes.length > 0)
    return { rejected: "it is post-only, but would be a taker order", wouldTake: true };
  const worst = order.type === "market" ? (takes.at(-1)?.price ?? ZERO) : order.price;
  const needed = reserveFor(market, { ...order, price: worst });
  const asset = order.side === "buy" ? market.quote : market.base;
  const holding = books.holdings[asset] ?? { total: ZERO, used: ZERO };
  if (holding.total - holding.used < needed) return { rejected: `insufficient funds: needs ${asset}` };

  const { after: executed, fills } = execution(arrived(books, order, market, at), takes, market, at);
  const after = rested(executed, market, order);
  const change = { market, before: undefined, after, fills };
  return { settledAt: at, orders: [after], fills, holdings: holdingsAfter(books.holdings, [change]) };
}

function placingRefusal({ type, price, amount }: NewOrder, market: Market): string | undefined {
  if (!market.active) return "market closed";
  if (amount <= ZERO || amount % market.lot !== ZERO) return "invalid amount: not whole lots";
  if (amount < market.minAmount) return "below minimum amount";
  if (type === "market") return undefined;
  if (price <= ZERO || price % market.tick !== ZERO) return "invalid price: not whole ticks";
  return mul(price, amount, "down") < market.minNotional ? "below minimum notional" : undefined;
}

/** Returns the levels that the order fills, each with its amount. */
function matchLevels({ side, type, price, amount }: NewOrder, levels: Iterable<BookLevel>): BookLevel[] {
  const takes: BookLevel[] = [];
  let rest: Decimal = amount;
  for (const level of levels) {
    const beyond = side === "buy" ? level.price > price : level.price < price;
    if (rest === ZERO || (type === "limit" && beyond)) break;
    const part = min(rest, level.amount);
    takes.push({ price: level.price, amount: part });
    rest -= part;
  }
  return takes;
}

function arrived({ version }: VenueBooks, order: NewOrder, market: Market, at: Millis): BookedOrder {
  const { clientId, symbol, side, type, price, amount } = order;
  return {
    // Each version accepts at most one order, so its number is the order's.
    id: String(1_000_000_000 + version),
    clientId,
    symbol,
    side,
    type,
    price: type === "market" ? ZERO : price,
    amount,
    filled: ZERO,
    notional: ZERO,
    reserved: ZERO,
    fee: { asset: side === "buy" && market.buyFeeIn === "base" ? market.base : market.quote, amount: ZERO },
    fills: 0,
    status: "open",
    at,
    meetsFrom: at,
  };
}

function execution(order: BookedOrder, takes: readonly BookLevel[], market: Market, at: Millis) {
  const fills: BookedFill[] = [];
  let after = order;
  for (const { price, amount } of takes) {
    const executed = execute(after, market, { price, amount, rate: market.taker, at });
    after = executed.order;
    fills.push(executed.fill);
  }
  return { after, fills };
}

// The unfilled part of a market or immediate order is dropped; that of a limit order is locked.
function rested(order: BookedOrder, market: Market, { type, timeInForce }: NewOrder): BookedOrder {
  const rest = order.amount - order.filled;
  if (rest === ZERO) return order;
  if (type === "market" || timeInForce === "ioc") return { ...order, status: "canceled", reserved: ZERO };
  return { ...order, reserved: reserveFor(market, { side: order.side, price: order.price, amount: rest }) };
}

/** Removes an open order from the books; undefined if no order has this id. */
export function cancel(books: VenueBooks, id: string, at: Millis): BookChange | undefined {
  const order = books.open.find((open) => open.id === id);
  if (!order) return undefined;
  const after: BookedOrder = { ...order, status: "canceled", reserved: ZERO };
  // The pair itself can be delisted.
  const change = { market: splitPair(order.symbol), before: order, after, fills: [] };
  return { settledAt: at, orders: [after], fills: [], holdings: holdingsAfter(books.holdings, [change]) };
}

/** An order in a simulated venue's books. */
export interface BookedOrder extends Omit<VenueOrder, "fees"> {
  readonly clientId: string;
  readonly notional: Decimal;
  /** Balance that it still locks: quote for a buy, base for a sell. */
  readonly reserved: Decimal;
  readonly fee: Fee;
  /** Number of its fills. */
  readonly fills: number;
  /** Market time from which it can fill: its arrival, or a pause after a partial fill. */
  readonly meetsFrom: Millis;
}

export interface BookedFill extends Omit<VenueFill, "notional" | "fees"> {
  readonly fee: Fee;
}

export interface BookedBalance {
  readonly total: Decimal;
  readonly used: Decimal;
}

/** One venue at one version. */
export interface VenueBooks {
  readonly version: number;
  /** Market time up to which open orders were matched with the price. */
  readonly settledAt: Millis;
  readonly open: readonly BookedOrder[];
  readonly holdings: Readonly<Record<string, BookedBalance>>;
}

/** Changes of the next version; orders and balances replace those with the same id or asset. */
export interface BookChange {
  readonly settledAt: Millis;
  readonly orders: readonly BookedOrder[];
  readonly fills: readonly BookedFill[];
  readonly holdings: Readonly<Record<string, BookedBalance>>;
}

export const isOpen = ({ status }: { status: OrderStatus }): boolean =>
  status === "open" || status === "partially_filled";

export const applied = (books: VenueBooks, change: BookChange): VenueBooks => {
  const changed = new Map(change.orders.map((order) => [order.id, order]));
  const known = books.open.map((order) => changed.get(order.id) ?? order);
  const ids = new Set(books.open.map(({ id }) => id));
  return {
    version: books.version + 1,
    settledAt: change.settledAt,
    open: [...known, ...change.orders.filter(({ id }) => !ids.has(id))].filter(isOpen),
    holdings: { ...books.holdings, ...change.holdings },
  };
};

/** Converts a booked execution to a venue's fill. */
export const toVenueFill = ({
  id,
  orderId,
  symbol,
  side,
  price,
  amount,
  fee,
  at,
}: BookedFill): VenueFill => ({
  id,
  orderId,
  symbol,
  side,
  price,
  amount,
  notional: mul(price, amount, "half"),
  fees: fee.amount === ZERO ? [] : [fee],
  at,
});

/**
 * Converts a booked order to a venue's order. Fields are copied individually, because it is read far more often than
 * it changes.
 */
export function toVenueOrder(order: BookedOrder): VenueOrder {
  const { id, clientId, symbol, side, type, price, amount, filled, notional, fee, status, at } = order;
  return {
    id,
    clientId,
    symbol,
    side,
    type,
    price: type === "market" && filled > ZERO ? div(notional, filled, "half") : price,
    amount,
    filled,
    notional,
    fees: filled > ZERO ? [fee] : [],
    status,
    at,
  };
}

interface Execution {
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Fee rate as a share of the notional. */
  readonly rate: Decimal;
  readonly at: Millis;
}

/** Returns an order after one execution, and its fill. The rest stays locked. */
export function execute(order: BookedOrder, market: Market, { price, amount, rate, at }: Execution) {
  const notional = mul(price, amount, "half");
  const inBase = order.side === "buy" && market.buyFeeIn === "base";
  const fee: Fee = {
    asset: inBase ? market.base : market.quote,
    amount: mul(inBase ? amount : notional, rate, "up"),
  };
  const filled = order.filled + amount;
  const rest = order.amount - filled;
  const fill: BookedFill = {
    id: `${order.id}-${order.fills + 1}`,
    orderId: order.id,
    symbol: order.symbol,
    side: order.side,
    price,
    amount,
    fee,
    at,
  };
  const after: BookedOrder = {
    ...order,
    filled,
    notional: order.notional + notional,
    reserved:
      rest === ZERO ? ZERO : reserveFor(market, { side: order.side, price: order.price, amount: rest }),
    fee: { ...fee, amount: order.fee.amount + fee.amount },
    fills: order.fills + 1,
    status: rest === ZERO ? "filled" : "partially_filled",
  };
  return { order: after, fill };
}

/** Returns what a venue locks for an open order: base for a sell; quote for a buy, plus the fee if it is in quote. */
function reserveFor(
  market: Market,
  { side, price, amount }: { side: Side; price: Decimal; amount: Decimal },
): Decimal {
  if (side === "sell") return amount;
  const rate = market.maker > market.taker ? market.maker : market.taker;
  return mul(mul(price, amount, "up"), market.buyFeeIn === "base" ? ONE : ONE + rate, "up");
}

/** An order in the books before and after a change. */
export interface Movement {
  readonly market: Pick<Market, "base" | "quote">;
  /** Undefined for an order that has just arrived. */
  readonly before: BookedOrder | undefined;
  readonly after: BookedOrder;
  readonly fills: readonly BookedFill[];
}

/** Returns the balances after an order's change. */
export function holdingsAfter(
  holdings: Readonly<Record<string, BookedBalance>>,
  movements: readonly Movement[],
) {
  const changed: Record<string, BookedBalance> = {};
  const move = (asset: string, { total, used }: BookedBalance) => {
    const holding = changed[asset] ?? holdings[asset] ?? { total: ZERO, used: ZERO };
    changed[asset] = { total: holding.total + total, used: holding.used + used };
  };
  for (const { market, before, after, fills } of movements) {
    const used = after.reserved - (before?.reserved ?? ZERO);
    move(after.side === "buy" ? market.quote : market.base, { total: ZERO, used });
    for (const { side, price, amount, fee } of fills) {
      const sign = side === "buy" ? 1n : -1n;
      move(market.base, { total: sign * amount, used: ZERO });
      move(market.quote, { total: -sign * mul(price, amount, "half"), used: ZERO });
      move(fee.asset, { total: -fee.amount, used: ZERO });
    }
  }
  return changed;
}

/** A turning point of a price path; prices are whole ticks. */
export interface Corner {
  readonly at: Millis;
  readonly ticks: number;
}

/** Returns the whole tick at a time on the straight line between two turning points. */
export const between = (from: Corner, to: Corner, time: Millis): number =>
  from.ticks + Math.round(((to.ticks - from.ticks) * (time - from.at)) / (to.at - from.at));

/** Returns the first good millisecond on the straight line from a bad turning point to a good one. */
export function crossing(bad: Corner, good: Corner, isGood: (ticks: number) => boolean): Millis {
  let [low, high] = [bad.at, good.at];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isGood(between(bad, good, middle))) high = middle;
    else low = middle;
  }
  return high;
}
