import { describe, expect, it } from "vitest";
import { drivenApp, type GridOut } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";
import { startOf } from "../support/starts.ts";

const GRID = gridRequest();

interface Reported extends GridOut {
  readonly refused: readonly { slot: number; reason: string; detail?: string }[];
  readonly notices: readonly { code: string; message: string }[];
}

async function app() {
  const driven = await drivenApp();
  const { call } = driven;
  return {
    ...driven,
    limit: (body: object) => call("PUT", "/limits", body),
    started: async (over: object = {}) => {
      const { status, body } = await call<GridOut & { limit?: string; message: string }>(
        "POST",
        "/strategy/grid",
        { ...GRID, ...over },
      );
      return { code: status, ...body };
    },
    status: async (id: string) =>
      (await call<{ strategies: [Reported] }>("GET", `/strategy/grid/status?id=${id}`)).body.strategies[0],
    cancelAll: () => call("DELETE", "/orders?exchange=kraken"),
    sells: async () =>
      (
        await driven.context.client.execute(
          "select price, amount, kind from orders where side = 'sell' and state = 'filled' and kind = 'exit' order by rowid",
        )
      ).rows.map(({ amount }) => Number(amount)),
  };
}

describe("a grid start", () => {
  it.each([
    [{ orderNotional: "USDT=199" }, "limit_order"],
    [{ dayNotional: "USDT=1100" }, "limit_day"],
    [{ openOrders: 5 }, "limit_open_orders"],
    [{ symbols: "ETH/USDT" }, "limit_symbol"],
    [{ scope: "token:admin", dayNotional: "USDT=1100" }, "limit_day"],
  ])("is refused beyond %j and stores nothing", async (set, limit) => {
    const { started, limit: put, store, resting } = await app();
    await put(set);
    expect(await started()).toMatchObject({ code: 403, limit });
    expect(await store.strategies({})).toEqual([]);
    expect(await resting()).toEqual([]);
  });

  it("of quotes cannot sell more in one order than a token may, by a stop price or a time", async () => {
    const { limit, call } = await app();
    await limit({ scope: "token:admin", orderNotional: "USDT=150" });
    const start = async (more: object) => {
      const place = { exchange: "kraken", symbol: "BTC/USDT", quoteBudget: 1000, baseBudget: 0.05 };
      const [to, body] = startOf("quote", { ...place, spreadPercent: 1, size: 100, ...more });
      return (await call<{ limit?: string }>("POST", to, body)).body.limit;
    };
    expect(await start({ takeProfitPrice: 1 })).toBe("limit_order");
    expect(await start({ endsAt: "2040-01-01", onEnd: "sell" })).toBe("limit_order");
    expect(await start({ takeProfitPrice: 10_000_000 })).toBeUndefined();
  });

  it("within the limits places every order and counts each once", async () => {
    const { started, limit, resting, call } = await app();
    await limit({ dayNotional: "USDT=1300", openOrders: 6, orderNotional: "USDT=220" });
    expect((await started()).code).toBe(200);
    expect(await resting()).toHaveLength(6);
    const { body } = await call<{ used: { orders: number; notional: string }[] }>("GET", "/limits");
    expect(body.used[0]?.orders).toBe(6);
    expect(Number(body.used[0]?.notional)).toBeCloseTo(1200, -1);
  });
});

describe("a running grid", () => {
  it.each([
    [{ orderNotional: "USDT=150" }, "limit_order"],
    [{ dayNotional: "USDT=1" }, "limit_day"],
    [{ symbols: "ETH/USDT" }, "limit_symbol"],
  ])(
    "stops at %j with its next order, names the limit, and resumes once it is raised",
    async (set, reason) => {
      const { started, limit, cancelAll, tick, status, resting } = await app();
      const { id } = await started();
      await limit(set);
      await cancelAll();
      for (const _pass of [1, 2, 3]) await tick();
      const result = await status(id);
      expect(result).toMatchObject({ status: "running", openOrders: 0, lastError: null });
      expect(result.refused.map((one) => one.reason)).toEqual(Array(6).fill(reason));
      expect(result.refused[0]?.detail).toMatch(/the limit \w+ is .*edgemaker limits set --/);
      expect(await resting()).toEqual([]);
      await limit(Object.fromEntries(Object.keys(set).map((name) => [name, "off"])));
      for (const _pass of [1, 2]) await tick();
      expect(await resting()).toHaveLength(6);
      expect((await status(id)).refused).toEqual([]);
    },
  );

  it("places as many orders as the day's limit allows, nearest the market first", async () => {
    const { started, limit, cancelAll, tick, status, resting } = await app();
    const { id } = await started();
    await limit({ dayNotional: "USDT=1650" });
    await cancelAll();
    for (const _pass of [1, 2, 3]) await tick();
    expect(await resting()).toHaveLength(2);
    expect((await status(id)).refused.map(({ reason }) => reason)).toEqual(Array(4).fill("limit_day"));
  });

  it("places one order at a time where a minimum interval is set", async () => {
    const { started, limit, cancelAll, tick, resting } = await app();
    await started();
    await limit({ orderGapMillis: 2000 });
    await cancelAll();
    const observed: number[] = [];
    for (const _pass of [1, 2, 3, 4, 5, 6]) {
      await tick(1000);
      observed.push((await resting()).length);
    }
    expect(observed).toEqual([0, 1, 1, 2, 2, 3]);
  });
});

describe("an exit", () => {
  it("sells in parts within the order cap, beyond the daily limit, and is counted", async () => {
    const { started, limit, tick, status, sells, call } = await app();
    const { id } = await started();
    await limit({ orderNotional: "USDT=250", dayNotional: "USDT=1" });
    await call("DELETE", "/strategy/grid", { id, sellBase: true });
    for (const _pass of [1, 2, 3, 4]) await tick();
    expect((await status(id)).status).toBe("stopped");
    const parts = await sells();
    expect(parts.length).toBeGreaterThan(1);
    for (const amount of parts) expect(amount * 60_100).toBeLessThanOrEqual(251);
    const { body } = await call<{ used: { orders: number }[] }>("GET", "/limits");
    expect(body.used[0]?.orders).toBe(6 + parts.length);
  });

  it("ignores the price collar on purpose and reports it", async () => {
    const { started, limit, tick, status, call, sells } = await app();
    const { id } = await started();
    await limit({ collarPercent: 0.5 });
    await call("DELETE", "/strategy/grid", { id, sellBase: true });
    await tick();
    const result = await status(id);
    expect(result.status).toBe("stopped");
    expect(await sells()).toHaveLength(1);
    expect(result.notices).toMatchObject([
      {
        code: "exit_beyond_collar",
        message: expect.stringMatching(/on purpose: the limit collarPercent is 0.5/),
      },
    ]);
  });
});

describe("a first buy", () => {
  it("is split into parts within the order cap", async () => {
    const { started, limit, tick, resting, context } = await app();
    await limit({ orderNotional: "USDT=250" });
    expect((await started({ initialBuy: true, useOwnBase: false })).code).toBe(200);
    for (const _pass of [1, 2, 3, 4]) await tick();
    const { rows } = await context.client.execute("select price, amount from orders where slot = 1000");
    expect(rows.length).toBeGreaterThan(1);
    for (const { price, amount } of rows) expect(Number(price) * Number(amount)).toBeLessThanOrEqual(250);
    const sides = (await resting()).map(({ side }) => side).sort();
    expect(sides).toEqual(["buy", "buy", "buy", "buy", "sell", "sell"]);
  });
});
