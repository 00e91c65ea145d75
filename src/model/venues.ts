/** The supported exchanges, and their static differences. */
export const VENUES = {
  mexc: { passphrase: false, quotes: ["USDT"] },
  gateio: { passphrase: false, quotes: ["USDT"] },
  bitget: { passphrase: true, quotes: ["USDT"] },
  kraken: { passphrase: false, quotes: ["USDT", "USD", "EUR"] },
} as const;

/** Account tiers with different rate limits, lowest first; the lowest one is the default. */
export const TIERS = { kraken: ["starter", "intermediate", "pro"] } as const;

export type Tier = (typeof TIERS)["kraken"][number];

export type VenueName = keyof typeof VENUES;
