/** What a start or a change of a strategy reads. */
import { readPricesElsewhere, type StartReads } from "../../engine/operations/start.ts";
import { completedSeries } from "../../engine/pass/observe-markets.ts";
import { readStandings } from "../../limits/operations/exposed-reads.ts";
import { accountKey } from "../../model/account.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import { candleNeeds, requirementOf } from "../pass/ask.ts";
import type { PlanInputs } from "../planned-start.ts";

type OwnStrategyPlace = PlanInputs & StartReads;

/** Adds the candles and prices elsewhere that a definition requests. */
export async function readOwnStrategyPlace(
  deps: StrategyDeps,
  definition: AnyStrategyDefinition,
  reads: StartReads,
  actor: string,
): Promise<OwnStrategyPlace> {
  const { venue, book, market } = reads;
  const { symbol } = market;
  const candles = candleNeeds(definition).map(async (need) => {
    const other = need.exchange === undefined ? venue : deps.venue(need.exchange);
    const range = { span: need.span, limit: need.count + 2 };
    return completedSeries(await other.candles(need.symbol ?? symbol, range), requirementOf(need), book.at);
  });
  const reference = definition.reference ? deps.reference : undefined;
  return {
    ...reads,
    account: accountKey(venue.account),
    timing: venue.timing,
    standings: await readStandings(deps, venue.account, actor),
    requested: {
      candles: await Promise.all(candles),
      elsewhere: await readPricesElsewhere(reference, reads, symbol),
    },
  };
}
