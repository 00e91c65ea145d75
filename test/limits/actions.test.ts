import { describe, expect, it } from "vitest";
import type { GridConfig } from "../../src/grid/state/config.ts";
import { drivenApp, type GridOut } from "../support/driven.ts";
import { startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 };
const QUOTE = {
  ...MARKET,
  spreadPercent: 1,
  size: 50,
  baseBudget: 0.1,
  quoteBudget: 100,
  volatilityFactor: 0,
};

interface Body {
  readonly id: string;
  readonly error?: string;
  readonly message: string;
  readonly limit?: string;
}

/** A token that may trade, and what it is answered. */
async function limited(limits: object) {
  const app = await drivenApp();
  await app.call("PUT", "/limits", { scope: "token:tok_trade", ...limits });
  const send = async (method: string, path: string, body: object = {}) => {
    const answer = await app.ask(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { ...((await answer.json()) as Body), code: answer.status };
  };
  const used = async () => {
    const { body } = await app.call<{ used: { scope: string; notional: string }[] }>("GET", "/limits");
    return Number(body.used.find(({ scope }) => scope === "token:tok_trade")?.notional ?? 0);
  };
  return { ...app, send, used };
}

describe("a token's limits", () => {
  it("count once what a start can sell and buy", async () => {
    const { send, used } = await limited({ dayNotional: "USDT=10000" });
    expect((await send("POST", ...startOf("quote", QUOTE))).code).toBe(200);
    expect(await used()).toBeCloseTo(0.1 * 60_000 + 100, -1);
  });

  it("count starts before any limit is set", async () => {
    const { send, used, call } = await limited({ openOrders: 100 });
    const { id } = await send("POST", "/strategy/grid", { ...GRID, useOwnBase: false });
    await send("POST", `/strategies/${id}/pause`);
    await send("POST", `/strategies/${id}/resume`);
    await call("PUT", "/limits", { scope: "token:tok_trade", dayNotional: "USDT=2000" });
    expect(await used()).toBe(1200);
    expect(await send("POST", `/strategies/${id}/resume`)).toMatchObject({
      code: 403,
      limit: "limit_day",
      message: expect.stringMatching(
        /^the limit dayNotional of this token is USDT=2000, and this can use 1200 USDT \(buy for 1200 USDT\), in addition to the 1200 USDT/,
      ),
    });
  });

  it.each([
    ["symbols", "ETH/USDT", "limit_symbol", /this trades BTC\/USDT/],
    ["orderNotional", "USDT=49", "limit_order", /its largest order counts as 50 USDT/],
    ["dayNotional", "EUR=1000000", "limit_day", /in addition to the 0 USDT/],
  ])("refuse quotes by %s", async (name, value, limit, message) => {
    const { send, store } = await limited({ [name]: value });
    expect(await send("POST", ...startOf("quote", QUOTE))).toMatchObject({
      code: 403,
      limit,
      message: expect.stringMatching(message),
    });
    expect(await store.strategies({})).toEqual([]);
  });

  it("refuse an action of unknown exposure, and never a plain stop", async () => {
    const { send, start, switches, grid } = await limited({ dayNotional: "USDT=1000000" });
    const { id } = await start(GRID);
    switches.isCut = true;
    expect(await send("DELETE", "/strategy/grid", { id, sellBase: true })).toMatchObject({
      code: 403,
      limit: "limit_unknown",
      message: expect.stringMatching(/the amount that this can trade is unknown: the line is cut/),
    });
    expect((await grid(id)).phase).toBe("active");
    expect((await send("DELETE", "/strategy/grid", { id })).code).toBe(200);
    switches.isCut = false;
  });

  it("apply to an exit that the token requests; the account's limits do not", async () => {
    const { send, start, call, tick, grid } = await limited({ dayNotional: "USDT=100" });
    const { id } = await start(GRID);
    await call("PUT", "/limits", { dayNotional: "USDT=1", orderNotional: "USDT=150" });
    const refused = await send("DELETE", "/strategy/grid", { id, sellBase: true });
    expect(refused).toMatchObject({ code: 403, limit: "limit_day" });
    expect((await call("DELETE", "/strategy/grid", { id, sellBase: true })).status).toBe(200);
    for (const _pass of [1, 2, 3, 4, 5]) await tick(60_000);
    expect((await grid(id)).status).toBe("stopped");
  });

  it("bound a grid that follows the market by the amount counted at its start", async () => {
    const { send, tick, move, used, grid, deposit, context } = await limited({ dayNotional: "USDT=100000" });
    const centered = { ...MARKET, levels: 5, size: 100, spacing: 0.002, maxPosition: 0.005 };
    const { id } = await send("POST", ...startOf("centered", { ...centered, useOwnBase: false }));
    expect(await used()).toBe(500);
    // A deposit makes the account's capital larger, and with it a share of the capital.
    await deposit("USDT", 100_000n * 10n ** 18n);
    for (const factor of [0.98, 0.98, 0.98, 0.98]) {
      await move(factor);
      for (const _pass of [1, 2, 3, 4]) await tick(60_000);
    }
    const bought = await context.client.execute(
      "select sum(cast(notional as real)) from fills where side = 'buy'",
    );
    expect(Number(bought.rows[0]?.[0])).toBeGreaterThan(400);
    expect(Number(bought.rows[0]?.[0])).toBeLessThanOrEqual(500);
    expect((await grid(id)).refused.map(({ reason }) => reason)).toContain("limit_exposure");
  });

  it("no longer apply to a grid after a caller without limits changes it", async () => {
    const { send, call, store } = await limited({ dayNotional: "USDT=100000" });
    const { id } = await send("POST", "/strategy/grid", { ...GRID, useOwnBase: false });
    const bound = async () => {
      const [view] = await store.strategies({ id });
      return (view?.strategy.config as GridConfig | undefined)?.bound?.spent;
    };
    expect(await bound()).toBe(1200n * 10n ** 18n);
    await call<GridOut>("PATCH", `/strategies/${id}`, { config: { orderSize: 210 } });
    expect(await bound()).toBeUndefined();
    await send("PATCH", `/strategies/${id}`, { config: { orderSize: 220 } });
    expect(await bound()).toBe(1320n * 10n ** 18n);
  });
});
