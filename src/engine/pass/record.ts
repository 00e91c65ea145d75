import { StoreError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Strategy } from "../../model/strategy.ts";
import { type Changes, NO_CHANGES, type Snapshot, type StepStore } from "../../ports/stores/step-store.ts";
import type { Decision } from "../decide/decide.ts";

/**
 * Writes one batch. If a constraint rejects it, writes strategy by strategy, so one broken row does not block the
 * others.
 */
export async function record(
  store: StepStore,
  snapshot: Snapshot,
  { changes }: Decision,
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  try {
    return await store.record(snapshot.lease, changes);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    return recordOneByOne(store, snapshot, changes);
  }
}

async function recordOneByOne(
  store: StepStore,
  { lease, strategies, cursors }: Snapshot,
  changes: readonly Changes[],
): Promise<ReadonlySet<string>> {
  const recorded = new Set<string>();
  let failed = false;
  for (const change of changes) {
    // The cursors are written last, and only if every strategy has booked its trades.
    const part = failed ? { ...change, cursors: firstCursors(change, changes, cursors) } : change;
    try {
      for (const id of await store.record(lease, [part])) recorded.add(id);
    } catch (error) {
      if (!isConstraint(error)) throw error;
      failed = true;
      const before = strategies.find(({ id }) => id === change.strategy?.id);
      if (before) await store.record(lease, [inError(before, error.message, lease.now)]);
    }
  }
  return recorded;
}

/** Adds a cursor at the first trade of a market without one; otherwise the next pass would book the trade again. */
function firstCursors(
  change: Changes,
  changes: readonly Changes[],
  known: Snapshot["cursors"],
): Changes["cursors"] {
  const fills = changes.flatMap((changes) => changes.fills);
  const fresh = Object.entries(change.cursors).filter(([symbol]) => known[symbol] === undefined);
  return Object.fromEntries(
    fresh.map(([symbol, { at }]) => {
      const booked = fills.filter((fill) => fill.symbol === symbol).map((fill) => fill.at);
      return [symbol, { at: Math.min(at, ...booked), ahead: null }];
    }),
  );
}

const isConstraint = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.failure === "constraint";

function inError(before: Strategy, message: string, at: Millis): Changes {
  const { id, version, account, phase, stoppedAt } = before;
  // The resume was tried, and is complete.
  const state = { ...before.state, resumes: before.resumes };
  const event = { account, strategy: id, at, kind: "error" as const, message };
  return {
    ...NO_CHANGES,
    strategy: { id, version, state, phase, stoppedAt, status: "error", lastError: message },
    events: [event],
  };
}
