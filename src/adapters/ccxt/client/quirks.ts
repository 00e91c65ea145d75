import type { Decimal } from "../../../kernel/decimal.ts";
import {
  AppError,
  StoreError,
  UnreadableError,
  VenueError,
  type VenueFailure,
} from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { plainText } from "../../../kernel/plain-text.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { Market, Tier } from "../../../model/market.ts";
import type { NewOrder, Span } from "../../../model/order.ts";
import type { CallRate, OrderIds, Timing } from "../../../ports/venue.ts";
import { type AccountKind, type Ccxt, type CcxtClass, type Dict, type FeeRates, fieldOf } from "./ccxt.ts";

/** Rate limit of an account's private calls. */
export interface PrivateRate extends CallRate {
  /** Part of the burst that passes do not use for reads; it is reserved for people and stops. */
  readonly reserve: number;
  /** Calls that a pass can need until it has placed an order; if set, no pass begins with fewer. */
  readonly pass?: number;
}

export type PrivateCall =
  | "balances"
  | "openOrders"
  | "order"
  | "fills"
  | "fee"
  | "create"
  | "cancel"
  | "kind";

/** Range of one query for own executions. Its response has the newest rows first. */
interface FillReach {
  /** Maximum span of one query; undefined without a limit. */
  readonly span?: Millis;
  /** Maximum age of the start; the exchange returns nothing older. */
  readonly back?: Millis;
  /** Maximum number of rows in a response. */
  readonly page: number;
  /** Unit of a span's bounds at the exchange. */
  readonly tick: Millis;
  /** Whether it returns the rows after a full page, even if all of them have the same time unit. */
  readonly goesOn: boolean;
}

/** A page of ended orders; `page` is where another page ended. */
export interface EndedRequest {
  readonly since: Millis;
  readonly now: Millis;
  readonly page: string | undefined;
}

/** Amounts of one balance as the exchange names them; of `free` and `total` it has at least one. */
export interface BalanceRow {
  /** Undefined if it cannot be read. */
  readonly asset: string | undefined;
  readonly free?: unknown;
  readonly total?: unknown;
  /** Amounts that add up to what is locked. */
  readonly used: readonly unknown[];
}

export interface EndedRows {
  readonly rows: readonly Dict[];
  readonly next?: string | undefined;
}

export interface PublishedFees extends FeeRates {
  /** Date of the source, as YYYY-MM-DD. */
  readonly published: string;
}

/** An order that enters the book, or trades at once, when the market reaches its trigger price. */
interface StopOrder {
  readonly triggerPrice: unknown;
  /** Whether it is sent as a limit order then. */
  readonly isLimit: boolean;
  readonly isTriggered: boolean;
}

/** Everything that differs for one exchange, in a separate file. */
export interface Quirks {
  /** Display name for messages. */
  readonly name: string;
  /** Host of all its requests. */
  readonly host: string;
  load(): Promise<CcxtClass>;
  readonly options: Dict;
  readonly timing: Timing;
  readonly rate: PrivateRate;
  /** Rate limits of account tiers above the lowest. */
  readonly tiers?: Partial<Record<Tier, PrivateRate>>;
  /**
   * Rate limit of the public data that requests read; it is below the exchange's limit per IP address, which passes
   * share.
   */
  readonly publicRate: CallRate;
  /** Cost of each request of a call in the rate limit; default 1. */
  readonly costs: Partial<Record<PrivateCall, number>>;
  /** Whether private calls of one key must arrive in the order of their nonces, so one at a time. */
  readonly serial: boolean;
  /** Asset of buy fees; if accounts differ, it is derived from the account's fills. */
  readonly buyFeeIn: Market["buyFeeIn"];
  /** Published fee rates without any discount; assumed if the exchange shows no others. */
  readonly publishedFees: PublishedFees;
  /** Whether the exchange accepts market buys by cost only; then an immediate limit order is sent instead. */
  readonly buysByCost: boolean;

  /** Returns the error in a response body; undefined if there is none. */
  refusalIn(body: object): Omit<ExchangeRefusal, "status"> | undefined;
  meaningOf(refusal: ExchangeRefusal): ErrorMeaning | undefined;
  /** Forms of successful responses; any other response counts as none. */
  readonly forms: ResponseForms;

  /** Returns all spot markets, read without keys. */
  markets(exchange: Ccxt): Promise<readonly Dict[]>;
  /** Sets what ccxt needs besides the markets themselves. */
  readonly withMarkets?: (exchange: Ccxt, markets: readonly Dict[]) => void;
  /** Returns the order book, if ccxt needs a field that we do not need. */
  readonly book?: (exchange: Ccxt, symbol: Pair) => Promise<Dict>;
  /** Number of levels and trades to request; default: the exchange's. */
  readonly bookLevels?: number;
  readonly publicTrades?: number;
  /** Whether a public trade names its side in a known word; absent if ccxt refuses other words. */
  readonly hasSide?: (trade: Dict) => boolean;
  /** Maximum number of candles in one response with an arbitrary start. */
  readonly candlePage: number;
  /** Maximum number of past candles; absent if the exchange returns all. */
  readonly candleReach?: number;

  /** For exchanges with two kinds of account: how to read the kind, and the ccxt options of each. */
  readonly kinds?: {
    ask(exchange: Ccxt): Promise<AccountKind>;
    set(exchange: Ccxt, kind: AccountKind): void;
  };
  /** Whether keys have a passphrase. */
  readonly passphrase: boolean;
  /** Returns whether the key can withdraw; undefined if the exchange does not report it. */
  mayWithdraw(exchange: Ccxt): Promise<boolean | undefined>;
  /**
   * Returns the tradable asset of a balance with another name; undefined if the balance keeps its name or cannot be
   * traded.
   */
  readonly spentAs?: (name: string) => string | undefined;
  balances(exchange: Ccxt): Promise<readonly BalanceRow[]>;
  /** Whether open orders can be listed for one pair only. */
  readonly opensByPair: boolean;
  /** Returns every open order from all pages; of one pair if `opensByPair`. */
  openOrders(exchange: Ccxt, symbol: Pair | undefined): Promise<readonly Dict[]>;
  /** Returns orders by the exchange's ids, many in one call, if supported. Omits unknown orders. */
  readonly orders?: (exchange: Ccxt, ids: readonly string[]) => Promise<readonly Dict[]>;
  readonly fillReach: FillReach;
  /** Returns a page of own executions of a span with bounds in whole units; with `rows`, the page after them. */
  fills(exchange: Ccxt, symbol: Pair, span: Span, after: readonly Dict[]): Promise<readonly Dict[]>;
  /** Returns own executions of some orders by the exchange's ids, within the span of one query. */
  fillsOf(exchange: Ccxt, symbol: Pair, orderIds: readonly string[], span: Span): Promise<readonly Dict[]>;
  /** Returns ended orders of a pair that were placed since a time, newest first, a page at a time; others may be among them. */
  ended(exchange: Ccxt, symbol: Pair, request: EndedRequest): Promise<EndedRows>;
  /** Format of order ids that matches every documented or recorded id of the exchange. */
  readonly orderIds: OrderIds;
  /** Looks up an order by the exchange's id. */
  byId(exchange: Ccxt, symbol: Pair, id: string): Promise<Dict | undefined>;
  /** Looks up an order by our id in every list of the exchange; undefined if there is none. */
  find(exchange: Ccxt, symbol: Pair, clientId: string): Promise<Dict | undefined>;
  /** Returns the exchange's market id of an order. */
  marketIdOf(order: Dict): unknown;
  clientIdOf(order: Dict): string | undefined;
  /**
   * Returns the filled and requested base amounts, if ccxt derives them from a rounded price; undefined if they are
   * missing.
   */
  readonly sizesOf?: (order: Dict) => { readonly filled: unknown; readonly amount: unknown } | undefined;
  /** Returns whether an order contains its fee, if ccxt hides that the fee is missing. */
  readonly tellsFee?: (order: Dict) => boolean;
  /** Returns all fees of an order, if ccxt omits some; undefined if ccxt's are complete. */
  readonly feesOf?: (order: Dict) => readonly unknown[] | undefined;
  /** Assets other than the pair's in which fees can be paid. */
  readonly feeAssets?: readonly string[];
  /** Returns the exchanged quote, if ccxt only estimates it. */
  readonly notionalOf?: (order: Dict) => unknown;
  /** Returns what an order waits for, or waited for; undefined for an order that never does. */
  stopOf(order: Dict): StopOrder | undefined;
  /** Returns the status, if ccxt does not translate it. */
  readonly statusOf?: (order: Dict) => string | undefined;

  createParams(order: NewOrder, expiry: { readonly now: Millis; readonly by: Millis }, exchange: Ccxt): Dict;
  readonly createHeaders?: (expiry: { readonly by: Millis }) => Readonly<Record<string, string>>;
}

/** Limit price of a market buy, as a share of the best ask. */
export const BUY_WITHIN: Decimal = 1_010_000_000_000_000_000n;

export const LIVE_TIMING: Timing = {
  leaseTtl: 45_000,
  requestTimeout: 10_000,
  expiry: 5000,
  skew: 1000,
  readLag: 60_000,
  secondMiss: 20_000,
  overlap: 120_000,
  tradesEvery: 300_000,
  backoff: { first: 15_000, max: 300_000 },
};

/** Defaults for exchanges. */
export const DEFAULT_QUIRKS = {
  timing: LIVE_TIMING,
  rate: { burst: 10, perSecond: 10, reserve: 2 },
  publicRate: { burst: 30, perSecond: 5 },
  costs: {},
  serial: false,
  buyFeeIn: "base",
  buysByCost: false,
  stopOf: ({ triggerPrice, type, filled }) =>
    Number(triggerPrice) > 0
      ? { triggerPrice, isLimit: !/market/i.test(String(type)), isTriggered: Number(filled) > 0 }
      : undefined,
  byId: (exchange, symbol, id) => unlessMissing(exchange.fetchOrder(id, symbol)),
} as const satisfies Partial<Quirks>;

/** Returns the time in force in ccxt's terms. Market orders never stay open. */
export function inForce({ type, timeInForce }: NewOrder): Dict {
  if (type === "market") return {};
  if (timeInForce === "ioc") return { timeInForce: "IOC" };
  return timeInForce === "post_only" ? { postOnly: true } : {};
}

/** Returns undefined if a lookup reports that there is no such order; rethrows other failures. */
export async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // ccxt's class for a valid response without an order.
  if (error.name === "OrderNotFound") return true;
  return "failure" in error && (error.failure as { missing?: boolean }).missing === true;
}

const CLIENT_ID = /^[\w.:-]{1,64}$/;

/**
 * Finds our order in a list. If no row has its id, and a row that could be it has no readable id, it is unknown
 * whether the exchange has the order; then it throws UnreadableError.
 */
export function findByClientId(
  rows: readonly Dict[],
  clientId: string,
  {
    clientIdOf,
    mayLack = false,
  }: {
    readonly clientIdOf: (row: Dict) => unknown;
    /** Whether the exchange shows rows without such an id, such as orders from its website. */
    readonly mayLack?: boolean;
  },
): Dict | undefined {
  const ids = rows.map(clientIdOf);
  const found = rows[ids.indexOf(clientId)];
  if (found) return found;
  const isReadable = (id: unknown) =>
    (id ?? "") === "" ? mayLack : typeof id === "string" && CLIENT_ID.test(id);
  if (!ids.every(isReadable))
    throw new UnreadableError("the exchange's list has an order whose client order id cannot be read");
  return undefined;
}

/** Returns the order of a trade that has its client order id; such an order exists, whatever else cannot be read. */
export async function orderOfTrade(
  trade: Dict | undefined,
  byId: (id: string) => Promise<Dict | undefined>,
): Promise<Dict | undefined> {
  if (!trade) return undefined;
  const order = typeof trade.order === "string" ? await byId(trade.order) : undefined;
  if (!order) throw new UnreadableError("the exchange shows a trade of the order, and not the order");
  return order;
}

/** Queries each of some orders individually. */
export async function forEach(
  orderIds: readonly string[],
  ask: (orderId: string) => Promise<readonly Dict[]>,
): Promise<readonly Dict[]> {
  const found: Dict[] = [];
  for (const id of orderIds) found.push(...(await ask(id)));
  return found;
}

export const MAX_LIST_PAGES = 200;

/** Reads pages until `next` returns that there is none. An item on two pages counts once. */
export async function pages<C>(
  first: C,
  read: (cursor: C) => Promise<readonly Dict[]>,
  next: (page: readonly Dict[], cursor: C) => C | undefined,
): Promise<readonly Dict[]> {
  const found = new Map<unknown, Dict>();
  let cursor: C | undefined = first;
  for (let count = 0; cursor !== undefined; count++) {
    if (count === MAX_LIST_PAGES) throw new Error("the exchange's list does not end");
    const page: readonly Dict[] = await read(cursor);
    const before = found.size;
    // Rows without a readable id are different rows.
    for (const item of page) found.set(item.id ?? item, item);
    const after = next(page, cursor);
    if (after !== undefined && found.size === before)
      throw new Error("the exchange's list does not continue");
    cursor = after;
  }
  return [...found.values()];
}

/**
 * Why a call returned no result. `definite` means that the exchange rejected it before any effect; only then is a
 * write known to have had none.
 */
export interface CallFailure {
  readonly failure: VenueFailure;
  readonly definite: boolean;
  readonly reason: string;
  /** Whether there is no such order, or no open one. */
  readonly missing?: boolean;
  /** Whether signing again with a higher nonce can help. */
  readonly nonce?: boolean;
  /** Whether a post-only order would have been a taker order. */
  readonly wouldTake?: boolean;
  /** Whether the market's rules differ from the stored ones. */
  readonly stale?: boolean;
  /** Whether the account is of the other kind, which needs other calls. */
  readonly otherKind?: boolean;
  /** Whether the key is valid but lacks this permission. */
  readonly forbidden?: boolean;
  /** Whether the balance is insufficient. */
  readonly short?: boolean;
  /** Whether the exchange answered, in a form that cannot be read. */
  readonly unreadable?: boolean;
}

/**
 * Meaning of an exchange's error code; see the tables in the exchanges' files. For a create, every meaning except
 * `missing` proves that no order exists. So a table contains a code only if the exchange's documentation or ccxt's
 * `exceptions` table leaves no doubt.
 */
export type ErrorMeaning =
  | "credentials"
  | "forbidden"
  | "nonce"
  | "clock"
  | "limits"
  | "rules"
  | "unlisted"
  | "refused"
  | "taking"
  | "short"
  | "kind"
  | "missing";

const FAILURE_OF_MEANING: Record<ErrorMeaning, Omit<CallFailure, "reason">> = {
  credentials: { failure: "invalid_credentials", definite: true },
  forbidden: { failure: "invalid_credentials", definite: true, forbidden: true },
  nonce: { failure: "unavailable", definite: true, nonce: true },
  clock: { failure: "unavailable", definite: true },
  limits: { failure: "rate_limited", definite: true },
  rules: { failure: "refused", definite: true, stale: true },
  // Its market could have been closed since it was loaded.
  unlisted: { failure: "unlisted", definite: true, stale: true },
  refused: { failure: "refused", definite: true },
  short: { failure: "refused", definite: true, short: true },
  kind: { failure: "unavailable", definite: true, otherKind: true },
  taking: { failure: "refused", definite: true, wouldTake: true },
  missing: { failure: "refused", definite: false, missing: true },
};

/** Builds a table from space-separated codes by meaning. */
export const errorCodeTable = (
  result: Partial<Record<ErrorMeaning, string>>,
): Readonly<Record<string, ErrorMeaning>> =>
  Object.fromEntries(
    Object.entries(result).flatMap(([meaning, codes]) =>
      codes.split(" ").map((code) => [code, meaning as ErrorMeaning]),
    ),
  );

interface ExchangeRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Converts an exchange's rejection; an unknown code leaves the result open. */
export function formatRefusal(
  { status, code, message }: ExchangeRefusal,
  meaning: ErrorMeaning | undefined,
): CallFailure {
  // The code first, because a long text is cut at its end.
  const reason = plainText(message === "" ? code : `${code}: ${message}`, 200);
  // A server error can occur after the action, whatever its text says.
  if (status >= 500 || meaning === undefined || !Object.hasOwn(FAILURE_OF_MEANING, meaning))
    return { failure: status === 429 ? "rate_limited" : "unavailable", definite: false, reason };
  return { ...FAILURE_OF_MEANING[meaning], reason };
}

/** Returns the failure of a call without a readable response. */
export const noAnswer = (reason: string): CallFailure => ({
  failure: "unavailable",
  definite: false,
  reason,
});

/** Error that our transport throws through ccxt, so no ccxt error, which could contain a signed URL, is needed. */
export class CallFailed extends Error {
  readonly failure: CallFailure;

  constructor(callFailure: CallFailure) {
    super(callFailure.reason);
    this.name = "CallFailed";
    this.failure = callFailure;
  }
}

export const TOO_LATE = "the request could not be sent in time";
export const CLOCK_BEHIND =
  "the database's clock is behind this machine's clock; synchronize both, because no order is sent until then";

/** Error for a request that our own check kept from being sent. */
export class RequestNotSentError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotSent";
  }
}

/**
 * Documented form of a successful response: a list, or an object with at least one of these fields. A dot leads to a
 * field of a field, and `*` to the first field, whose name is the market's.
 */
type ResponseForm = "list" | readonly string[];

/** Forms by method and path; the first match counts. */
type ResponseForms = readonly (readonly [request: RegExp, form: ResponseForm])[];

/**
 * Returns whether a successful response has its documented form. ccxt reads any other object as an empty list, and a
 * gateway can send an error text with status 200.
 */
export function hasForm(forms: ResponseForms, request: string, body: object): boolean {
  const form = forms.find(([pattern]) => pattern.test(request))?.[1];
  if (form === undefined) return true;
  if (form === "list") return Array.isArray(body);
  return form.some((path) => (valueAt(body, path) ?? null) !== null);
}

const valueAt = (body: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (name === "*" ? Object.values(Object(value))[0] : fieldOf(value, name)),
      body,
    );

/** Converts any thrown error to a VenueError. ccxt's errors contain URLs and response bodies, which are dropped here. */
export function venueErrorOf(error: unknown, { name }: { readonly name: string }): VenueError | AppError {
  if (error instanceof VenueError || error instanceof AppError) return error;
  if (error instanceof CallFailed && error.failure.unreadable)
    return new UnreadableError(`${name}: ${error.failure.reason}`);
  if (error instanceof CallFailed)
    return new VenueError(error.failure.failure, `${name}: ${error.failure.reason}`);
  if (error instanceof RequestNotSentError)
    return new VenueError("unavailable", `${name}: not called: ${error.message}`);
  if (error instanceof StoreError)
    return new VenueError("unavailable", `${name} was not called, because the database cannot be reached`, {
      cause: error,
    });
  return new UnreadableError(`${name} returned an unexpected response`);
}
