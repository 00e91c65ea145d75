import { describe, expect, it } from "vitest";
import { BY } from "../support/by.ts";
import { drivenApp } from "../support/driven.ts";
import { orderRequest } from "../support/requests.ts";

const ORDER = orderRequest();

interface Body {
  readonly error?: string;
  readonly message?: string;
  readonly limit?: string;
}

async function app() {
  const driven = await drivenApp();
  const { call } = driven;
  return {
    ...driven,
    order: (over: object = {}) => call<Body>("POST", "/orders", { ...ORDER, ...over }),
    limit: (body: object) => call<Body & { changes: object[] }>("PUT", "/limits", body),
    shown: async () => (await call<{ limits: object[]; used: object[] }>("GET", "/limits")).body,
    intents: async () => (await driven.context.client.execute("select client_id from orders")).rows.length,
  };
}

describe("with the default limits", () => {
  it.each([
    ["a sell at a hundredth of the price", { side: "sell", amount: 0.1, price: 600 }, "limit_collar"],
    ["a buy at ten times the price", { price: 600_000 }, "limit_collar"],
    ["a slip of the amount", { side: "sell", amount: 1.9, price: 61_000 }, "limit_order"],
    ["a sell that counts at its own low price", { side: "sell", amount: 1.7, price: 58_000 }, "limit_order"],
  ])("%s is refused before it is recorded", async (_name, over, limit) => {
    const { order, intents } = await app();
    const { status, body } = await order(over);
    expect({ status, error: body.error, limit: body.limit }).toEqual({
      status: 403,
      error: "Forbidden",
      limit,
    });
    expect(body.message).toMatch(/the limit \w+ is .*, but this order, .*edgemaker limits set --/);
    expect(await intents()).toBe(0);
  });

  it("an order like the specification's example is placed and counted", async () => {
    const { order, shown } = await app();
    expect((await order()).status).toBe(200);
    expect((await order({ side: "sell", price: 61_000 })).status).toBe(200);
    expect((await order({ type: "market" })).status).toBe(200);
    expect((await shown()).used).toMatchObject([
      { asset: "USDT", orders: 3, scope: "account:sandbox:kraken:" },
    ]);
  });
});

describe("configured limits", () => {
  it.each([
    ["orderNotional", { orderNotional: "USDT=49" }, {}, "limit_order"],
    ["orderNotional in another asset", { orderNotional: "off" }, {}, undefined],
    ["symbols", { symbols: "ETH/USDT" }, {}, "limit_symbol"],
    ["collarPercent of a sell", { collarPercent: 1 }, { side: "sell", price: 59_000 }, "limit_collar"],
    ["collarPercent off", { collarPercent: "off" }, { side: "sell", price: 10_000 }, undefined],
    ["dayNotional", { dayNotional: { USDT: 49 } }, {}, "limit_day"],
    ["openOrders", { openOrders: 0 }, {}, "limit_open_orders"],
    ["a token's own", { scope: "token:admin", orderNotional: "USDT=49" }, {}, "limit_order"],
    ["another token's", { scope: "token:tok_trade", orderNotional: "USDT=49" }, {}, undefined],
    ["the account's", { scope: "account:kraken", orderNotional: "USDT=49" }, {}, "limit_order"],
    ["another account's", { scope: "account:mexc", orderNotional: "USDT=49" }, {}, undefined],
  ])("take effect at once: %s", async (_name, set, over, limit) => {
    const { order, limit: put } = await app();
    expect((await put(set)).status).toBe(200);
    const { status, body } = await order(over);
    expect({ status, limit: body.limit }).toEqual({ status: limit ? 403 : 200, limit });
  });

  it("count the day's orders and start again with the next UTC day", async () => {
    const { order, limit, time } = await app();
    await limit({ dayNotional: "USDT=120" });
    expect([(await order()).status, (await order()).status, (await order()).status]).toEqual([200, 200, 403]);
    time.pass(24 * 3600_000);
    expect((await order()).status).toBe(200);
  });

  it("report which asset's and whose daily limit is used up, and when there is room again", async () => {
    const { order, limit } = await app();
    await limit({ dayNotional: "USDT=60" });
    await order();
    expect((await order()).body.message).toMatch(
      /counts as 50 USDT, in addition to the 50 USDT that kraken used today; the limit resets at 00:00 UTC; an admin/,
    );
    await limit({ scope: "token:admin", dayNotional: "USDT=60" });
    await limit({ dayNotional: "USDT=160" });
    expect((await order()).body.message).toMatch(/in addition to the 50 USDT that this token used today; /);
  });

  it("enforce the minimum interval between orders", async () => {
    const { order, limit, time } = await app();
    await limit({ orderGapMillis: 5000 });
    expect([(await order()).status, (await order()).body.limit]).toEqual([200, "limit_gap"]);
    time.pass(5000);
    expect((await order()).status).toBe(200);
  });

  it("free room when an open order ends", async () => {
    const { order, limit, call } = await app();
    await limit({ openOrders: 1 });
    expect([(await order()).status, (await order()).body.limit]).toEqual([200, "limit_open_orders"]);
    await call("DELETE", "/orders?exchange=kraken");
    await call("POST", "/internal/tick", {});
    expect((await order()).status).toBe(200);
  });

  it("stay set when another one is set", async () => {
    const { limit, shown } = await app();
    await limit({ openOrders: 7 });
    await limit({ orderGapMillis: 5 });
    expect((await shown()).limits).toMatchObject([{ limits: { openOrders: "7", orderGapMillis: "5" } }]);
    await limit({ openOrders: "off" });
    expect((await shown()).limits).toMatchObject([{ limits: { openOrders: "off", orderGapMillis: "5" } }]);
  });

  it("show the previous limit and keep amounts of other assets", async () => {
    const { limit, context } = await app();
    await limit({ orderNotional: "USDT=500" });
    const { body } = await limit({ orderNotional: "USDT=700" });
    expect(body.changes).toEqual([
      {
        name: "orderNotional",
        was: "USDT=500,USDC=100000,USD=100000,EUR=100000,BTC=1,ETH=30",
        is: "USDT=700,USDC=100000,USD=100000,EUR=100000,BTC=1,ETH=30",
      },
    ]);
    const { rows } = await context.client.execute("select message from events where kind = 'limits'");
    expect(rows).toHaveLength(2);
    expect(rows[1]?.message).toMatch(/^every: orderNotional is USDT=700,.* was USDT=500,.*, by admin$/);
  });

  it.each([
    [{ orderNotionall: "USDT=5" }, /unknown field: orderNotionall/],
    [{ orderNotional: "500" }, /amounts by quote asset/],
    [{ collarPercent: 0 }, /percentage above 0/],
    [{ scope: "account:nasdaq", openOrders: 1 }, /not a configured exchange/],
    [
      { scope: "token:trade", openOrders: 1 },
      /^there is no token trade; choose an id from the list of tokens \(`edgemaker token list`\)$/,
    ],
    [{ scope: "everybody", openOrders: 1 }, /scope is every/],
    [{}, /name a limit to set/],
    [{ scope: "token:a", accountLoss: "USDT=5" }, /loss limits apply/],
  ])("cannot be set to %j", async (body, pattern) => {
    const { limit } = await app();
    const answer = await limit(body);
    expect(answer).toMatchObject({ status: 400, body: { error: "Invalid request" } });
    expect(answer.body.message).toMatch(pattern);
  });

  it.each(["admin", "local", "mcp", "tok_agent"])("can be set for the caller %s", async (caller) => {
    const { limit } = await app();
    expect((await limit({ scope: `token:${caller}`, openOrders: 1 })).status).toBe(200);
  });

  it("cannot be set for the token of a server, whose commands are those of the caller local", async () => {
    const { limit, store } = await app();
    const server = { server: "http://localhost:1", hash: "hash of tok_server" };
    await store.addToken({ id: "tok_server", name: "s", scope: "admin", expiresAt: null, ...server }, BY);
    expect((await limit({ scope: "token:tok_server", openOrders: 1 })).status).toBe(400);
  });

  it("are removed from a token that does not exist, if an earlier version set them", async () => {
    const { limit, store, shown } = await app();
    const settings = { openOrders: 1 };
    await store.setLimits({ version: 0, scope: "token:trade", settings, message: "set" }, BY);
    expect((await limit({ scope: "token:trade", openOrders: "off" })).status).toBe(200);
    expect((await shown()).limits).toMatchObject([{ scope: "every" }, { scope: "token:trade", limits: {} }]);
  });

  it("require an administrator", async () => {
    const { ask, tokens } = await app();
    const headers = { authorization: `Bearer ${tokens.trade}`, "content-type": "application/json" };
    const put = await ask("/api/v1/limits", { method: "PUT", headers, body: '{"openOrders":5}' });
    expect(put.status).toBe(403);
  });
});
