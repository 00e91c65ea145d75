import type { AdapterStore, CachedValue } from "../../src/adapters/ccxt/client/ccxt.ts";
import type { Millis } from "../../src/kernel/time.ts";

/** What the adapter keeps, for as long as the process lives. Rates are not counted. */
export function memoryAdapterStore(now: () => Millis): AdapterStore {
  const rows = new Map<string, { value: unknown; at: Millis }>();
  const find = <T>(key: string): CachedValue<T> | undefined => {
    const row = rows.get(key);
    return row && { value: row.value as T, age: now() - row.at };
  };
  const keep = (key: string, value: unknown) => void rows.set(key, { value, at: now() });
  const leases = new Map<string, { owner: string; until: Millis }>();
  const lastNonces = new Map<string, number>();
  const nonces = (account: string, count: number): number => {
    const first = Math.max((lastNonces.get(account) ?? 0) + 1, now());
    lastNonces.set(account, first + count - 1);
    return first;
  };
  return {
    markets: {
      market: async (host, symbol) => find(`market ${host} ${symbol}`),
      listing: async (host) => find(`listing ${host}`),
      async keepMarkets(host, { listing, markets }) {
        if (listing) keep(`listing ${host}`, listing);
        for (const market of markets) keep(`market ${host} ${String(market.symbol)}`, market);
      },
      async spoil(host, symbol) {
        rows.delete(`market ${host} ${symbol}`);
      },
      fees: async (account, symbol) => find(`fees ${account} ${symbol}`),
      keepFees: async (account, symbol, fees) => keep(`fees ${account} ${symbol}`, fees),
      kind: async (account) => find(`kind ${account}`),
      keepKind: async (account, known) => keep(`kind ${account}`, known),
      rights: async () => new Map(),
      keepRights: async (account, known) => keep(`rights ${account}`, known),
    },
    leases: {
      async takeLease(account, { owner, ttl, count }) {
        const lease = leases.get(account);
        if (lease && lease.until > now() && lease.owner !== owner) return undefined;
        leases.set(account, { owner, until: now() + ttl });
        return nonces(account, count);
      },
      async giveBack(account, owner) {
        if (leases.get(account)?.owner === owner) leases.delete(account);
      },
      wait: async () => {},
      awaited: async () => false,
      nonces: async (account, count) => nonces(account, count),
    },
    traded: { symbols: async () => [], buyFees: async () => [] },
    rates: { spend: async () => 0, exhaust: async () => {} },
  };
}
