import { describe, expect, it } from "vitest";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { DAY, MINUTE, SECOND } from "../../../../src/kernel/time.ts";
import { order } from "../../../support/made.ts";
import { failed, MISSING, rowsFrom, stubExchange } from "./stub.ts";

const PAIR = "BTC/USDT";
const AT = 1_767_225_600_000;
const CLASSIC = { options: { uta: false } };
const params = (calls: readonly (readonly unknown[])[], at: number) => calls.map((call) => call[at]);

describe("bitget's rejections", () => {
  it("are read from either form of its errors", () => {
    expect(bitget.refusalIn({ code: "40012", msg: "bad" })).toEqual({ code: "40012", message: "bad" });
    expect(bitget.refusalIn({ err_code: 429, err_msg: "slow" })).toEqual({ code: "429", message: "slow" });
    expect(bitget.refusalIn({ code: "40012" })).toEqual({ code: "40012", message: "" });
    expect([bitget.refusalIn({ code: "00000" }), bitget.refusalIn({})]).toEqual([undefined, undefined]);
  });

  it.each([
    [400, "43012", "refused"],
    [400, "40109", "missing"],
    [400, "25204", "missing"],
    [400, "40084", "kind"],
    [400, "45110", "rules"],
    [400, "40012", "credentials"],
    [400, "40036", "credentials"],
    [400, "40038", "credentials"],
    [400, "40008", "clock"],
    [400, "40078", "clock"],
    [400, "40079", "refused"],
    [400, "40010", undefined],
    [400, "40708", undefined],
    [429, "1", "limits"],
    [400, "1", undefined],
  ])("mean what its documentation says: %d %s", (status, code, meaning) => {
    expect(bitget.meaningOf({ status, code, message: "" })).toBe(meaning);
  });
});

describe("the right of a bitget key to withdraw", () => {
  const classic = (answer: unknown) =>
    bitget.mayWithdraw(stubExchange({ privateSpotGetV2SpotAccountInfo: [answer] }, CLASSIC).exchange);
  const unified = (answer: unknown) =>
    bitget.mayWithdraw(
      stubExchange({ privateUtaGetV3AccountInfo: [answer] }, { options: { uta: true } }).exchange,
    );

  it("is among its permissions, or unknown without any", async () => {
    expect(await classic({ data: { authorities: ["stow", "wwow"] } })).toBe(true);
    expect(await classic({ data: { authorities: ["stow"] } })).toBe(false);
    expect(await classic({ data: {} })).toBeUndefined();
    expect(await unified({ data: { permissions: ["trade", "withdraw"] } })).toBe(true);
    expect(await unified({ data: { permissions: ["trade"] } })).toBe(false);
    expect(await unified({ data: {} })).toBeUndefined();
  });
});

describe("lists of a classic bitget account", () => {
  it("of open orders go on below the least id of a full page", async () => {
    // 9 is less than 10: the ids are numbers.
    const { exchange, calls } = stubExchange(
      { fetchOpenOrders: [rowsFrom(108, 100), rowsFrom(8, 8)] },
      CLASSIC,
    );
    const found = await bitget.openOrders(exchange, PAIR);
    expect([found.length, params(calls, 4)]).toEqual([108, [{}, { idLessThan: "9" }]]);
  });

  it("of executions end before their span does, and go on after some rows", async () => {
    const { exchange, calls } = stubExchange({ fetchMyTrades: [[], []] }, CLASSIC);
    const span = { from: AT, to: AT + 1000 };
    await bitget.fills(exchange, PAIR, span, []);
    await bitget.fills(exchange, PAIR, span, rowsFrom(12, 5));
    expect(calls).toEqual([
      ["fetchMyTrades", PAIR, undefined, 100, { startTime: AT, endTime: AT + 999 }],
      ["fetchMyTrades", PAIR, undefined, 100, { startTime: AT, endTime: AT + 999, idLessThan: "8" }],
    ]);
  });

  it("of an order's executions go on after a full page", async () => {
    const { exchange, calls } = stubExchange(
      { fetchMyTrades: [rowsFrom(200, 100), rowsFrom(100, 2), rowsFrom(7, 1)] },
      CLASSIC,
    );
    const found = await bitget.fillsOf(exchange, PAIR, ["o1", "o2"], { from: AT, to: AT + 1000 });
    expect(found).toHaveLength(103);
    const span = { startTime: AT, endTime: AT + 999 };
    expect(params(calls, 4)).toEqual([
      { ...span, orderId: "o1" },
      { ...span, orderId: "o1", idLessThan: "101" },
      { ...span, orderId: "o2" },
    ]);
  });

  it("of ended orders begin at most ninety days ago, and go on below the least id", async () => {
    const { exchange, calls } = stubExchange(
      { fetchCanceledAndClosedOrders: [rowsFrom(200, 100), rowsFrom(100, 99)] },
      CLASSIC,
    );
    const ended = (since: number, page?: string) => bitget.ended(exchange, PAIR, { since, now: AT, page });
    expect((await ended(AT - DAY)).next).toBe("101");
    expect((await ended(0, "101")).next).toBeUndefined();
    expect(calls.map((call) => call.slice(1))).toEqual([
      [PAIR, undefined, 100, { startTime: AT - DAY }],
      [PAIR, undefined, 100, { startTime: AT - 90 * DAY + MINUTE, idLessThan: "101" }],
    ]);
  });
});

describe("an order on bitget that is looked up by our id", () => {
  const [ours, other] = ["em1", "em2"].map((clientOrderId) => ({ id: "7", clientOrderId }));
  const find = async (answers: Record<string, unknown[]>) => {
    const { exchange, calls } = stubExchange(
      { fetchOrder: [MISSING], fetchOpenOrders: [[]], fetchCanceledAndClosedOrders: [[]], ...answers },
      CLASSIC,
    );
    return [await bitget.find(exchange, PAIR, "em1"), calls.length];
  };
  it("is found by itself, in the open or in the ended orders", async () => {
    expect(await find({ fetchOrder: [ours] })).toEqual([ours, 1]);
    expect(await find({ fetchOpenOrders: [[other, ours]] })).toEqual([ours, 2]);
    expect(await find({ fetchCanceledAndClosedOrders: [[other, ours]] })).toEqual([ours, 3]);
    expect(await find({})).toEqual([undefined, 3]);
    await expect(find({ fetchOrder: [failed()] })).rejects.toThrow();
  });
});

it("an order of bitget has our id, and its signature ends where its account allows it", () => {
  expect([
    bitget.clientIdOf({ clientOrderId: "em1" }),
    bitget.marketIdOf({ info: { symbol: "BTCUSDT" } }),
  ]).toEqual(["em1", "BTCUSDT"]);
  for (const clientOrderId of ["", undefined, 5])
    expect(bitget.clientIdOf({ clientOrderId })).toBeUndefined();
  const sent = (uta: boolean) =>
    bitget.createParams(order({ clientId: "em1" }), { now: AT, by: 0 }, { options: { uta } } as never);
  const usual = { clientOrderId: "em1", stpMode: "cancel_taker", postOnly: true };
  expect(sent(false)).toEqual({ ...usual, requestTime: String(AT), receiveWindow: "5000" });
  expect(sent(true)).toEqual(usual);
  expect(bitget.timing.expiry).toBe(30 * SECOND);
});

it("bitget's limits are those that it documents", () => {
  expect(bitget).toMatchObject({
    host: "api.bitget.com",
    buysByCost: true,
    candlePage: 200,
    bookLevels: 150,
    publicTrades: 500,
    opensByPair: false,
    passphrase: true,
    serial: false,
    buyFeeIn: "base",
    fillReach: { span: 30 * DAY, back: 90 * DAY, page: 100, tick: 1, goesOn: true },
    options: { defaultType: "spot", uta: false, fetchMarkets: { types: ["spot"] } },
  });
});
