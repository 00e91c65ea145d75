import { useRef } from "hono/jsx/dom";
import { TIMEFRAMES } from "../../kernel/time.ts";
import { useEffect } from "../effect.ts";
import { type Loaded, useLoad } from "../live.ts";
import type { CandlesAnswer } from "../types.ts";
import { type Priced, type ShownCandles, withPrice } from "./candles.ts";

const NO_CANDLES: ShownCandles = [];
const CANDLES_LOADED = 200;

/**
 * Loads candles and moves them with the price of each pass, so that an open page makes no requests to an exchange. It
 * loads them again only if the page has missed whole candles.
 */
export function useMovingCandles(
  market: Readonly<Record<"exchange" | "symbol", string>> & { readonly timeframe: keyof typeof TIMEFRAMES },
  priced: Priced,
): { readonly candles: ShownCandles; readonly loaded: Loaded<CandlesAnswer> } {
  const loaded = useLoad<CandlesAnswer>("GET /ohlcv", { ...market, limit: CANDLES_LOADED });
  const length = TIMEFRAMES[market.timeframe];
  const moved = useRef<{ from?: CandlesAnswer | undefined; candles: ShownCandles }>({ candles: NO_CANDLES });
  const isSame = moved.current?.from === loaded.data;
  const before = (isSame ? moved.current?.candles : loaded.data?.candles) ?? NO_CANDLES;
  const candles = withPrice(before, length, priced);
  moved.current = { from: loaded.data, candles };
  const [previous, last] = [candles.at(-2), candles.at(-1)];
  const missed = previous && last && last.timestamp - previous.timestamp > length ? last.timestamp : 0;
  useEffect(() => {
    if (missed > 0) loaded.again();
    return undefined;
  }, [missed]);
  return { candles, loaded };
}
