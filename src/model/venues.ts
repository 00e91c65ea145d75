/** The venues that this release speaks to, and what differs between them before any call. */
export const VENUES = {
  mexc: { passphrase: false, quotes: ["USDT"] },
  gateio: { passphrase: false, quotes: ["USDT"] },
  bitget: { passphrase: true, quotes: ["USDT"] },
  kraken: { passphrase: false, quotes: ["USDT", "USD", "EUR"] },
} as const;

/** Kinds of account by which a venue counts calls, the least first: that is the one until another is told. */
export const TIERS = { kraken: ["starter", "intermediate", "pro"] } as const;

export type Tier = (typeof TIERS)["kraken"][number];

export type VenueName = keyof typeof VENUES;
