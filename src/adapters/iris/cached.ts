import type { ChainToken } from "../../kernel/chain-token.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Aggregator, Pool } from "../../ports/dex.ts";

interface KeptPools {
  readonly at: Millis;
  readonly pools: Promise<readonly Pool[]>;
}

/** Shares one request among callers within `ttl`; failures are not cached. */
export function cached(
  aggregator: Aggregator,
  { ttl, monotonic }: { ttl: Millis; monotonic: () => Millis },
): Aggregator {
  const kept = new Map<ChainToken, KeptPools>();
  return {
    async pools(token) {
      const known = kept.get(token);
      if (known && monotonic() - known.at < ttl) return known.pools;
      const fresh: KeptPools = { at: monotonic(), pools: aggregator.pools(token) };
      kept.set(token, fresh);
      fresh.pools.catch(() => {
        if (kept.get(token) === fresh) kept.delete(token);
      });
      return fresh.pools;
    },
  };
}
