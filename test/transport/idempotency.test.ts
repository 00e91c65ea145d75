import { describe, expect, it } from "vitest";
import { asGrid } from "../../src/grid/state/state.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { appOver, type Target } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { testSandbox } from "../support/sandbox.ts";

const market = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...market, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const GRID = { ...market, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 50 };

const ask = async <T extends object>({ ask: send, tokens }: Target, path: string, body: object) => {
  const response = await send(`/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokens.trade}`,
      "content-type": "application/json",
      "idempotency-key": "once",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as T };
};

/** A service whose process dies before it has answered, and the one after it. */
async function dying() {
  const box = await testSandbox();
  const store = { ...box.deps.store, finishRequest: () => Promise.reject(new Error("the process is gone")) };
  const first = await appOver({ ...box.deps, store });
  const addToken = async () => undefined;
  const next = await appOver({ ...box.deps, store: { ...box.deps.store, addToken } });
  return { ...box, first, next };
}

describe("a retried start whose process died before it responded", () => {
  it.each([
    ["on paper, with balances of its own", { dryRun: true, dryBalance: "USDT=1000" }, false],
    ["the kill switch being on since", {}, true],
  ])("returns the grid that was started, %s", async (_name, over, killed) => {
    const { first, next, time, store } = await dying();
    expect((await ask(first, "/strategy/grid", { ...GRID, ...over })).status).toBe(500);
    const [begun] = await store.strategies({});
    time.pass(2 * MINUTE);
    await store.setKill(killed, BY);
    const { status, body } = await ask<{ id: string }>(next, "/strategy/grid", { ...GRID, ...over });
    expect({ status, id: body.id }).toEqual({ status: 200, id: begun?.strategy.id });
    expect(await store.strategies({})).toHaveLength(1);
  });
});

describe("a request that was refused for now", () => {
  it.each([
    ["/orders", ORDER],
    ["/strategy/grid", GRID],
  ])("acts when it is sent again with the same Idempotency-Key: %s", async (path, body) => {
    const { deps } = await testSandbox();
    let busy = true;
    const app = await appOver({
      ...deps,
      venue: (exchange) => ({
        ...deps.venue(exchange),
        ticker: (symbol) =>
          busy
            ? Promise.reject(new VenueError("too_many", "too many requests", { retryAfterSeconds: 1 }))
            : deps.venue(exchange).ticker(symbol),
      }),
    });
    expect((await ask(app, path, body)).status).toBe(429);
    busy = false;
    expect((await ask(app, path, body)).status).toBe(200);
    expect((await ask(app, path, body)).status).toBe(200);
    const orders = await deps.venue("kraken").openOrders();
    expect(orders).toHaveLength(path === "/orders" ? 1 : 4);
  });
});

describe("an order without a confirmation that is sent again with its Idempotency-Key", () => {
  /** A service whose exchange places the first order, and does not confirm it. */
  async function unconfirmed() {
    const { deps, store, venue } = await testSandbox();
    const kraken = venue("kraken");
    let readsLeft = Number.POSITIVE_INFINITY;
    const app = await appOver({
      ...deps,
      venue: () => ({
        ...kraken,
        ticker: (symbol) =>
          readsLeft-- > 0
            ? kraken.ticker(symbol)
            : Promise.reject(new VenueError("unavailable", "no response")),
        async create(order, permit) {
          await kraken.create(order, permit);
          return { result: "unknown", reason: "the connection broke" };
        },
      }),
    });
    const place = async () => {
      const { status, body } = await ask<{ error?: string; order?: { clientOrderId: string } }>(
        app,
        "/orders",
        ORDER,
      );
      return { status, error: body.error, id: body.order?.clientOrderId };
    };
    expect(await place()).toMatchObject({ status: 500, error: "Order unknown" });
    const [placed] = await kraken.openOrders();
    return {
      store,
      kraken,
      place,
      placed,
      failAfter(reads: number) {
        readsLeft = reads;
      },
    };
  }

  it.each([0, 1])("stays unknown while the price cannot be read, after %i reads", async (reads) => {
    const { kraken, place, placed, failAfter } = await unconfirmed();
    failAfter(reads);
    expect(await place()).toMatchObject({ status: 500, error: "Order unknown" });
    failAfter(Number.POSITIVE_INFINITY);
    expect(await place()).toEqual({ status: 200, error: undefined, id: placed?.clientId });
    expect(await kraken.openOrders()).toHaveLength(1);
  });

  it("is found although the kill switch is on since", async () => {
    const { store, kraken, place, placed } = await unconfirmed();
    await store.setKill(true, BY);
    expect(await place()).toEqual({ status: 200, error: undefined, id: placed?.clientId });
    expect(await kraken.openOrders()).toHaveLength(1);
  });
});

describe("an Idempotency-Key of a request that failed", () => {
  it("does not return its grid for another body", async () => {
    const { deps, store } = await testSandbox();
    let failing = true;
    const strategies: typeof store.strategies = (query) =>
      failing && "id" in query ? Promise.reject(new Error("the disk is full")) : store.strategies(query);
    const app = await appOver({ ...deps, store: { ...store, strategies } });
    expect((await ask(app, "/strategy/grid", GRID)).status).toBe(500);
    failing = false;
    expect((await ask(app, "/strategy/grid", { ...GRID, orderSize: 60 })).status).toBe(409);
    expect((await ask(app, "/strategy/grid", GRID)).status).toBe(200);
    expect(await store.strategies({})).toHaveLength(1);
  });
});

describe("an Idempotency-Key older than a day", () => {
  it("starts another grid", async () => {
    const { deps, time, store } = await testSandbox();
    const app = await appOver(deps);
    await ask(app, "/strategy/grid", GRID);
    time.pass(DAY + MINUTE);
    expect((await ask(app, "/strategy/grid", { ...GRID, orderSize: 60 })).status).toBe(200);
    const sizes = (await store.strategies({})).map(({ strategy }) =>
      Number(asGrid(strategy).config.orderSize / 10n ** 18n),
    );
    expect(sizes).toEqual([50, 60]);
  });

  it("does not return that day's order as if it had just been placed", async () => {
    const { deps, time, venue } = await testSandbox();
    const app = await appOver(deps);
    expect((await ask(app, "/orders", ORDER)).status).toBe(200);
    time.pass(DAY + MINUTE);
    const { status, body } = await ask(app, "/orders", { ...ORDER, price: 49_000 });
    expect({ status, ...body }).toMatchObject({ status: 409, error: "Conflict" });
    expect(await venue("kraken").openOrders()).toHaveLength(1);
  });
});
