/** Computes how much a limited grid can still buy: the limit that counted its start applies to every later order. */
import { type Decimal, max, mul, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Order } from "../../model/order.ts";
import type { Refusal } from "../../model/strategy.ts";
import { spentOf } from "../ledger/spent.ts";
import type { GridStrategy } from "../state/state.ts";
import type { Wish } from "./wish.ts";

/** Returns the quote that further buys can spend, given its unsettled orders `live`; undefined if the grid has no limit. */
export function boundRoom(
  { config, state, symbol }: GridStrategy,
  live: readonly Order[],
): Decimal | undefined {
  if (!config.bound) return undefined;
  const open = live
    .filter(({ side }) => side === "buy")
    .map(({ price, amount, booked }) => mul(price, amount - booked, "up"));
  return max(ZERO, config.bound.spent - spentOf(state.ledger, splitPair(symbol).quote) - sum(open));
}

export const roomAfter = (room: Decimal | undefined, { side, price, amount }: Wish): Decimal | undefined =>
  room === undefined || side === "sell" ? room : room - mul(price, amount, "up");

export function beyondRoom(wish: Wish, room: Decimal | undefined): Omit<Refusal, "slot"> | undefined {
  if (room === undefined || wish.side === "sell") return undefined;
  const notional = mul(wish.price, wish.amount, "up");
  if (notional <= room) return undefined;
  const detail = `a limit allows this grid to buy for ${text(room)} more, and this order needs ${text(notional)}`;
  return { reason: "limit_exposure", detail };
}
