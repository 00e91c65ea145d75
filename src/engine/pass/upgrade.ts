import type { Strategy } from "../../model/strategy.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";

/** Upgrades a strategy to the kind's current version; its next change stores it. Throws if a newer program stored it. */
export function upgraded(kind: Pick<Kind, "version" | "upgrade">, strategy: Strategy): Strategy {
  const { id, version, state } = strategy;
  if (version === kind.version) return strategy;
  if (version > kind.version) throw new Error(`${id} was stored by a newer version of edgemaker`);
  return { ...strategy, version: kind.version, state: kind.upgrade(state, version) };
}

/** Returns the snapshot with every strategy in the current version. */
export const upgradedSnapshot = (snapshot: Snapshot, kinds: Kinds): Snapshot => ({
  ...snapshot,
  strategies: snapshot.strategies.map((strategy) => upgraded(kinds(strategy.kind), strategy)),
});
