import { type Candles, candlesOfPrices, type PricedCandle, slice } from "../../candles/candles.ts";
import { createTapeReader } from "../../candles/tape/read.ts";
import { hashTape, sliceTape, type TapeFile, type TapeReading } from "../../candles/tape/tape.ts";
import { CANDLE_PAGE } from "../../candles/windows.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Market, Trade } from "../../model/market.ts";
import type { Call } from "../../operation.ts";
import type { CandlesRequest } from "../../ports/candles.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { floatUnits } from "../paper/positions.ts";

/** Input fields that replace a market's rules. */
export interface MarketFields {
  readonly tick?: Decimal | undefined;
  readonly lot?: Decimal | undefined;
  readonly makerFee?: Decimal | undefined;
  readonly takerFee?: Decimal | undefined;
  readonly minNotional?: Decimal | undefined;
  readonly feeIn?: "base" | "quote" | undefined;
}

/** Returns candles of a time span, stored ones or the exchange's. Throws AppError if there are none. */
export async function pastOf(deps: Deps, request: CandlesRequest, call: Call): Promise<Candles> {
  const found = (await deps.kept?.candles(request)) ?? (await requestedCandles(deps, request, call));
  const candles = slice(found, request.since ?? 0, request.until ?? Number.MAX_SAFE_INTEGER);
  if (candles.times.length === 0)
    throw new AppError("Invalid request", `there are no candles of ${request.symbol} in this period`);
  return candles;
}

/** Returns recorded trades of a time span, from the given file or the exchange's newest trades. Undefined for bars. */
export async function tapeOf(
  deps: Deps,
  { exchange, symbol, timeframe, since, until }: TapeRequest,
): Promise<TapeFile | undefined> {
  const file = await deps.kept?.tape?.(symbol);
  const found =
    file ?? (timeframe === "trades" ? await requestedTape(deps, { exchange, symbol }) : undefined);
  if (!found) return undefined;
  const tape = sliceTape(found.tape, since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  if (tape.prints.times.length === 0)
    throw new AppError("Invalid request", `there are no trades of ${symbol} in this period`);
  return { ...found, tape };
}

interface TapeRequest extends Omit<CandlesRequest, "span"> {
  readonly timeframe: string;
}

const MOST_TRADES = 1000;

async function requestedTape(deps: Deps, { exchange, symbol }: Pick<CandlesRequest, "exchange" | "symbol">) {
  const results = await forAnyone(deps.venue(exchange)).trades(symbol, MOST_TRADES);
  if (results.length === 0) throw new AppError("Invalid request", `${exchange} has no trades of ${symbol}`);
  const reading = tapeOfTrades(symbol, results);
  return { ...reading, hash: await hashTape(reading.tape) };
}

/** Returns the market's rules with replacements from the input; if all are given, it makes no request. */
export async function marketOf(
  deps: Deps,
  { exchange, symbol }: Pick<CandlesRequest, "exchange" | "symbol">,
  fields: MarketFields,
): Promise<Market> {
  const { tick, lot, makerFee, takerFee, minNotional, feeIn } = fields;
  if (tick !== undefined && lot !== undefined && makerFee !== undefined)
    return {
      symbol,
      ...splitPair(symbol),
      active: true,
      tick,
      lot,
      minAmount: lot,
      minNotional: minNotional ?? 0n,
      maker: makerFee,
      taker: takerFee ?? makerFee,
      buyFeeIn: feeIn ?? "quote",
    };
  const known = await forAnyone(deps.venue(exchange)).market(symbol);
  return {
    ...known,
    active: true,
    tick: tick ?? known.tick,
    lot: lot ?? known.lot,
    minNotional: minNotional ?? known.minNotional,
    maker: makerFee ?? known.maker,
    taker: takerFee ?? known.taker,
    buyFeeIn: feeIn ?? known.buyFeeIn,
  };
}

/** Maximum number of candle requests for one backtest. */
const MOST_PAGES = 30;

/** Requests candles from the exchange, page by page from `since` on. */
async function requestedCandles(
  deps: Deps,
  { exchange, symbol, span, since, until }: CandlesRequest,
  call: Call,
): Promise<Candles> {
  const data = forAnyone(deps.venue(exchange));
  const end = until ?? Number.MAX_SAFE_INTEGER;
  if (since !== undefined && until !== undefined && (until - since) / span > CANDLE_PAGE * MOST_PAGES)
    throw new AppError(
      "Invalid request",
      `more than ${CANDLE_PAGE * MOST_PAGES} candles are too many for one request; download them first, or use a longer timeframe`,
    );
  const rows = new Map<Millis, PricedCandle>();
  let from = since;
  for (let page = 0; page < MOST_PAGES; page++) {
    await betweenParts(deps.local, call);
    const results = await data.candles(symbol, { span, limit: CANDLE_PAGE, since: from });
    for (const row of results) rows.set(row.at, { ...row, volume: floatUnits(row.volume) });
    const last = results.at(-1)?.at;
    // The newest bar is incomplete: nothing comes after it.
    if (since === undefined || last === undefined || last + span >= end || results.length < CANDLE_PAGE / 2)
      break;
    from = last + span;
  }
  return candlesOfPrices({ pair: symbol, spanMillis: span }, [...rows.values()]);
}

/** Converts an exchange's public trades, in any order, to a tape like a file's. */
function tapeOfTrades(pair: Pair, trades: readonly Trade[]): TapeReading {
  const reader = createTapeReader({ pair });
  const results = [...trades].sort((a, b) => a.at - b.at);
  const lines = results.map(({ id, at, price, amount }) =>
    JSON.stringify({ id, timestamp: at, price: text(price), amount: text(amount) }),
  );
  reader.push(new TextEncoder().encode(lines.join("\n")));
  return reader.end();
}
