import { type Candles, candlesOf, slice } from "../../candles/candles.ts";
import { centeredOf, rangeOf } from "../../grid/start/asked.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import type { Market } from "../../ports/market.ts";
import { backtest } from "../backtest.ts";
import type { AskedGrid } from "../begin.ts";
import {
  answerOf,
  type BacktestAnswer,
  BacktestShape,
  backtestTold,
  backtestView,
  fillsCsv,
} from "../schema/answer.ts";
import {
  type BacktestFields,
  centeredBacktestInput,
  partsOf,
  rangeBacktestInput,
  TIMEFRAMES,
} from "../schema/input.ts";

interface Asking {
  readonly where: { readonly exchange: string; readonly symbol: Pair };
  readonly asked: AskedGrid;
  readonly balances: Readonly<Record<string, Decimal>> | undefined;
  readonly fields: BacktestFields;
}

async function run(deps: Deps, { where, asked, balances, fields }: Asking): Promise<BacktestAnswer> {
  const { exchange, symbol } = where;
  const span = TIMEFRAMES[fields.timeframe];
  const { since, until } = fields;
  const kept = await deps.kept?.candles({ exchange, symbol, span, since, until });
  const found = kept ?? (await askedCandles(deps, { ...where, span, since, until }));
  const candles = slice(found, since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  if (candles.times.length === 0)
    throw new AppError("Invalid request", `there are no candles of ${symbol} in this time`);
  const market = await marketOf(deps, where, fields);
  const result = backtest(asked, candles, {
    market,
    balances: balances && Object.entries(balances).map(([asset, free]) => ({ asset, free, used: 0n })),
    rules: {
      fill: fields.fill,
      extremes: fields.extremes,
      spread: fields.spread,
      slippage: fields.slippage,
      tickInterval: fields.tickInterval,
    },
    withBand: true,
  });
  const last = candles.times[Math.max(0, result.run.bars - 1)] as Millis;
  return answerOf({ exchange, fills: fields.fills }, result, {
    from: candles.from,
    until: last + candles.spanMillis,
  });
}

/** The market's rules with what was asked in their place; where all are given nobody is asked for them. */
async function marketOf(
  deps: Deps,
  { exchange, symbol }: Asking["where"],
  fields: BacktestFields,
): Promise<Market> {
  const { tick, lot, makerFee, takerFee, minNotional, feeIn } = fields;
  const isGiven = tick !== undefined && lot !== undefined && makerFee !== undefined;
  const known = isGiven
    ? {
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
      }
    : await forAnyone(deps.venue(exchange)).market(symbol);
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

/** So many candles an exchange tells at once, and so many questions one backtest is worth. */
const PAGE = 1000;
const MOST_PAGES = 30;

interface Wanted {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly span: Millis;
  readonly since: Millis | undefined;
  readonly until: Millis | undefined;
}

/** Asks the exchange, page by page from `since` on. */
async function askedCandles(deps: Deps, { exchange, symbol, span, since, until }: Wanted): Promise<Candles> {
  const data = forAnyone(deps.venue(exchange));
  const end = until ?? Number.MAX_SAFE_INTEGER;
  if (since !== undefined && until !== undefined && (until - since) / span > PAGE * MOST_PAGES)
    throw new AppError(
      "Invalid request",
      `more than ${PAGE * MOST_PAGES} bars are not asked of an exchange at once: download them first, or use a longer timeframe`,
    );
  const rows = new Map<Millis, Parameters<typeof candlesOf>[1][number]>();
  let from = since;
  for (let page = 0; page < MOST_PAGES; page++) {
    const told = await data.candles(symbol, { span, limit: PAGE, since: from });
    for (const { at, open, high, low, close, volume } of told)
      rows.set(at, {
        at,
        open: text(open),
        high: text(high),
        low: text(low),
        close: text(close),
        volume: Number(text(volume)),
      });
    const last = told.at(-1)?.at;
    // The newest bar is still under way: nothing comes after it.
    if (since === undefined || last === undefined || last + span >= end || told.length < PAGE / 2) break;
    from = last + span;
  }
  return candlesOf(
    { pair: symbol, spanMillis: span },
    [...rows.values()].sort((a, b) => a.at - b.at),
  );
}

const READS = {
  effect: "read",
  access: "token",
  mcp: { defaults: { allowLoss: false, fills: 0 }, told: backtestTold },
  output: BacktestShape,
  failure: "Fetch failed",
  csv: (answer: unknown) => fillsCsv(answer as BacktestAnswer),
} as const;

/** What a grid would have done: takes what its start takes, and which past it is asked of. */
export const backtestOperations = (ids: readonly string[]): readonly Operation[] => [
  operation({
    ...READS,
    name: "backtest_grid",
    summary: "What a grid between two prices would have done",
    http: { route: "POST /backtest", from: "body" },
    cli: {
      path: "backtest",
      flags: {
        lowerPrice: "lower",
        upperPrice: "upper",
        gridLevels: "levels",
        orderSize: "size",
        gridSpacing: "spacing",
      },
      defaults: { allowLoss: false },
      view: backtestView,
      examples: [
        "edgemaker backtest --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100",
        "edgemaker backtest --exchange kraken --symbol BTC/USDT --lower 36000 --upper 48000 --levels 40 --size 500 --data btc-usd.csv.gz --report report.html",
      ],
    },
    input: () => rangeBacktestInput(ids),
    run: (deps, input) => {
      const { fields, grid } = partsOf(input);
      const { planHash: _, ...asked } = grid;
      return run(deps, { where: grid, asked: rangeOf(asked), balances: grid.dryBalance, fields });
    },
  }),
  operation({
    ...READS,
    name: "backtest_centered_grid",
    summary: "What a grid around the market price would have done",
    http: { route: "POST /backtest/centered", from: "body" },
    input: () => centeredBacktestInput(ids),
    run: (deps, input) => {
      const { fields, grid } = partsOf(input);
      const { planHash: _, ...asked } = grid;
      return run(deps, { where: grid, asked: centeredOf(asked), balances: grid.dryBalance, fields });
    },
  }),
];
