import { describe, expect, it } from "vitest";
import { wire } from "../../src/kernel/decimal.ts";
import { BY } from "../support/by.ts";
import { drivenApp } from "../support/driven.ts";
import { previewOf, startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 10, orderSize: 100 };

interface Planned {
  readonly planHash: string;
  readonly price: string;
  readonly orders: readonly (Placed & { readonly crosses: boolean })[];
}

interface Placed {
  readonly slot?: number;
  readonly id?: string;
  readonly side: string;
  readonly price: number | string;
  readonly amount: number | string;
}

const sorted = (orders: readonly Placed[]) =>
  orders
    .map(({ side, price, amount }) => ({ side, price: Number(price), amount: Number(amount) }))
    .sort((a, b) => a.price - b.price || a.side.localeCompare(b.side));

async function shown(form: string, request: object) {
  const app = await drivenApp();
  const { status, body } = await app.call<Planned>("POST", ...previewOf(form, request));
  expect(status).toBe(200);
  const orders = async () =>
    (await app.call<{ orders: Placed[] }>("GET", "/orders?exchange=kraken")).body.orders;
  const start = (over: object = {}) =>
    app.call<{ error?: string; message: string }>(
      "POST",
      ...startOf(form, { ...request, planHash: body.planHash, ...over }),
    );
  return { ...app, planned: body, orders, begin: start };
}

type Shown = Awaited<ReturnType<typeof shown>>;

async function refused({ orders, begin, grids }: Shown, over: object = {}) {
  const before = await orders();
  expect(await begin(over)).toMatchObject({ status: 409, body: { error: "Conflict" } });
  expect(await orders()).toEqual(before);
  expect(await grids()).toEqual([]);
}

/** Expects that the plan's orders are placed after the price has moved, at the shown prices or better ones. */
const keepsToPlan = (form: string, request: object) => async (factor: number) => {
  const app = await shown(form, request);
  await app.move(factor);
  expect((await app.begin()).status).toBe(200);
  const [grid] = await app.store.strategies({});
  const rows = await app.store.ordersOf(grid?.strategy.id ?? "", { limit: 100 });
  const placed = rows.map(({ price, amount, ...row }) => ({
    ...row,
    price: wire(price),
    amount: wire(amount),
  }));
  const terms = ({ side, amount }: Placed) => `${side} ${Number(amount)}`;
  expect(placed.map(terms).sort()).toEqual(app.planned.orders.map(terms).sort());
  const priced = ({ side, price, slot, id = String(slot) }: Placed) =>
    [`${side} ${id}`, Number(price)] as const;
  const prices = new Map(placed.map(priced));
  for (const [order, price] of app.planned.orders.filter(({ crosses }) => !crosses).map(priced)) {
    const better = (prices.get(order) ?? 0) - price;
    expect(order.startsWith("buy") ? -better : better).toBeGreaterThanOrEqual(0);
  }
};

describe("a start with the planHash of a preview", () => {
  it("places what the preview showed, order by order", async () => {
    const app = await shown("grid", RANGE);
    expect((await app.begin()).status).toBe(200);
    expect(sorted(await app.orders())).toEqual(sorted(app.planned.orders));
  });

  const FINE = { ...RANGE, gridLevels: 20 };

  it.each([
    ["a fall past levels", 0.98, {}],
    ["a rise past levels", 1.02, {}],
    ["a fall past levels, with an initial buy", 0.98, { useOwnBase: false, initialBuy: true }],
    ["a rise past a level, with an initial buy", 1.009, { useOwnBase: false, initialBuy: true }],
  ])("places the same orders at the shown prices or better ones after %s", async (_, factor, over) => {
    await keepsToPlan("grid", { ...FINE, ...over })(factor);
  });

  it("buys in a slot that waited for the price, once the price is above", async () => {
    const app = await shown("grid", { ...FINE, useOwnBase: false });
    await app.move(1.02);
    expect((await app.begin()).status).toBe(200);
    const prices = (await app.orders()).map(({ price }) => Number(price)).sort();
    expect(prices).toEqual([...app.planned.orders.map(({ price }) => Number(price)), 60_500, 61_000].sort());
  });

  it.each([
    ["risen by more than 3 %", 1.031, {}],
    ["fallen by more than 3 %", 0.969, {}],
    ["risen by more than 1 % before an initial buy", 1.011, { useOwnBase: false, initialBuy: true }],
    ["left the range", 1.02, { upperPrice: 61_000, gridLevels: 4 }],
    ["passed the trigger", 1.02, { triggerPrice: 61_000 }],
  ])("is rejected when the price has %s", async (_, factor, over) => {
    const app = await shown("grid", { ...RANGE, ...over });
    await app.move(factor);
    await refused(app);
  });

  it("is rejected when other orders use the funds it needs", async () => {
    const app = await shown("grid", { ...RANGE, orderSize: 15_000 });
    const order = { ...MARKET, side: "buy", type: "limit", amount: 1, price: 50_000 };
    expect((await app.call("POST", "/orders", order)).status).toBe(200);
    await refused(app);
  });

  it.each([
    ["orderSize", { orderSize: 101 }],
    ["allowLoss", { allowLoss: false }],
    ["stopLossPrice", { stopLossPrice: 50_000 }],
  ])("is rejected with another %s", async (_field, over) => {
    await refused(await shown("grid", RANGE), over);
  });

  it("reports that the kill switch is on, not that the plan has changed", async () => {
    const app = await shown("grid", RANGE);
    await app.store.setKill(true, BY);
    expect(await app.begin()).toMatchObject({ status: 403, body: { message: /kill switch/ } });
  });
});

describe("a centered start with the planHash of a preview", () => {
  const form = "centered";

  it("places what was shown while the market moves next to the center", async () => {
    const app = await shown(form, MARKET);
    await app.move(1.005);
    const moved = await app.call<Planned>("POST", ...previewOf(form, MARKET));
    expect(moved.body.price).not.toBe(app.planned.price);
    expect((await app.begin()).status).toBe(200);
    expect(sorted(await app.orders())).toEqual(sorted(app.planned.orders));
  });

  it.each([0.971, 1.029])(
    "keeps to the shown prices or better ones when the price is %s times as high",
    keepsToPlan(form, MARKET),
  );

  it.each([
    [1.031, {}],
    [0.969, {}],
    [1.021, { levels: 1 }],
    [0.979, { levels: 1 }],
  ])(
    "is rejected, and places nothing, when the market is %s times as high, with %o",
    async (factor, over) => {
      const app = await shown(form, { ...MARKET, ...over });
      await app.move(factor);
      await refused(app);
    },
  );

  it("is rejected with the center of another plan", async () => {
    const app = await shown(form, MARKET);
    const [hash = ""] = app.planned.planHash.split("-");
    await refused(app, { planHash: `${hash}-${Number(app.planned.price) + 1}` });
    await refused(app, { planHash: hash });
  });
});
