import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/compose/config.ts";
import { digest } from "../../src/kernel/digest.ts";
import { isUrgent, type Operation, routeOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { canary } from "../support/canary.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const OPERATIONS = createOperations(EXCHANGES);
const URGENT = OPERATIONS.filter(isUrgent);
const JSON_BODY = { "content-type": "application/json" };

/** Stored tokens: no setting names them, so each request looks them up. */
const STORED = { read: `em_${canary("read")}`, trade: `em_${canary("trade")}`, admin: `em_${canary("own")}` };
const WRONG = `em_${canary("wrong")}`;

/** An app at a time that stands still, whose one client has used up its allowance of requests and of wrong tokens. */
async function exhaustedApp() {
  const limits = parseConfig({ EDGEMAKER_RATE_LIMIT: "address=1,burst=8,failed=2,token=1" }).rateLimits;
  const limiter = createLimiter(limits, () => 0);
  const app = await testApp({ rates: { limiter, addressOf: () => "203.0.113.9" } });
  const hash = await digest(STORED.admin);
  await app.store.addToken({ id: "tok_own", name: "own", scope: "admin", expiresAt: null, hash }, BY);
  const send = (method: string, path: string, token: string, body?: object) =>
    app.ask(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? JSON_BODY : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const call = async (operation: Operation, token: string) => {
    const { method, path } = routeOf(operation);
    const body = operation.http.from === "body" ? { unknown: true } : undefined;
    return (await send(method, `/api/v1${path.replace(/:\w+/g, "x")}`, token, body)).status;
  };
  for (let requestCount = 0; requestCount < 3; requestCount++) await send("GET", "/api/v1/kill", WRONG);
  for (let requestCount = 0; requestCount < 8; requestCount++) await app.ask("/health");
  return { ...app, send, call };
}

const tokenOf: Record<Operation["effect"], keyof typeof STORED> = {
  read: "read",
  trade: "trade",
  admin: "admin",
};

/** Every word with which the name of an operation can begin, and whether it stops something. */
const VERBS: Readonly<Record<string, boolean>> = {
  cancel: true,
  set_kill: true,
  stop: true,
  ...Object.fromEntries(
    [
      "add",
      "backtest",
      "compare",
      "create",
      "decide",
      "edit",
      "get",
      "guide",
      "list",
      "pause",
      "preview",
      "put",
      "rename",
      "remove",
      "send",
      "resume",
      "revoke",
      "set_limits",
      "start",
      "suggest",
      "test",
      "tick",
      "verify",
    ].map((verb) => [verb, false]),
  ),
};

const stops = (name: string): boolean | undefined => {
  const verb = Object.keys(VERBS).find((one) => name === one || name.startsWith(`${one}_`));
  return verb === undefined ? undefined : VERBS[verb];
};

describe("every operation", () => {
  it("is urgent exactly if it stops or cancels something", () => {
    expect(URGENT.map(({ name }) => name).sort()).toEqual([
      "cancel_all_orders",
      "cancel_order",
      "set_kill_switch",
      "stop_strategy",
    ]);
    // A new word belongs in the list above: does the operation stop something?
    expect(OPERATIONS.filter(({ name }) => stops(name) === undefined).map(({ name }) => name)).toEqual([]);
    expect(OPERATIONS.filter((one) => stops(one.name) !== isUrgent(one)).map(({ name }) => name)).toEqual([]);
  });

  it("is limited by address and token, unless it is urgent", async () => {
    const { call } = await exhaustedApp();
    for (const operation of OPERATIONS) {
      const status = await call(operation, STORED[tokenOf[operation.effect]]);
      expect([operation.name, status === 429]).toEqual([operation.name, !isUrgent(operation)]);
    }
  });
});

describe("an urgent operation", () => {
  it("does not wait for an earlier request with the same key", () => {
    expect(URGENT.filter(({ http }) => http.idempotent)).toEqual([]);
  });

  it.each(URGENT.map((operation) => [operation.name, operation] as const))(
    "%s accepts a valid token from an address that has exhausted its limit",
    async (_name, operation) => {
      const { call, tokens, send } = await exhaustedApp();
      expect((await send("GET", "/api/v1/kill", tokens.read)).status).toBe(429);
      for (let again = 0; again < 20; again++)
        expect(await call(operation, STORED[tokenOf[operation.effect]])).toBe(400);
    },
  );

  it.each(URGENT.map((operation) => [operation.name, operation] as const))(
    "%s rejects a wrong or missing token by the limits of its address",
    async (_name, operation) => {
      const { call, send } = await exhaustedApp();
      expect(await call(operation, WRONG)).toBe(429);
      expect(await call(operation, "")).toBe(429);
      const { method, path } = routeOf(operation);
      expect((await send(method, `/api/v1${path}`, "")).status).toBe(429);
    },
  );

  it("requires its scope all the same", async () => {
    const { call } = await exhaustedApp();
    for (const operation of URGENT) expect(await call(operation, STORED.read)).toBe(403);
  });
});

describe("rate limits over MCP", () => {
  const calling = (name: string, id = 1) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: {} },
  });
  const mcpHeaders = { accept: "application/json, text/event-stream" };

  it("exempt urgent tools and no others", async () => {
    const { ask, tokens } = await exhaustedApp();
    const post = async (token: string, message: unknown) =>
      (
        await ask("/mcp", {
          method: "POST",
          headers: { ...JSON_BODY, ...mcpHeaders, authorization: `Bearer ${token}` },
          body: JSON.stringify(message),
        })
      ).status;
    expect(await post(tokens.trade, calling("stop_strategy"))).toBe(200);
    expect(await post(tokens.trade, calling("list_strategies"))).toBe(429);
    expect(await post(tokens.trade, { ...calling("stop_strategy"), method: "tools/list" })).toBe(429);
    expect(await post(WRONG, calling("stop_strategy"))).toBe(429);
  });
});
