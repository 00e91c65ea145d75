import type { Decimal } from "../kernel/decimal.ts";
import { VenueError } from "../kernel/errors.ts";
import type { ReadableList } from "../kernel/readable-list.ts";

/** Where orders are placed. It is stored with everything that belongs to it, and never changes. */
export interface AccountRef {
  /** The configured exchange id: `kraken`, or an alias such as `kraken-two`. */
  readonly exchange: string;
  readonly kind: "live" | "dry" | "sandbox";
  /** For a live account, the host of its API requests. */
  readonly host: string;
}

export const MODES = ["real", "paper", "simulated"] as const;

/** What the orders of an account are: real, simulated at live prices, or simulated at simulated prices. */
export type Mode = (typeof MODES)[number];

const MODE_OF: Readonly<Record<AccountRef["kind"], Mode>> = {
  live: "real",
  dry: "paper",
  sandbox: "simulated",
};

export const modeOf = (account: AccountKey): Mode => MODE_OF[parseAccountKey(account).kind];

export interface Balance {
  readonly asset: string;
  readonly free: Decimal;
  readonly used: Decimal;
}

/** A balance that the exchange returned in a form that cannot be read. */
export interface UnreadBalance {
  readonly asset: string;
  readonly reason: string;
}

export type Balances = ReadableList<Balance, UnreadBalance>;

/** Asset of a row whose name cannot be read: it can be any asset that the exchange does not list. */
export const UNNAMED_ASSET = "unnamed";

/** Returns why an asset's balance is unknown; undefined if it was read, or is not listed, which means zero. */
export function unreadBalance(balances: Balances, asset: string): UnreadBalance | undefined {
  const { unreadable = [] } = balances;
  if (unreadable.length === 0 || balances.some((balance) => balance.asset === asset)) return undefined;
  return unreadable.find((unread) => unread.asset === asset || unread.asset === UNNAMED_ASSET);
}

/** Returns the balance of an asset; zero if the exchange does not list it. Throws VenueError if it cannot be read. */
export function balanceIn(balances: Balances, asset: string): Balance {
  const unread = unreadBalance(balances, asset);
  if (unread) throw new VenueError("unavailable", unread.reason);
  return balances.find((balance) => balance.asset === asset) ?? { asset, free: 0n, used: 0n };
}

/** `kind:exchange:host`, the key of an account in every table. */
export type AccountKey = string;

export const accountKey = ({ exchange, kind, host }: AccountRef): AccountKey => `${kind}:${exchange}:${host}`;

export function parseAccountKey(key: AccountKey): AccountRef {
  const [kind = "", exchange = ""] = key.split(":", 2);
  // A host can contain a port.
  const host = key.slice(kind.length + exchange.length + 2);
  return { kind: kind as AccountRef["kind"], exchange, host };
}

/** Name of the account of a request that carries keys; only requests with these keys can use it. */
export const requestExchange = (exchange: string, keyHash: string): string => `${exchange}#${keyHash}`;

/** Returns the exchange of such an account; undefined for the server's own accounts. */
export function exchangeOfRequest(account: AccountKey): string | undefined {
  const [exchange, hash] = parseAccountKey(account).exchange.split("#");
  return hash === undefined ? undefined : exchange;
}

/** Returns the exchange of an account, with the server's keys or a request's keys. */
export const exchangeName = (account: AccountKey): string =>
  exchangeOfRequest(account) ?? parseAccountKey(account).exchange;

/** Owner of a lease: the process's name, and a suffix that is unique for each attempt. */
export const leaseOwner = (name: string, attempt: string): string => `${name}/${attempt}`;

export const ownerName = (owner: string | null): string | null =>
  owner?.includes("/") ? owner.slice(0, owner.lastIndexOf("/")) : null;
