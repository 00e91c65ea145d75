import { wire } from "../../kernel/decimal.ts";
import { SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { describeSuggestion, SuggestShape, suggestInput, suggestView } from "../schema/suggest.ts";
import { calculate, longestCalculation, READS_PAST } from "./calculate.ts";
import { marketOf, pastOf } from "./past.ts";

/** Maximum time on a server, because other requests wait. */
const LONGEST_SEARCH = 20 * SECOND;

/** Operation that suggests a grid for a pair and a budget, or reports that no grid is justified. */
export const suggestOperation = (ids: readonly string[]): Operation =>
  operation({
    ...READS_PAST,
    name: "suggest_grid",
    summary: "Suggest grid settings from a pair's price history",
    http: { route: "POST /strategy/grid/suggest", from: "body" },
    cli: {
      path: "suggest",
      view: suggestView,
      examples: [
        "edgemaker suggest --exchange mexc --symbol BTC/USDT --budget 1000 --since 1764547200000",
        "edgemaker suggest --exchange kraken --symbol BTC/USD --budget 1000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { summarize: describeSuggestion },
    input: () => suggestInput(ids),
    output: SuggestShape,
    run: async (
      deps,
      { exchange, symbol, timeframe, since, until, budget, windows, candidates, seed, seconds, ...rest },
      call,
    ) => {
      const span = TIMEFRAMES[timeframe];
      const { leastBars } = await import("../suggest/suggest.ts");
      const least = leastBars(windows);
      const query = { exchange, symbol, span, since, until };
      const newest = await pastOf(deps, query, call);
      // The exchange's default number of candles is below what any windows need.
      const isShort = since === undefined && newest.times.length < least;
      const from = (newest.times.at(-1) as number) - least * span;
      const candles = isShort ? await pastOf(deps, { ...query, since: from }, call) : newest;
      const market = await marketOf(deps, { exchange, symbol }, rest);
      const options = { market, budget: wire(budget), windows, candidates, seed };
      const over = { exchange, symbol, budget: wire(budget), bars: candles.times.length };
      const longest = Math.min(seconds * SECOND, longestCalculation(call, LONGEST_SEARCH));
      return calculate(deps, ["search", { candles, options, over }], call, longest);
    },
  });
