import type { Strategy } from "../../model/strategy.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";

/** A strategy in its kind's own version; it is written so with the next change of it. Throws for a newer program's. */
export function upgraded(kind: Kind, strategy: Strategy): Strategy {
  const { id, version, state } = strategy;
  if (version === kind.version) return strategy;
  if (version > kind.version) throw new Error(`${id} was stored by a newer version of edgemaker`);
  return { ...strategy, version: kind.version, state: kind.upgrade(state, version) };
}

/** The snapshot with every strategy as this program stores it. */
export const upgradedSnapshot = (snapshot: Snapshot, kinds: Kinds): Snapshot => ({
  ...snapshot,
  strategies: snapshot.strategies.map((one) => upgraded(kinds(one.kind), one)),
});
