import { MINUTE, type Millis } from "../../../kernel/time.ts";
import type { KeptValue, MarketKeeper } from "./ccxt.ts";

const MAX_CACHED_VALUES = 2000;

/**
 * Caches markets, pair lists and fees in this process. On a platform where an instance serves one request, only this
 * plain data can outlive it, never a running call.
 */
export function rememberedMarkets(monotonic: () => Millis) {
  const known = new Map<string, KeptValue<unknown> & { readonly readAt: Millis }>();

  const remember = (key: string, kept: KeptValue<unknown>) => {
    known.delete(key);
    known.set(key, { ...kept, readAt: monotonic() });
    // Map order is insertion order, so the first is the oldest.
    for (const oldest of known.keys()) if (known.size > MAX_CACHED_VALUES) known.delete(oldest);
  };

  async function through<T>(
    key: string,
    read: () => Promise<KeptValue<T> | undefined>,
  ): Promise<KeptValue<T> | undefined> {
    const found = known.get(key);
    const since = monotonic() - (found?.readAt ?? 0);
    if (found && since < REMEMBERED_FOR) return { value: found.value as T, age: found.age + since };
    const kept = await read();
    if (kept) remember(key, kept);
    return kept;
  }

  const forget = (host: string) => {
    for (const key of known.keys()) if (key.startsWith(`${host} `)) known.delete(key);
  };

  return (inner: MarketKeeper): MarketKeeper => ({
    market: (host, symbol) => through(`${host} ${symbol}`, () => inner.market(host, symbol)),
    listing: (host) => through(`${host} listing`, () => inner.listing(host)),
    fees: (account, symbol) => through(`${account} ${symbol}`, () => inner.fees(account, symbol)),
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
    kind: (account) => through(`${account} kind`, () => inner.kind(account)),
    async keepKind(account, kind) {
      known.delete(`${account} kind`);
      await inner.keepKind(account, kind);
    },
    rights: () => inner.rights(),
    keepRights: (account, rights) => inner.keepRights(account, rights),
  });
}

/** Older data is read again, because another process could have reloaded it. */
const REMEMBERED_FOR: Millis = 10 * MINUTE;
