import { ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, type Millis } from "../../kernel/time.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import type { Budget } from "./budget.ts";
import { askWithin } from "./within-budget.ts";

type ElsewhereDeps = Pick<Deps, "kinds" | "reference"> & { readonly venue: Venue };

/**
 * Reads the prices of other sources for each pair whose book is read, when its strategies need newer ones. A source
 * that does not respond keeps its last price and time.
 */
export async function readElsewhere<S extends MarketSnapshot>(
  { kinds, reference, venue }: ElsewhereDeps,
  snapshot: Snapshot,
  markets: Map<Pair, S>,
  budget: Budget,
): Promise<void> {
  const { now } = snapshot.lease;
  for (const [symbol, observed] of markets) {
    const every = freshness(snapshot, kinds, symbol);
    if (every === undefined) continue;
    const last = snapshot.memory.elsewhere?.[symbol] ?? { prices: [], requestedAt: null, bookAt: null };
    const bookAt = observed.book ? now : last.bookAt;
    const isDue = every !== null && (last.requestedAt === null || ageOf(last.requestedAt, now) >= every);
    const result =
      isDue && reference
        ? await askWithin(budget, () => reference(venue.account.exchange, symbol))
        : undefined;
    const elsewhere = result
      ? { prices: merged(last.prices, result.answer.prices, now), requestedAt: now, bookAt }
      : { ...last, bookAt };
    markets.set(symbol, { ...observed, elsewhere });
  }
}

/**
 * Returns the maximum age of other sources' prices by the strictest strategy of the pair; null if no strategy needs
 * them, undefined if none reads the book.
 */
function freshness({ strategies }: Snapshot, kinds: Kinds, symbol: Pair): Millis | null | undefined {
  const mine = strategies.filter(
    (strategy) => strategy.symbol === symbol && kinds(strategy.kind).reads === "book",
  );
  if (mine.length === 0) return undefined;
  const requests = mine.flatMap((strategy) => kinds(strategy.kind).asksElsewhere?.(strategy.config) ?? []);
  return requests.length === 0 ? null : Math.min(...requests.map(({ every }) => every));
}

function merged(
  before: Elsewhere["prices"],
  results: readonly Omit<Elsewhere["prices"][number], "at">[],
  at: Millis,
): Elsewhere["prices"] {
  const silent = before.filter(({ source }) => !results.some((one) => one.source === source));
  return [...silent, ...results.filter(({ price }) => price > ZERO).map((one) => ({ ...one, at }))];
}
