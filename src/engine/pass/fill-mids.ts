/** Prices that measure fills: the mid at each fill, and mids at its horizons, from prices that passes read anyway. */
import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Fill, HORIZONS, isInferred, isMidAt } from "../../model/fill.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { FillMids, HorizonMid, Snapshot } from "../../ports/stores/step-store.ts";
import type { Decision } from "../decide/decide.ts";
import type { Observation } from "../reconcile/observation.ts";

const LAST_HORIZON: Millis = Math.max(...HORIZONS.map(({ after, late }) => after + late));

type ReadPrices = Pick<Observation, "markets">;

/** Returns the mids that this pass knows, and when each pair of the account had its newest fill. */
export function measureFills(
  { memory }: Pick<Snapshot, "memory">,
  prices: ReadPrices,
  { changes }: Pick<Decision, "changes">,
): { readonly mids: FillMids; readonly filledAt: AccountMemory["filledAt"] } {
  const fills = changes.flatMap((change) => change.fills).filter(({ strategy }) => strategy !== null);
  const real = fills.filter((fill) => !isInferred(fill));
  if (real.length === 0 && !memory.filledAt) return { mids: { atFills: [], later: [] }, filledAt: undefined };
  const filledAt = { ...memory.filledAt };
  for (const { symbol, at } of real) filledAt[symbol] = Math.max(at, filledAt[symbol] ?? at);
  const atFills = real.map((fill) => ({ ...fill, mid: midAtFill(fill, memory, prices) }));
  return { mids: { atFills, later: horizonMids(filledAt, prices) }, filledAt };
}

/** Returns the last price at or before a fill; null if it is too old, or if later prices have replaced it. */
function midAtFill(fill: Fill, { marks }: AccountMemory, { markets }: ReadPrices) {
  const quote = markets.get(fill.symbol)?.quote;
  const both = [quote && { mid: midOf(quote), at: quote.at }, marks[fill.symbol]];
  return both.find((mark) => mark && isMidAt(fill, mark))?.mid ?? null;
}

/** Returns the horizons at which this pass's prices are due, for pairs with a fill that can be in their time. */
const horizonMids = (
  filledAt: NonNullable<AccountMemory["filledAt"]>,
  { markets }: ReadPrices,
): HorizonMid[] =>
  [...markets].flatMap(([symbol, { quote }]) => {
    const newest = filledAt[symbol];
    if (!quote || newest === undefined || quote.at - newest > LAST_HORIZON) return [];
    return HORIZONS.map(({ name, after, late }) => ({
      ...{ symbol, name, mid: midOf(quote) },
      ...{ from: quote.at - after - late, to: quote.at - after },
    })).filter(({ from }) => newest >= from);
  });
