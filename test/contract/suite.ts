import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operation, routeOf, routesOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { Target } from "../support/app.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { type Row, rows, type Setup } from "./rows.ts";

type Started = Target & { close?: () => Promise<void> };
type Json = Record<string, unknown>;

/** Walks the contract over HTTP, against whatever serves it. */
export function contractSuite(name: string, start: () => Promise<Started>): void {
  describe(name, () => {
    let target: Started;
    let setup: Setup;
    beforeAll(async () => {
      target = await start();
      setup = await prepare(target);
    });
    afterAll(async () => {
      await target.close?.();
    });

    it.each(
      [...rows, ...dexRows, ...compareRows].map((row) => ({
        row,
        title: `${row.method ?? "GET"} ${typeof row.path === "string" ? row.path : "…"}: ${row.name}`,
      })),
    )("$title", async ({ row }) => {
      const response = await ask(target, row, setup);
      const body = (await response.json()) as Json;
      expect({ status: response.status, label: body.error }).toEqual({
        status: row.status,
        label: row.label,
      });
      if (row.label) {
        expect(body).toMatchObject({
          message: expect.stringMatching(/\S/),
          requestId: expect.stringMatching(/^\w+$/),
        });
        expect(JSON.stringify(body)).not.toMatch(/at .*\.(ts|js):\d|https?:\/\//);
      }
      if (response.ok) expect(operationAt(row, setup).output.safeParse(body).error).toBeUndefined();
      for (const [field, expected] of Object.entries(row.has ?? {}))
        expect(kindOf(body[field], expected), field).toEqual(expected);
    });

    it("documents every route that it serves", async () => {
      const document = (await (await target.ask("/openapi.json")).json()) as {
        openapi: string;
        paths: Record<string, object>;
      };
      // Paths of an older name are served too, but not documented.
      const isDocumented = ({ http }: Operation, at: number) => at === 0 || !http.alias?.startsWith("/");
      const served = createOperations(EXCHANGES).flatMap((operation) =>
        routesOf(operation)
          .filter((_route, at) => isDocumented(operation, at))
          .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`),
      );
      const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      expect(document.openapi).toBe("3.1.0");
      // Events are served outside the operations, because their response can be a stream.
      expect(documented.sort()).toEqual([...served, "GET /events"].sort());
    });

    it("requires a token with the right scope on every route that is not public", async () => {
      const routes = createOperations(EXCHANGES)
        .filter(({ access }) => access === "token")
        .flatMap((operation) => routesOf(operation).map((route) => ({ ...route, operation })));
      for (const { operation, method, path } of routes) {
        const url = `/api/v1${path.replace(/:\w+/g, "x")}`;
        const status = async (headers: Record<string, string>) =>
          (await target.ask(url, { method, headers })).status;
        expect(await status({}), operation.name).toBe(401);
        expect(await status({ authorization: "Bearer wrong" }), operation.name).toBe(401);
        expect(await status({ authorization: target.tokens.admin }), operation.name).toBe(401);
        expect(await status(bearer(target.tokens.agent)), operation.name).toBe(403);
        if (operation.effect !== "read")
          expect(await status(bearer(target.tokens.read)), operation.name).toBe(403);
        if (operation.effect === "admin")
          expect(await status(bearer(target.tokens.trade)), operation.name).toBe(403);
      }
    });

    it("rejects unknown query parameters of a write by name, and does nothing", async () => {
      const before = await alive(target, setup);
      const writes = createOperations(EXCHANGES).filter((one) => routeOf(one).method !== "GET");
      expect(writes.length).toBeGreaterThan(10);
      for (const operation of writes) {
        const { method, path } = routeOf(operation);
        const fromQuery = operation.http.from === "query";
        const row = {
          name: "",
          method: method as "POST",
          path: path.replace(/:\w+/g, "x"),
          query: { ...(fromQuery ? known(operation, where(setup)) : {}), dryRun: "true" },
          ...(fromQuery ? {} : { body: wellFormed(operation.name, setup) }),
        };
        const response = await ask(target, { ...row, status: 400 }, setup);
        expect(await response.json(), operation.name).toMatchObject({
          error: "Invalid request",
          message: expect.stringContaining("dryRun"),
          issues: [{ path: "dryRun" }],
        });
        expect(response.status, operation.name).toBe(400);
      }
      expect(await alive(target, setup)).toEqual(before);
    });

    it("rejects unknown fields in a body instead of ignoring them", async () => {
      const before = await alive(target, setup);
      const row = { name: "", method: "DELETE", path: "/orders", status: 400 } as const;
      const query = { exchange: setup.exchange };
      const response = await ask(target, { ...row, query, body: { symbol: setup.symbol } }, setup);
      expect(await response.json()).toMatchObject({
        error: "Invalid request",
        message: expect.stringContaining("symbol"),
      });
      expect(await alive(target, setup)).toEqual(before);
    });
  });
}

const where = ({ exchange, symbol }: Setup) => ({ exchange, symbol });

const known = ({ input }: Operation, fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(input.shape, name)));

/** What would place or start something, were it not for its query. */
const wellFormed = (name: string, setup: Setup): Json =>
  ({
    create_order: { ...where(setup), side: "buy", type: "market", amount: 0.001 },
    start_grid: {
      ...where(setup),
      lowerPrice: Math.round(setup.price * 0.9),
      upperPrice: Math.round(setup.price * 1.1),
      gridLevels: 4,
      orderSize: 50,
    },
    stop_strategy: { id: setup.gridId },
    set_kill: { on: true },
  })[name] ?? {};

/** Everything that a write could have changed. */
async function alive(target: Target, setup: Setup): Promise<unknown> {
  const paths = [`/orders?exchange=${setup.exchange}`, "/strategy/grid/list", "/kill", "/plans"];
  const headers = bearer(target.tokens.admin);
  const results = await Promise.all(
    paths.map(async (path) => (await target.ask(`/api/v1${path}`, { headers })).json()),
  );
  const [{ orders }, { strategies }, kill, plans] = results as [Json, Json, Json, Json];
  const ids = (list: unknown) => (list as Json[]).map(({ id }) => String(id)).sort();
  return { orders: ids(orders), strategies: ids(strategies), kill, plans };
}

function operationAt(row: Row, setup: Setup): Operation {
  const [request = ""] = (typeof row.path === "function" ? row.path(setup) : row.path).split("?");
  const found = createOperations(EXCHANGES).find((operation) => {
    const isRequested = (path: string) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`).test(request);
    return routesOf(operation).some(
      ({ method, path }) => method === (row.method ?? "GET") && isRequested(path),
    );
  });
  if (!found) throw new Error(`no operation serves ${request}`);
  return found;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export async function ask(target: Target, row: Row, setup: Setup): Promise<Response> {
  const of = <T>(value: T | ((one: Setup) => T)): T =>
    typeof value === "function" ? (value as (one: Setup) => T)(setup) : value;
  const query = Object.entries(of(row.query ?? {})).filter(([, value]) => value !== undefined) as [
    string,
    string,
  ][];
  const path = `/api/v1${of(row.path)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ""}`;
  const headers = {
    ...bearer(target.tokens.admin),
    ...(row.body === undefined ? {} : { "content-type": "application/json" }),
  };
  return target.ask(path, {
    method: row.method ?? "GET",
    headers,
    ...(row.body === undefined ? {} : { body: JSON.stringify(of(row.body)) }),
  });
}

/** An open order and a running grid, so that every row has something to name. */
async function prepare(target: Target): Promise<Setup> {
  const market = { exchange: "kraken", symbol: "BTC/USDT" };
  const blank = { ...market, price: 0, orderId: "", gridId: "" };
  const json = async (row: Omit<Row, "name" | "status">) =>
    (await ask(target, { name: "", status: 200, ...row }, blank)).json() as Promise<Json>;
  const ticker = await json({ path: "/ticker", query: market });
  const price = Number(ticker.bid);
  const placed = await json({
    method: "POST",
    path: "/orders",
    body: { ...market, side: "buy", type: "limit", amount: 0.001, price: Math.round(price * 0.8) },
  });
  const started = await json({
    method: "POST",
    path: "/strategy/grid",
    body: {
      ...market,
      lowerPrice: Math.round(price * 0.95),
      upperPrice: Math.round(price * 1.05),
      gridLevels: 4,
      orderSize: 50,
    },
  });
  return { ...market, price, orderId: String((placed.order as Json).id), gridId: String(started.id) };
}

const kindOf = (value: unknown, expected: unknown): unknown => {
  if (expected === "array") return Array.isArray(value) ? "array" : typeof value;
  return ["string", "number", "object"].includes(String(expected)) && value !== null ? typeof value : value;
};

const path = "/price/compare";
const row = (name: string, query: Record<string, string>, label?: string, status = 400): Row => ({
  name,
  path,
  query,
  ...(label === undefined ? { status: 200 } : { status, label }),
});
const SYMBOL = { symbol: "BTC/USDT" };

/** Prices side by side. */
export const compareRows: Row[] = [
  {
    name: "every exchange",
    path,
    query: SYMBOL,
    status: 200,
    has: { symbol: "BTC/USDT", prices: "array", analysis: "object", unlisted: "array", timestamp: "number" },
  },
  row("no symbol", {}, "Missing symbol"),
  row("symbol with a hyphen", { symbol: "BTC-USDT" }, "Invalid symbol"),
  row("symbol in lower case", { symbol: "btc/usdt" }, "Invalid symbol"),
  row("a symbol that is listed nowhere", { symbol: "DOGE/USDT" }, "Invalid symbol"),
  row(
    "a symbol that is listed on none of those asked",
    { symbol: "BTC/EUR", exchanges: "mexc,gateio" },
    "Invalid symbol",
  ),
  row("a symbol that one of four lists", { symbol: "BTC/EUR" }),
  row("two exchanges", { ...SYMBOL, exchanges: "kraken,mexc" }),
  row("a space between two", { ...SYMBOL, exchanges: "kraken, mexc" }),
  row("one twice", { ...SYMBOL, exchanges: "kraken,kraken" }),
  row("an unknown exchange", { ...SYMBOL, exchanges: "kraken,binance" }, "Invalid exchange"),
  row("an exchange in upper case", { ...SYMBOL, exchanges: "KRAKEN" }, "Invalid exchange"),
  row("no exchange at all", { ...SYMBOL, exchanges: "" }, "Invalid exchange"),
  row("a comma too many", { ...SYMBOL, exchanges: "kraken," }, "Invalid exchange"),
  row("symbol before exchanges", { symbol: "x", exchanges: "binance" }, "Invalid symbol"),
  row("exchanges before the amount", { ...SYMBOL, exchanges: "binance", amount: "-1" }, "Invalid exchange"),
  row("an amount", { ...SYMBOL, amount: "0.5" }),
  ...["0", "-1", "", "much", "1e-19"].map((amount) =>
    row(`amount ${JSON.stringify(amount)}`, { ...SYMBOL, amount }, "Invalid amount"),
  ),
  ...["1", "yes", ""].flatMap((flag) => [
    row(`partial ${JSON.stringify(flag)}`, { ...SYMBOL, partial: flag }, "Invalid request"),
    row(`dex ${JSON.stringify(flag)}`, { ...SYMBOL, dex: flag }, "Invalid request"),
  ]),
  row("with the pools", { symbol: "INDY/USDT", dex: "true" }),
  row("a token that the pools alone have", { symbol: "NIGHT/USDT", dex: "true" }),
  row("a token that the pools alone have, without them", { symbol: "NIGHT/USDT" }, "Invalid symbol"),
  row("the pools of what is no token", { ...SYMBOL, dex: "true" }),
  { name: "partial", path, query: { ...SYMBOL, partial: "true" }, status: 200, has: { failed: "array" } },
];

/** The chain's exchanges. */
export const dexRows: Row[] = ["/dex", "/cardano"].flatMap((chain): Row[] => [
  {
    name: "a price",
    path: `${chain}/price/INDY`,
    status: 200,
    has: {
      symbol: "INDY/USDT",
      price: "number",
      confidence: "number",
      sources: "array",
      timestamp: "string",
    },
  },
  ...["indy", "InDy", "snek", "NIGHT", "Min"].map(
    (token): Row => ({ name: "a price in any case", path: `${chain}/price/${token}`, status: 200 }),
  ),
  {
    name: "pools",
    path: `${chain}/pools/SNEK`,
    status: 200,
    has: { symbol: "SNEK", pools: "array", count: "number", timestamp: "string" },
  },
  ...["ADA", "BTC", "INDY%2FUSDT", "__proto__", "%00"].flatMap((token): Row[] =>
    ["price", "pools"].map((what) => ({
      name: "a token that is not supported",
      path: `${chain}/${what}/${token}`,
      status: 400,
      label: "Unsupported token",
    })),
  ),
  ...["1", "50"].map(
    (limit): Row => ({
      name: `limit ${limit}`,
      path: `${chain}/pools/INDY`,
      query: { limit },
      status: 200,
    }),
  ),
  ...["0", "51", "-1", "1.5", "", "1e1"].map(
    (limit): Row => ({
      name: `limit ${JSON.stringify(limit)}`,
      path: `${chain}/pools/INDY`,
      query: { limit },
      status: 400,
      label: "Invalid limit",
    }),
  ),
  ...["0", "0.5", "1000000"].map(
    (minLiquidity): Row => ({
      name: `least liquidity ${minLiquidity}`,
      path: `${chain}/pools/INDY`,
      query: { minLiquidity },
      status: 200,
    }),
  ),
  ...["-1", "", "many", "1e999"].map(
    (minLiquidity): Row => ({
      name: `least liquidity ${JSON.stringify(minLiquidity)}`,
      path: `${chain}/pools/INDY`,
      query: { minLiquidity },
      status: 400,
      label: "Invalid request",
    }),
  ),
  {
    name: "token before the limit",
    path: `${chain}/pools/BTC`,
    query: { limit: "0" },
    status: 400,
    label: "Unsupported token",
  },
  { name: "the tokens", path: `${chain}/tokens`, status: 200, has: { tokens: "array", count: 4 } },
]);
