import { type Decimal, text } from "../../kernel/decimal.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import type { Market } from "../../model/market.ts";
import type { Notice } from "../../model/strategy.ts";
import { gridPosition, profitOf } from "../booking.ts";
import { spacingWarnings } from "../ladder/check-rules.ts";
import { leastRatio } from "../ladder/levels.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, GridStrategy } from "../state/state.ts";
import type { MarketQuote } from "./moves.ts";

export function noticesOf(
  { state, config }: Pick<GridStrategy, "state" | "config">,
  { quote, market }: MarketQuote,
  rests: boolean,
): Notice[] {
  const isHolding = !rests && gridPosition(state) >= market.lot;
  const breakEvenPrice = isHolding ? profitOf(state, midOf(quote)).breakEvenPrice : null;
  return [
    ...spacingNotices(state, market),
    ...(state.halted ? [{ code: "loss_limit", message: state.halted } as const] : []),
    ...(isWide(quote) ? [wideNotice(config, midOf(quote))] : []),
    ...(breakEvenPrice !== null
      ? [
          {
            code: "all_below_cost",
            message: `no orders, because every sell would be below cost; it breaks even at ${text(breakEvenPrice)}: wait for that price, or let it sell for less with \`edgemaker grid edit --allow-loss\``,
          } as const,
        ]
      : []),
  ];
}

/**
 * Notice for stop prices that wait because the spread is too wide. It names no width, so it does not change with each
 * pass.
 */
function wideNotice({ stopLossPrice, takeProfitPrice }: GridConfig, mid: Decimal): Notice {
  const reached = [
    ...(stopLossPrice !== undefined && mid <= stopLossPrice ? [stopLossPrice] : []),
    ...(takeProfitPrice !== undefined && mid >= takeProfitPrice ? [takeProfitPrice] : []),
  ];
  const prices = [stopLossPrice, takeProfitPrice].flatMap((price) =>
    price === undefined ? [] : [text(price)],
  );
  if (prices.length === 0)
    return {
      code: "wide_spread",
      message:
        "the spread is too wide for a reliable mid price; the grid does not move, and a loss limit waits, until it is narrower",
    };
  const is = reached.length > 0 ? `; its mid has passed ${text(reached[0] as Decimal)}` : "";
  return {
    code: "stop_price_held_up",
    message: `the spread is wider than 2 %, so the mid price is not reliable: a loss limit waits, and the stop at ${prices.join(" or ")} waits for a narrower spread${is}; to exit now, run edgemaker grid stop <id> --sell-base`,
  };
}

// Fees can have increased since the start.
function spacingNotices({ slots }: GridState, market: Market): Notice[] {
  return spacingWarnings(leastRatio(slots), market).flatMap(({ code, message }) =>
    code === "below_break_even" ? [{ code, message }] : [],
  );
}
