import { describe, expect, it } from "vitest";
import type { Decimal } from "../../../src/kernel/decimal.ts";
import { AppError } from "../../../src/kernel/errors.ts";
import type { BookLevel } from "../../../src/model/market.ts";
import { createOrder } from "../../../src/orders/operations/create.ts";
import { previewCancel } from "../../../src/orders/preview.ts";
import type { VenueOrder } from "../../../src/ports/venue.ts";
import { d, REQUEST } from "../../support/grid.ts";
import { reportedOrder } from "../../support/made.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const BUY = { ...PAIR, side: "buy", type: "limit", amount: 0.001, price: 50_000 } as const;

type Created = { readonly order: { readonly id: string; readonly status: string } };

/** Operations over the sandbox, whose venue has other methods where a test replaces them. */
async function trading() {
  const box = await testSandbox();
  const kraken = box.venue("kraken");
  const over = (replaced: Partial<typeof kraken>) => ({ venue: () => ({ ...kraken, ...replaced }) });
  const asking = askingOf(box.deps);
  const refusal = (name: string, input: object, replaced: Partial<typeof kraken> = {}) =>
    asking.ask(name, input, over(replaced)).then(
      () => expect.unreachable(`${name} was accepted`),
      (error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
        const { label, message, extras } = error as AppError;
        return { label, message, fields: extras.fields, code: extras.code };
      },
    );
  const place = async (more: object = {}) =>
    (await asking.ask<Created>("create_order", { ...BUY, ...more })).order;
  return { ...box, ...asking, kraken, over, refusal, place };
}

describe("a cancel", () => {
  it("is confirmed as accepted, and a second one finds the order canceled", async () => {
    const { ask, place } = await trading();
    const { id } = await place();
    expect(await ask("cancel_order", { ...PAIR, id })).toMatchObject({
      success: true,
      orderId: id,
      message: "the exchange accepted the cancel; request the order to see its result",
    });
    expect(await ask("cancel_order", { ...PAIR, id })).toMatchObject({
      message: "the order was already canceled",
    });
  });

  it.each([
    ["filled", /was not canceled: it is filled/],
    ["open", /was not canceled: it is open/],
    ["unknown", /^it is unknown whether the order was canceled; request the order, and cancel/],
    [undefined, /kraken has no order 1000000099 on BTC\/USDT/],
  ] as const)(
    "of an order that the exchange does not list as open reports what it is: %s",
    async (status, message) => {
      const { refusal } = await trading();
      const found = status && reportedOrder({ id: "1000000099", status });
      const error = await refusal(
        "cancel_order",
        { ...PAIR, id: "1000000099" },
        { cancel: async () => ({ result: "look" }), order: async () => found },
      );
      expect(error.message).toMatch(message);
    },
  );

  it("reports a refusal, a result that is unknown, and a request that never left", async () => {
    const { refusal } = await trading();
    const cancelWith = (outcome: object) =>
      refusal("cancel_order", { ...PAIR, id: "1000000099" }, { cancel: async () => outcome as never });
    expect((await cancelWith({ result: "rejected", reason: "no" })).message).toBe(
      "the exchange did not cancel the order: no",
    );
    expect((await cancelWith({ result: "unknown", reason: "cut" })).message).toBe(
      "it is unknown whether the order was canceled (cut); request the order, and cancel it again if it is open",
    );
    expect((await cancelWith({ result: "not_sent" })).message).toMatch(/the request was not sent/);
  });

  it("requires an order id of the exchange", async () => {
    const { refusal } = await trading();
    const error = await refusal("cancel_order", { ...PAIR, id: "x1" });
    expect([error.label, error.message]).toEqual([
      "Invalid request",
      expect.stringMatching(/^an order id of kraken is digits/),
    ]);
  });

  it("is written to the events before and after it, with its result", async () => {
    const { ask, place, store } = await trading();
    const { id } = await place();
    await ask("cancel_order", { ...PAIR, id });
    const messages = (await store.eventsAfter(0, 100)).flatMap(({ kind, message }) =>
      kind === "cancel" ? [message] : [],
    );
    expect(messages).toEqual([
      expect.stringMatching(`^${id} BTC/USDT: cancel requested`),
      expect.stringMatching(`^${id} BTC/USDT: accepted`),
    ]);
  });

  it("stands even if it cannot be written to the events, of which only the first goes ahead of others", async () => {
    const { ask, place, deps } = await trading();
    const { id } = await place();
    const notes: string[] = [];
    const broken = (how: string) => () => {
      notes.push(how);
      return Promise.reject(new Error("disk full"));
    };
    const store = { ...deps.store, note: broken("in turn"), noteAhead: broken("ahead") };
    expect(await ask("cancel_order", { ...PAIR, id }, { store })).toMatchObject({ success: true });
    expect(notes).toEqual(["ahead", "in turn"]);
  });

  it("of all orders counts those of running strategies, which place them again", async () => {
    const { ask, place, preview } = await trading();
    await ask("start_grid", { ...REQUEST, useOwnBase: false });
    await place();
    const { what, limits } = await preview("cancel_all_orders", PAIR);
    const answer = await ask<{ cancelled: number; ofStrategies: number; message: string }>(
      "cancel_all_orders",
      PAIR,
    );
    expect(answer).toMatchObject({ success: true, exchange: "kraken" });
    expect(answer.ofStrategies).toBe(answer.cancelled - 1);
    expect(answer.ofStrategies).toBeGreaterThan(0);
    expect(what).toMatch(/: buy|\(buy/);
    expect(what).toContain(`cancel ${answer.cancelled} open orders on kraken`);
    expect(limits).toEqual([
      expect.stringMatching(`^${answer.ofStrategies} of them belong to running strategies`),
    ]);
    expect(answer.message).toMatch(`; ${answer.ofStrategies} of the orders belong to running strategies`);
  });

  it("of orders in several quote assets shows the total of each", () => {
    const open = (symbol: VenueOrder["symbol"], price: string, amount: string) =>
      reportedOrder({ symbol, price: d(price), amount: d(amount), status: "open" });
    const orders = [
      open("BTC/USDT", "50000", "0.001"),
      open("ETH/BTC", "0.02", "0.05"),
      { ...open("ETH/USDT", "2000", "0.02"), filled: d("0.01") },
    ];
    // 50000 x 0.001 + 2000 x 0.01 USDT, and 0.02 x 0.05 BTC.
    expect(previewCancel("kraken", orders, 0).cost).toBe(
      "nothing; orders of 70 USDT and 0.001 BTC are canceled",
    );
    expect(previewCancel("kraken", [], 0).cost).toBe("nothing; no order is open");
  });

  it("of all orders reports the rest if some cancels fail", async () => {
    const { refusal, place, kraken } = await trading();
    const [first, second] = [await place(), await place({ price: 50_100 })];
    const error = await refusal("cancel_all_orders", PAIR, {
      cancel: async (order, permit) =>
        order.id === first.id ? { result: "unknown", reason: "cut" } : kraken.cancel(order, permit),
    });
    expect(error).toMatchObject({ label: "Cancel failed", fields: { cancelled: 1, failed: [first.id] } });
    expect(error.message).toBe(`1 of 2 cancels were accepted; repeat the request for the rest: ${first.id}`);
    expect((await kraken.openOrders("BTC/USDT")).map(({ id }) => id)).not.toContain(second.id);
  });
});

it("open orders are listed for one pair or for all, up to a number", async () => {
  const { ask, place } = await trading();
  const [bitcoin, ether] = [await place(), await place({ symbol: "ETH/USDT", price: 2000, amount: 0.01 })];
  const ids = async (more: object) => {
    const { orders } = await ask<{ orders: readonly { id: string }[] }>("list_orders", {
      exchange: "kraken",
      ...more,
    });
    return orders.map(({ id }) => id).sort();
  };
  expect(await ids({})).toEqual([bitcoin.id, ether.id].sort());
  expect(await ids({ symbol: "ETH/USDT" })).toEqual([ether.id]);
  expect(await ids({ limit: 1 })).toHaveLength(1);
});

describe("a new order", () => {
  const rival = (more: Partial<VenueOrder>): VenueOrder =>
    reportedOrder({ id: "own", side: "sell", price: d("50000"), amount: d("1"), status: "open", ...more });

  it("is refused if it would fill the account's own order, which it names", async () => {
    const { refusal } = await trading();
    const order = { ...BUY, price: 65_000 };
    const error = await refusal("create_order", order, {
      openOrders: async () => [rival({})],
      order: async () => rival({}),
    });
    expect(error).toMatchObject({ label: "Would self-cross", fields: { orderId: "own" } });
    expect(error.message).toContain("own order own (sell 1 at 50000)");
    const atMarket = { ...BUY, type: "market", price: undefined };
    const own = rival({ price: d("60000") });
    const crossed = await refusal("create_order", atMarket, {
      openOrders: async () => [own],
      order: async () => own,
    });
    expect(crossed).toMatchObject({ label: "Would self-cross", fields: { orderId: "own" } });
  });

  it("is placed if the listed order has ended, or cannot fill with it", async () => {
    const { ask, over } = await trading();
    const openWith = (more: Partial<VenueOrder>) =>
      ask<Created>(
        "create_order",
        { ...BUY, price: 65_000 },
        over({
          openOrders: async () => [rival(more)],
          order: async ({ id }) => (id === "own" ? rival({ ...more, status: "canceled" }) : undefined),
        }),
      );
    expect((await openWith({})).order.id).not.toBe("own");
    expect((await openWith({ price: d("66000") })).order.id).not.toBe("own");
    expect((await openWith({ side: "buy" })).order.id).not.toBe("own");
  });

  it("is looked up if it could have filled at once", async () => {
    const { place, kraken } = await trading();
    expect((await place()).status).toBe("open");
    expect((await place({ price: 61_000 })).status).toBe("filled");
    const { bid } = await kraken.ticker("BTC/USDT");
    let looks = 0;
    const near = { ...BUY, price: Number(bid / 10n ** 18n) - 50 };
    const order: typeof kraken.order = (key) => {
      looks++;
      return kraken.order(key);
    };
    const { ask, over } = await trading();
    await ask("create_order", near, over({ order }));
    await ask("create_order", BUY, over({ order }));
    expect(looks).toBe(1);
  });

  it("that is no object is rejected", () => {
    const operation = createOrder(["kraken"]);
    expect([null, 5, undefined, []].map((one) => operation.input.safeParse(one).success)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("has an unknown exposure if the order book has less than it would buy", async () => {
    const { exposure, over } = await trading();
    const market = { ...BUY, type: "market", price: undefined };
    const book = async () => ({ bids: [], asks: [{ price: d("60000"), amount: d("0.0001") }], at: 1 });
    expect(await exposure("create_order", market, over({ book }))).toEqual({
      trades: "unknown",
      why: "the order book has less than this order would buy",
    });
  });

  it.each([
    [{ type: "market", price: undefined, postOnly: true }, /market order is always a taker order/],
    [{ price: undefined }, /a limit order needs a price/],
    [{ clientOrderId: "emx" }, /must not begin with em/],
    [{ clientOrderId: "a".repeat(19) }, /1 to 18 characters/],
  ])("is rejected before anything is sent: %j", async (more, message) => {
    const { ask, kraken, over } = await trading();
    let sent = 0;
    const create: typeof kraken.create = (...request) => {
      sent++;
      return kraken.create(...request);
    };
    const placing = async () => ask("create_order", { ...BUY, ...more }, over({ create }));
    await expect(placing()).rejects.toThrow(message);
    expect(sent).toBe(0);
  });

  it("at the market is refused beyond the visible levels of its own side", async () => {
    const { refusal } = await trading();
    const price = d("60010");
    const asks = Array.from({ length: 100 }, () => ({ price, amount: d("0.00001") }));
    const market = { ...BUY, type: "market", price: undefined, amount: 0.002 };
    const book = async () => ({ bids: [{ price: d("60000"), amount: d("1") }], asks, at: 1 });
    expect((await refusal("create_order", market, { book })).label).toBe("Forbidden");
  });

  it("at the market counts at the worst price that it can reach in the order book, also in its preview", async () => {
    const { ask, refusal, preview, over } = await trading();
    await ask("set_limits", { orderNotional: "USDT=62" });
    const market = { ...BUY, type: "market", price: undefined };
    // The best price alone, with its margin of 1 %, would count as about 60.6 USDT; at 65900 it is 65.9.
    const bookOf = (amount: string) => async () => ({
      bids: [],
      asks: [
        { price: d("60010"), amount: d("0.00001") },
        { price: d("65900"), amount: d(amount) },
      ],
      at: 1,
    });
    for (const book of [bookOf("1"), bookOf("0.00098")]) {
      const refused = { label: "Forbidden", message: expect.stringContaining("counts as 65.9 USDT") };
      expect(await refusal("create_order", market, { book })).toMatchObject(refused);
      await expect(preview("create_order", market, over({ book }))).rejects.toMatchObject(refused);
    }
  });

  it("reports the lack of funds before a limit that it would exceed as well", async () => {
    const { ask, refusal } = await trading();
    await ask("set_limits", { orderNotional: "USDT=40" });
    const balances = (free: Decimal) => async () => [{ asset: "USDT", free, used: 0n }];
    const poor = await refusal("create_order", BUY, { balances: balances(d("49")) });
    expect([poor.label, poor.code, poor.message]).toEqual([
      "Order failed",
      "funds_missing",
      expect.stringMatching(/^nothing was sent: the account has 49 USDT free; besides, /),
    ]);
    const funded = await refusal("create_order", BUY, { balances: balances(d("50")) });
    expect(funded.label).not.toBe("Order failed");
  });
});

describe("the preview of an order", () => {
  it("shows what would refuse it: funds, the kill switch, a taker price and the account's own order", async () => {
    const { ask, preview, over } = await trading();
    await ask("set_kill_switch", { on: true });
    const own = reportedOrder({ id: "own", side: "sell", price: d("50000"), status: "open" });
    const replaced = over({
      balances: async () => [{ asset: "USDT", free: d("1"), used: 0n }],
      openOrders: async () => [own],
      order: async () => own,
    });
    const { limits, worstCase } = await preview(
      "create_order",
      { ...BUY, price: 62_000, postOnly: true },
      replaced,
    );
    expect(limits).toEqual([
      expect.stringMatching(/^minimum order: /),
      expect.stringMatching(/^free balance: 1 USDT, lacks 6\d\.\d+ USDT: the exchange would refuse it$/),
      "the kill switch is on: it would be refused",
      "it would be a taker order at current prices, so it would be refused",
      expect.stringMatching(/^it could fill against your own order own \(sell 2 of BTC\/USDT at 50000\)/),
    ]);
    expect(worstCase).toBe("it fills completely: 62 USDT become 0.001 BTC, which can lose value");
  });

  it("shows what would fill at once: up to the price of a limit order, all of a market order", async () => {
    const { preview, over } = await trading();
    const [near, far] = [
      { price: d("60010"), amount: d("0.0004") },
      { price: d("61000"), amount: d("1") },
    ];
    const book = async () => ({ bids: [], asks: [near, far], at: 1 });
    const costOf = async (more: object) =>
      (await preview("create_order", { ...BUY, ...more }, over({ book }))).cost;
    expect(await costOf({})).not.toContain("at once");
    expect(await costOf({ price: 60_500 })).toMatch(/at once 0\.0004 BTC .*not the other 0\.0006 BTC/);
    expect(await costOf({ type: "market", price: undefined })).toMatch(
      /at once 0\.001 BTC .* 61000 at worst/,
    );
    expect(await costOf({ price: 60_500, postOnly: true })).not.toContain("at once");
  });

  it("of a market order costs what its levels of the order book cost, not the best price only", async () => {
    const { preview, kraken, over } = await trading();
    const levels = [
      { price: d("60000"), amount: d("0.0004") },
      { price: d("60500"), amount: d("0.0006") },
    ];
    const free = (asset: string, amount: string) => ({ asset, free: d(amount), used: 0n });
    const buy = await preview(
      "create_order",
      { ...BUY, type: "market", price: undefined },
      over({
        market: async (symbol) => ({ ...(await kraken.market(symbol)), maker: 0n, taker: d("0.002") }),
        book: async () => ({ bids: [], asks: levels, at: 1 }),
        balances: async () => [free("USDT", "60.4")],
      }),
    );
    // 60000 x 0.0004 + 60500 x 0.0006, and 0.2 % of it.
    expect(buy.cost).toMatch(/^60\.3 USDT and a fee of at most 0\.1206 USDT; at once /);
    expect(buy.limits).toContain("free balance: 60.4 USDT, lacks 0.0206 USDT: the exchange would refuse it");
  });

  it("of a buy adds the fee to what it needs, unless the base pays it", async () => {
    const { preview, kraken, over } = await trading();
    const balanceText = async (buyFeeIn: "base" | "quote" | "unknown") =>
      (
        await preview(
          "create_order",
          BUY,
          over({
            market: async (symbol) => ({ ...(await kraken.market(symbol)), buyFeeIn, taker: d("0.002") }),
            balances: async () => [{ asset: "USDT", free: d("50"), used: 0n }],
          }),
        )
      ).limits[1];
    // 50000 x 0.001, and 0.2 % of it.
    expect(await balanceText("base")).toBe("free balance: 50 USDT, covers it");
    for (const feeIn of ["quote", "unknown"] as const)
      expect(await balanceText(feeIn)).toBe(
        "free balance: 50 USDT, lacks 0.1 USDT: the exchange would refuse it",
      );
  });

  it("of a market sell does not count what the order book cannot buy", async () => {
    const { preview, kraken, over } = await trading();
    const soldTo = async (bids: readonly BookLevel[]) =>
      (
        await preview(
          "create_order",
          { ...BUY, side: "sell", type: "market", price: undefined },
          over({
            market: async (symbol) => ({ ...(await kraken.market(symbol)), maker: 0n, taker: d("0.002") }),
            book: async () => ({ bids, asks: [], at: 1 }),
          }),
        )
      ).cost;
    // 60000 x 0.0004, less 0.2 %; nobody buys the other 0.0006.
    expect(await soldTo([{ price: d("60000"), amount: d("0.0004") }])).toContain(
      "for at least 23.952 USDT after the fee; at once 0.0004 BTC for 24 USDT",
    );
    expect(await soldTo([])).toMatch(/for at least 0 USDT after the fee$/);
  });

  it("names the price of a limit order, and the market for a market order", async () => {
    const { preview } = await trading();
    const whatOf = async (more: object) => (await preview("create_order", { ...BUY, ...more })).what;
    expect(await whatOf({})).toBe("buy 0.001 BTC at 50000 USDT on kraken (limit order)");
    expect(await whatOf({ type: "market", price: undefined })).toMatch(
      /^buy 0\.001 BTC at the market, now 6\d{4}(\.\d+)? USDT on kraken \(market order\)$/,
    );
  });

  it("omits what does not refuse it", async () => {
    const { preview } = await trading();
    const { limits } = await preview("create_order", BUY);
    expect(limits).toEqual([
      expect.stringMatching(/^minimum order: /),
      expect.stringMatching(/^free balance: 100000 USDT, covers it$/),
    ]);
  });
});
