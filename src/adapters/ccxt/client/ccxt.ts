/** The part of ccxt's exchange classes that we use. With `number: String`, amounts are text. */

export type Dict = Readonly<Record<string, unknown>>;
type Params = Dict | undefined;

/** A request before it is sent, signed if necessary. */
export interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export interface Ccxt {
  /** Headers of every request to this exchange. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs a request to an endpoint; `api` is ccxt's name for its part of the exchange's API. */
  sign(path: string, api: string | readonly string[], method: string, params: Dict): SignedRequest;
  /** Parses JSON; numbers beyond JavaScript's precision become text. Undefined if the text is not JSON. */
  parseJson(text: string): unknown;
  /** Throws if a response with status 200 contains an error of the exchange. */
  handleErrors(
    status: number,
    statusText: string,
    url: string,
    method: string,
    headers: object,
    text: string,
    result: unknown,
    requestHeaders: object | undefined,
    requestBody: string | undefined,
  ): void;
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
  fetchBalance(params: Dict): Promise<Dict>;
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
  readonly spotPrivateGetAccount?: (params: Dict) => Promise<Dict>;
  readonly privateSpotGetV2SpotAccountInfo?: (params: Dict) => Promise<Dict>;
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
