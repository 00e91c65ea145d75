import { describe, expect, it } from "vitest";
import { gateio } from "../../../../src/adapters/ccxt/exchanges/gateio.ts";
import { DAY, SECOND } from "../../../../src/kernel/time.ts";
import { order } from "../../../support/made.ts";
import { failed, MISSING, rowsFrom, stubExchange } from "./stub.ts";

const PAIR = "BTC/USDT";
const AT = 1_767_225_600_000;

describe("gateio's rejections", () => {
  it("are read from the label", () => {
    expect(gateio.refusalIn({ label: "TOO_FAST", message: "slow" })).toEqual({
      code: "TOO_FAST",
      message: "slow",
    });
    expect(gateio.refusalIn({ label: "TOO_FAST" })).toEqual({ code: "TOO_FAST", message: "" });
    for (const body of [{}, { label: "" }, { label: 5 }, [1]]) expect(gateio.refusalIn(body)).toBeUndefined();
  });

  it.each([
    ["BALANCE_NOT_ENOUGH", "short"],
    ["POC_FILL_IMMEDIATELY", "taking"],
    ["ORDER_NOT_FOUND", "missing"],
    ["TOO_MANY_REQUESTS", "limits"],
    ["INVALID_SIGNATURE", "credentials"],
    ["FORBIDDEN", "forbidden"],
    ["AMOUNT_TOO_LITTLE", "rules"],
    ["INVALID_CURRENCY_PAIR", "unlisted"],
    ["SERVER_ERROR", undefined],
  ])("mean what its documentation says: %s", (code, meaning) => {
    expect(gateio.meaningOf({ status: 400, code, message: "" })).toBe(meaning);
  });
});

describe("the kind of an account on gateio", () => {
  const ask = (answer: unknown) =>
    gateio.kinds?.ask(stubExchange({ privateUnifiedGetUnifiedMode: [answer] }).exchange);
  it("is its mode, and classic for a key that cannot read it", async () => {
    expect(await ask({ mode: "classic" })).toBe("classic");
    expect(await ask({ mode: "single_currency" })).toBe("unified");
    expect(await ask(failed({ forbidden: true }))).toBe("classic");
  });
  it("is unknown after any other answer", async () => {
    for (const answer of [{}, { mode: 1 }, failed(), new TypeError("x")])
      await expect(ask(answer)).rejects.toThrow();
  });
  it("is doubted by balances that belong to the other kind", async () => {
    const read = (result: object) =>
      gateio.balances(
        stubExchange(
          { privateUnifiedGetAccounts: [result] },
          { options: { unifiedAccount: true }, safeCurrencyCode: (id: string) => id },
        ).exchange,
      );
    const balances = { USDT: { available: "1", freeze: "2" } };
    expect(await read({ mode: "single_currency", balances })).toEqual([
      { asset: "USDT", free: "1", used: ["2"] },
    ]);
    await expect(read({ mode: "classic" })).rejects.toMatchObject({
      failure: { otherKind: true, definite: false },
    });
  });
});

describe("the right of a gateio key to withdraw", () => {
  const rights = (rows: unknown, apiKey = "abcdef123") =>
    gateio.mayWithdraw(stubExchange({ privateAccountGetMainKeys: [rows] }, { apiKey }).exchange);
  const key = (name: string, over: object = {}, shown = "abcd*****") => ({
    key: shown,
    perms: [{ name, ...over }],
  });

  it("is the permission for its wallet", async () => {
    expect(await rights([key("wallet")])).toBe(true);
    expect(await rights([key("Withdraw")])).toBe(true);
    expect(await rights([key("wallet", { read_only: true })])).toBe(false);
    expect(await rights([key("wallet", { read_only: false })])).toBe(true);
    expect(await rights([key("spot")])).toBe(false);
    expect(await rights([{ key: "abcd***", perms: [{ name: "spot" }, { name: "wallet" }] }])).toBe(true);
  });
  it("is that of the key alone, which is shown by its beginning", async () => {
    expect(await rights([key("wallet", {}, "xyz***"), key("spot")])).toBe(false);
    expect(await rights([key("wallet", {}, "***")])).toBeUndefined();
    expect(await rights([{ perms: [{ name: "wallet" }] }])).toBeUndefined();
  });
  it("is unknown without permissions, or if keys with this beginning differ", async () => {
    expect(await rights([key("wallet"), key("spot")])).toBeUndefined();
    expect(await rights([key("wallet"), key("withdraw")])).toBe(true);
    expect(await rights([{ key: "abcd***" }])).toBeUndefined();
    expect(await rights({ key: "abcd***" })).toBeUndefined();
  });
});

describe("lists of gateio", () => {
  it("of open orders go on while a pair fills its page", async () => {
    const page = [...rowsFrom(500, 100), ...rowsFrom(50, 3, { symbol: "ETH/USDT" })];
    const { exchange, calls } = stubExchange({ fetchOpenOrders: [page, rowsFrom(400, 99)] });
    const found = await gateio.openOrders(exchange, PAIR);
    expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([202, "500", "302"]);
    expect(calls).toEqual([
      ["fetchOpenOrders", PAIR, undefined, undefined, {}],
      ["fetchOpenOrders", PAIR, undefined, undefined, { page: 2 }],
    ]);
  });

  it("of executions have bounds in whole seconds, both included", async () => {
    const { exchange, calls } = stubExchange({ fetchMyTrades: [[], []] });
    const span = { from: AT, to: AT + 10 * SECOND };
    await gateio.fills(exchange, PAIR, span, []);
    await gateio.fills(exchange, PAIR, span, rowsFrom(1, 2000));
    const bounds = { from: AT / SECOND, to: AT / SECOND + 9 };
    expect(calls.map(([, ...args]) => args)).toEqual([
      [PAIR, undefined, 1000, { ...bounds, page: 1 }],
      [PAIR, undefined, 1000, { ...bounds, page: 3 }],
    ]);
    expect(gateio.fillReach).toEqual({ span: 30 * DAY - SECOND, page: 1000, tick: SECOND, goesOn: true });
  });

  it("of an order's executions go on after a full page", async () => {
    const { exchange, calls } = stubExchange({ fetchMyTrades: [rowsFrom(5000, 1000), rowsFrom(9, 1), []] });
    const found = await gateio.fillsOf(exchange, PAIR, ["o1", "o2"], { from: AT, to: AT + SECOND });
    expect(found).toHaveLength(1001);
    expect(calls.map(([, , , , params]) => params)).toMatchObject([
      { order_id: "o1", page: 1, from: AT / SECOND, to: AT / SECOND },
      { order_id: "o1", page: 2 },
      { order_id: "o2", page: 1 },
    ]);
  });

  it("of ended orders go on after a full page", async () => {
    const { exchange, calls } = stubExchange({ fetchClosedOrders: [rowsFrom(200, 100), rowsFrom(9, 99)] });
    const request = { since: AT + 999, now: AT + DAY };
    expect((await gateio.ended(exchange, PAIR, { ...request, page: undefined })).next).toBe("2");
    expect((await gateio.ended(exchange, PAIR, { ...request, page: "2" })).next).toBeUndefined();
    expect(calls.map(([, ...args]) => args)).toEqual(
      [1, 2].map((page) => [PAIR, undefined, 100, { from: AT / SECOND, page }]),
    );
  });
});

describe("an order on gateio that is looked up by our id", () => {
  const ours = { id: "7", clientOrderId: "t-em1" };
  const find = async (answers: Record<string, unknown[]>) => {
    const { exchange, calls } = stubExchange({
      fetchOrder: [MISSING],
      fetchOpenOrders: [[]],
      fetchClosedOrders: [[]],
      fetchMyTrades: [[]],
      ...answers,
    });
    return [await gateio.find(exchange, PAIR, "em1"), calls.map(([method, first]) => `${method} ${first}`)];
  };
  const other = { id: "8", clientOrderId: "t-em2" };

  it("is found by itself, in the open or ended orders, or by its trades", async () => {
    const looks = [
      "fetchOrder t-em1",
      `fetchOpenOrders ${PAIR}`,
      `fetchClosedOrders ${PAIR}`,
      `fetchMyTrades ${PAIR}`,
    ];
    expect(await find({ fetchOrder: [ours] })).toEqual([ours, looks.slice(0, 1)]);
    expect(await find({ fetchOpenOrders: [[other, ours]] })).toEqual([ours, looks.slice(0, 2)]);
    expect(await find({ fetchClosedOrders: [[other, ours]] })).toEqual([ours, looks.slice(0, 3)]);
    const trades = [
      { order: "8", info: { text: "t-em2" } },
      { order: "7", info: { text: "t-em1" } },
    ];
    expect(await find({ fetchOrder: [MISSING, ours], fetchMyTrades: [trades] })).toEqual([
      ours,
      [...looks, "fetchOrder 7"],
    ]);
    await expect(find({ fetchMyTrades: [[{ info: { text: "t-em1" } }]] })).rejects.toThrow(
      "the exchange shows a trade of the order, and not the order",
    );
    expect(await find({})).toEqual([undefined, looks]);
  });

  it("is not missing because a lookup fails", async () => {
    await expect(find({ fetchOrder: [failed()] })).rejects.toThrow();
  });
});

describe("an order of gateio", () => {
  it("has our id only with its prefix", () => {
    expect(gateio.clientIdOf({ clientOrderId: "t-em1" })).toBe("em1");
    for (const clientOrderId of ["em1", "apiv4", undefined, 5])
      expect(gateio.clientIdOf({ clientOrderId })).toBeUndefined();
    expect(gateio.marketIdOf({ info: { currency_pair: "BTC_USDT" } })).toBe("BTC_USDT");
  });

  it("has its filled amount as its amount if it buys by cost", () => {
    const sizes = (info: object) =>
      gateio.sizesOf?.({ info: { amount: "100", filled_amount: "2", ...info } });
    expect(sizes({ type: "market", side: "buy" })).toEqual({ filled: "2", amount: "2" });
    expect(sizes({ type: "market", side: "sell" })).toEqual({ filled: "2", amount: "100" });
    expect(sizes({ type: "limit", side: "buy" })).toEqual({ filled: "2", amount: "100" });
    expect(gateio.sizesOf?.({ info: { amount: "100" } })).toBeUndefined();
    expect(gateio.notionalOf?.({ info: { filled_total: "99" } })).toBe("99");
  });

  it("has an unknown fee unless the response contains one", () => {
    const tells = (info: object) => gateio.tellsFee?.({ info });
    expect([tells({}), tells({ fee: null }), tells({ fee: "" })]).toEqual([false, false, false]);
    expect([tells({ fee: "0" }), tells({ fee: "0.1" })]).toEqual([true, true]);
  });

  it("is canceled if anything but a fill ended it", () => {
    const statusOf = (info: object, status = "closed") => gateio.statusOf?.({ info, status });
    expect(statusOf({ status: "closed", finish_as: "ioc" })).toBe("canceled");
    expect(statusOf({ status: "cancelled", finish_as: "poc" })).toBe("canceled");
    expect(statusOf({ status: "closed", finish_as: "filled" })).toBeUndefined();
    expect(statusOf({ status: "open", finish_as: "ioc" })).toBeUndefined();
    expect(statusOf({ status: "closed", finish_as: "open" })).toBeUndefined();
    expect(statusOf({ status: "closed" })).toBeUndefined();
    expect(statusOf({ status: "closed", finish_as: "ioc" }, "open")).toBeUndefined();
  });

  it("is sent with our id, its time in force and its expiry", () => {
    const sent = (over: object) =>
      gateio.createParams(order({ clientId: "em1", ...over }), { now: AT, by: AT + 5000 }, {} as never);
    expect(sent({})).toEqual({ text: "t-em1", postOnly: true });
    expect(sent({ timeInForce: "ioc" })).toEqual({ text: "t-em1", timeInForce: "IOC" });
    expect(sent({ timeInForce: "gtc" })).toEqual({ text: "t-em1" });
    expect(sent({ type: "market", timeInForce: "ioc" })).toEqual({ text: "t-em1" });
    expect(gateio.createHeaders?.({ by: AT + 5000 })).toEqual({ "X-Gate-Exptime": String(AT + 5000) });
  });
});

it("gateio's limits are those that it documents", () => {
  expect(gateio).toMatchObject({
    host: "api.gateio.ws",
    buysByCost: true,
    candlePage: 1000,
    candleReach: 9990,
    publicTrades: 500,
    opensByPair: false,
    passphrase: false,
    serial: false,
    buyFeeIn: "base",
    rate: { burst: 10, perSecond: 10, reserve: 2 },
    publicRate: { burst: 30, perSecond: 5 },
    costs: {},
    options: { defaultType: "spot", unifiedAccount: false, fetchMarkets: { types: ["spot"] } },
  });
});
