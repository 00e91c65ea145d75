/** One row a case of the specification's endpoint, error and limit tables. */

export interface Setup {
  readonly exchange: string;
  readonly symbol: string;
  /** Near the market. */
  readonly price: number;
  /** An open order, a running grid. */
  readonly orderId: string;
  readonly gridId: string;
}

export interface Row {
  readonly name: string;
  readonly method?: "GET" | "POST" | "DELETE";
  /** Below /api/v1; fields of the query beside it. */
  readonly path: string | ((setup: Setup) => string);
  readonly query?:
    | Record<string, string | undefined>
    | ((setup: Setup) => Record<string, string | undefined>);
  readonly body?: unknown | ((setup: Setup) => unknown);
  readonly status: number;
  readonly label?: string;
  /** Fields of the answer, each with its type, or an exact value. */
  readonly has?: Record<string, unknown>;
}

/** An id of the same form that no order has: of the newest one's, with digits that lie far ahead. */
const unknown = (orderId: string) => orderId.replace(/[0-9A-Z](?=.{0,2}$)/g, "9");

const market = ({ exchange, symbol }: Setup) => ({ exchange, symbol });
const where = (over: Record<string, string | undefined>) => (setup: Setup) => ({ ...market(setup), ...over });

const publicRows: Row[] = [
  ...(["/ticker", "/orderbook", "/trades", "/ohlcv"] as const).flatMap((path): Row[] => [
    { name: "answers", path, query: market, status: 200 },
    {
      name: "unknown exchange",
      path,
      query: where({ exchange: "binance" }),
      status: 400,
      label: "Invalid exchange",
    },
    {
      name: "no exchange",
      path,
      query: where({ exchange: undefined }),
      status: 400,
      label: "Invalid exchange",
    },
    {
      name: "upper-case exchange",
      path,
      query: where({ exchange: "KRAKEN" }),
      status: 400,
      label: "Invalid exchange",
    },
    { name: "no symbol", path, query: where({ symbol: undefined }), status: 400, label: "Missing symbol" },
    {
      name: "symbol with a hyphen",
      path,
      query: where({ symbol: "BTC-USDT" }),
      status: 400,
      label: "Invalid symbol",
    },
    {
      name: "symbol in lower case",
      path,
      query: where({ symbol: "btc/usdt" }),
      status: 400,
      label: "Invalid symbol",
    },
    { name: "empty symbol", path, query: where({ symbol: "" }), status: 400, label: "Invalid symbol" },
    {
      name: "path in a symbol",
      path,
      query: where({ symbol: "../../BTC/USDT" }),
      status: 400,
      label: "Invalid symbol",
    },
    {
      name: "line break in a symbol",
      path,
      query: where({ symbol: "BTC/USDT\r\nX: y" }),
      status: 400,
      label: "Invalid symbol",
    },
    {
      name: "unlisted symbol",
      path,
      query: where({ symbol: "DOGE/USDT" }),
      status: 400,
      label: "Invalid symbol",
    },
    {
      name: "unknown query field",
      path,
      query: where({ nonsense: "1" }),
      status: 400,
      label: "Invalid request",
    },
    { name: "exchange before symbol", path, query: {}, status: 400, label: "Invalid exchange" },
  ]),
  ...(
    [
      ["/orderbook", 100],
      ["/trades", 500],
      ["/ohlcv", 1000],
    ] as const
  ).flatMap(([path, most]): Row[] => [
    ...["1", String(most)].map(
      (limit): Row => ({ name: `limit ${limit}`, path, query: where({ limit }), status: 200 }),
    ),
    ...["0", String(most + 1), "abc", "1e9", "", "-1", "+5", "5.5", "0x10", " 5", "1e1", "null"].map(
      (limit): Row => ({
        name: `limit ${JSON.stringify(limit)}`,
        path,
        query: where({ limit }),
        status: 400,
        label: "Invalid limit",
      }),
    ),
  ]),
  {
    name: "a repeated field",
    path: "/orderbook?limit=5&limit=6&exchange=kraken&symbol=BTC/USDT",
    status: 400,
    label: "Invalid limit",
  },
  {
    name: "ticker's fields",
    path: "/ticker",
    query: market,
    status: 200,
    has: {
      exchange: "string",
      symbol: "string",
      last: "number",
      bid: "number",
      ask: "number",
      spread: "number",
      spreadPercent: "number",
      baseVolume: "number",
      quoteVolume: "number",
      timestamp: "number",
    },
  },
  {
    name: "order book's fields",
    path: "/orderbook",
    query: market,
    status: 200,
    has: {
      exchange: "string",
      symbol: "string",
      bids: "array",
      asks: "array",
      spread: "number",
      spreadPercent: "number",
      midPrice: "number",
      timestamp: "number",
    },
  },
  {
    name: "trades' fields",
    path: "/trades",
    query: market,
    status: 200,
    has: { exchange: "string", symbol: "string", trades: "array", summary: "object", timestamp: "number" },
  },
  {
    name: "candles' fields",
    path: "/ohlcv",
    query: market,
    status: 200,
    has: { exchange: "string", symbol: "string", timeframe: "1h", candles: "array" },
  },
  {
    name: "an unknown timeframe",
    path: "/ohlcv",
    query: where({ timeframe: "2h" }),
    status: 400,
    label: "Invalid request",
  },
  { name: "the exchanges", path: "/exchanges", status: 200, has: { exchanges: "array", count: 4 } },
];

const accountRows: Row[] = [
  {
    name: "balances",
    path: "/balance",
    query: ({ exchange }) => ({ exchange }),
    status: 200,
    has: { exchange: "string", balances: "array", timestamp: "number" },
  },
  {
    name: "unknown exchange",
    path: "/balance",
    query: { exchange: "binance" },
    status: 400,
    label: "Invalid exchange",
  },
  {
    name: "one asset",
    path: "/balance",
    query: ({ exchange }) => ({ exchange, asset: "USDT" }),
    status: 200,
  },
  {
    name: "an asset nobody knows",
    path: "/balance",
    query: ({ exchange }) => ({ exchange, asset: "XYZ" }),
    status: 200,
  },
  {
    name: "no asset code",
    path: "/balance",
    query: where({ asset: "u$d" }),
    status: 400,
    label: "Invalid request",
  },
];

const order =
  (over: Record<string, unknown> = {}) =>
  (setup: Setup): Record<string, unknown> => ({
    ...market(setup),
    side: "buy",
    type: "limit",
    amount: 0.001,
    price: Math.round(setup.price * 0.8),
    ...over,
  });
const create = (name: string, over: Record<string, unknown>, label: string, status = 400): Row => ({
  name,
  method: "POST",
  path: "/orders",
  body: order(over),
  status,
  label,
});

const orderRows: Row[] = [
  {
    name: "open orders",
    path: "/orders",
    query: market,
    status: 200,
    has: { exchange: "string", orders: "array", count: "number" },
  },
  { name: "open orders of every pair", path: "/orders", query: where({ symbol: undefined }), status: 200 },
  {
    name: "unknown exchange",
    path: "/orders",
    query: where({ exchange: "x" }),
    status: 400,
    label: "Invalid exchange",
  },
  {
    name: "bad symbol",
    path: "/orders",
    query: where({ symbol: "BTC" }),
    status: 400,
    label: "Invalid symbol",
  },
  {
    name: "one order",
    path: ({ orderId }) => `/orders/${orderId}`,
    query: market,
    status: 200,
    has: { exchange: "string", order: "object" },
  },
  {
    name: "unknown order",
    path: ({ orderId }) => `/orders/${unknown(orderId)}`,
    query: market,
    status: 404,
    label: "Order not found",
  },
  {
    name: "one order without its symbol",
    path: "/orders/1",
    query: where({ symbol: undefined }),
    status: 400,
    label: "Missing symbol",
  },
  {
    name: "an id that no order here has",
    path: "/orders/none",
    query: market,
    status: 400,
    label: "Invalid request",
  },
  {
    name: "an id that is a path",
    path: "/orders/..%2f..%2fx",
    query: market,
    status: 400,
    label: "Invalid request",
  },
  {
    name: "a limit order",
    method: "POST",
    path: "/orders",
    body: order(),
    status: 200,
    has: { success: true, exchange: "string", order: "object" },
  },
  {
    name: "a market order",
    method: "POST",
    path: "/orders",
    body: order({ type: "market", price: undefined }),
    status: 200,
  },
  create("no exchange", { exchange: undefined }, "Invalid exchange"),
  create("no symbol", { symbol: undefined }, "Missing symbol"),
  create("bad symbol", { symbol: "BTC-USDT" }, "Invalid symbol"),
  create("unlisted symbol", { symbol: "DOGE/USDT" }, "Invalid symbol"),
  create("bad side", { side: "hold" }, "Invalid side"),
  create("no side", { side: undefined }, "Invalid side"),
  create("bad type", { type: "stop" }, "Invalid type"),
  create("no type", { type: undefined }, "Invalid type"),
  create("limit without price", { price: undefined }, "Price required"),
  create("no amount", { amount: undefined }, "Invalid amount"),
  ...[0, -1, "1", null, [], {}, true, 1e-19].map((amount) =>
    create(`amount ${JSON.stringify(amount)}`, { amount }, "Invalid amount"),
  ),
  ...[0, -1, "1", null, 1e-19].map((price) =>
    create(`price ${JSON.stringify(price)}`, { price }, "Invalid price"),
  ),
  create("below the minimum notional", { amount: 0.00002 }, "Invalid amount"),
  create("below the lot", { amount: 0.000001 }, "Invalid amount"),
  create("more than the account has", { amount: 1000 }, "Order failed", 500),
  create("an unknown field", { stopLoss: 1 }, "Invalid request"),
  create("a client id that begins with em", { clientOrderId: "em1" }, "Invalid request"),
  create("a client id that is too long", { clientOrderId: "a".repeat(19) }, "Invalid request"),
  create("side before amount", { side: "x", amount: -1 }, "Invalid side"),
  create("a known field before an unknown one", { stopLoss: 1, amount: -1 }, "Invalid amount"),
  {
    name: "cancel an unknown order",
    method: "DELETE",
    path: ({ orderId }) => `/orders/${unknown(orderId)}`,
    query: market,
    status: 404,
    label: "Order not found",
  },
  {
    name: "cancel without a symbol",
    method: "DELETE",
    path: ({ orderId }) => `/orders/${unknown(orderId)}`,
    query: where({ symbol: undefined }),
    status: 400,
    label: "Missing symbol",
  },
  {
    name: "cancel one",
    method: "DELETE",
    path: ({ orderId }) => `/orders/${orderId}`,
    query: market,
    status: 200,
    has: { success: true, exchange: "string", orderId: "string", message: "string" },
  },
  {
    name: "cancel it again",
    method: "DELETE",
    path: ({ orderId }) => `/orders/${orderId}`,
    query: market,
    status: 200,
    has: { success: true },
  },
  {
    name: "cancel all of a pair",
    method: "DELETE",
    path: "/orders",
    query: where({ symbol: "ETH/USDT" }),
    status: 200,
    has: { success: true, exchange: "string", cancelled: 0, message: "string" },
  },
  {
    name: "cancel all, unknown exchange",
    method: "DELETE",
    path: "/orders",
    query: { exchange: "x" },
    status: 400,
    label: "Invalid exchange",
  },
];

const grid =
  (over: Record<string, unknown> = {}) =>
  (setup: Setup): Record<string, unknown> => ({
    ...market(setup),
    lowerPrice: Math.round(setup.price * 0.9),
    upperPrice: Math.round(setup.price * 1.1),
    gridLevels: 4,
    orderSize: 50,
    ...over,
  });
const start = (name: string, over: Record<string, unknown>, label: string, status = 400): Row => ({
  name,
  method: "POST",
  path: "/strategy/grid",
  body: grid(over),
  status,
  label,
});

const gridRows: Row[] = [
  {
    name: "start",
    method: "POST",
    path: "/strategy/grid",
    body: grid(),
    status: 200,
    has: { id: "string", status: "running", message: "string", config: "object" },
  },
  start("no exchange", { exchange: undefined }, "Invalid exchange"),
  start("no symbol", { symbol: undefined }, "Missing symbol"),
  start("unlisted symbol", { symbol: "DOGE/USDT" }, "Invalid symbol"),
  start("no lower price", { lowerPrice: undefined }, "Invalid range"),
  start("no upper price", { upperPrice: undefined }, "Invalid range"),
  start("lower above upper", { lowerPrice: 2, upperPrice: 1 }, "Invalid range"),
  start("lower equal to upper", { lowerPrice: 2, upperPrice: 2 }, "Invalid range"),
  start(
    "lower above upper, before the levels",
    { lowerPrice: 2, upperPrice: 1, gridLevels: 1 },
    "Invalid range",
  ),
  start("a negative price", { lowerPrice: -1 }, "Invalid range"),
  ...[1, 101, 2.5, "5", null, undefined, 1e9].map((gridLevels) =>
    start(`levels ${JSON.stringify(gridLevels)}`, { gridLevels }, "Invalid levels"),
  ),
  ...[0, -5, "50", null, undefined, 1e-19].map((orderSize) =>
    start(`order size ${JSON.stringify(orderSize)}`, { orderSize }, "Invalid order size"),
  ),
  start("an order size below the minimum", { orderSize: 1 }, "Invalid order size"),
  start("a spacing that is none", { gridSpacing: 0 }, "Invalid spacing"),
  start("a spacing that passes the upper price", { gridSpacing: 1_000_000 }, "Invalid spacing"),
  start(
    "levels on one tick",
    { lowerPrice: 60_000, upperPrice: 60_000.02, gridLevels: 100 },
    "Invalid spacing",
  ),
  start(
    "cycles that lose, refused",
    { lowerPrice: 60_000, upperPrice: 60_100, gridLevels: 10, allowLoss: false },
    "Invalid spacing",
  ),
  start("an unknown field", { stopLoss: 1 }, "Invalid request"),
  start("a flag that is none", { allowLoss: "no" }, "Invalid request"),
  {
    name: "status of all",
    path: "/strategy/grid/status",
    status: 200,
    has: { strategies: "array", count: "number" },
  },
  {
    name: "status of one",
    path: "/strategy/grid/status",
    query: ({ gridId }) => ({ id: gridId }),
    status: 200,
    has: { strategies: "array", count: 1 },
  },
  {
    name: "status of none",
    path: "/strategy/grid/status",
    query: { id: "grid-x" },
    status: 404,
    label: "Not found",
  },
  { name: "list", path: "/strategy/grid/list", status: 200, has: { strategies: "array", count: "number" } },
  ...(["orders", "fills", "events"] as const).flatMap((kind): Row[] => [
    {
      name: `${kind} of one`,
      path: ({ gridId }) => `/strategies/${gridId}/${kind}`,
      status: 200,
      has: { id: "string", [kind]: "array", count: "number" },
    },
    {
      name: `one of the ${kind}`,
      path: ({ gridId }) => `/strategies/${gridId}/${kind}?limit=1`,
      status: 200,
      has: { [kind]: "array" },
    },
    { name: `${kind} of none`, path: `/strategies/grid-x/${kind}`, status: 404, label: "Not found" },
    ...["0", "1001", "abc", "-1", "1e2"].map(
      (limit): Row => ({
        name: `${kind}, limit ${limit}`,
        path: ({ gridId }) => `/strategies/${gridId}/${kind}`,
        query: { limit },
        status: 400,
        label: "Invalid limit",
      }),
    ),
    ...["yesterday", "-5", "1.5e3x/"].map(
      (before): Row => ({
        name: `${kind}, before ${before}`,
        path: ({ gridId }) => `/strategies/${gridId}/${kind}`,
        query: { before },
        status: 400,
        label: "Invalid request",
      }),
    ),
  ]),
  {
    name: "fills in another form",
    path: ({ gridId }) => `/strategies/${gridId}/fills`,
    query: { format: "xml" },
    status: 400,
    label: "Invalid request",
  },
  ...(["pause", "pause", "resume", "resume"] as const).map(
    (change, place): Row => ({
      name: `${change}${place % 2 === 1 ? " again" : ""}`,
      method: "POST",
      path: ({ gridId }) => `/strategies/${gridId}/${change}`,
      ...(place % 2 === 1 ? { body: {} } : {}),
      status: 200,
      has: { success: true, id: "string", status: "running", phase: "string", message: "string" },
    }),
  ),
  ...(["pause", "resume"] as const).flatMap((change): Row[] => [
    {
      name: `${change} none`,
      method: "POST",
      path: `/strategies/grid-x/${change}`,
      body: {},
      status: 404,
      label: "Not found",
    },
    {
      name: `${change} with an unknown field`,
      method: "POST",
      path: ({ gridId }) => `/strategies/${gridId}/${change}`,
      body: { sellBase: true },
      status: 400,
      label: "Invalid request",
    },
  ]),
  {
    name: "stop none",
    method: "DELETE",
    path: "/strategy/grid",
    body: { id: "grid-x" },
    status: 404,
    label: "Not found",
  },
  {
    name: "stop without an id",
    method: "DELETE",
    path: "/strategy/grid",
    body: {},
    status: 400,
    label: "Invalid request",
  },
  {
    name: "stop with a flag that is none",
    method: "DELETE",
    path: "/strategy/grid",
    body: { id: "grid-x", cancelOrders: 1 },
    status: 400,
    label: "Invalid request",
  },
  {
    name: "stop",
    method: "DELETE",
    path: "/strategy/grid",
    body: ({ gridId }: Setup) => ({ id: gridId }),
    status: 200,
    has: { success: true, id: "string", message: "string", summary: "object" },
  },
  {
    name: "stop again",
    method: "DELETE",
    path: "/strategy/grid",
    body: ({ gridId }: Setup) => ({ id: gridId }),
    status: 200,
    has: { success: true },
  },
  {
    name: "resume what is stopped",
    method: "POST",
    path: ({ gridId }) => `/strategies/${gridId}/resume`,
    body: {},
    status: 409,
    label: "Conflict",
  },
  { name: "tick", method: "POST", path: "/internal/tick", body: {}, status: 200, has: { accounts: "array" } },
];

const killRows: Row[] = [
  { name: "is off at first", path: "/kill", status: 200, has: { on: false, message: "string" } },
  ...[{}, { on: 1 }, { on: "true" }, { on: true, all: true }].map(
    (body): Row => ({
      name: `refuses ${JSON.stringify(body)}`,
      method: "POST",
      path: "/kill",
      body,
      status: 400,
      label: "Invalid request",
    }),
  ),
  { name: "on", method: "POST", path: "/kill", body: { on: true }, status: 200, has: { on: true } },
  { name: "tells that it is on", path: "/kill", status: 200, has: { on: true } },
  {
    name: "no order by hand while the kill switch is on",
    method: "POST",
    path: "/orders",
    body: order({}),
    status: 403,
    label: "Forbidden",
  },
  {
    name: "no grid while the kill switch is on",
    method: "POST",
    path: "/strategy/grid",
    body: grid({}),
    status: 403,
    label: "Forbidden",
  },
  { name: "off", method: "POST", path: "/kill", body: { on: false }, status: 200, has: { on: false } },
  { name: "off again", method: "POST", path: "/kill", body: { on: false }, status: 200, has: { on: false } },
];

export const rows: readonly Row[] = [...publicRows, ...accountRows, ...orderRows, ...gridRows, ...killRows];
