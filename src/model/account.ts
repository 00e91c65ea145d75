import type { Decimal } from "../kernel/decimal.ts";

/** Where orders live. It is stored with all that belongs to it and never changes. */
export interface AccountRef {
  /** The configured exchange id: `kraken`, or an alias such as `kraken-two`. */
  readonly exchange: string;
  readonly kind: "live" | "dry" | "sandbox";
  /** Of a live account: the host its requests go to. */
  readonly host: string;
}

export interface Balance {
  readonly asset: string;
  readonly free: Decimal;
  readonly used: Decimal;
}

/** One that is not told is nothing. */
export const balanceIn = (balances: readonly Balance[], asset: string): Balance =>
  balances.find((one) => one.asset === asset) ?? { asset, free: 0n, used: 0n };

/** `kind:exchange:host`, the key of an account in every table. */
export type AccountKey = string;

export const accountKey = ({ exchange, kind, host }: AccountRef): AccountKey => `${kind}:${exchange}:${host}`;

export function parseAccountKey(key: AccountKey): AccountRef {
  const [kind = "", exchange = ""] = key.split(":", 2);
  // A host may have a port.
  const host = key.slice(kind.length + exchange.length + 2);
  return { kind: kind as AccountRef["kind"], exchange, host };
}

/** What an account is called whose keys came with a request: nothing but a request with them gets at it. */
export const requestExchange = (exchange: string, keyHash: string): string => `${exchange}#${keyHash}`;

/** The exchange of such an account; undefined for one of the service's own. */
export function exchangeOfRequest(account: AccountKey): string | undefined {
  const [exchange, hash] = parseAccountKey(account).exchange.split("#");
  return hash === undefined ? undefined : exchange;
}

/** The exchange of an account, of the service's own or of a request's keys. */
export const exchangeName = (account: AccountKey): string =>
  exchangeOfRequest(account) ?? parseAccountKey(account).exchange;

/** A lease's owner: a process's name, and what tells one attempt from another. */
export const leaseOwner = (name: string, attempt: string): string => `${name}/${attempt}`;

export const ownerName = (owner: string | null): string | null =>
  owner?.includes("/") ? owner.slice(0, owner.lastIndexOf("/")) : null;
