import { describe, expect, it } from "vitest";
import { decimal, text } from "../../../src/kernel/decimal.ts";
import { AppError, VenueError } from "../../../src/kernel/errors.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { CandleRange } from "../../../src/ports/venue.ts";
import { BY } from "../../support/by.ts";
import { REQUEST } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";
import { previews, starts } from "../../support/starts.ts";

const CENTERED = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spacing: 0.02,
  levels: 3,
  size: 100,
  confidence: 0,
};

interface Plan {
  readonly planHash: string;
  readonly orders: readonly object[];
  readonly uses: { readonly quote: string };
  readonly free: { readonly quote: string };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly details: { readonly lastWeek: { readonly days: number | null; readonly message: string } };
}
interface Started {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly message: string;
  readonly config: object;
  readonly maxQuoteUsed: string;
  readonly ownBaseUsed: string;
  readonly warnings: readonly { readonly code: string }[];
}

async function opened() {
  const box = await testSandbox();
  const { deps, venue, store } = box;
  const resting = async (exchange = "kraken") => (await venue(exchange).openOrders()).length;
  const rows = async () => (await store.strategies({})).map(({ strategy }) => strategy);
  /** The venue of every account, with something else in place of its own. */
  const over = (of: object): Partial<Deps> => ({ venue: (exchange) => ({ ...venue(exchange), ...of }) });
  return { ...box, ...askingOf(deps), resting, rows, over };
}

describe("a start", () => {
  it("places what its preview showed, and returns what it uses", async () => {
    const { ask, resting, rows } = await opened();
    const plan = await ask<Plan>(...previews("grid", REQUEST));
    const result = await ask<Started>("start_grid", { ...REQUEST, planHash: plan.planHash });
    expect(result).toMatchObject({
      status: "running",
      phase: "active",
      message: `${result.id} is running and its orders are placed`,
      maxQuoteUsed: plan.uses.quote,
      config: { exchange: "kraken", symbol: "BTC/USDT", lowerPrice: 57_000, gridLevels: 6 },
    });
    expect(result.warnings.map(({ code }) => code)).toEqual(["own_base_used"]);
    expect(plan.warnings.map(({ code }) => code)).toEqual(["own_base_used"]);
    expect(Number(result.ownBaseUsed)).toBeGreaterThan(0);
    expect(await resting()).toBe(plan.orders.length);
    expect(await rows()).toMatchObject([
      { id: result.id, kind: "grid", wants: "run", keepOrders: false, lastError: null },
    ]);
  });

  it("waits for its trigger if it has one", async () => {
    const { ask, resting } = await opened();
    const result = await ask<Started>("start_grid", { ...REQUEST, triggerPrice: 50_000 });
    expect(result).toMatchObject({
      status: "idle",
      message: `${result.id} waits until the market reaches 50000`,
    });
    expect(await resting()).toBe(0);
  });

  it("is rejected with the hash of another plan, and while the kill switch is on", async () => {
    const { ask, preview, rows, store, deps } = await opened();
    const { planHash } = await ask<Plan>(...previews("grid", REQUEST));
    const other = { ...REQUEST, orderSize: 210, planHash };
    await expect(ask("start_grid", other)).rejects.toMatchObject({ label: "Conflict" });
    await expect(preview("start_grid", other)).rejects.toMatchObject({ label: "Conflict" });
    expect((await preview("start_grid", { ...REQUEST, planHash })).holds).toEqual({ planHash });
    // The switch is turned at the very moment of the write.
    const createStrategy = async () => undefined;
    const forbidden = {
      label: "Forbidden",
      message: expect.stringMatching(/the kill switch is on: nothing is started/),
    };
    await expect(
      ask("start_grid", REQUEST, { store: { ...deps.store, createStrategy } }),
    ).rejects.toMatchObject(forbidden);
    await store.setKill(true, BY);
    await expect(ask("start_grid", REQUEST)).rejects.toMatchObject(forbidden);
    await expect(ask("start_grid", other)).rejects.toMatchObject(forbidden);
    expect(await rows()).toEqual([]);
    expect((await preview("start_grid", REQUEST)).limits).toContain(
      "the kill switch is on: the start would be refused",
    );
  });

  it("happens once per request, however often the request repeats", async () => {
    const { deps, rows, resting, over } = await opened();
    const { ask } = askingOf(deps, { actor: "test", requestKey: "k1" });
    const first = await ask<Started>("start_grid", REQUEST);
    const again = await ask<Started>("start_grid", REQUEST);
    expect(again).toMatchObject({ id: first.id, ownBaseUsed: first.ownBaseUsed, warnings: [] });
    const cut = async () => Promise.reject(new VenueError("unavailable", "kraken does not respond"));
    await expect(ask("start_grid", REQUEST, over({ balances: cut }))).rejects.toMatchObject({
      label: "Order unknown",
      message: `${first.id} was started by an earlier attempt of this request, but kraken does not respond; check its status, and do not start another one`,
    });
    expect(Number(again.maxQuoteUsed)).toBeCloseTo(Number(first.maxQuoteUsed), 0);
    expect([await resting(), (await rows()).length]).toEqual([6, 1]);
    await askingOf(deps, { actor: "test", requestKey: "k2" }).ask("start_grid", {
      ...REQUEST,
      useOwnBase: false,
    });
    expect(await rows()).toHaveLength(2);
  });

  it("around the market uses the center that was shown", async () => {
    const { ask, exposure, rows } = await opened();
    const plan = await ask<Plan>(...previews("centered", CENTERED));
    expect(plan.planHash).toMatch(/^[0-9a-f]{32}-[\d.]+$/);
    expect(await exposure(...starts("centered", { ...CENTERED, planHash: plan.planHash }))).toMatchObject({
      note: "a grid that follows the market can buy without limit; set maxPosition",
    });
    await ask(...starts("centered", { ...CENTERED, planHash: plan.planHash }));
    const state = (await rows())[0]?.state as unknown as { readonly center: bigint };
    expect(plan.planHash.split("-")[1]).toBe(text(state.center));
  });

  it("uses the last hour's volatility if its width depends on it, and starts without it", async () => {
    const { ask, over, venue, rows } = await opened();
    const requests: CandleRange[] = [];
    const candles = (symbol: string, range: CandleRange) => {
      requests.push(range);
      return venue("kraken").candles(symbol as never, range);
    };
    const widens = { ...CENTERED, volatility: true };
    await ask(...starts("centered", widens), over({ candles }));
    expect(requests).toEqual([{ span: 60_000, limit: 60 }]);
    const midsOf = async () =>
      (await rows()).at(-1)?.state as unknown as { mids: { at: number }[]; laidAt: number };
    const { mids, laidAt } = await midsOf();
    expect(mids.length).toBeGreaterThan(50);
    // A candle's price is that of its end, and what is not over yet is no price.
    expect(Math.max(...mids.map(({ at }) => at))).toBeLessThanOrEqual(laidAt);
    expect(Math.max(...mids.map(({ at }) => at))).toBeGreaterThan(laidAt - 120_000);
    await ask(...starts("centered", CENTERED), over({ candles }));
    expect(requests).toHaveLength(1);
    const cut = async () => {
      throw new VenueError("unavailable", "the line is cut");
    };
    await ask(...starts("centered", { ...widens, size: 90 }), over({ candles: cut }));
    expect((await midsOf()).mids.length).toBeLessThanOrEqual(1);
    const broken = async () => {
      throw new TypeError("ours");
    };
    await expect(ask(...starts("centered", widens), over({ candles: broken }))).rejects.toThrow("ours");
  });

  it("beyond a limit is rejected, and counts toward its token's daily limit", async () => {
    const { ask, deps, rows } = await opened();
    const limit = (over: object) => ask("set_limits", { scope: "every", ...over });
    await limit({ orderNotional: "USDT=100" });
    const refused = { label: "Forbidden" };
    await expect(ask("start_grid", REQUEST)).rejects.toMatchObject(refused);
    await limit({ orderNotional: "USDT=1000" });
    const token = { id: "tok_a", name: "a", scope: "trade", expiresAt: null, hash: "hash" } as const;
    await deps.store.addToken(token, BY);
    await ask("set_limits", { scope: "token:tok_a", dayNotional: "USDT=2000" });
    const mine = askingOf(deps, { actor: "tok_a" });
    await mine.ask("start_grid", { ...REQUEST, useOwnBase: false });
    expect(
      await mine
        .ask("start_grid", { ...REQUEST, useOwnBase: false })
        .catch(({ label, message }) => ({ label, message })),
    ).toEqual({
      ...refused,
      message: expect.stringMatching(
        /^the limit dayNotional of this token is USDT=2000, and this can use 1200 USDT \(buy for 1200 USDT\), in addition to the 1200 USDT that the token used today; the limit resets at 00:00 UTC; an administrator/,
      ),
    });
    expect(await rows()).toHaveLength(1);
  });
});

describe("a paper trading start", () => {
  it("trades with separate balances, which a continued run keeps", async () => {
    const { ask, resting, rows } = await opened();
    const paper = { ...REQUEST, dryRun: true, dryBalance: "USDT=1500" };
    const plan = await ask<Plan>(...previews("grid", paper));
    expect(plan.free).toEqual({ quote: "1500", base: "0" });
    const { id } = await ask<Started>("start_grid", paper);
    expect(await resting()).toBe(0);
    expect((await rows())[0]?.account).toMatch(/^dry:kraken/);
    await expect(
      ask("start_grid", { ...paper, symbol: "ETH/USDT", lowerPrice: 2850, upperPrice: 3150 }),
    ).rejects.toMatchObject({
      label: "Conflict",
      message: "a dry run on kraken uses these balances; stop it, or remove dryBalance",
    });
    await ask("start_grid", { ...REQUEST, dryRun: true, gridLevels: 4 });
    expect((await ask<Plan>(...previews("grid", { ...REQUEST, dryRun: true }))).free.quote).not.toBe("1500");
    await ask("stop_strategy", { id });
  });

  it("is rejected where paper trading is unavailable, as are balances without paper trading", async () => {
    const { ask, deps } = await opened();
    const { dry: _, ...live } = deps;
    await expect(askingOf(live).ask(...previews("grid", { ...REQUEST, dryRun: true }))).rejects.toMatchObject(
      {
        label: "Start failed",
        message: "paper trading is not available here",
      },
    );
    await expect(ask(...previews("grid", { ...REQUEST, dryBalance: "USDT=1500" }))).rejects.toMatchObject({
      label: "Invalid request",
      message: "dryBalance requires dryRun",
    });
  });
});

describe("the data that a start requests", () => {
  it("includes the price confidence only when it matters", async () => {
    const { ask } = await opened();
    const readOutput = async (over: object, of: Partial<Deps> = {}) =>
      (await ask<Plan>(...previews("grid", { ...REQUEST, ...over }), of)).warnings.filter(
        ({ code }) => code === "low_confidence",
      );
    const nobody = { reference: async () => ({ prices: [], maxConfidence: null, listed: true }) };
    const never = {
      reference: async () => {
        throw new AppError("Internal error", "nobody has asked for it");
      },
    };
    expect(await readOutput({}, never)).toEqual([]);
    const [doubt] = await readOutput({ confidence: 1 }, nobody);
    expect(doubt?.message).toMatch(
      /^nothing is placed now: the price's confidence is [\d.]+, below 1 \(.+\)$/,
    );
    expect(await readOutput({ confidence: 0 }, nobody)).toEqual([]);
    // Where nobody else lists the pair its own price is all there is.
    expect(await readOutput({ confidence: 1 }, { reference: undefined } as never)).toEqual([]);
  });

  it("includes last week's prices, and a plan works without them", async () => {
    const { ask, over } = await opened();
    const week = async (of: Partial<Deps> = {}) =>
      (await ask<Plan>(...previews("grid", REQUEST), of)).details.lastWeek;
    expect((await week()).days).toBe(7);
    const failing = (error: Error) =>
      over({
        candles: async () => {
          throw error;
        },
      });
    const unknown = (why: string) => `unknown, because the last week's prices are unavailable: ${why}`;
    expect((await week(failing(new VenueError("unavailable", "the line is cut")))).message).toBe(
      unknown("the line is cut"),
    );
    expect((await week(failing(new AppError("Fetch failed", "no such pair")))).message).toBe(
      unknown("no such pair"),
    );
    expect((await week(over({ candles: async () => [] }))).message).toBe(
      unknown("kraken has no candles of BTC/USDT"),
    );
    await expect(week(failing(new TypeError("ours")))).rejects.toThrow("ours");
  });

  it("includes the price history for a guided start, and no invented range", async () => {
    const { ask, over } = await opened();
    const request = { exchange: "kraken", symbol: "BTC/USDT", budget: 500 };
    interface Guide {
      readonly past: { readonly from: number; readonly until: number };
      readonly start: object;
    }
    const days = async (width: string) => {
      const { past } = await ask<Guide>("guide_grid", { ...request, width });
      return (past.until - past.from) / 86_400_000;
    };
    expect([await days("narrow"), await days("usual"), await days("wide")]).toEqual([1, 7, 30]);
    const { start } = await ask<Guide>("guide_grid", request);
    const plan = await ask<Plan>("preview_strategy", start);
    expect(decimal(plan.uses.quote)).toBeLessThanOrEqual(decimal("500"));
    await expect(ask("guide_grid", request, over({ candles: async () => [] }))).rejects.toMatchObject({
      label: "Fetch failed",
      message: "kraken has no history of BTC/USDT; set lowerPrice and upperPrice yourself",
    });
    await expect(
      ask<Started>("start_strategy", { ...start, planHash: plan.planHash }),
    ).resolves.toMatchObject({
      uses: plan.uses,
    });
  });
});
