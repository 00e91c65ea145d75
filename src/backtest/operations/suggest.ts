import { wire } from "../../kernel/decimal.ts";
import { SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { SuggestShape, suggestInput, suggestionOut, suggestTold, suggestView } from "../schema/suggest.ts";
import { leastBars, searching } from "../suggest/suggest.ts";
import { marketOf, pastOf } from "./past.ts";
import { inSlices } from "./slices.ts";

/** Which grid to choose for a pair and a budget, or that nothing speaks for any. */
export const suggestOperation = (ids: readonly string[]): Operation =>
  operation({
    effect: "read",
    access: "token",
    name: "suggest_grid",
    summary: "Which grid a pair's past speaks for, if it speaks for any",
    http: { route: "POST /strategy/grid/suggest", from: "body" },
    cli: {
      path: "suggest",
      view: suggestView,
      examples: [
        "edgemaker suggest --exchange mexc --symbol BTC/USDT --budget 1000 --since 1764547200000",
        "edgemaker suggest --exchange kraken --symbol BTC/USD --budget 1000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { told: suggestTold },
    failure: "Fetch failed",
    input: () => suggestInput(ids),
    output: SuggestShape,
    run: async (
      deps,
      { exchange, symbol, timeframe, since, until, budget, windows, candidates, seed, ...rest },
      { waiting },
    ) => {
      const span = TIMEFRAMES[timeframe];
      const least = leastBars(windows);
      const wanted = { exchange, symbol, span, since, until };
      const newest = await pastOf(deps, wanted);
      // What an exchange tells unasked is less than any windows need.
      const isShort = since === undefined && newest.times.length < least;
      const from = (newest.times.at(-1) as number) - least * span;
      const candles = isShort ? await pastOf(deps, { ...wanted, since: from }) : newest;
      const market = await marketOf(deps, { exchange, symbol }, rest);
      const over = deps.local.monotonic() + rest.seconds * SECOND;
      const isOver = () => deps.local.monotonic() > over || waiting?.isEnough() === true;
      const options = { market, budget: wire(budget), windows, candidates, seed, isOver };
      const found = await inSlices(searching(candles, options), deps.local, waiting?.hear);
      return suggestionOut({ exchange, symbol, budget: wire(budget), bars: candles.times.length }, found);
    },
  });
