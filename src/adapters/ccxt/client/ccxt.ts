/** What we use of ccxt's exchange classes. With `number: String` amounts go in and come out as text. */

export type Dict = Readonly<Record<string, unknown>>;
type Params = Dict | undefined;

/** A request as it leaves, with its signature where it needs one. */
export interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export interface Ccxt {
  /** Of every request to this exchange. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of an endpoint: `api` is the word or the words that its part of the exchange has in ccxt. */
  sign(path: string, api: string | readonly string[], method: string, params: Dict): SignedRequest;
  /** Numbers that JavaScript cannot hold become texts; undefined for what is no JSON. */
  parseJson(text: string): unknown;
  /** Throws where an answer of status 200 is a refusal in the exchange's own words. */
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
  /** Every market that the exchange lists; asks it. */
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
    symbol: string,
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
  /** An order as the exchange tells it, the market being known. */
  parseOrder(info: unknown, market: Dict): Dict;
  cancelOrder(id: string, symbol: string): Promise<Dict>;
  /** The market of a pair among those that it knows. */
  market(symbol: string): Dict;
  /** Endpoints that ccxt has no common word for, or reads wrongly. */
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
  /** Rows of one of those as ccxt tells executions. */
  parseTrades(rows: readonly Dict[]): readonly Dict[];
  readonly privatePostGetApiKeyInfo?: (params: Dict) => Promise<Dict>;
}

export type CcxtClass = new (config: Record<string, unknown>) => Ccxt;

/** A class of ccxt as the part of it that we use: its own types say number where `number: String` gives text. */
export const asCcxt = (found: { readonly default: unknown }): CcxtClass => found.default as CcxtClass;

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The field of something that may be no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isDict(value) ? value[name] : undefined);
