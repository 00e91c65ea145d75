import { type Decimal, max, mul, sum, text, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import type { Limits } from "../model/limits.ts";
import type { Order } from "../model/order.ts";
import type { Exposure, KnownExposure } from "../model/proposal.ts";
import type { Both } from "../model/reserve.ts";

/** Maximum amounts that a part of a plan can sell and spend. */
export interface PlannedPart extends Both {
  /** Minimum amount that it counts as. */
  readonly least?: Decimal;
  /** Open bids: the base that they buy, and the quote that can buy again if they are canceled first. */
  readonly bids?: Both;
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

const NO_BIDS: Both = { base: ZERO, quote: ZERO };
const NO_PRICE = "the price of its market could not be read";
const NO_BOUND = "it can buy without limit";

/** Returns what a plan can sell and buy: base at the mid plus quote, and once more what an exit can sell again. */
export function exposureOf({ symbol, mid, parts, exits, largest, note }: TradingPlan): Exposure {
  if (mid === undefined || mid <= ZERO) return { trades: "unknown", why: NO_PRICE };
  if (!parts) return { trades: "unknown", why: NO_BOUND };
  const worth = ({ base, quote, least = ZERO, bids = NO_BIDS }: PlannedPart, times = 1n) =>
    max(least, mul(base, mid, "up") + quote + max(mul(bids.base, mid, "up"), times * bids.quote));
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
export const openBids = (buys: readonly Order[]): Both => {
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
