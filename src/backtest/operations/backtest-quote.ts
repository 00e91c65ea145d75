import type { Millis } from "../../kernel/time.ts";
import { SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { backtestingQuotes } from "../quotes/backtest-quotes.ts";
import {
  type QuoteBacktestAnswer,
  QuoteBacktestShape,
  quoteBacktestInput,
  quoteBacktestOut,
  quoteBacktestTold,
  quoteBacktestView,
  tradesCsv,
} from "../quotes/schema.ts";
import { marketOf, pastOf } from "./past.ts";
import { inSlices } from "./slices.ts";

/** As for a grid's: a server has strategies to step. */
const LONGEST_OF_QUOTES = 2 * SECOND;

/** What quotes would have done: takes what their start takes, and which past it is asked of. */
export const quoteBacktestOperation = (ids: readonly string[]): Operation =>
  operation({
    name: "backtest_quote",
    summary: "What quoting both sides of a market would have done",
    effect: "read",
    access: "token",
    http: { route: "POST /strategy/quote/backtest", from: "body" },
    cli: {
      path: "quote backtest",
      view: quoteBacktestView,
      examples: [
        "edgemaker quote backtest --exchange mexc --symbol SNEK/USDT --spread 0.02 --size 50 --levels 3 --base-budget 400000 --quote-budget 1000",
        "edgemaker quote backtest --exchange kraken --symbol BTC/USD --spread 0.004 --size 500 --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { defaults: { fills: 0 }, told: quoteBacktestTold },
    failure: "Fetch failed",
    csv: (answer: unknown) => tradesCsv(answer as QuoteBacktestAnswer),
    input: () => quoteBacktestInput(ids),
    output: QuoteBacktestShape,
    async run(deps, input, call) {
      const { exchange, symbol, timeframe, since, until, fills, dryBalance } = input;
      const candles = await pastOf(deps, { exchange, symbol, span: TIMEFRAMES[timeframe], since, until });
      const market = await marketOf(deps, { exchange, symbol }, input);
      const begun = deps.local.monotonic();
      const isLate = () => call.actor !== "local" && deps.local.monotonic() - begun > LONGEST_OF_QUOTES;
      const { fill, extremes, marketSpread: spread, tickInterval } = input;
      const work = backtestingQuotes(input, candles, {
        market,
        balances: dryBalance,
        rules: { fill, extremes, spread, tickInterval },
        isOver: () => isLate() || call.waiting?.isEnough() === true,
      });
      const result = await inSlices(work, deps.local, call.waiting?.hear);
      const last = candles.times[Math.max(0, result.run.bars - 1)] as Millis;
      return quoteBacktestOut({ exchange, fills }, result, {
        from: candles.from,
        until: last + candles.spanMillis,
      });
    },
  });
