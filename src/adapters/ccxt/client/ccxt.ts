import type { Decimal } from "../../../kernel/decimal.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Fee } from "../../../model/order.ts";
import type { CallRate, CallRequests } from "../../../ports/venue.ts";

export type Dict = Readonly<Record<string, unknown>>;
type Params = Dict | undefined;

/** A request before it is sent, signed if necessary. */
export interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** The part of ccxt's exchange classes that we use. With `number: String`, amounts are text. */
export interface Ccxt {
  /** Headers of every request to this exchange. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs a request to an endpoint; `api` is ccxt's name for its part of the exchange's API. */
  sign(path: string, api: string | readonly string[], method: string, params: Dict): SignedRequest;
  /** Sends one request to an endpoint, and returns its response. */
  request(path: string, api: string | readonly string[], verb: string, params: Dict): Promise<unknown>;
  /** Parses JSON; numbers beyond JavaScript's precision become text. Undefined if the text is not JSON. */
  parseJson(text: string): unknown;
  /** Returns 1e-`digits` as text of as many digits. */
  parsePrecision: (digits: string | undefined) => string | undefined;
  options: Record<string, unknown>;
  readonly apiKey: string;
  milliseconds: () => number;
  nonce: () => number;
  setMarkets(markets: readonly Dict[]): unknown;
  /** Requests every market of the exchange. */
  fetchMarkets(params?: Params): Promise<readonly Dict[]>;
  fetchSpotMarkets(params?: Params): Promise<readonly Dict[]>;
  fetchTicker(symbol: string): Promise<Dict>;
  fetchOrderBook(symbol: string, limit?: number): Promise<Dict>;
  fetchTrades(symbol: string, since: undefined, limit?: number): Promise<readonly Dict[]>;
  fetchOHLCV(
    symbol: string,
    timeframe: string,
    since: number | undefined,
    limit: number,
  ): Promise<readonly unknown[][]>;
  fetchTradingFee(symbol: string): Promise<Dict>;
  fetchOrder(id: string, symbol: string, params?: Params): Promise<Dict>;
  fetchOrdersByIds(ids: readonly string[]): Promise<readonly Dict[]>;
  fetchOrders(symbol: string, since: undefined, limit: number, params?: Params): Promise<readonly Dict[]>;
  fetchOpenOrders(
    symbol: string | undefined,
    since?: undefined,
    limit?: number,
    params?: Params,
  ): Promise<readonly Dict[]>;
  fetchClosedOrders(
    symbol: string | undefined,
    since: undefined,
    limit: number | undefined,
    params: Dict,
  ): Promise<readonly Dict[]>;
  fetchCanceledAndClosedOrders(
    symbol: string,
    since: undefined,
    limit: number,
    params: Dict,
  ): Promise<readonly Dict[]>;
  fetchMyTrades(
    symbol: string | undefined,
    since: number | undefined,
    limit: number | undefined,
    params: Dict,
  ): Promise<readonly Dict[]>;
  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: string,
    price: string | undefined,
    params: Dict,
  ): Promise<Dict>;
  /** Parses an order; its market must be loaded. */
  parseOrder(info: unknown, market: Dict): Dict;
  cancelOrder(id: string, symbol: string): Promise<Dict>;
  /** Returns the loaded market of a pair. */
  market(symbol: string): Dict;
  /** Endpoints that ccxt does not unify, or parses wrongly. */
  privateUtaGetV3AccountSettings(params: Dict): Promise<Dict>;
  privateUtaGetV3AccountInfo(params: Dict): Promise<Dict>;
  privateUtaGetV3TradeOrderInfo(params: Dict): Promise<Dict>;
  privateUtaGetV3TradeUnfilledOrders(params: Dict): Promise<Dict>;
  privateUtaGetV3TradeHistoryOrders(params: Dict): Promise<Dict>;
  privateUtaGetV3TradeFills(params: Dict): Promise<Dict>;
  privateUnifiedGetUnifiedMode(params: Dict): Promise<Dict>;
  privateAccountGetMainKeys(params: Dict): Promise<unknown>;
  /** Returns our name of an asset; undefined without one. */
  safeCurrencyCode(id: string | undefined): string | undefined;
  safeString(row: unknown, field: string): string | undefined;
  /** Balances, of which one odd amount would make ccxt refuse the whole list. */
  readonly privatePostBalanceEx?: (params: Dict) => Promise<unknown>;
  readonly publicSpotGetOrderBook?: (params: Dict) => Promise<Dict>;
  readonly privateSpotGetAccounts?: (params: Dict) => Promise<unknown>;
  readonly privateUnifiedGetAccounts?: (params: Dict) => Promise<unknown>;
  readonly privateSpotGetV2SpotAccountAssets?: (params: Dict) => Promise<unknown>;
  readonly privateUtaGetV3AccountAssets?: (params: Dict) => Promise<unknown>;
  readonly spotPrivateGetAccount?: (params: Dict) => Promise<Dict>;
  readonly privateSpotGetV2SpotAccountInfo?: (params: Dict) => Promise<Dict>;
  readonly publicGetAssets?: (params: Dict) => Promise<Dict>;
  readonly privatePostQueryOrders?: (params: Dict) => Promise<Dict>;
  readonly privatePostQueryTrades?: (params: Dict) => Promise<Dict>;
  /** Keys of streams. */
  privatePostGetWebSocketsToken(params: Dict): Promise<Dict>;
  spotPrivatePostUserDataStream(params: Dict): Promise<Dict>;
  spotPrivatePutUserDataStream(params: Dict): Promise<Dict>;
  /** Parses rows of such an endpoint as executions. */
  parseTrades(rows: readonly Dict[]): readonly Dict[];
  readonly privatePostGetApiKeyInfo?: (params: Dict) => Promise<Dict>;
}

export type CcxtClass = new (config: Record<string, unknown>) => Ccxt;

/** Returns a ccxt class typed as the part that we use: its own types say number where `number: String` gives text. */
export const asCcxt = (found: { readonly default: unknown }): CcxtClass => found.default as CcxtClass;

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a field of a value that may not be an object. */
export const fieldOf = (value: unknown, name: string): unknown => (isDict(value) ? value[name] : undefined);

/** Data that the adapter stores outside the store: separate rows, shared by every process on the same database. */
export interface CachedValue<T> {
  readonly value: T;
  /** Age by the database's clock. */
  readonly age: Millis;
}

export interface FeeRates {
  readonly maker: Decimal;
  readonly taker: Decimal;
}

export type AccountKind = "classic" | "unified";

/** Account kind of a key, which is identified by its hash. */
export interface KnownKind {
  readonly key: string;
  readonly kind: AccountKind;
}

/** Permissions of a key as the exchange reports them; the key is identified by its hash. */
export interface KnownRights {
  readonly key: string;
  /** Undefined if the exchange does not report it. */
  readonly mayWithdraw: boolean | undefined;
}

/** Stores an exchange's markets by host, and an account's fees, kind and key permissions. */
export interface MarketCache {
  market(host: string, symbol: Pair): Promise<CachedValue<Dict> | undefined>;
  /** Returns the exchange's market id of every listed pair. */
  listing(host: string): Promise<CachedValue<Readonly<Record<string, string>>> | undefined>;
  keepMarkets(
    host: string,
    list: {
      /** Undefined if the stored one stays. */
      readonly listing: Readonly<Record<string, string>> | undefined;
      readonly markets: readonly Dict[];
    },
  ): Promise<void>;
  /** Marks a stored market as outdated, because the exchange rejected what it allows; the next use reloads it. */
  spoil(host: string, symbol: Pair): Promise<void>;
  fees(account: AccountKey, symbol: Pair): Promise<CachedValue<FeeRates> | undefined>;
  keepFees(account: AccountKey, symbol: Pair, fees: FeeRates): Promise<void>;
  kind(account: AccountKey): Promise<CachedValue<KnownKind> | undefined>;
  keepKind(account: AccountKey, known: KnownKind): Promise<void>;
  /** Returns permissions of every account whose keys were checked. */
  rights(): Promise<ReadonlyMap<AccountKey, CachedValue<KnownRights>>>;
  keepRights(account: AccountKey, known: KnownRights): Promise<void>;
}

/** Serializes processes' private calls of one account. */
export interface LeaseStore {
  /**
   * Takes the account's lease like a pass: returns the first of `count` nonces, or undefined if another process has
   * the lease. For a few seconds that process sees that somebody waits.
   */
  takeLease(
    account: AccountKey,
    terms: {
      readonly owner: string;
      readonly ttl: Millis;
      readonly count: number;
    },
  ): Promise<number | undefined>;
  giveBack(account: AccountKey, owner: string): Promise<void>;
  /** Signals the lease's holder that somebody waits for it. */
  wait(account: AccountKey): Promise<void>;
  /** Returns whether somebody still waits for it. */
  awaited(account: AccountKey): Promise<boolean>;
  /** Returns the first of `count` nonces for the lease's holder; no other caller gets them. */
  nonces(account: AccountKey, count: number): Promise<number>;
}

export interface RateStore {
  /**
   * Takes calls from the account's rate limit. Returns 0 if they were taken, otherwise the time until they are
   * available.
   */
  spend(account: AccountKey, request: CallRequests): Promise<Millis>;
  /** Records that the exchange reported an exhausted rate limit. */
  exhaust(account: AccountKey, rate: CallRate): Promise<void>;
}

export interface TradedFees {
  readonly symbol: Pair;
  readonly fees: readonly Fee[];
}

interface TradedPairStore {
  /** Returns pairs on which the account recently had orders. */
  symbols(account: AccountKey): Promise<readonly Pair[]>;
  /** Returns fees of the newest booked buy of each pair. */
  buyFees(account: AccountKey): Promise<readonly TradedFees[]>;
}

export interface AdapterStore {
  readonly traded: TradedPairStore;
  readonly markets: MarketCache;
  readonly leases: LeaseStore;
  readonly rates: RateStore;
}
