import { describe, expect, it } from "vitest";
import { mexc } from "../../../../src/adapters/ccxt/exchanges/mexc.ts";
import { DAY, MINUTE } from "../../../../src/kernel/time.ts";
import { order } from "../../../support/made.ts";
import { failed, MISSING, rowsFrom, stubExchange } from "./stub.ts";

const PAIR = "BTC/USDT";
const AT = 1_767_225_600_000;

describe("mexc's rejections", () => {
  it("are read from the code, if it is one of an error", () => {
    expect(mexc.refusalIn({ code: 30005, msg: "no" })).toEqual({ code: "30005", message: "no" });
    expect(mexc.refusalIn({ code: 30005 })).toEqual({ code: "30005", message: "" });
    for (const code of [undefined, null, 200, "200", 0, "0"])
      expect(mexc.refusalIn({ code })).toBeUndefined();
  });

  it.each([
    [400, "30005", "refused"],
    [400, "-2013", "missing"],
    [400, "30002", "rules"],
    [400, "700003", "clock"],
    [400, "10072", "credentials"],
    [429, "30005", "limits"],
    [400, "1", undefined],
  ])("mean what its documentation says: %d %s", (status, code, meaning) => {
    expect(mexc.meaningOf({ status, code, message: "" })).toBe(meaning);
  });
});

it("a mexc key can withdraw if its account says so", async () => {
  const rights = (canWithdraw: unknown) =>
    mexc.mayWithdraw(stubExchange({ spotPrivateGetAccount: [{ canWithdraw }] }).exchange);
  expect([await rights(true), await rights(false), await rights("yes")]).toEqual([true, false, undefined]);
});

describe("lists of mexc", () => {
  it("of executions end before their span does", async () => {
    const { exchange, calls } = stubExchange({ fetchMyTrades: [[], rowsFrom(9, 1), rowsFrom(8, 1)] });
    const span = { from: AT, to: AT + 1000 };
    await mexc.fills(exchange, PAIR, span, []);
    expect(await mexc.fillsOf(exchange, PAIR, ["o1", "o2"], span)).toHaveLength(2);
    const request = { startTime: AT, endTime: AT + 999 };
    expect(calls.map((call) => call.slice(1))).toEqual(
      [request, { ...request, orderId: "o1" }, { ...request, orderId: "o2" }].map((params) => [
        PAIR,
        undefined,
        100,
        params,
      ]),
    );
  });

  it("of ended orders begin at most seven days ago, and end where another page began", async () => {
    const rows = rowsFrom(2000, 1000).map((row, i) => ({ ...row, timestamp: AT - i }));
    const { exchange, calls } = stubExchange({ fetchOrders: [rows, rows.slice(1)] });
    const ended = (since: number, page?: string) => mexc.ended(exchange, PAIR, { since, now: AT, page });
    expect((await ended(AT - DAY)).next).toBe(String(AT - 999));
    expect((await ended(0, "5")).next).toBeUndefined();
    expect(calls.map((call) => call.slice(1))).toEqual([
      [PAIR, undefined, 1000, { startTime: AT - DAY, endTime: AT }],
      [PAIR, undefined, 1000, { startTime: AT - 7 * DAY + MINUTE, endTime: 5 }],
    ]);
  });
});

describe("an order of mexc", () => {
  const ours = { id: "7", clientOrderId: "em1" };
  const other = { id: "8", clientOrderId: "em2" };
  const find = async (answers: Record<string, unknown[]>) => {
    const { exchange, calls } = stubExchange({
      fetchOrder: [MISSING],
      fetchOpenOrders: [[]],
      fetchOrders: [[]],
      fetchMyTrades: [[]],
      ...answers,
    });
    return [await mexc.find(exchange, PAIR, "em1"), calls.map(([method]) => method)];
  };

  it("is found by our id, or by its trades", async () => {
    const looks = ["fetchOrder", "fetchOpenOrders", "fetchOrders", "fetchMyTrades"];
    expect(await find({ fetchOrder: [ours] })).toEqual([ours, looks.slice(0, 1)]);
    expect(await find({ fetchOpenOrders: [[other, ours]] })).toEqual([ours, looks.slice(0, 2)]);
    expect(await find({ fetchOrders: [[other, ours]] })).toEqual([ours, looks.slice(0, 3)]);
    const trades = ["em2", "em1"].map((id) => ({
      order: id === "em1" ? "7" : "8",
      info: { clientOrderId: id },
    }));
    expect(await find({ fetchOrder: [MISSING, ours], fetchMyTrades: [trades] })).toEqual([
      ours,
      [...looks, "fetchOrder"],
    ]);
    await expect(find({ fetchMyTrades: [[{ info: { clientOrderId: "em1" } }]] })).rejects.toThrow(
      "the exchange shows a trade of the order, and not the order",
    );
    expect(await find({})).toEqual([undefined, looks]);
    await expect(find({ fetchOrder: [failed()] })).rejects.toThrow();
  });

  it("has our id, and is sent with it and without a trade with itself", () => {
    expect([mexc.clientIdOf(ours), mexc.marketIdOf({ info: { symbol: "BTCUSDT" } })]).toEqual([
      "em1",
      "BTCUSDT",
    ]);
    for (const clientOrderId of ["", undefined, 5])
      expect(mexc.clientIdOf({ clientOrderId })).toBeUndefined();
    const sent = mexc.createParams(order({ clientId: "em1" }), { now: AT, by: AT }, {} as never);
    expect(sent).toEqual({ clientOrderId: "em1", stpMode: "cancel_taker", postOnly: true });
  });
});

it("mexc's limits are those that it documents", () => {
  expect(mexc).toMatchObject({
    host: "api.mexc.com",
    buyFeeIn: "unknown",
    opensByPair: true,
    passphrase: false,
    candlePage: 500,
    serial: false,
    buysByCost: false,
    rate: { burst: 20, perSecond: 10, reserve: 4 },
    fillReach: { span: 7 * DAY, back: 7 * DAY, page: 100, tick: 1000, goesOn: false },
    options: { defaultType: "spot", recvWindow: 5000 },
  });
});
