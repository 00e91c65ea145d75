import { cancellable } from "../../engine/decide/turn.ts";
import type { Market, Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { takes } from "../../model/own-orders.ts";
import type { GridState } from "../state/state.ts";
import { leaving } from "./trail.ts";
import { priceAtTick, sellPrice } from "./wish.ts";

/**
 * Returns orders that block the grid's next state: all for a rebuild, one for a trail step, those of removed slots,
 * and those at a price that their slot no longer uses.
 */
export function outdated(
  state: GridState,
  live: readonly Order[],
  quote?: Quote,
  market?: Pick<Market, "tick">,
): Order[] {
  if (state.rebuild) return cancellable(live);
  const going = leaving(state)?.index;
  return cancellable(live).filter(
    (order) =>
      order.generation !== state.generation ||
      order.slot === going ||
      isMisplaced(state, order, { quote, market }),
  );
}

// Found after a restore, if the backup is older than the grid's last move; or placed as a maker order next to its
// level, which is now possible at its level.
function isMisplaced(
  { slots }: GridState,
  order: Order,
  { quote, market }: { readonly quote: Quote | undefined; readonly market: Pick<Market, "tick"> | undefined },
): boolean {
  const { slot: index, side, price, timeInForce } = order;
  const slot = slots.find((slot) => slot.index === index);
  if (!slot) return false;
  const level = side === "buy" ? slot.lower : sellPrice(slot);
  const isBetter = side === "buy" ? price < level : price > level;
  const mayStay = timeInForce === "post_only" && isBetter && (!quote || takes({ side, price: level }, quote));
  const isAtTick = market !== undefined && price === priceAtTick({ side, price: level }, market);
  return price !== level && !isAtTick && !mayStay;
}
