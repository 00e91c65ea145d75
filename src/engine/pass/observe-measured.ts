import type { Pair } from "../../kernel/pair.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { HistoryStore } from "../../ports/stores/history-store.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import { rhythmOf } from "../decide/turn.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";

export type MeasuredStore = Pick<HistoryStore, "measuredFillsOf">;

/**
 * Reads the newest fills of strategies that use them, with the mids that earlier passes stored: one query each, and
 * none while the pair's newest fill is too old to matter.
 */
export async function readMeasuredFills<S extends MarketSnapshot>(
  { kinds, store }: { readonly kinds: Kinds; readonly store: MeasuredStore },
  snapshot: Snapshot,
  markets: Map<Pair, S>,
): Promise<void> {
  const { interval } = rhythmOf(snapshot);
  for (const { id, kind, symbol, config } of snapshot.strategies) {
    const need = kinds(kind).fillsFor?.(config, interval);
    const market = markets.get(symbol);
    const newest = snapshot.memory.filledAt?.[symbol];
    if (!need || !market || newest === undefined) continue;
    // Without a book there is no market time; a simulated one can always be read.
    const at = market.book?.at ?? snapshot.lease.now;
    if (at - newest > need.within) continue;
    const fills = await store.measuredFillsOf(id, { limit: need.count });
    markets.set(symbol, { ...market, fills: [...(market.fills ?? []), ...fills] });
  }
}
