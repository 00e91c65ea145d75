import {
  type Decimal,
  div,
  max,
  mul,
  mulDiv,
  ONE,
  readable,
  roundToStep,
  text,
  ZERO,
} from "../../kernel/decimal.ts";
import { AppError, type Label } from "../../kernel/errors.ts";
import { type Balance, balanceIn } from "../../model/account.ts";
import { leastAmount, type Market } from "../../model/market.ts";
import { need } from "../../model/strategy.ts";
import type { GridConfig } from "../state/config.ts";
import type { Slot } from "../state/state.ts";
import { firstAmount } from "./levels.ts";

export interface Warning {
  readonly code:
    | "below_break_even"
    | "below_taker_break_even"
    | "fees_assumed"
    | "market_outside"
    | "low_confidence"
    | "funds_missing"
    | "own_base_used"
    | "stops_at_once"
    | "ends_at_once"
    | "idle_base"
    | "limit_met";
  readonly message: string;
}

const FARTHEST_FROM_MARKET = 1000n;

type RulePrices = Pick<
  GridConfig,
  "upperPrice" | "takeProfitPrice" | "triggerPrice" | "stopLossPrice" | "trail"
> & {
  readonly gridSpacing?: Decimal | undefined;
};

/** Refuses unrealistic prices, which are mistakes and could not be computed with. */
export function checkPrices(request: RulePrices, mid: Decimal): void {
  const { upperPrice, gridSpacing, stopLossPrice, takeProfitPrice, triggerPrice, trail } = request;
  const most = mid * FARTHEST_FROM_MARKET;
  const refuse = (label: Label, name: string): never => {
    throw new AppError(
      label,
      `${name} is more than ${FARTHEST_FROM_MARKET} times the market's price, ${text(mid)}`,
    );
  };
  const isFar = (price: Decimal | undefined): boolean => price !== undefined && price > most;
  if (isFar(upperPrice)) refuse("Invalid range", "upperPrice");
  if (isFar(gridSpacing)) refuse("Invalid spacing", "gridSpacing");
  const others = { stopLossPrice, takeProfitPrice, triggerPrice, "trail.up": trail?.up };
  for (const [name, price] of Object.entries(others)) if (isFar(price)) refuse("Invalid price", name);
}

/**
 * Checks the minimums of every order that a slot can place: its buy, the sell of the bought base, its first sell.
 * `name` is the input field of the size, of which a slot's size can be a multiple.
 */
export function checkMinimum(
  slots: readonly Slot[],
  market: Market,
  { name, size }: { readonly name: string; readonly size: Decimal },
): void {
  if (slots.every((slot) => slot.size >= leastSize(slot, market))) return;
  const least = slots.reduce(
    (most, slot) => max(most, mulDiv(leastSize(slot, market), { times: size, over: slot.size }, "up")),
    ZERO,
  );
  throw new AppError(
    "Invalid order size",
    `${name} must be at least ${text(readable(least))} ${market.quote} here; the exchange accepts no smaller orders`,
  );
}

/** Returns the smallest quote size with which the exchange accepts every order of a slot. */
export function leastSize({ lower, upper }: Slot, market: Market): Decimal {
  const buy = leastBuy({ lower, upper }, market);
  const firstSell = leastAmount(market, upper);
  return max(mul(buy, lower, "up"), mul(firstSell, upper, "up"));
}

// A fee in base reduces what a buy gets, which is rounded down to the lot before it is sold.
function leastBuy({ lower, upper }: Pick<Slot, "lower" | "upper">, market: Market): Decimal {
  const fee = market.buyFeeIn !== "quote" ? max(market.maker, market.taker) : ZERO;
  const gross = roundToStep(div(leastAmount(market, upper), ONE - fee, "up"), market.lot, "up");
  return max(leastAmount(market, lower), gross);
}

/** Returns warnings about fees for slots whose prices are at least this ratio apart. */
export function spacingWarnings(ratio: Decimal, market: Market): Warning[] {
  const breakEven = breakEvenRatio(restingFees(market));
  const percent = (value: Decimal) =>
    text(roundToStep(mul(value - ONE, 100n * ONE, "up"), ONE / 10_000n, "up"));
  if (ratio < breakEven) {
    const output = `the smallest distance between levels is ${percent(ratio)} %, but fees cost ${percent(breakEven)} %`;
    return [{ code: "below_break_even", message: `every cycle loses money: ${output}` }];
  }
  if (ratio >= worstRatio(market)) return [];
  return [
    {
      code: "below_taker_break_even",
      message: "a cycle loses money if one of its orders pays the taker fee",
    },
  ];
}

/** Does the same, and refuses unless a loss is allowed; the error suggests a spacing. */
export function checkSpacing(
  warnings: readonly Warning[],
  allowLoss: boolean | undefined,
  advice: () => string,
): readonly Warning[] {
  const losing = warnings.find(({ code }) => code === "below_break_even");
  if (losing && allowLoss === false)
    throw new AppError("Invalid spacing", `${losing.message}; ${advice()}, or set allowLoss`);
  return warnings;
}

export function outside(levels: readonly Decimal[], price: Decimal): Warning[] {
  const [lowest, highest] = [levels[0] as Decimal, levels.at(-1) as Decimal];
  if (price >= lowest && price <= highest) return [];
  return [
    {
      code: "market_outside",
      message: `the market is at ${text(price)}, outside the grid: it waits on one side until the price returns`,
    },
  ];
}

interface FundsUse {
  /** The start buys missing base, for about what its sells bring. */
  readonly initialBuy?: boolean | undefined;
  /** A slot without base can buy later, after the price was above it. */
  readonly mayWait?: boolean | undefined;
}

/** Refuses a start for lack of funds only if it could place no order at all. */
export function checkFunds(
  slots: readonly Slot[],
  market: Market,
  balances: readonly Balance[],
  { initialBuy = false, mayWait = false }: FundsUse = {},
): void {
  const free = (asset: string) => balanceIn(balances, asset).free;
  const later = mayWait ? slots.map((slot) => ({ ...slot, side: "buy" as const })) : [];
  const orders = [...slots, ...later].map((slot) => ({
    side: initialBuy ? ("buy" as const) : slot.side,
    price: slot.side === "buy" ? slot.lower : slot.upper,
    amount: firstAmount(market, slot),
  }));
  if (orders.some((order) => need(market, order).amount <= free(need(market, order).asset))) return;
  const needs = orders.map((order) => need(market, order)).sort((a, b) => (a.amount < b.amount ? -1 : 1));
  const short = needs.map(({ asset, amount }) => ({ asset, lacks: amount - free(asset) }))[0];
  const asset = short?.asset ?? market.quote;
  const way = asset === market.base && !initialBuy ? "set initialBuy to buy it" : "set a smaller orderSize";
  throw new AppError(
    "Start failed",
    `no order could be placed: the account lacks ${text(short?.lacks ?? ZERO)} ${asset}; deposit it, or ${way}`,
  );
}

interface CycleFees {
  /** Rates as shares of the notional. */
  readonly buy: Decimal;
  readonly sell: Decimal;
  /** Asset of the buy's fee; base is more expensive. */
  readonly buyFeeIn: Market["buyFeeIn"];
}

/**
 * Returns the smallest s/b at which buying at b and selling at s covers the fees, rounded up. Fee in quote: b(1 + f)
 * = s(1 − g). Fee in base: (1 − f)(1 − g)·s/b = 1.
 */
export const breakEvenRatio = ({ buy, sell, buyFeeIn }: CycleFees): Decimal =>
  buyFeeIn === "quote"
    ? div(ONE + buy, ONE - sell, "up")
    : div(ONE, mul(ONE - buy, ONE - sell, "down"), "up");

/** Returns the net profit of one cycle as a share of the notional bought, rounded down; s and b in quote. */
export function netOfCycle({
  buyAt,
  sellAt,
  fees,
}: {
  buyAt: Decimal;
  sellAt: Decimal;
  fees: CycleFees;
}): Decimal {
  const ratio = div(sellAt, buyAt, "down");
  const { buy, sell, buyFeeIn } = fees;
  if (buyFeeIn !== "quote") return mul(mul(ONE - buy, ONE - sell, "down"), ratio, "down") - ONE;
  return ratio - ONE - buy - mul(sell, ratio, "up");
}

/** Returns the fees of a cycle with maker orders only, and the worst fees if one of them is a taker order. */
export const restingFees = ({ maker, buyFeeIn }: Market): CycleFees => ({
  buy: maker,
  sell: maker,
  buyFeeIn,
});

export function worstRatio({ maker, taker, buyFeeIn }: Market): Decimal {
  const takesBuy = breakEvenRatio({ buy: taker, sell: maker, buyFeeIn });
  const takesSell = breakEvenRatio({ buy: maker, sell: taker, buyFeeIn });
  return takesBuy > takesSell ? takesBuy : takesSell;
}

/** Returns the fee rate of a buy in quote, as maker or taker. */
export const quoteFee = ({ maker, taker, buyFeeIn }: Market): Decimal =>
  buyFeeIn !== "base" ? max(maker, taker) : ZERO;
