import { MINUTE, type Millis } from "../../../kernel/time.ts";
import type { CachedValue, MarketCache } from "./ccxt.ts";

const MAX_CACHED_VALUES = 2000;

/**
 * Caches markets, pair lists and fees in this process. On a platform where an instance serves one request, only this
 * plain data can outlive it, never a running call.
 */
export function cachedMarkets(monotonic: () => Millis) {
  const known = new Map<string, CachedValue<unknown> & { readonly readAt: Millis }>();

  const remember = (key: string, kept: CachedValue<unknown>) => {
    known.delete(key);
    known.set(key, { ...kept, readAt: monotonic() });
    // Map order is insertion order, so the first is the oldest.
    for (const oldest of known.keys()) if (known.size > MAX_CACHED_VALUES) known.delete(oldest);
  };

  async function readCached<T>(
    key: string,
    read: () => Promise<CachedValue<T> | undefined>,
  ): Promise<CachedValue<T> | undefined> {
    const found = known.get(key);
    const since = monotonic() - (found?.readAt ?? 0);
    if (found && since < CACHE_AGE_MS) return { value: found.value as T, age: found.age + since };
    const kept = await read();
    if (kept) remember(key, kept);
    return kept;
  }

  const forget = (host: string) => {
    for (const key of known.keys()) if (key.startsWith(`${host} `)) known.delete(key);
  };

  return (inner: MarketCache): MarketCache => ({
    market: (host, symbol) => readCached(`${host} ${symbol}`, () => inner.market(host, symbol)),
    listing: (host) => readCached(`${host} listing`, () => inner.listing(host)),
    fees: (account, symbol) => readCached(`${account} ${symbol}`, () => inner.fees(account, symbol)),
    async keepMarkets(host, list) {
      forget(host);
      await inner.keepMarkets(host, list);
    },
    async spoil(host, symbol) {
      forget(host);
      await inner.spoil(host, symbol);
    },
    async keepFees(account, symbol, fees) {
      known.delete(`${account} ${symbol}`);
      await inner.keepFees(account, symbol, fees);
    },
    kind: (account) => readCached(`${account} kind`, () => inner.kind(account)),
    async keepKind(account, kind) {
      known.delete(`${account} kind`);
      await inner.keepKind(account, kind);
    },
    rights: () => inner.rights(),
    keepRights: (account, rights) => inner.keepRights(account, rights),
  });
}

/** Older data is read again, because another process could have reloaded it. */
const CACHE_AGE_MS: Millis = 10 * MINUTE;
