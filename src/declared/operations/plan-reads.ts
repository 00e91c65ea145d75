import { readPricesElsewhere, readStart, type StartReads } from "../../engine/operations/start-reads.ts";
import { completedSeries } from "../../engine/pass/observe-candles.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import { accountKey } from "../../model/account.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import { candleNeed } from "../pass/requested.ts";
import type { DeclaredRequest } from "../schema/input.ts";
import type { PlanInputs } from "../start/planned.ts";

export type DeclaredPlace = PlanInputs & StartReads;

export async function readDeclaredPlace(
  deps: Deps,
  definition: AnyStrategyDefinition,
  request: DeclaredRequest,
  actor: string,
): Promise<DeclaredPlace> {
  const { symbol } = request;
  const reads = await readStart(deps, request);
  const { venue, book } = reads;
  const need = candleNeed(definition);
  const rows = need ? await venue.candles(symbol, { span: need.span, limit: need.count + 2 }) : [];
  const reference = definition.reference ? deps.reference : undefined;
  return {
    ...reads,
    ...{ account: accountKey(venue.account), timing: venue.timing },
    standings: await readStandings(deps, venue.account, actor),
    requested: {
      ...(need ? { candles: [completedSeries(rows, need, book.at)] } : {}),
      elsewhere: await readPricesElsewhere(reference, reads, symbol),
    },
  };
}
