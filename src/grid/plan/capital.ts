import { type Decimal, div, min, mul, ONE, snap } from "../../kernel/decimal.ts";
import type { Capital } from "../../model/intent.ts";
import type { Market } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { OrderTerms } from "../../model/order.ts";
import type { RefusalReason } from "../../model/strategy.ts";
import { costInAll } from "../ledger/booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState } from "../state/state.ts";

type Shares = Pick<GridConfig, "maxPosition" | "safetyReserve">;

/** Returns the quote that each limited share of the capital leaves for further buys, including fees. */
export const roomsOf = (
  { maxPosition, safetyReserve }: Shares,
  { whole, quote, position, openBuys }: Capital,
): readonly { readonly reason: RefusalReason; readonly room: Decimal }[] => [
  ...(maxPosition === undefined
    ? []
    : [{ reason: "max_position" as const, room: mul(maxPosition, whole, "down") - position }]),
  ...(safetyReserve === undefined
    ? []
    : [{ reason: "safety_reserve" as const, room: quote - openBuys - mul(safetyReserve, whole, "up") }]),
];

/** Returns the part of a buy, in lots, that its capital limits allow; it can be zero. */
export function fitIntoShares(
  amount: Decimal,
  price: Decimal,
  {
    market,
    config,
    capital,
  }: { readonly market: Market; readonly config: Shares; readonly capital: Capital | undefined },
): Decimal {
  const rooms = capital ? roomsOf(config, capital).map(({ room }) => room) : [];
  const ofOne = need(market, { side: "buy", price, amount: ONE }).amount;
  const most = rooms.map((room) => (room > 0n ? snap(div(room, ofOne, "down"), market.lot, "down") : 0n));
  return most.reduce(min, amount);
}

/** Subtracts a planned order from it. */
export function committed(capital: Capital, market: Market, order: OrderTerms): Capital {
  if (order.side === "sell") return capital;
  const { amount } = need(market, order);
  return { ...capital, position: capital.position + amount, openBuys: capital.openBuys + amount };
}

/** Adds the cost of base that the grid got in this pass to its used capital. */
export function withCost(
  capital: Capital | undefined,
  before: GridState,
  after: GridState,
): Capital | undefined {
  const cost = before === after ? 0n : costInAll(after) - costInAll(before);
  return capital && { ...capital, whole: capital.whole + cost, position: capital.position + cost };
}
