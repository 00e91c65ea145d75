import { describe, expect, it } from "vitest";
import { BY } from "../support/by.ts";
import { drivenApp } from "../support/driven.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 10, orderSize: 100 };

interface Planned {
  readonly planHash: string;
  readonly marketPrice: number;
  readonly orders: readonly { readonly side: string; readonly price: number; readonly amount: number }[];
}

interface Placed {
  readonly side: string;
  readonly price: number;
  readonly amount: number;
}

const sorted = (orders: readonly Placed[]) =>
  orders
    .map(({ side, price, amount }) => ({ side, price, amount }))
    .sort((a, b) => a.price - b.price || a.side.localeCompare(b.side));

async function shown(path: string, request: object) {
  const app = await drivenApp();
  const { status, body } = await app.call<Planned>("POST", `${path}/preview`, request);
  expect(status).toBe(200);
  const orders = async () =>
    (await app.call<{ orders: Placed[] }>("GET", "/orders?exchange=kraken")).body.orders;
  const start = (over: object = {}) =>
    app.call<{ error?: string; message: string }>("POST", path, {
      ...request,
      planHash: body.planHash,
      ...over,
    });
  return { ...app, planned: body, orders, begin: start };
}

type Shown = Awaited<ReturnType<typeof shown>>;

async function refused({ orders, begin, grids }: Shown, over: object = {}) {
  const before = await orders();
  expect(await begin(over)).toMatchObject({ status: 409, body: { error: "Conflict" } });
  expect(await orders()).toEqual(before);
  expect(await grids()).toEqual([]);
}

describe("a start with the planHash of a preview", () => {
  it("places what the preview showed, order by order", async () => {
    const app = await shown("/strategy/grid", RANGE);
    expect((await app.begin()).status).toBe(200);
    expect(sorted(await app.orders())).toEqual(sorted(app.planned.orders));
  });

  it("is rejected, and places nothing, when the market has passed a level", async () => {
    const app = await shown("/strategy/grid", RANGE);
    await app.move(1.05);
    await refused(app);
  });

  it("is rejected when other orders use the funds it needs", async () => {
    const app = await shown("/strategy/grid", { ...RANGE, orderSize: 15_000 });
    const order = { ...MARKET, side: "buy", type: "limit", amount: 1, price: 50_000 };
    expect((await app.call("POST", "/orders", order)).status).toBe(200);
    await refused(app);
  });

  it.each([
    ["orderSize", { orderSize: 101 }],
    ["allowLoss", { allowLoss: false }],
    ["stopLossPrice", { stopLossPrice: 50_000 }],
  ])("is rejected with another %s", async (_field, over) => {
    await refused(await shown("/strategy/grid", RANGE), over);
  });

  it("stays valid while the first buy's limit follows the market between two levels", async () => {
    const app = await shown("/strategy/grid", { ...RANGE, useOwnBase: false, initialBuy: true });
    await app.move(1.001);
    expect((await app.begin()).status).toBe(200);
  });

  it("reports that the kill switch is on, not that the plan has changed", async () => {
    const app = await shown("/strategy/grid", RANGE);
    await app.store.setKill(true, BY);
    expect(await app.begin()).toMatchObject({ status: 403, body: { message: /kill switch/ } });
  });
});

describe("a centered start with the planHash of a preview", () => {
  const path = "/strategy/grid/centered";

  it("places what was shown while the market moves between the levels next to the center", async () => {
    const app = await shown(path, MARKET);
    await app.move(1.005);
    const moved = await app.call<Planned>("POST", `${path}/preview`, MARKET);
    expect(moved.body.marketPrice).not.toBe(app.planned.marketPrice);
    expect((await app.begin()).status).toBe(200);
    expect(sorted(await app.orders())).toEqual(sorted(app.planned.orders));
  });

  it.each([1.021, 0.979])(
    "is rejected, and places nothing, when the market is %s times as high",
    async (factor) => {
      const app = await shown(path, MARKET);
      await app.move(factor);
      await refused(app);
    },
  );

  it("is rejected with the center of another plan", async () => {
    const app = await shown(path, MARKET);
    const [hash = ""] = app.planned.planHash.split("-");
    await refused(app, { planHash: `${hash}-${app.planned.marketPrice + 1}` });
    await refused(app, { planHash: hash });
  });
});
