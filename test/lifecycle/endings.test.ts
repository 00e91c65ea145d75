import { describe, expect, it } from "vitest";
import twoSided from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { kindsWith } from "../../src/kinds.ts";
import { adminAsks, servedOver } from "../support/app.ts";
import { testSandbox } from "../support/sandbox.ts";
import { startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const STARTS = {
  grid: [
    "grid",
    { ...MARKET, lowerPrice: 58_000, upperPrice: 62_000, gridLevels: 4, orderSize: 100, useOwnBase: true },
  ],
  centered: ["centered", { ...MARKET, levels: 2, spacing: 0.01, size: 100, useOwnBase: true }],
  quote: ["quote", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 }],
  "a user's strategy": ["two-sided", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 }],
} as const;

interface Status {
  readonly status: string;
  readonly stopReason: string | null;
  readonly position: string;
  readonly endings: readonly string[];
  readonly stopPrices: readonly {
    readonly reason: string;
    readonly price: string;
    readonly armed: boolean;
  }[];
}

/** A strategy that is started with these options, over HTTP. */
async function startedWith([definition, fields]: (typeof STARTS)[keyof typeof STARTS], options: object) {
  const definitions = [twoSided];
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith(definitions)) };
  const app = servedOver(deps, { definitions });
  const ask = adminAsks(app);
  const venue = box.venue("kraken");
  const marketTime = async () => (await venue.ticker("BTC/USDT")).at;
  const given = typeof options === "function" ? options(await marketTime()) : options;
  const [where, body] = startOf(definition, { ...fields, ...given });
  const plan = await ask<{ endings: string[]; warnings: { code: string }[] }>(
    "POST",
    `${where}/preview`,
    body,
  );
  const { id } = await ask<{ id: string }>("POST", where, body);
  const open = async () => (await venue.openOrders()).length;
  const pass = async (count: number, millis = 6000) => {
    for (let at = 0; at < count; at++) {
      box.time.pass(millis);
      await ask("POST", "/internal/tick", {});
    }
  };
  const status = () => ask<Status>("GET", `/strategies/${id}`);
  const edit = (config: object) =>
    ask<{ changes: { field: string; from: string; to: string }[] }>("PATCH", `/strategies/${id}`, { config });
  await pass(2, 1000);
  const previewEdit = (config: object) =>
    ask<{ warnings: { code: string }[]; endings: string[] }>("POST", `/strategies/${id}/preview`, { config });
  const refusedStart = (options: object) => {
    const [to, sent] = startOf(definition, { ...fields, ...options });
    return ask<{ error: string }>("POST", `${to}/preview`, sent);
  };
  const pause = () => ask<{ message: string }>("POST", `/strategies/${id}/pause`, {});
  return { id, plan, open, pause, previewEdit, refusedStart, pass, status, edit };
}

describe.each(Object.entries(STARTS))("%s", (_what, start) => {
  it("sells its base and stops at a take-profit price that is reached", async () => {
    const range = start[0] === "grid" ? { lowerPrice: 40_000, upperPrice: 50_000, useOwnBase: false } : {};
    const { plan, open, status, pass } = await startedWith(start, {
      ...range,
      takeProfitPrice: 55_000,
      stopAtOnce: true,
    });
    expect(plan.endings).toContain("it sells its base and stops at or above 55000");
    expect(plan.warnings.map(({ code }) => code)).toContain("stops_at_once");
    await pass(3);
    expect(await open()).toBe(0);
    expect(await status()).toMatchObject({
      status: "stopped",
      stopReason: expect.stringContaining("take_profit at"),
      position: "0",
    });
  });

  it("ends at its time, and keeps its base", async () => {
    const { plan, open, status, pass } = await startedWith(start, (now: number) => ({
      endsAt: now + 60_000,
    }));
    expect(plan.endings.join()).toMatch(/it ends at .* UTC and keeps its base/);
    expect(await open()).toBeGreaterThan(1);
    await pass(15);
    expect(await open()).toBe(0);
    expect(await status()).toMatchObject({
      status: "stopped",
      stopReason: expect.stringContaining("end time"),
    });
    expect(Number((await status()).position)).toBeGreaterThan(0);
  });

  it("ends at its time, and sells its base if it shall", async () => {
    const { open, status, pass } = await startedWith(start, (now: number) => ({
      endsAt: now + 60_000,
      onEnd: "sell",
    }));
    expect(Number((await status()).position)).toBeGreaterThan(0);
    await pass(15);
    expect(await open()).toBe(0);
    expect(await status()).toMatchObject({ status: "stopped", position: "0" });
  });

  it("ends at its time while it waits for its trigger price", async () => {
    const { status, pass } = await startedWith(start, (now: number) => ({
      endsAt: now + 30_000,
      triggerPrice: 90_000,
    }));
    expect(await status()).toMatchObject({ status: "idle" });
    await pass(10);
    expect(await status()).toMatchObject({
      status: "stopped",
      stopReason: expect.stringContaining("end time"),
    });
  });

  it("waits for its trigger price without an order", async () => {
    const { open, status, pass } = await startedWith(start, { triggerPrice: 90_000 });
    await pass(3);
    expect(await open()).toBe(0);
    expect(await status()).toMatchObject({
      status: "idle",
      stopPrices: [{ reason: "trigger", price: "90000", armed: true }],
    });
  });

  it("warns of a nearer trailing stop that ends it at once", async () => {
    const { pass, previewEdit } = await startedWith(start, { trailingStopPercent: 20 });
    await pass(100, 60_000);
    const { warnings } = await previewEdit({ trailingStopPercent: 0.0001 });
    expect(warnings.map(({ code }) => code)).toContain("stops_at_once");
    const far = await previewEdit({ trailingStopPercent: 21 });
    expect(far.warnings.map(({ code }) => code)).not.toContain("stops_at_once");
  });

  it("refuses options that could have no effect, and a change to them", async () => {
    const { edit, previewEdit, refusedStart } = await startedWith(start, {});
    for (const options of [{ trailingStopPercent: 0 }, { trailingStopPercent: 100 }, { onEnd: "sell" }])
      expect(await refusedStart(options)).toMatchObject({ error: "Invalid request" });
    for (const change of [{ trailingStopPercent: 100 }, { onEnd: "sell" }])
      expect(await previewEdit(change)).toMatchObject({ error: "Invalid request" });
    await edit({ endsAt: "2040-01-01", onEnd: "sell" });
    expect((await edit({ endsAt: 0 })).changes.map(({ field, to }) => [field, to])).toEqual([
      ["endsAt", "none"],
      ["onEnd", "none"],
    ]);
    expect((await previewEdit({ stopAtOnce: true })).endings).toEqual([]);
  });

  it("says that a paused one is not watched, and does not end", async () => {
    const { pause, pass, status } = await startedWith(start, (now: number) => ({
      trailingStopPercent: 20,
      endsAt: now + 20_000,
    }));
    expect((await pause()).message).toContain(
      "; its stop and take-profit prices are not watched; it does not end at its time",
    );
    await pass(5);
    expect(await status()).toMatchObject({ status: "running" });
  });

  it("gets and loses its stops by a change, which keeps its orders", async () => {
    const { open, status, pass, edit } = await startedWith(start, {});
    const before = await open();
    expect((await edit({ stopLossPrice: 30_000, trailingStopPercent: 20, maxLoss: 500 })).changes).toEqual([
      { field: "stopLossPrice", from: "none", to: "30000" },
      { field: "trailingStopPercent", from: "none", to: "20" },
      { field: "maxLoss", from: "none", to: "500" },
    ]);
    await pass(2);
    expect((await status()).endings).toEqual([
      "at a loss of more than 500 USDT it places nothing until you resume it",
    ]);
    expect((await status()).stopPrices.map(({ reason, armed }) => [reason, armed])).toEqual([
      ["stop_loss", true],
      ["trailing_stop", true],
    ]);
    const { changes } = await edit({ stopLossPrice: 0, trailingStopPercent: 0, maxLoss: 0 });
    expect(changes.map(({ to }) => to)).toEqual(["none", "none", "none"]);
    await pass(1);
    expect((await status()).stopPrices).toEqual([]);
    expect(await open()).toBe(before);
  });
});

it("quotes at a fixed price end at the price of the market", async () => {
  const fixed = { fixedPrice: 50_000, useOwn: false, useOthers: false, useDex: false };
  const { status, pass, open } = await startedWith(STARTS.quote, {
    ...fixed,
    takeProfitPrice: 55_000,
    stopAtOnce: true,
  });
  await pass(3);
  expect(await open()).toBe(0);
  expect(await status()).toMatchObject({
    status: "stopped",
    stopReason: expect.stringContaining("take_profit at 6"),
  });
  const above = await startedWith(STARTS.quote, {
    ...fixed,
    fixedPrice: 70_000,
    takeProfitPrice: 65_000,
    stopAtOnce: true,
  });
  // The plan and the passes judge the same price.
  expect(above.plan.warnings.map(({ code }) => code)).not.toContain("stops_at_once");
  await above.pass(3);
  expect(await above.status()).toMatchObject({ status: "running", stopReason: null });
});
