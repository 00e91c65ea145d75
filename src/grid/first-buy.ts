import { snap, ZERO } from "../kernel/decimal.ts";
import type { Order, Strategy } from "../records.ts";
import { held } from "./booking.ts";
import { drawAll } from "./draw.ts";
import { grossed, takingPrice } from "./exit.ts";
import { firstAmount } from "./layout.ts";
import { totalBase } from "./lots.ts";
import { meetsMinimum } from "./minimum.ts";
import { type Funds, type Intent, need } from "./plan.ts";
import { FIRST_BUY_SLOT, type GridState, highestSequence } from "./state.ts";
import type { Turn } from "./turn.ts";

/** So many orders at most: what they do not reach the slots go without. */
const MOST_TRIES = 5;

export interface FirstBuy {
  readonly state: GridState;
  readonly intents: readonly Intent[];
  readonly funds: Funds | undefined;
}

/** Buys what selling slots lack at the start, with an immediate order, and gives it to them. */
export function firstBuy(
  { state: before, config }: Strategy,
  live: readonly Order[],
  { sight, funds, killed, limit, held: isHeld }: Omit<Turn, "held"> & { held: boolean },
): FirstBuy {
  const none = (state: GridState): FirstBuy => ({ state, intents: [], funds });
  const { market, quote } = sight;
  const isUnderWay = live.some(({ slot }) => slot === FIRST_BUY_SLOT);
  if (!before.firstBuy || !market || !quote || isUnderWay) return none(before);
  const state = drawAll(before, config, market);
  const lacking = state.slots.filter((slot) => slot.side === "sell" && held(slot) === ZERO);
  const whole = lacking.reduce((total, slot) => total + firstAmount(market, slot), ZERO);
  const amount = snap(grossed(whole - totalBase(state.idle), market), market.lot, "up");
  const price = takingPrice(quote, market);
  const isOver = state.firstBuy === null || state.firstBuy.tries >= MOST_TRIES;
  if (isOver || whole === ZERO || !meetsMinimum(market, price, amount))
    return none({ ...state, firstBuy: null });
  if (killed || isHeld || !market.active || !funds || limit < 1) return none(state);
  const { asset, amount: needed } = need(market, { side: "buy", price, amount });
  if (needed > (funds[asset] ?? ZERO)) return none({ ...state, firstBuy: null });
  const tries = (state.firstBuy?.tries ?? 0) + 1;
  return {
    state: { ...state, firstBuy: { tries } },
    intents: [{ slot: FIRST_BUY_SLOT, sequence: highestSequence(state) + tries, side: "buy", price, amount }],
    funds: { ...funds, [asset]: (funds[asset] ?? ZERO) - needed },
  };
}
