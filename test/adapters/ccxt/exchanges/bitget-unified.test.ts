import { describe, expect, it } from "vitest";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { DAY, MINUTE } from "../../../../src/kernel/time.ts";
import { failed, MISSING, stubExchange } from "./stub.ts";

const PAIR = "BTC/USDT";
const AT = 1_767_225_600_000;
const SPOT = { category: "SPOT", limit: "100" };
const UNIFIED = { options: { uta: true }, market: () => ({ id: "BTCUSDT" }) };
const exchangeOf = (answers: Readonly<Record<string, readonly unknown[]>>) => stubExchange(answers, UNIFIED);

/** So many orders or executions, as the exchange lists them, from this id down. */
const raw = (newest: number, count: number, over: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    orderId: String(newest - i),
    symbol: "BTCUSDT",
    category: "SPOT",
    clientOid: `em${newest - i}`,
    ...over,
  }));
const page = (list: unknown, cursor?: unknown) => ({ data: { list, cursor } });
const params = (calls: readonly (readonly unknown[])[]) => calls.map((call) => call[1]);

describe("the kind of an account on bitget", () => {
  const ask = (answer: unknown) =>
    bitget.kinds?.ask(stubExchange({ privateUtaGetV3AccountSettings: [answer] }).exchange);
  it("is classic only where the exchange says so", async () => {
    expect(await ask({})).toBe("unified");
    expect(await ask(failed({ otherKind: true }))).toBe("classic");
    for (const error of [failed(), new TypeError("x")]) await expect(ask(error)).rejects.toThrow();
  });
});

describe("lists of a unified bitget account", () => {
  it("of open orders go on by the cursor of a full page", async () => {
    const { exchange, calls } = exchangeOf({
      privateUtaGetV3TradeUnfilledOrders: [page(raw(300, 100), "200"), page(raw(200, 99), "101")],
    });
    expect(await bitget.openOrders(exchange, PAIR)).toHaveLength(199);
    const request = { ...SPOT, symbol: "BTCUSDT" };
    expect(params(calls)).toEqual([request, { ...request, cursor: "200" }]);
  });

  it.each([undefined, "", 5])("of open orders end at a cursor of %j, and can be empty", async (cursor) => {
    const { exchange } = exchangeOf({
      privateUtaGetV3TradeUnfilledOrders: [page(raw(300, 100), cursor), page(null)],
    });
    expect(await bitget.openOrders(exchange, undefined)).toHaveLength(100);
    expect(await bitget.openOrders(exchange, undefined)).toEqual([]);
  });

  it("fail without a list", async () => {
    for (const list of [undefined, "none", {}]) {
      const { exchange } = exchangeOf({ privateUtaGetV3TradeUnfilledOrders: [page(list)] });
      await expect(bitget.openOrders(exchange, PAIR)).rejects.toThrow("bitget returned no list");
    }
  });

  it("of executions are one page, and all other rows after that", async () => {
    const rows = (from: number, count: number) =>
      raw(from, count).map((row) => ({ ...row, execId: `x${row.orderId}` }));
    const first = page(rows(300, 100), "c1");
    const { exchange, calls } = exchangeOf({ privateUtaGetV3TradeFills: [first, first, page(rows(200, 2))] });
    const span = { from: AT, to: AT + 1000 };
    const found = await bitget.fills(exchange, PAIR, span, []);
    expect(found).toHaveLength(100);
    const after = await bitget.fills(exchange, PAIR, span, found);
    expect(after.map(({ id }) => id)).toEqual(["x200", "x199"]);
    const request = { ...SPOT, startTime: AT, endTime: AT + 999 };
    expect(params(calls)).toEqual([request, request, { ...request, cursor: "c1" }]);
  });

  it("of an order's executions name the order", async () => {
    const { exchange, calls } = exchangeOf({
      privateUtaGetV3TradeFills: [page(raw(9, 100), "c1"), page(raw(-91, 1))],
    });
    expect(await bitget.fillsOf(exchange, PAIR, ["o1"], { from: AT, to: AT + 1000 })).toHaveLength(101);
    const request = { ...SPOT, startTime: AT, endTime: AT + 999, orderId: "o1" };
    expect(params(calls)).toEqual([request, { ...request, cursor: "c1" }]);
  });

  it("of ended orders begin at most thirty days ago, and go on by the cursor", async () => {
    const { exchange, calls } = exchangeOf({
      privateUtaGetV3TradeHistoryOrders: [page(raw(300, 100), "c1"), page(raw(200, 1), "c2")],
    });
    const ended = (since: number, cursor?: string) =>
      bitget.ended(exchange, PAIR, { since, now: AT, page: cursor });
    expect((await ended(AT - DAY)).next).toBe("c1");
    expect((await ended(0, "c1")).next).toBeUndefined();
    const request = { ...SPOT, symbol: "BTCUSDT" };
    expect(params(calls)).toEqual([
      { ...request, startTime: AT - DAY },
      { ...request, startTime: AT - 30 * DAY + MINUTE, cursor: "c1" },
    ]);
  });
});

describe("an order of a unified bitget account", () => {
  const RAW = {
    orderId: "7",
    clientOid: "em1",
    symbol: "BTCUSDT",
    category: "SPOT",
    side: "buy",
    orderType: "limit",
    price: "100",
    qty: "2",
    cumExecQty: "1",
    cumExecValue: "99",
    orderStatus: "partially_filled",
    feeDetail: [{ fee: "0.1", feeCoin: "USDT" }],
    createdTime: String(AT),
  };
  const ORDER = {
    id: "7",
    order: "7",
    clientOrderId: "em1",
    symbol: PAIR,
    side: "buy",
    type: "limit",
    price: "100",
    amount: "2",
    filled: "1",
    cost: "99",
    fees: [{ cost: "0.1", currency: "USDT" }],
    status: "open",
    timestamp: AT,
  };
  const byId = (answer: unknown) =>
    bitget.byId(exchangeOf({ privateUtaGetV3TradeOrderInfo: [answer] }).exchange, PAIR, "7");

  it("is read in ccxt's form", async () => {
    expect(await byId({ data: RAW })).toEqual({ ...ORDER, info: RAW });
    const market = { ...RAW, orderType: "market", orderStatus: "filled", feeDetail: undefined };
    expect(await byId({ data: market })).toMatchObject({ amount: "1", status: "closed", fees: [] });
    const execution = { ...RAW, execId: "x1", execPrice: "99", execQty: "0.5", execValue: "49.5" };
    expect(await byId({ data: execution })).toMatchObject({
      id: "x1",
      order: "7",
      price: "99",
      amount: "0.5",
      cost: "49.5",
    });
  });

  it("belongs to no pair if it is of another one, or not spot", async () => {
    for (const over of [{ symbol: "ETHUSDT" }, { category: "MARGIN" }])
      expect(await byId({ data: { ...RAW, ...over } })).toMatchObject({ id: "7", symbol: undefined });
  });

  it.each([
    ["new", "open"],
    ["live", "open"],
    ["cancelled", "canceled"],
    ["canceled", "canceled"],
    ["other", "other"],
  ])("of status %s is %s", async (orderStatus, status) => {
    expect(await byId({ data: { ...RAW, orderStatus } })).toMatchObject({ status });
  });

  it("is missing only if the exchange says so", async () => {
    expect(await byId(MISSING)).toBeUndefined();
    for (const answer of [failed(), { data: null }, {}]) await expect(byId(answer)).rejects.toThrow();
  });

  it("is found by our id: by itself, in the open or in the ended orders", async () => {
    const find = async (answers: Record<string, unknown[]>) => {
      const { exchange, calls } = exchangeOf({
        privateUtaGetV3TradeOrderInfo: [MISSING],
        privateUtaGetV3TradeUnfilledOrders: [page([])],
        privateUtaGetV3TradeHistoryOrders: [page([])],
        ...answers,
      });
      const found = await bitget.find(exchange, PAIR, "em1");
      return [found?.id, calls.map((call) => call[1])];
    };
    const pair = { ...SPOT, symbol: "BTCUSDT" };
    const looks = [{ clientOid: "em1" }, pair, pair];
    const list = [page([{ ...RAW, orderId: "8", clientOid: "em2" }, RAW])];
    expect(await find({ privateUtaGetV3TradeOrderInfo: [{ data: RAW }] })).toEqual(["7", looks.slice(0, 1)]);
    expect(await find({ privateUtaGetV3TradeUnfilledOrders: list })).toEqual(["7", looks.slice(0, 2)]);
    expect(await find({ privateUtaGetV3TradeHistoryOrders: list })).toEqual(["7", looks]);
    expect(await find({})).toEqual([undefined, looks]);
  });
});
