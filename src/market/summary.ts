import { type Decimal, div, mul, sum, wire, ZERO } from "../kernel/decimal.ts";
import type { Trade } from "../model/market.ts";

/** Returns counts and volumes per side, and simple and volume-weighted average prices; zeros without trades. */
export function summarize(trades: readonly Trade[]) {
  const volume = (list: readonly Trade[]): Decimal => sum(list.map(({ amount }) => amount));
  const buys = trades.filter(({ side }) => side === "buy");
  const sells = trades.filter(({ side }) => side === "sell");
  const total = volume(trades);
  const notional = sum(trades.map(({ price, amount }) => mul(price, amount, "half")));
  const prices = sum(trades.map(({ price }) => price));
  return {
    count: trades.length,
    buyCount: buys.length,
    sellCount: sells.length,
    buyVolume: wire(volume(buys)),
    sellVolume: wire(volume(sells)),
    avgPrice: wire(trades.length > 0 ? prices / BigInt(trades.length) : ZERO),
    vwap: wire(total > ZERO ? div(notional, total, "half") : ZERO),
  };
}
