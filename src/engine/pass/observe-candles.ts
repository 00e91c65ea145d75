import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Book, Candle } from "../../model/market.ts";
import type { CandleSeries } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { RequestedPrices } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import type { Budget } from "./budget.ts";
import { askWithin } from "./within-budget.ts";

interface CandleRequest {
  readonly span: Millis;
  readonly count: number;
}

/** How long an exchange can take to show a completed candle; after that, nobody traded in it. */
const LATEST: Millis = MINUTE;

/** Reads completed candles for each pair whose strategies use them, once per candle. */
export async function readCandles<S extends RequestedPrices & { readonly book?: Book | undefined }>(
  { kinds, venue }: Pick<Deps, "kinds"> & { readonly venue: Venue },
  snapshot: Snapshot,
  markets: Map<Pair, S>,
  budget: Budget,
): Promise<void> {
  for (const [symbol, market] of markets) {
    const needs = candleNeedsOf(snapshot, kinds, symbol);
    const { book } = market;
    if (needs.length === 0 || !book) continue;
    const before = snapshot.memory.candles?.[symbol] ?? [];
    const candles: CandleSeries[] = [];
    for (const need of needs) {
      const known = before.find(({ span }) => span === need.span);
      const series = await readSeries({ venue, symbol, budget }, need, { known, at: book.at });
      if (series) candles.push(series);
    }
    markets.set(symbol, { ...market, candles });
  }
}

/** Returns each span that a strategy of the pair uses, with the largest count. */
function candleNeedsOf({ strategies }: Snapshot, kinds: Deps["kinds"], symbol: Pair): CandleRequest[] {
  const counts = new Map<Millis, number>();
  for (const one of strategies.filter((strategy) => strategy.symbol === symbol)) {
    const need = kinds(one.kind).candlesFor?.(one.config);
    if (need) counts.set(need.span, Math.max(need.count, counts.get(need.span) ?? 0));
  }
  return [...counts].map(([span, count]) => ({ span, count }));
}

/** Returns the known series while no candle has completed since; one that cannot be read stays as it was. */
async function readSeries(
  { venue, symbol, budget }: { readonly venue: Venue; readonly symbol: Pair; readonly budget: Budget },
  { span, count }: CandleRequest,
  { known, at }: { readonly known: CandleSeries | undefined; readonly at: Millis },
): Promise<CandleSeries | undefined> {
  const end = Math.floor(at / span) * span;
  if (known?.until === end && known.count === count) return known;
  const result = await askWithin(budget, () => venue.candles(symbol, { span, limit: count + 2 })).catch(
    unlessVenue,
  );
  if (!result) return known;
  return completedSeries(result.answer, { span, count }, at);
}

/** Returns the completed ones of an exchange's newest candles. */
export function completedSeries(
  candles: readonly Candle[],
  { span, count }: CandleRequest,
  at: Millis,
): CandleSeries {
  const end = Math.floor(at / span) * span;
  const rows = candles.filter((candle) => candle.at + span <= end).slice(-count);
  const last = rows.at(-1);
  const isFinal = at - end >= LATEST;
  return { span, count, until: isFinal || !last ? end : last.at + span, rows };
}

function unlessVenue(error: unknown): undefined {
  if (error instanceof VenueError) return undefined;
  throw error;
}
