import { text, wire } from "../../kernel/decimal.ts";
import type { Candle } from "../../model/market.ts";
import type { GuidedStart, GuideFields } from "../schema/guide.ts";
import type { GuidedGrid } from "./guide.ts";

/** Returns the values of a start as input for another request. */
export function startOf(request: GuideFields, guided: GuidedGrid): Omit<GuidedStart, "planHash"> {
  const { exchange, symbol, useOwnBase = false, dryRun, dryBalance } = request;
  const { lowerPrice, upperPrice, gridLevels, orderSize, stopLossPrice, takeProfitPrice, trail } = guided;
  const balances =
    dryBalance && Object.entries(dryBalance).map(([asset, amount]) => `${asset}=${text(amount)}`);
  return {
    exchange,
    symbol,
    lowerPrice: wire(lowerPrice),
    upperPrice: wire(upperPrice),
    gridLevels,
    orderSize: wire(orderSize),
    ...(stopLossPrice === undefined ? {} : { stopLossPrice: wire(stopLossPrice) }),
    ...(takeProfitPrice === undefined ? {} : { takeProfitPrice: wire(takeProfitPrice) }),
    ...(trail?.up === undefined || trail.down === undefined
      ? {}
      : { trail: { up: wire(trail.up), down: wire(trail.down) } }),
    allowLoss: false,
    useOwnBase,
    ...(dryRun ? { dryRun } : {}),
    ...(balances ? { dryBalance: balances.join(",") } : {}),
  };
}

export function pastOut(candles: readonly Candle[], span: number) {
  const lows = candles.map(({ low }) => wire(low));
  const highs = candles.map(({ high }) => wire(high));
  const [first, last] = [candles[0], candles.at(-1)];
  return {
    from: first?.at ?? 0,
    until: (last?.at ?? 0) + span,
    lowPrice: Math.min(...lows),
    highPrice: Math.max(...highs),
  };
}
