/** Kraken's names and envelopes. */
import { type Decimal, ZERO } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Account } from "./account.ts";
import type { Listing } from "./catalog.ts";
import { ok, padded, type Reply, type Requested } from "./dialect.ts";
import type { Engine } from "./engine.ts";

export const result = (value: unknown): Reply => ok({ error: [], result: value });
export const error = (text: string): Reply => ok({ error: [text] });

const OLD: Record<string, string> = { BTC: "XXBT", ETH: "XETH", LTC: "XLTC", USD: "ZUSD", EUR: "ZEUR" };
/** LUNA is Luna Classic there. */
const SHORT: Record<string, string> = { BTC: "XBT", LUNA: "LUNA2" };
const shortName = (asset: string): string => SHORT[asset] ?? asset;
export const assetId = (asset: string): string => OLD[asset] ?? shortName(asset);

/**
 * Rows of BalanceEx. What earns rewards is told as `LTC.F`, under the altname, and its base row has nothing left but what
 * orders have set aside (docs.kraken.com, Get Extended Balance: "to interact with your balances in them please use the
 * base asset"; infinity-grid#7: the base asset "reports zero"; hummingbot#7052: `XBT.F`).
 */
export function balanceRows({ holdings, earning }: Account): Record<string, unknown> {
  const row = (balance: Decimal, used: Decimal) => ({
    balance: padded(balance, 10),
    hold_trade: padded(used, 10),
  });
  return Object.fromEntries(
    [...holdings].flatMap(([asset, { total, used }]) =>
      earning.has(asset)
        ? [
            [assetId(asset), row(ZERO, used)],
            [`${shortName(asset)}.F`, row(total, ZERO)],
          ]
        : [[assetId(asset), row(total, used)]],
    ),
  );
}

export const altnameOf = ({ base, quote }: Listing): string => shortName(base) + shortName(quote);

export const wsnameOf = ({ base, quote }: Listing): string => `${shortName(base)}/${shortName(quote)}`;

/** The second version of its streams names a pair as the first does, but for bitcoin. */
export const streamNameOf = (listing: Listing): string => wsnameOf(listing).replace("XBT", "BTC");

/** Old pairs carry both old asset names: XXBTZUSD; the others are their altname. */
export const idOf = (listing: Listing): string =>
  OLD[listing.base] && OLD[listing.quote]
    ? assetId(listing.base) + assetId(listing.quote)
    : altnameOf(listing);

export const listingOf = (engine: Engine, name: string): Listing | undefined =>
  engine.listings.get(name as Pair) ??
  [...engine.listings.values()].find((listing) => name === idOf(listing) || name === altnameOf(listing));

export const formOf = ({ body }: Requested): URLSearchParams => new URLSearchParams(body);

/** `O` or `T`, then 5-5-6 characters as the exchange groups them. */
export function txid(kind: "O" | "T", number: number): string {
  const digits = number.toString(36).toUpperCase().padStart(15, "0");
  return `${kind}${digits.slice(0, 5)}-${digits.slice(5, 10)}-${digits.slice(10)}A`;
}
