import { TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { tradesCsv } from "../position/schema.ts";
import {
  describeQuoteBacktest,
  type QuoteBacktestAnswer,
  QuoteBacktestShape,
  quoteBacktestInput,
  quoteBacktestView,
} from "../quotes/schema.ts";
import { calculate, READS_PAST } from "./calculate.ts";
import { marketOf, pastOf } from "./past.ts";

/** Operation that backtests quotes: it takes the input of their start, and the past data. */
export const quoteBacktestOperation = (ids: readonly string[]): Operation =>
  operation({
    name: "backtest_quote",
    summary: "Test quotes on historical prices",
    ...READS_PAST,
    http: { route: "POST /strategy/quote/backtest", from: "body" },
    cli: {
      path: "quote backtest",
      view: quoteBacktestView,
      examples: [
        "edgemaker quote backtest --exchange mexc --symbol SNEK/USDT --spread 0.02 --size 50 --levels 3 --base-budget 400000 --quote-budget 1000",
        "edgemaker quote backtest --exchange kraken --symbol BTC/USD --spread 0.004 --size 500 --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { defaults: { fills: 0 }, summarize: describeQuoteBacktest },
    csv: (answer: unknown) => tradesCsv(answer as QuoteBacktestAnswer),
    input: () => quoteBacktestInput(ids),
    output: QuoteBacktestShape,
    async run(deps, input, call) {
      const { exchange, symbol, timeframe, since, until, fills, dryBalance } = input;
      const candles = await pastOf(
        deps,
        { exchange, symbol, span: TIMEFRAMES[timeframe], since, until },
        call,
      );
      const market = await marketOf(deps, { exchange, symbol }, input);
      const { fill, extremes, marketSpread: spread, tickInterval } = input;
      const options = { market, balances: dryBalance, rules: { fill, extremes, spread, tickInterval } };
      const job = { request: input, candles, options, over: { exchange, fills } };
      return calculate(deps, ["quotes", job], call);
    },
  });
