import { describe, expect, it } from "vitest";
import { AppError } from "../../src/kernel/errors.ts";
import { refusal } from "../../src/transport/run.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";

const TICKER = "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT";
const REQUEST_ID = "x-request-id";
type Body = { error: string; message: string; requestId: string; issues?: object[] };

describe("x-request-id", () => {
  it("is in every answer, as in the body of an error", async () => {
    const { ask, tokens } = await testApp();
    const admin = { headers: bearer(tokens.admin) };
    const paths = [
      TICKER,
      "/health",
      "/ready",
      "/docs",
      "/openapi.json",
      "/none",
      "/api/v1/none",
      "/api/v1/ticker",
      "/api/v1/balance",
      "/api/v1/session",
      "/api/v1/events",
      "/api/v1/report?format=csv",
    ];
    const ids = new Set<string>();
    for (const path of paths) {
      const response = await ask(path, admin);
      const id = response.headers.get(REQUEST_ID) ?? "";
      expect(id, path).toMatch(/^\w{12}$/);
      ids.add(id);
      if (response.status >= 400) expect(((await response.json()) as Body).requestId, path).toBe(id);
    }
    expect(ids.size).toBe(paths.length);
    const post = { method: "POST", headers: { ...bearer(tokens.agent), "content-type": "application/json" } };
    const listed = await ask("/mcp", { ...post, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
    expect([listed.status, listed.headers.get(REQUEST_ID)]).toEqual([200, expect.stringMatching(/^\w{12}$/)]);
  });

  it("is the request's own if it is short and plain", async () => {
    const { ask } = await testApp();
    const idOf = async (given: string) =>
      (await ask("/api/v1/none", { headers: { [REQUEST_ID]: given } })).headers.get(REQUEST_ID);
    for (const id of ["4f0c-9a2b", "a", "req:1.2_3", "x".repeat(64)]) expect(await idOf(id)).toBe(id);
    for (const id of ["", "x".repeat(65), "a b", "é", "a;b", "<i>"])
      expect(await idOf(id), id).toMatch(/^\w{12}$/);
  });

  it("is in the log line of an error", async () => {
    const lines: { message: string; fields: object }[] = [];
    const { ask } = await testApp({
      connect: (deps) => ({
        ...deps,
        log: (_level, message, fields = {}) => void lines.push({ message, fields }),
        venue: () => {
          throw new Error("a fault");
        },
      }),
    });
    const response = await ask(TICKER, { headers: { [REQUEST_ID]: "mine-1" } });
    expect([response.status, ((await response.json()) as Body).requestId]).toEqual([500, "mine-1"]);
    expect(lines).toMatchObject([{ message: "a fault", fields: { requestId: "mine-1" } }]);
  });

  it("is the same in the error of an agent's tool", async () => {
    const { ask, tokens } = await testApp();
    const response = await ask("/mcp", {
      method: "POST",
      headers: { ...bearer(tokens.agent), "content-type": "application/json", [REQUEST_ID]: "mine-2" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_ticker","arguments":{}}}',
    });
    expect([response.headers.get(REQUEST_ID), await response.text()]).toEqual([
      "mine-2",
      expect.stringContaining('\\"requestId\\":\\"mine-2\\"'),
    ]);
  });
});

describe("another method of a known path", () => {
  it.each([
    ["POST", "/api/v1/ticker", "GET, HEAD"],
    ["PUT", "/api/v1/orders/x1", "GET, HEAD, DELETE"],
    ["PATCH", "/api/v1/orders", "GET, HEAD, POST, DELETE"],
    ["OPTIONS", "/api/v1/balance", "GET, HEAD"],
    ["GET", "/api/v1/strategy/grid", "POST, DELETE"],
    ["DELETE", "/health", "GET, HEAD"],
    ["PUT", "/mcp", "POST"],
    ["OPTIONS", "/docs", "GET, HEAD"],
  ])("%s %s gets status 405 and the path's methods", async (method, path, allow) => {
    const { ask } = await testApp();
    const response = await ask(path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({
      error: "Method not allowed",
      message: `${path} has no ${method}; it has ${allow}`,
    });
  });

  it("is no matter of unknown paths and files, which have status 404", async () => {
    const { ask } = await testApp();
    const found = ["/api/v1/none", "/none", "/static/page/none.js", "/"].map(async (path) => ask(path));
    expect((await Promise.all(found)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await ask("/api/v1/none", { method: "POST" })).status).toBe(404);
  });
});

describe("an unknown field", () => {
  const refused = async (path: string, init: RequestInit = {}) => {
    const { ask, tokens } = await testApp();
    const headers = { ...bearer(tokens.admin), "content-type": "application/json" };
    const response = await ask(path, { ...init, headers });
    return { status: response.status, ...((await response.json()) as Body) };
  };

  it.each([
    [`${TICKER}&limit=5`, "unknown field: limit"],
    ["/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limt=5", "unknown field: limt; did you mean limit?"],
    ["/api/v1/orders?exchange=kraken&symbl=BTC/USDT", "unknown field: symbl; did you mean symbol?"],
    [
      "/api/v1/orders/x1?exchange=kraken&symbol=BTC/USDT&id=x2",
      "unknown field in the query: id; send it in the query",
    ],
    [`${TICKER}&format=csv`, "unknown field: format"],
  ])("of the query of %s is refused and named", async (path, message) => {
    expect(await refused(path)).toMatchObject({ status: 400, error: "Invalid request", message });
  });

  it("of a body is named with the nearest known one", async () => {
    const body = JSON.stringify({
      exchange: "kraken",
      symbol: "BTC/USDT",
      side: "buy",
      type: "limit",
      amount: 1,
      prise: 5,
      price: 5,
    });
    expect((await refused("/api/v1/orders", { method: "POST", body })).message).toBe(
      "unknown field: prise; did you mean price?",
    );
  });

  it("is not the format of a table", async () => {
    const { ask, tokens } = await testApp();
    const response = await ask("/api/v1/report?format=csv", { headers: bearer(tokens.admin) });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  });
});

describe("a refusal with a code", () => {
  it.each([
    ["Order failed", "funds_missing", 500],
    ["Start failed", "strategy_failed", 422],
  ] as const)("%s with %s has status %d, and its label", (label, code, status) => {
    const { body, ...answer } = refusal(new AppError(label, "why", { code }), "id");
    expect([answer.status, body]).toEqual([status, { error: label, code, message: "why", requestId: "id" }]);
  });
});
