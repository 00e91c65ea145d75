import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { TradeOperation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { appOver } from "../support/app.ts";
import { eventually } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput, orderRequest } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import type { EmulatedVenue } from "./index.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];
const PAIR = "BTC/USDT";

interface Body {
  readonly error?: string;
  readonly message?: string;
  readonly orderId?: string;
  readonly order?: { readonly id: string; readonly status: string };
}

describe.each(NAMES)("orders of one account on %s", (name) => {
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  let exchange: EmulatedVenue;
  let app: Awaited<ReturnType<typeof appOver>>;
  beforeAll(async () => {
    setup = await emulatedExchanges({ names: [name] });
    exchange = setup.exchange(name);
    app = await appOver(setup.deps);
  });
  beforeEach(() => {
    exchange.heal();
    for (const { id } of exchange.open()) exchange.engine.cancel(exchange.account, id);
    exchange.resetCounts();
  });
  afterAll(async () => {
    expect(exchange.selfTrades()).toEqual([]);
    await setup.close();
  });

  const post = async (side: "buy" | "sell", price: number | undefined, over: object = {}) => {
    const type = price === undefined ? "market" : "limit";
    const response = await app.ask("/api/v1/orders", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify({ exchange: name, symbol: PAIR, side, type, amount: 0.001, price, ...over }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  /** Lets the market go to where our order at 60000 rests just beside it. */
  const beside = () => exchange.move(PAIR, "60000");

  it("are refused if manual orders would cross, and the open order is named", async () => {
    beside();
    const sell = await post("sell", 60_500);
    const id = sell.body.order?.id ?? "";
    const refused = await post("buy", 60_500);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: "Would self-cross",
        message: `it could fill against this account's own order ${id} (sell 0.001 at 60500): choose another price, or cancel that order first`,
        orderId: id,
      },
    });
    expect(exchange.count("create")).toBe(1);
    const below = await post("buy", 59_000);
    expect(below.status).toBe(200);
    expect((await post("sell", 58_999)).body.error).toBe("Would self-cross");
  });

  it("are reported by a preview, which places nothing", async () => {
    beside();
    const { body } = await post("sell", 60_500);
    const create = createOperations([name]).find((one) => one.name === "create_order") as TradeOperation;
    const request = orderRequest({ exchange: name, symbol: PAIR, price: 60_500 });
    const input = create.input.parse({ ...request, postOnly: true });
    const prepared = await create.prepare(setup.deps, input, { actor: "person" });
    const shown = await prepared.preview();
    expect(shown.what).toContain("(limit order, post only)");
    expect(shown.limits).toContain("it would be a taker order at current prices, so it would be refused");
    expect(shown.limits.join()).toContain(
      `it could fill against your own order ${body.order?.id} (sell 0.001`,
    );
    expect(exchange.count("create")).toBe(1);
  });

  it("are refused too if one was placed at the exchange itself", async () => {
    beside();
    const { id } = exchange.own({ symbol: PAIR, side: "sell", price: "60500", amount: "0.01" });
    const refused = await post("buy", 60_600);
    expect([refused.status, refused.body.orderId]).toEqual([409, id]);
    expect(exchange.count("create")).toBe(0);
  });

  it("cost one call each if they do not reach the market, however many are open", async () => {
    beside();
    for (let at = 0; at < 30; at++)
      exchange.own({ symbol: PAIR, side: "sell", price: String(61_000 + at), amount: "0.01" });
    await post("buy", 58_000);
    exchange.resetCounts();
    const { status, body } = await post("buy", 58_500);
    expect([status, body.order?.status]).toEqual([200, "open"]);
    expect(exchange.observed.filter(({ key }) => key).map(({ route }) => route)).toEqual(["create"]);
    expect((await post("buy", 61_500)).status).toBe(409);
  });

  it("are reported as filled if the market reaches them before the exchange responds", async () => {
    beside();
    let respond = () => {};
    const until = new Promise<void>((resolve) => {
      respond = resolve;
    });
    exchange.fail({ kind: "slow", route: "create", until });
    const placed = post("buy", 59_800);
    await eventually(
      async () => exchange.open().length,
      (count) => count > 0,
    );
    exchange.move(PAIR, "59700");
    respond();
    expect((await placed).body.order).toMatchObject({ status: "filled", filled: 0.001 });
  });

  it("at the same time: one is sent and one refused while the first one's result is unknown", async () => {
    exchange.fail({ kind: "drop", route: "create", times: 2 });
    const symbol = "ETH/USDT";
    const both = await Promise.all([
      post("buy", 3100, { symbol, amount: 0.01 }),
      post("sell", 3100, { symbol, amount: 0.02 }),
    ]);
    const labels = both.map(({ body }) => body.error).sort();
    expect(labels).toEqual(["Order unknown", "Would self-cross"]);
    expect(exchange.count("create")).toBe(1);
  });

  it("can be placed again once the other one is closed, whatever was observed of it", async () => {
    beside();
    const sold = await post("sell", 60_500);
    exchange.fill(sold.body.order?.id ?? "");
    expect((await post("buy", 60_600)).status).toBe(200);
    const bought = await post("buy", 59_500);
    exchange.engine.cancel(exchange.account, bought.body.order?.id ?? "");
    expect((await post("sell", 59_400)).status).toBe(200);
  });

  it("at the market are checked against the orders that they would reach", async () => {
    beside();
    await post("sell", 60_100);
    const first = await post("buy", undefined);
    expect(first.body.message ?? "none").toBe("none");
    const deep = await post("buy", undefined, { amount: 1.5 });
    expect([deep.status, deep.body.error]).toEqual([409, "Would self-cross"]);
  });

  it("are checked against a grid's, and the grid's next orders against them", async () => {
    beside();
    const { id } = await runOperation<{ id: string }>(
      setup.deps,
      "start_grid",
      gridInput({ exchange: name, symbol: PAIR }),
    );
    const levels = exchange.open().map(({ side, price }) => [side, Number(price / 10n ** 18n)]);
    for (const [side, price] of levels)
      expect((await post(side === "buy" ? "sell" : "buy", price as number)).body.error).toBe(
        "Would self-cross",
      );
    await runOperation(setup.deps, "stop_strategy", { id, cancelOrders: true });
    setup.time.pass(90 * SECOND);
  });

  describe("of an exiting grid", () => {
    const grid = (over: object = {}) =>
      runOperation<{ id: string }>(
        setup.deps,
        "start_grid",
        gridInput({ exchange: name, symbol: PAIR, ...over }),
      );
    const leave = (id: string) =>
      runOperation<{ message: string }>(setup.deps, "stop_strategy", {
        id,
        cancelOrders: true,
        sellBase: true,
      });
    const pass = async (count: number) => {
      for (let left = count; left > 0; left--) {
        setup.time.pass(5 * SECOND);
        await runRound(setup.deps);
      }
    };
    const view = async (id: string) => (await setup.deps.store.strategies({ id }))[0]?.strategy;
    const ended = async (id: string) => {
      for (let left = 40; left > 0 && (await view(id))?.status !== "stopped"; left--) await pass(1);
      expect((await view(id))?.status).toBe("stopped");
    };

    it("first cancel the orders that they would cross, and no other grid buys there meanwhile", async () => {
      beside();
      await pass(20);
      const leaving = await grid();
      const staying = await grid({
        lowerPrice: decimal("59000"),
        upperPrice: decimal("59990"),
        gridLevels: 3,
      });
      const best = await post("buy", 60_002);
      await leave(leaving.id);
      await ended(leaving.id);
      const exits = exchange.orders().filter(({ force, side }) => force === "ioc" && side === "sell");
      expect(exits.at(-1)?.status).toBe("filled");
      expect(exchange.order(best.body.order?.id ?? "")?.status).toBe("canceled");
      const lines = (await setup.deps.store.eventsOf(leaving.id, { limit: 100 }))
        .filter(({ kind }) => kind === "made_way")
        .map(({ message }) => message);
      expect(lines).toContain(
        `${best.body.order?.id}: the buy at 60002 placed manually is canceled, because the exit of ${leaving.id} could fill against it`,
      );
      expect(new Set(lines).size).toBe(lines.length);
      await pass(4);
      expect(exchange.open().length).toBeGreaterThan(0);
      expect((await view(staying.id))?.state.refused).toEqual([]);
      await runOperation(setup.deps, "stop_strategy", { id: staying.id, cancelOrders: true });
      await ended(staying.id);
    });

    it("never cancel orders placed at the exchange itself: they sell above them, or wait and report it", async () => {
      beside();
      const { id } = await grid();
      const own = exchange.own({ symbol: PAIR, side: "buy", price: "60002", amount: "0.01" });
      await leave(id);
      await pass(3);
      expect(own).toMatchObject({ status: "open", filled: 0n });
      expect((await view(id))?.lastError).toContain(own.id);
      exchange.engine.cancel(exchange.account, own.id);
      const lower = exchange.own({ symbol: PAIR, side: "buy", price: "59500", amount: "0.01" });
      await ended(id);
      expect(lower).toMatchObject({ status: "open", filled: 0n });
    });

    it("buy their first base below the account's sells", async () => {
      beside();
      const sell = await post("sell", 60_500);
      const { id } = await grid({ useOwnBase: false, initialBuy: true });
      const bought = () => exchange.orders().filter(({ force, side }) => force === "ioc" && side === "buy");
      // On kraken all of the account's trades are read first, in as many passes as its calls allow.
      for (let left = 40; left > 0 && bought().length === 0; left--) await pass(1);
      expect(bought().at(-1)?.price).toBeLessThan(decimal("60500"));
      expect(exchange.order(sell.body.order?.id ?? "")?.status).toBe("open");
      await runOperation(setup.deps, "stop_strategy", { id, cancelOrders: true });
      await ended(id);
    });
  });
});
