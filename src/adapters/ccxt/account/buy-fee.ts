import { splitPair } from "../../../kernel/pair.ts";
import { HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Market } from "../../../model/market.ts";
import type { TradedFees } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";

const LEARNED_FOR: Millis = HOUR;
/** A first buy can follow soon. */
const UNKNOWN_FOR: Millis = MINUTE;

/** Maximum number of accounts; keys in requests create accounts, and anybody can send new keys. */
const MOST_ACCOUNTS = 1000;

/** Returns the asset of this account's fees for buys; if accounts of the exchange differ, its fills show it. */
export async function buyFeeIn(
  { quirks, keeping, local, buyFees }: ExchangeLink,
  account: AccountKey,
): Promise<Market["buyFeeIn"]> {
  if (quirks.buyFeeIn !== "unknown") return quirks.buyFeeIn;
  const known = buyFees.get(account);
  if (known && local.monotonic() < known.until) return known.asset;
  const asset = learned(await keeping.traded.buyFees(account));
  if (buyFees.size >= MOST_ACCOUNTS) buyFees.clear();
  const storedFor = asset === "unknown" ? UNKNOWN_FOR : LEARNED_FOR;
  buyFees.set(account, { asset, until: local.monotonic() + storedFor });
  return asset;
}

/** Returns the fee asset of buys; a fee in a third asset, or no fee, gives no information. */
function learned(bought: readonly TradedFees[]): Market["buyFeeIn"] {
  for (const { symbol, fees } of bought) {
    const { base, quote } = splitPair(symbol);
    const assets = fees.map(({ asset }) => asset);
    if (assets.includes(base)) return "base";
    if (assets.includes(quote)) return "quote";
  }
  return "unknown";
}
