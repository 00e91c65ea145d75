/** The next version of the program: its states carry what this one knows nothing of. */
import type { Strategy } from "../../src/model/strategy.ts";
import type { Kind } from "../../src/ports/kind.ts";

const MARK = "markOfNext";

export const nextVersion = (kind: Kind): Kind => ({
  ...kind,
  version: kind.version + 1,
  upgrade: (state, version) =>
    ({ ...(version < kind.version ? kind.upgrade(state, version) : state), [MARK]: true }) as typeof state,
});

/** What the next version has stored no older one has written over. */
export function createVersionChecks(violate: (what: string) => void) {
  const newest = new Map<string, number>();
  return {
    looked(strategies: Iterable<Strategy>): void {
      for (const { id, version, state } of strategies) {
        const before = newest.get(id) ?? version;
        newest.set(id, Math.max(before, version));
        if (version < before) violate(`${id} was stored by version ${version}, after version ${before}`);
        if (version > 1 && !(MARK in state)) violate(`${id} has lost what the newer version stored`);
      }
    },
    restored: (): void => newest.clear(),
  };
}
