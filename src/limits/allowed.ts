import { type Decimal, decimal, max, mul, sum, text, ZERO } from "../kernel/decimal.ts";
import { AppError } from "../kernel/errors.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import { ageOf, type Millis } from "../kernel/time.ts";
import { exchangeName } from "../model/account.ts";
import type { LimitCode, LimitName, LimitRefusal, Limits, LimitUsage, UsedAmounts } from "../model/limits.ts";
import type { BidAsk } from "../model/market.ts";
import type { NewOrder, Order } from "../model/order.ts";
import type { Exposure, KnownExposure, UnknownExposure } from "../model/proposal.ts";
import type { PairAmounts } from "../model/strategy.ts";
import { showLimit } from "./texts.ts";

/** An order that is about to be recorded. */
export interface OrderToCheck extends Omit<NewOrder, "clientId" | "timeInForce"> {
  /** Price of a limit order; for a market order, the worst price in the book, 0 if the book was not read. */
  readonly price: Decimal;
  /** The part of a sell that its strategy bought. Limits on the size of an order or a day do not count it. */
  readonly ownBase?: Decimal | undefined;
}

/** Market data from the last read before the order leaves. */
export interface MarketLook {
  readonly quote: BidAsk;
  /** Market time; absent if prices are simulated, which are always current. */
  readonly now?: Millis | undefined;
}

/**
 * Returns why an order is refused; undefined if it is allowed. Every order passes this check. The statement that
 * records the order repeats the parts that other orders can change meanwhile. A sell of what its strategy bought counts
 * as nothing: a limit must not prevent the end of a position.
 */
export function allowed(
  order: OrderToCheck,
  look: MarketLook,
  { scope, actor, limits, used }: LimitUsage,
): LimitRefusal | undefined {
  const counted = countedNotional(order, look.quote);
  const result = { order, look, limits, counted, scope: actor === null ? "" : scope };
  const whose = actor === null ? exchangeName(scope.replace(/^account:/, "")) : "this token";
  return (
    ofSymbol(result) ??
    ofPriceAge(result) ??
    ofCollar(result) ??
    (counted === ZERO ? undefined : (ofOrder(result) ?? beyondDayLimit(result, used, whose))) ??
    beyondOrderLimit(result, used) ??
    withinOrderGap(result, used)
  );
}

/** Some exchanges convert a market buy to a limit order this far above the ask. */
const MARKET_BUY_WITHIN: Decimal = decimal("1.01");

/**
 * Returns the maximum notional of an order in quote: a buy at its maximum cost, a sell at its limit price or the mid,
 * whichever is higher, without the base that its strategy bought.
 */
export function countedNotional(
  { side, type, price, amount, ownBase = ZERO }: OrderToCheck,
  quote: BidAsk,
): Decimal {
  const atMarket = side === "buy" ? max(price, mul(quote.ask, MARKET_BUY_WITHIN, "up")) : quote.bid;
  const limit = type === "market" ? atMarket : price;
  return mul(side === "buy" && type === "limit" ? limit : max(limit, midOf(quote)), amount - ownBase, "up");
}

/** Returns the usage after an allowed order. */
export function withOrder(standing: LimitUsage, order: OrderToCheck, quote: BidAsk): LimitUsage {
  const { used } = standing;
  const asset = splitPair(order.symbol).quote;
  const today = { ...used.today, [asset]: (used.today[asset] ?? ZERO) + countedNotional(order, quote) };
  const openOrders = used.openOrders === null ? null : used.openOrders + 1;
  return { ...standing, used: { ...used, today, openOrders, lastAt: used.now } };
}

interface LimitedOrder {
  readonly order: OrderToCheck;
  readonly look: MarketLook;
  readonly limits: Limits;
  readonly counted: Decimal;
  /** Id of the token that the limits belong to; empty for the account's. */
  readonly scope: string;
}

const orderText = ({ side, type, price, amount, symbol }: OrderToCheck): string =>
  `${side} ${text(amount)} ${splitPair(symbol).base} ${type === "limit" ? `at ${text(price)} ${splitPair(symbol).quote}` : "at the market"}`;

/** Returns the command that changes a limit, unless the process's settings fix it. */
export const changeCommandOf = (name: LimitName, scope = ""): string =>
  `an administrator can change it: edgemaker limits set ${scope === "" ? "" : `--scope ${scope} `}--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} …`;

const limitRefusal = (
  reason: LimitCode,
  name: LimitName,
  { limits, order, scope }: LimitedOrder,
  why: string,
): LimitRefusal => ({
  reason,
  detail: `the limit ${name} is ${showLimit(limits[name])}, but this order, ${orderText(order)}, ${why}; ${changeCommandOf(name, scope)}`,
});

/** Returns the refusal as an error, the same for every interface. */
export const limitError = ({ reason, detail }: LimitRefusal): AppError =>
  new AppError("Forbidden", detail, { fields: { limit: reason } });

/** Returns why a market order would fill beyond the collar or exceed the visible book; undefined if neither applies. */
export function thinBook(
  { order, look, limits }: Pick<LimitedOrder, "order" | "look" | "limits">,
  { worst, missing }: { readonly worst: Decimal; readonly missing: Decimal },
): LimitRefusal | undefined {
  const result = { order, look, limits, counted: ZERO, scope: "" };
  const { collarPercent, dayNotional, orderNotional } = limits;
  const why = `is ${text(missing)} more than the order book has, so the price of the rest is unknown`;
  if (missing > ZERO && collarPercent !== undefined)
    return limitRefusal("limit_collar", "collarPercent", result, why);
  if (missing > ZERO && dayNotional !== undefined)
    return limitRefusal("limit_unknown", "dayNotional", result, why);
  if (missing > ZERO && orderNotional !== undefined)
    return limitRefusal("limit_unknown", "orderNotional", result, why);
  return worst > ZERO ? ofCollar({ ...result, order: { ...order, type: "limit", price: worst } }) : undefined;
}

function ofSymbol(limitedOrder: LimitedOrder): LimitRefusal | undefined {
  const { limits, order } = limitedOrder;
  if (limits.symbols === undefined || limits.symbols.includes(order.symbol)) return undefined;
  return limitRefusal("limit_symbol", "symbols", limitedOrder, `is in ${order.symbol}`);
}

function ofPriceAge(limitedOrder: LimitedOrder): LimitRefusal | undefined {
  const { quote, now } = limitedOrder.look;
  const { priceAgeMillis } = limitedOrder.limits;
  if (priceAgeMillis === undefined || now === undefined || now - quote.at <= priceAgeMillis) return undefined;
  return limitRefusal(
    "limit_price_age",
    "priceAgeMillis",
    limitedOrder,
    `would use a price that is ${now - quote.at} ms old`,
  );
}

const HUNDRED = 100n;

/** Refuses executions beyond the collar, which protects against typing errors and thin books. */
function ofCollar(limitedOrder: LimitedOrder): LimitRefusal | undefined {
  const { order, look, limits } = limitedOrder;
  const { collarPercent } = limits;
  if (collarPercent === undefined) return undefined;
  const { bid, ask } = look.quote;
  const mid = midOf(look.quote);
  const far = mul(mid, collarPercent / HUNDRED, "down");
  const worst = order.type === "limit" ? order.price : order.side === "buy" ? ask : bid;
  const isThrough = order.side === "buy" ? worst > mid + far : worst < mid - far;
  if (bid > ZERO && ask > ZERO && !isThrough) return undefined;
  const why = isThrough
    ? `could execute at ${text(worst)}`
    : "has no price to compare with: the book is empty";
  return limitRefusal(
    "limit_collar",
    "collarPercent",
    limitedOrder,
    `${why}, and the mid price is ${text(mid)}`,
  );
}

function ofOrder(limitedOrder: LimitedOrder): LimitRefusal | undefined {
  const { orderNotional } = limitedOrder.limits;
  const { quote } = splitPair(limitedOrder.order.symbol);
  if (orderNotional === undefined) return undefined;
  const most = orderNotional[quote];
  if (most === undefined)
    return limitRefusal(
      "limit_order",
      "orderNotional",
      limitedOrder,
      `is in ${quote}, which the limit does not include`,
    );
  if (limitedOrder.counted <= most) return undefined;
  return limitRefusal(
    "limit_order",
    "orderNotional",
    limitedOrder,
    `counts as ${text(limitedOrder.counted)} ${quote}`,
  );
}

function beyondDayLimit(
  limitedOrder: LimitedOrder,
  { today }: UsedAmounts,
  whose: string,
): LimitRefusal | undefined {
  const { dayNotional } = limitedOrder.limits;
  const { quote } = splitPair(limitedOrder.order.symbol);
  if (dayNotional === undefined) return undefined;
  const most = dayNotional[quote];
  if (most === undefined)
    return limitRefusal(
      "limit_day",
      "dayNotional",
      limitedOrder,
      `is in ${quote}, which the limit does not include`,
    );
  const before = today[quote] ?? ZERO;
  if (before + limitedOrder.counted <= most) return undefined;
  const why = `counts as ${text(limitedOrder.counted)} ${quote}, in addition to the ${text(before)} ${quote} that ${whose} used today; ${DAY_FREES}`;
  return limitRefusal("limit_day", "dayNotional", limitedOrder, why);
}

/** When a daily limit resets. */
const DAY_FREES = "the limit resets at 00:00 UTC";

/** Returns why a token's limits refuse an action; undefined if they allow it. */
export function exceedsToken(
  exposure: KnownExposure | UnknownExposure,
  { limits, used, scope }: Pick<LimitUsage, "limits" | "used" | "scope">,
): LimitRefusal | undefined {
  const refused = (reason: LimitCode, name: LimitName, why: string): LimitRefusal => ({
    reason,
    detail: `the limit ${name} of this token is ${showLimit(limits[name])}, and ${why}; ${changeCommandOf(name, scope)}`,
  });
  const { symbols, orderNotional, dayNotional } = limits;
  if (exposure.trades === "unknown") {
    const name = dayNotional ? "dayNotional" : orderNotional ? "orderNotional" : "symbols";
    return refused("limit_unknown", name, `the amount that this can trade is unknown: ${exposure.why}`);
  }
  const { symbol, counted, largest } = exposure;
  const { quote: asset } = splitPair(symbol);
  const what = `this can use ${text(counted)} ${asset} (${exposureText(exposure)})`;
  if (symbols && !symbols.includes(symbol))
    return refused("limit_symbol", "symbols", `this trades ${symbol}`);
  if (orderNotional && largest > (orderNotional[asset] ?? ZERO))
    return refused("limit_order", "orderNotional", `its largest order counts as ${text(largest)} ${asset}`);
  const before = used.today[asset] ?? ZERO;
  if (!dayNotional || before + counted <= (dayNotional[asset] ?? ZERO)) return undefined;
  const why = `${what}, in addition to the ${text(before)} ${asset} that the token used today; ${DAY_FREES}`;
  return refused("limit_day", "dayNotional", why);
}

function beyondOrderLimit(limitedOrder: LimitedOrder, { openOrders }: UsedAmounts): LimitRefusal | undefined {
  const most = limitedOrder.limits.openOrders;
  if (most === undefined || (openOrders !== null && openOrders < most)) return undefined;
  return limitRefusal(
    "limit_open_orders",
    "openOrders",
    limitedOrder,
    `would be open in addition to ${openOrders} others`,
  );
}

function withinOrderGap(limitedOrder: LimitedOrder, { lastAt, now }: UsedAmounts): LimitRefusal | undefined {
  const { orderGapMillis } = limitedOrder.limits;
  if (orderGapMillis === undefined || lastAt === null || ageOf(lastAt, now) >= orderGapMillis)
    return undefined;
  return limitRefusal(
    "limit_gap",
    "orderGapMillis",
    limitedOrder,
    `comes ${now - lastAt} ms after the previous one`,
  );
}

/** Maximum amounts that a part of a plan can sell and spend. */
export interface PlannedPart extends PairAmounts {
  /** Minimum amount that it counts as. */
  readonly minCounted?: Decimal;
  /** Open bids: the base that they buy, and the quote that can buy again if they are canceled first. */
  readonly bids?: PairAmounts;
}

/** The trading part of a plan. */
export interface TradingPlan {
  readonly symbol: Pair;
  /** Price at which base is counted; undefined if the market could not be read. */
  readonly mid: Decimal | undefined;
  /** One part per slot, budget and order; undefined if nothing limits them. */
  readonly parts: readonly PlannedPart[] | undefined;
  /** Whether it can sell its base automatically: at a stop price, a take-profit price or a loss limit. */
  readonly exits: boolean;
  /** Its largest order in quote; default: the largest part. */
  readonly largest?: Decimal | undefined;
  readonly note?: string | undefined;
}

const NO_BIDS: PairAmounts = { base: ZERO, quote: ZERO };
const NO_PRICE = "the price of its market could not be read";
const NO_BOUND = "it can buy without limit";

/** Returns what a plan can sell and buy: base at the mid plus quote, and once more what an exit can sell again. */
export function exposureOf({ symbol, mid, parts, exits, largest, note }: TradingPlan): Exposure {
  if (mid === undefined || mid <= ZERO) return { trades: "unknown", why: NO_PRICE };
  if (!parts) return { trades: "unknown", why: NO_BOUND };
  const worth = ({ base, quote, minCounted = ZERO, bids = NO_BIDS }: PlannedPart, times = 1n) =>
    max(minCounted, mul(base, mid, "up") + quote + max(mul(bids.base, mid, "up"), times * bids.quote));
  const quote = sum(parts.map((part) => part.quote));
  const resold = exits ? quote : ZERO;
  return {
    trades: "known",
    symbol,
    base: sum(parts.map(({ base, bids = NO_BIDS }) => base + bids.base)),
    quote,
    exits: resold,
    counted: sum(parts.map((part) => worth(part, exits ? 2n : 1n))) + resold,
    largest: largest ?? parts.map((part) => worth(part)).reduce(max, ZERO),
    ...(note === undefined ? {} : { note }),
  };
}

/** Returns the base that open buys can still add, and the quote that they lock. */
export const openBids = (buys: readonly Order[]): PairAmounts => {
  const left = buys.map(({ amount, booked, price }) => ({ price, base: max(ZERO, amount - booked) }));
  return {
    base: sum(left.map(({ base }) => base)),
    quote: sum(left.map(({ price, base }) => mul(base, price, "up"))),
  };
};

/** Returns whether a loss limit makes the engine sell the base of strategies in this quote asset. */
export const exitsOnLoss = ({ onLoss, strategyLoss, accountLoss }: Limits, asset: string): boolean =>
  onLoss === "stop" && (strategyLoss?.[asset] ?? accountLoss?.[asset]) !== undefined;

/** Describes an exposure: "sell 1.9 BTC and buy for 20 USDT". */
export function exposureText({ symbol, base, quote, exits, note }: KnownExposure): string {
  const pair = splitPair(symbol);
  const sells = base > ZERO ? [`sell ${text(base)} ${pair.base}`] : [];
  const buys = quote > ZERO ? [`buy for ${text(quote)} ${pair.quote}`] : [];
  const again = exits > ZERO ? ["sell again what it buys"] : [];
  const all = [...sells, ...buys, ...again].join(", ") || "trade nothing";
  return note === undefined ? all : `${all}: ${note}`;
}
