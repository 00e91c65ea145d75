import { type Decimal, min, mul, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookLevel, Market } from "../../model/market.ts";
import type { NewOrder } from "../../model/order.ts";
import type { BookChange, BookedFill, BookedOrder, VenueBooks } from "./books.ts";
import { execute, holdingsAfter, reserveFor } from "./executing.ts";

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
