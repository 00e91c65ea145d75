import { type Decimal, div, min, mul, ONE, snap } from "../../kernel/decimal.ts";
import type { Capital } from "../../model/intent.ts";
import type { Market, Side } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { RefusalReason } from "../../model/strategy.ts";
import { costInAll } from "../ledger/booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState } from "../state/state.ts";

type Shares = Pick<GridConfig, "maxPosition" | "safetyReserve">;

/** In quote, what each share of the capital leaves to further buys, fees included; those that were asked for. */
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

/** As much of a buy, in lots, as its shares of the capital leave room for; none of it may be left. */
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

/** What a planned order leaves of it. */
export function committed(
  capital: Capital,
  market: Market,
  order: { readonly side: Side; readonly price: Decimal; readonly amount: Decimal },
): Capital {
  if (order.side === "sell") return capital;
  const { amount } = need(market, order);
  return { ...capital, position: capital.position + amount, openBuys: capital.openBuys + amount };
}

/** The capital of a grid that has taken base over in this very pass: what that cost counts from now on. */
export function withTaken(
  capital: Capital | undefined,
  before: GridState,
  after: GridState,
): Capital | undefined {
  const taken = before === after ? 0n : costInAll(after) - costInAll(before);
  return capital && { ...capital, whole: capital.whole + taken, position: capital.position + taken };
}
