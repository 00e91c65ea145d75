import { type Decimal, max, mul, text, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { pluralize } from "../kernel/plain-text.ts";
import { midOf } from "../kernel/spread.ts";
import { type Balance, balanceIn, unreadBalance } from "../model/account.ts";
import {
  type BidAsk,
  type Book,
  type ExpectedFill,
  expectedText,
  feeWarnings,
  type Market,
  takeFrom,
} from "../model/market.ts";
import { takes } from "../model/order.ts";
import type { Preview } from "../model/proposal.ts";
import type { VenueOrder } from "../ports/venue.ts";
import type { PreparedOrder } from "./manual-order.ts";

interface PreviewContext {
  readonly exchange: string;
  /** The exchange refuses an order below its minimum, which a page does not know. */
  readonly market: Pick<Market, "base" | "quote" | "maker" | "taker" | "assumedFees" | "buyFeeIn"> &
    Partial<Pick<Market, "minNotional">>;
  readonly quote: BidAsk;
  readonly balances: readonly Balance[];
  readonly killed: boolean;
  readonly book: Book;
  /** An open order of the account that it would fill. */
  readonly met: RestingOrder | undefined;
}

type RestingOrder = Pick<VenueOrder, "id" | "side" | "symbol" | "price" | "amount" | "filled">;

/** Previews an order's cost, and its maximum cost if the market moves before it arrives. */
export function previewOrder(order: PreparedOrder, around: PreviewContext): Preview {
  const { exchange, market, quote, book } = around;
  const { side, type, amount } = order;
  const price = type === "limit" ? order.price : side === "buy" ? quote.ask : quote.bid;
  const fill = takeFrom(book, { side, amount, limit: type === "limit" ? order.price : undefined });
  const notional = type === "limit" ? mul(price, amount, "up") : notionalAtMarket(fill, order, quote);
  const fee = mul(notional, max(market.maker, market.taker), "up");
  const needed = market.buyFeeIn === "base" ? notional : notional + fee;
  const expected = order.postOnly ? undefined : expectedText(fill, amount, market);
  const at =
    type === "limit"
      ? `at ${text(price)} ${market.quote}`
      : `at the market, now ${text(price)} ${market.quote}`;
  return {
    what: `${side} ${text(amount)} ${market.base} ${at} on ${exchange} (${type} order${order.postOnly ? ", post only" : ""})`,
    cost: [orderCostText(order, { notional, fee, quote, market }), expected].filter(Boolean).join("; "),
    worstCase: worstOf(order, market),
    limits: orderLimits({ ...order, needed }, around),
  };
}

/** Returns what a market order exchanges at the book's levels; the rest of a buy counts at the worst of them. */
const notionalAtMarket = (
  { notional, amount, worst }: ExpectedFill,
  order: Pick<PreparedOrder, "side" | "amount">,
  { ask }: BidAsk,
): Decimal =>
  order.side === "sell"
    ? notional
    : notional + mul(worst === ZERO ? ask : worst, order.amount - amount, "up");

interface OrderCost {
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly quote: BidAsk;
  readonly market: PreviewContext["market"];
}

function orderCostText({ side, amount }: PreparedOrder, { notional, fee, quote, market }: OrderCost): string {
  if (side === "buy")
    return `${text(notional)} ${market.quote} and a fee of at most ${text(fee)} ${market.quote}`;
  const worth = text(mul(midOf(quote), amount, "half"));
  return `${text(amount)} ${market.base} are sold, worth ${worth} ${market.quote} at the mid, for at least ${text(notional - fee)} ${market.quote} after the fee`;
}

function worstOf(
  { side, type, price, amount }: PreparedOrder,
  { base, quote }: PreviewContext["market"],
): string {
  if (type === "market")
    return `it fills at once at a worse price than shown, and the received ${side === "buy" ? base : quote} can lose value`;
  const whole = `${text(mul(price, amount, "up"))} ${quote}`;
  return side === "buy"
    ? `it fills completely: ${whole} become ${text(amount)} ${base}, which can lose value`
    : `it fills completely: ${text(amount)} ${base} become ${whole}, and the price continues to rise without them`;
}

function orderLimits(
  { needed, ...order }: PreparedOrder & { readonly needed: Decimal },
  { market, quote, balances, killed, met }: PreviewContext,
): string[] {
  const { side, amount, postOnly } = order;
  const [asset, need] = side === "buy" ? [market.quote, needed] : [market.base, amount];
  const unread = unreadBalance(balances, asset);
  const free = unread ? need : balanceIn(balances, asset).free;
  const covers =
    free >= need ? "covers it" : `lacks ${text(need - free)} ${asset}: the exchange would refuse it`;
  return [
    ...(market.minNotional === undefined
      ? []
      : [`minimum order: ${text(market.minNotional)} ${market.quote}`]),
    unread ? `free balance: unknown, ${unread.reason}` : `free balance: ${text(free)} ${asset}, ${covers}`,
    ...feeWarnings(market).map(({ message }) => message),
    ...(killed ? ["the kill switch is on: it would be refused"] : []),
    ...(postOnly && takes(order, quote)
      ? ["it would be a taker order at current prices, so it would be refused"]
      : []),
    ...(met ? [`it could fill against your own order ${restingOrderText(met)}: it would be refused`] : []),
  ];
}

/** Previews the cancel of open orders; `ofStrategies` of them belong to running strategies. */
export function previewCancel(
  exchange: string,
  orders: readonly VenueOrder[],
  ofStrategies: number,
): Preview {
  const shown = orders.slice(0, 5).map(restingOrderText).join("; ");
  const more = orders.length > 5 ? `; and ${orders.length - 5} more` : "";
  const totals = new Map<string, Decimal>();
  for (const { symbol, price, amount, filled } of orders) {
    const { quote } = splitPair(symbol);
    totals.set(quote, (totals.get(quote) ?? ZERO) + mul(price, amount - filled, "half"));
  }
  const canceled = [...totals].map(([quote, total]) => `${text(total)} ${quote}`).join(" and ");
  return {
    what: `cancel ${pluralize(orders.length, "open order")} on ${exchange}${shown ? `: ${shown}${more}` : ""}`,
    cost: canceled ? `nothing; orders of ${canceled} are canceled` : "nothing; no order is open",
    worstCase: "an order fills before its cancel arrives; the response shows it",
    limits:
      ofStrategies === 0
        ? []
        : [
            `${ofStrategies} of them belong to running strategies, which place them again; stop or pause these first`,
          ],
  };
}

// An id is the exchange's text, so it appears in a sentence only if it is a harmless word.
const restingOrderText = ({ id, side, symbol, price, amount, filled }: RestingOrder): string =>
  `${/^[\w-]{1,40}$/.test(id) ? id : "an order"} (${side} ${text(amount - filled)} of ${symbol} at ${text(price)})`;
