/** What fills come to that an action has caused, in quote: the measure that its exposure is checked against. */
import { type Decimal, max, min, mul, ZERO } from "../../../src/kernel/decimal.ts";

export interface TradedFill {
  readonly side: "buy" | "sell";
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Of an order of the exit. */
  readonly isExit: boolean;
  /** Of an order that was open before the action. */
  readonly isEarlier: boolean;
}

export interface Traded {
  /** Base that was there before the action and is sold, at the mid of the action. */
  readonly sold: Decimal;
  /** The most quote that was spent and not returned by sells. */
  readonly spent: Decimal;
  /** What exits have sold of the base that the account's quote has bought since, at its cost. */
  readonly resold: Decimal;
  readonly total: Decimal;
  /** Every fill at its own price, each turn counted again. */
  readonly gross: Decimal;
}

interface Lot {
  readonly price: Decimal;
  left: Decimal;
}

/**
 * Sells take what was bought last, as the slots of a grid do, and then what was there before. Orders that were open before
 * the action belong to what came before it: what they buy counts only when an exit of the action sells it, and what they
 * sell only pays for later buys.
 */
export function tradedIn(fills: readonly TradedFill[], mid: Decimal): Traded {
  const lots: Lot[] = [];
  let [sold, cash, spent, resold, gross] = [ZERO, ZERO, ZERO, ZERO, ZERO];
  for (const { side, price, amount, isExit, isEarlier } of fills) {
    const notional = mul(price, amount, "down");
    gross += notional;
    if (side === "buy") {
      lots.push({ price, left: amount });
      if (!isEarlier) cash += notional;
      spent = max(spent, cash);
      continue;
    }
    cash -= notional;
    const [rest, cost] = isEarlier ? [ZERO, ZERO] : takeLast(lots, amount);
    sold += mul(rest, mid, "down");
    if (isExit) resold += cost;
  }
  // What was bought for the proceeds of base that is counted as sold takes the place of that base.
  const again = min(resold, spent);
  return { sold, spent, resold: again, total: sold + spent + again, gross };
}

/** Returns the amount that the lots do not cover, and the cost of what they cover. */
function takeLast(lots: Lot[], amount: Decimal): [rest: Decimal, cost: Decimal] {
  let [rest, cost] = [amount, ZERO];
  for (let lot = lots.at(-1); lot && rest > ZERO; lot = lots.at(-1)) {
    const covered = min(rest, lot.left);
    cost += mul(covered, lot.price, "down");
    rest -= covered;
    lot.left -= covered;
    if (lot.left === ZERO) lots.pop();
  }
  return [rest, cost];
}
