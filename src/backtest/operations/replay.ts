import { viewOf } from "../../grid/operations/stop.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Millis, TIMEFRAMES } from "../../kernel/time.ts";
import { type AccountRef, parseAccountKey } from "../../model/account.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { optionsSet } from "../schema/options-set.ts";
import { describeReplay, ReplayShape, replayInput, replayView } from "../schema/replay.ts";
import { calculate, READS_PAST } from "./calculate.ts";
import { marketOf, pastOf } from "./past.ts";
import { recordOf } from "./record.ts";

/**
 * Returns when an account's orders fill: a simulated account's when the price reaches them; on an exchange, they wait
 * in a queue.
 */
const fillsOn = ({ kind }: AccountRef) => (kind === "sandbox" ? "touch" : "cross");

/** Returns the span from the bar of its start to its end, or to the end of the last complete bar, if any. */
function lifeOf({ startedAt, stoppedAt }: GridStrategy, now: Millis, span: Millis) {
  const [since, whole] = [startedAt, now].map((at) => Math.floor(at / span) * span) as [Millis, Millis];
  return { since, until: stoppedAt ?? (whole > since ? whole : now) };
}

/** Operation that compares a grid's real fills with a backtest over the candles of the same time. */
export const replayOperation: Operation = operation({
  name: "replay_grid",
  summary: "Compare a grid's real fills with a backtest, and show the cause of each difference",
  ...READS_PAST,
  http: { route: "GET /strategy/grid/:id/replay", from: "query" },
  cli: {
    path: "replay",
    positional: ["id"],
    view: replayView,
    columns: ["time", "slot", "side", "price", "amount", "where", "cause", "text"],
    examples: [
      "edgemaker replay grid-kraken-BTC-USDT-1767225600000",
      "edgemaker replay grid-kraken-BTC-USDT-1767225600000 --set size=80,levels=20",
      "edgemaker replay grid-kraken-BTC-USDT-1767225600000 --data btc-usdt.csv.gz",
    ],
  },
  mcp: { summarize: describeReplay },
  input: replayInput,
  output: ReplayShape,
  async run(deps: Deps, { id, timeframe, set, fill, extremes, limit }, call) {
    const { strategy, now } = await viewOf(deps, id);
    const account = parseAccountKey(strategy.account);
    const { exchange } = account;
    const span = TIMEFRAMES[timeframe];
    const time = lifeOf(strategy, deps.marketTime(account, now), span);
    const changes = set === undefined ? undefined : optionsSet(strategy.config, set);
    const lists = await recordOf(deps, strategy, call);
    const { symbol } = strategy;
    const candles = await pastOf(deps, { exchange, symbol, span, ...time }, call);
    const market = await marketOf(deps, { exchange, symbol }, {});
    const rules = { fill: fill ?? fillsOn(account), extremes };
    const options = { market, rules, until: time.until, changes };
    const over = { exchange, timeframe, set, limit, ...time };
    return calculate(deps, ["replay", { strategy, lists, candles, options, over }], call);
  },
});
