import { describe, expect, it } from "vitest";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { SECOND } from "../../../../src/kernel/time.ts";
import { order } from "../../../support/made.ts";
import { failed, MISSING, rowsFrom, stubExchange } from "./stub.ts";

const PAIR = "BTC/USDT";
const AT = 1_767_225_600_000;
const ETH = { symbol: "ETH/USDT" };

describe("kraken's rejections", () => {
  it("are its errors without warnings, an unknown one first", () => {
    expect(kraken.refusalIn({ error: ["WGeneral:x", "EOrder:Insufficient funds"] })?.code).toBe(
      "EOrder:Insufficient funds",
    );
    expect(kraken.refusalIn({ error: ["EOrder:Insufficient funds", "EService:Unavailable"] })).toEqual({
      code: "EService:Unavailable",
      message: "",
    });
    for (const body of [{ error: [] }, { error: ["WGeneral:x"] }, {}, { error: null }])
      expect(kraken.refusalIn(body)).toBeUndefined();
    expect(kraken.refusalIn({ error: "EService:Unavailable" })?.code).toBe("EService:Unavailable");
  });

  it.each([
    ["EOrder:Post only order", "taking"],
    ["EAPI:Invalid nonce", "nonce"],
    ["EOrder:Unknown order", "missing"],
    ["EGeneral:Invalid arguments:volume", "rules"],
    ["EGeneral:Invalid arguments:cl_ord_id:not unique", undefined],
    ["EService:Unavailable", undefined],
    ["EQuery:Unknown asset pair", "unlisted"],
  ])("mean what its documentation says: %s", (code, meaning) => {
    expect(kraken.meaningOf({ status: 200, code, message: "" })).toBe(meaning);
  });
});

describe("markets of kraken", () => {
  it("have whole ticks where it reports them", async () => {
    const precision = { amount: "0.1", price: "0.01" };
    const rows = [
      { id: "a", precision, info: { tick_size: "0.05" } },
      { id: "b", precision, info: {} },
    ];
    expect(await kraken.markets(stubExchange({ fetchMarkets: [rows] }).exchange)).toEqual([
      { ...rows[0], precision: { amount: "0.1", price: "0.05" } },
      rows[1],
    ]);
  });

  it("are known to ccxt by the name that orders have", () => {
    const exchange = { options: {} as Record<string, unknown> };
    const markets = [
      { id: "a", altname: "A" },
      { id: "b", info: { altname: "B" } },
      { id: "c", info: {} },
      { id: "d" },
    ];
    kraken.withMarkets?.(exchange as never, markets);
    const [a, b, c, d] = markets;
    expect(exchange.options.marketsByAltname).toEqual({ A: a, B: b, c, d });
  });

  it("count rewards as the asset itself", () => {
    expect(["BTC.F", "BTC", "BTC.S", "F"].map((name) => kraken.spentAs?.(name))).toEqual([
      "BTC",
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it("a kraken key can withdraw if it has this permission", async () => {
  const rights = (answer: unknown) =>
    kraken.mayWithdraw(stubExchange({ privatePostGetApiKeyInfo: [answer] }).exchange);
  expect(await rights({ result: { permissions: ["withdraw-funds"] } })).toBe(true);
  expect(await rights({ result: { permissions: ["query-funds"] } })).toBe(false);
  expect([await rights({ result: {} }), await rights({})]).toEqual([undefined, undefined]);
});

describe("lists of kraken", () => {
  const rows = [...rowsFrom(3, 1), ...rowsFrom(2, 2, ETH)];
  it("of open orders have all pairs, or one", async () => {
    const { exchange, calls } = stubExchange({ fetchOpenOrders: [rows, rows] });
    expect(await kraken.openOrders(exchange, undefined)).toEqual(rows);
    expect(await kraken.openOrders(exchange, PAIR)).toEqual(rows.slice(0, 1));
    expect(calls[1]).toEqual(["fetchOpenOrders", undefined]);
  });

  it("of executions exclude their start and include their end, in seconds", async () => {
    const { exchange, calls } = stubExchange({ fetchMyTrades: [[], []] });
    await kraken.fills(exchange, PAIR, { from: AT, to: AT + 10 * SECOND }, []);
    await kraken.fills(exchange, PAIR, { from: AT, to: AT + 10 * SECOND }, rowsFrom(9, 50));
    const request = { start: AT / SECOND - 1, end: AT / SECOND + 10 };
    expect(calls.map((call) => call[4])).toEqual([request, { ...request, ofs: 50 }]);
  });

  it("of orders' executions name at most twenty in a query", async () => {
    const ids = Array.from({ length: 21 }, (_, i) => `T${i}`);
    const answers = [ids.slice(0, 20), ids.slice(20)].map((part) => ({
      result: Object.fromEntries(part.map((id) => [id, { symbol: id === "T3" ? "ETH/USDT" : PAIR }])),
    }));
    const { exchange, calls } = stubExchange(
      {
        privatePostQueryOrders: [{ result: { O1: { trades: ids }, O2: { trades: null }, O3: {} } }],
        privatePostQueryTrades: answers,
      },
      { parseTrades: (found: object[]) => found },
    );
    const span = { from: AT, to: AT + SECOND };
    const found = await kraken.fillsOf(exchange, PAIR, ["O1", "O2"], span);
    expect(found.map(({ id }) => id)).toEqual(ids.filter((id) => id !== "T3"));
    expect(calls).toEqual([
      ["privatePostQueryOrders", { txid: "O1,O2", trades: true }],
      ["privatePostQueryTrades", { txid: ids.slice(0, 20).join(",") }],
      ["privatePostQueryTrades", { txid: "T20" }],
    ]);
    const none = stubExchange({ privatePostQueryOrders: [{}] }).exchange;
    expect(await kraken.fillsOf(none, PAIR, ["O1"], span)).toEqual([]);
    const unread = stubExchange(
      { privatePostQueryOrders: [{ result: { O1: { trades: ["T1"] } } }], privatePostQueryTrades: [{}] },
      { parseTrades: (rows: object[]) => rows },
    );
    expect(await kraken.fillsOf(unread.exchange, PAIR, ["O1"], span)).toEqual([]);
  });

  it("of ended orders have all pairs, fifty a page", async () => {
    const { exchange, calls } = stubExchange({
      fetchClosedOrders: [[...rowsFrom(99, 49), ...rowsFrom(9, 1, ETH)], rowsFrom(49, 49)],
    });
    const ended = (page?: string) => kraken.ended(exchange, PAIR, { since: AT + 999, now: AT, page });
    const first = await ended();
    expect([first.rows.length, first.next]).toEqual([49, "50"]);
    expect((await ended("50")).next).toBeUndefined();
    const request = { start: AT / SECOND - 1, closetime: "close" };
    expect(calls.map((call) => call[4])).toEqual([
      { ...request, ofs: 0 },
      { ...request, ofs: 50 },
    ]);
  });

  it("of named orders omit those that it does not know", async () => {
    const named = (answer: unknown) =>
      kraken.orders?.(stubExchange({ fetchOrdersByIds: [answer] }).exchange, ["O1"]);
    expect(await named(rows)).toEqual(rows);
    expect(await named(MISSING)).toEqual([]);
    await expect(named(failed())).rejects.toThrow();
  });
});

describe("an order of kraken", () => {
  it("is found by our id among the open and the closed ones", async () => {
    const [ours, other] = ["em1", "em2"].map((id) => ({ id: "7", info: { cl_ord_id: id } }));
    const find = async (open: unknown, closed: unknown) => {
      const { exchange, calls } = stubExchange({ fetchOpenOrders: [open], fetchClosedOrders: [closed] });
      return [await kraken.find(exchange, PAIR, "em1"), calls.map((call) => [call[0], call[4]])];
    };
    const request = { clientOrderId: "em1" };
    const looks = [
      ["fetchOpenOrders", request],
      ["fetchClosedOrders", request],
    ];
    expect(await find([other, ours], [])).toEqual([ours, looks.slice(0, 1)]);
    expect(await find([other], [other, ours])).toEqual([ours, looks]);
    expect(await find([], [other])).toEqual([undefined, looks]);
  });

  it("has our id, its pair and its cost in the exchange's own fields", () => {
    const info = { cl_ord_id: "em1", descr: { pair: "XBTUSDT" }, cost: "9" };
    expect([kraken.clientIdOf({ info }), kraken.marketIdOf({ info }), kraken.notionalOf?.({ info })]).toEqual(
      ["em1", "XBTUSDT", "9"],
    );
    for (const id of ["", undefined, 5])
      expect(kraken.clientIdOf({ info: { cl_ord_id: id } })).toBeUndefined();
  });

  it("is sent with our id, a deadline, its fee in quote and no trade with itself", () => {
    expect(kraken.createParams(order({ clientId: "em1" }), { now: AT, by: AT + 5000 }, {} as never)).toEqual({
      clientOrderId: "em1",
      deadline: "2026-01-01T00:00:05.000Z",
      oflags: "fciq",
      stptype: "cancel-newest",
      postOnly: true,
    });
  });
});

it("kraken's limits are those that it documents", () => {
  expect(kraken).toMatchObject({
    host: "api.kraken.com",
    serial: true,
    candlePage: 720,
    candleReach: 720,
    buyFeeIn: "quote",
    opensByPair: false,
    passphrase: false,
    buysByCost: false,
    costs: { fills: 2, create: 0, cancel: 0 },
    rate: { burst: 14, perSecond: 0.33, reserve: 6, pass: 5 },
    publicRate: { burst: 15, perSecond: 1 },
    tiers: {
      intermediate: { burst: 19, perSecond: 0.5, reserve: 8, pass: 6 },
      pro: { burst: 19, perSecond: 1, reserve: 8, pass: 6 },
    },
    fillReach: { page: 50, tick: SECOND, goesOn: true },
  });
});
