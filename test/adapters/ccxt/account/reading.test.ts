import { describe, expect, it } from "vitest";
import {
  candleOf,
  tradeOf,
  venueFillOf,
  venueOrderOf,
} from "../../../../src/adapters/ccxt/account/reading.ts";
import { sendCancel, sendOrder } from "../../../../src/adapters/ccxt/account/send-order.ts";
import type { Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import {
  CallFailed,
  type CallFailure,
  type Quirks,
  RequestNotSentError,
} from "../../../../src/adapters/ccxt/client/quirks.ts";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { text } from "../../../../src/kernel/decimal.ts";
import { AppError, BudgetSpent, VenueError } from "../../../../src/kernel/errors.ts";
import { d, market } from "../../../support/grid.ts";
import { PERMIT } from "../../../support/live.ts";
import { order } from "../../../support/made.ts";

const AT = 1_767_225_600_000;
const ORDER = {
  id: "O1",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: "50000",
  amount: "0.5",
  filled: "0.5",
  cost: "25000",
  status: "closed",
  timestamp: AT,
};
const TRADE = { id: "1", side: "buy", price: "50000", amount: "0.5", timestamp: AT };

const READ: Readonly<Record<string, (answer: Dict) => unknown>> = {
  "an order": (result) => venueOrderOf(result, kraken, AT),
  "a trade": tradeOf,
  "a candle": ({ row }) => candleOf(row as unknown[]),
};

describe("a response without a field that money depends on", () => {
  it.each<[string, Dict, Dict]>([
    ["an order, without how much of it was filled", ORDER, { ...ORDER, filled: undefined }],
    ["a trade, without its time", TRADE, { ...TRADE, timestamp: undefined }],
    ["a candle, without its time", { row: [AT, 1, 2, 1, 2, 5] }, { row: [undefined, 1, 2, 1, 2, 5] }],
  ])("is a failed read: %s", (name, whole, lacking) => {
    const read = READ[name.split(",")[0] as string] as (answer: Dict) => unknown;
    expect(() => read(whole)).not.toThrow();
    expect(() => read(lacking)).toThrow(VenueError);
  });
});

it("takes the amount bought by a market buy by cost from gateio's response, not from a quotient", async () => {
  const info = {
    id: "9",
    text: "t-em1",
    currency_pair: "BTC_USDT",
    type: "market",
    side: "buy",
    account: "spot",
    amount: "100",
    price: "0",
    left: "0.0031",
    filled_amount: "0.00163929",
    filled_total: "99.9969",
    // Rounded, so that 99.9969 divided by it is 0.0016392934...
    avg_deal_price: "61000.1",
    fee: "0.00000163929",
    fee_currency: "BTC",
    finish_as: "filled",
    status: "closed",
    create_time_ms: AT,
  };
  const exchange = new (await gateio.load())({ number: String, options: gateio.options });
  const result = (exchange as unknown as { parseOrder: (row: Dict) => Dict }).parseOrder(info);
  const order = venueOrderOf({ ...result, symbol: "BTC/USDT" }, gateio, AT);
  expect(order).toMatchObject({ amount: order.filled, notional: 99_996_900_000_000_000_000n });
  expect(order.filled).toBe(1_639_290_000_000_000n);
});

describe("the fees of an order in several assets", () => {
  const feesOf = async (quirks: Quirks, info: Dict) => {
    const exchange = new (await quirks.load())({ number: String, options: quirks.options });
    const market = { symbol: "BTC/USDT", spot: true, base: "BTC", quote: "USDT" };
    const { fees } = venueOrderOf(
      { ...exchange.parseOrder(info, market), symbol: "BTC/USDT" },
      quirks,
      Number(AT),
    );
    return fees?.map(({ asset, amount }) => `${text(amount)} ${asset}`);
  };

  /** A sell of 0.002 BTC for 120 USDT. */
  const bitgetOrder = (feeDetail: object) => ({
    orderId: "9",
    clientOid: "em1",
    symbol: "BTCUSDT",
    orderType: "limit",
    side: "sell",
    size: "0.002",
    price: "60000",
    priceAvg: "60000",
    baseVolume: "0.002",
    quoteVolume: "120",
    status: "filled",
    cTime: String(AT),
    feeDetail: JSON.stringify({ newFees: { c: 0, d: 0, t: -0.12 }, ...feeDetail }),
  });
  const row = (feeCoinCode: string, totalFee: number, deduction: boolean) => ({
    [feeCoinCode]: { deduction, feeCoinCode, totalDeductionFee: 0, totalFee },
  });

  it("are all read from bitget: the rest is in quote if BGB does not suffice", async () => {
    const both = { ...row("BGB", -0.01, true), ...row("USDT", -0.05, false) };
    expect(await feesOf(bitget, bitgetOrder(both))).toEqual(["0.01 BGB", "0.05 USDT"]);
  });

  it("are paid in BGB with and without a minus, and are a rebate in quote without one", async () => {
    expect(await feesOf(bitget, bitgetOrder(row("BGB", -0.01, true)))).toEqual(["0.01 BGB"]);
    expect(await feesOf(bitget, bitgetOrder(row("BGB", 0.01, true)))).toEqual(["0.01 BGB"]);
    expect(await feesOf(bitget, bitgetOrder(row("USDT", 0.05, false)))).toEqual(["-0.05 USDT"]);
    expect(await feesOf(bitget, bitgetOrder({}))).toBeUndefined();
  });

  it("include gateio's points, as its executions do", async () => {
    const info = {
      id: "9",
      text: "t-em1",
      currency_pair: "BTC_USDT",
      type: "limit",
      side: "sell",
      account: "spot",
      amount: "0.002",
      price: "60000",
      left: "0",
      filled_amount: "0.002",
      filled_total: "120",
      avg_deal_price: "60000",
      finish_as: "filled",
      status: "closed",
      create_time_ms: String(AT),
      fee: "0",
      fee_currency: "USDT",
      gt_fee: "0",
      rebated_fee: "0",
      rebated_fee_currency: "BTC",
    };
    expect(await feesOf(gateio, { ...info, point_fee: "0.24" })).toEqual(["0.24 GATEPOINT"]);
    expect(await feesOf(gateio, { ...info, point_fee: "0" })).toEqual([]);
  });
});

describe("the cost of an execution", () => {
  const row = {
    id: "1",
    order: "2",
    symbol: "BTC/USDT",
    side: "buy",
    price: "60000",
    amount: "0.5",
    cost: "30000",
    timestamp: AT,
    fees: [{ cost: "0", currency: "USDT" }],
  };
  it("is the reported one, also zero where it rounds to zero", () => {
    expect(venueFillOf(row).notional).toBe(30_000n * 10n ** 18n);
    expect(venueFillOf({ ...row, price: "0.5", amount: "0.00000001", cost: "0.000000" }).notional).toBe(0n);
  });
  it("is not zero where the fill has value", () => {
    expect(() => venueFillOf({ ...row, cost: "0.00000" })).toThrow(VenueError);
  });
});

const failure = (over: Partial<CallFailure> = {}): CallFailed =>
  new CallFailed({ failure: "refused", definite: true, reason: "no funds", ...over });

interface Exchange {
  /** What the call returns, or throws. */
  readonly answer?: unknown;
  /** Whether the request has left by then. */
  readonly leaves?: boolean;
  readonly buysByCost?: boolean;
  readonly spoils?: () => Promise<void>;
}

/** Sends over a session that has this result, with what the exchange was asked for. */
function sending({ answer = { id: "x1" }, leaves = true, buysByCost = false, spoils }: Exchange) {
  const sent: unknown[] = [];
  const [spoiled, logged]: [string[], unknown[][]] = [[], []];
  const exchange = {
    createOrder: (...args: unknown[]) => void sent.push(args),
    cancelOrder: (...args: unknown[]) => void sent.push(args),
  };
  const session = {
    async write(query: { leaving(): void }, call: (own: object, expiry: object) => unknown) {
      await call(exchange, { now: 1, by: 2 });
      if (leaves) query.leaving();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const link = {
    quirks: {
      buysByCost,
      orderIds: { form: /^x\d+$/ },
      createParams: ({ clientId }: { clientId: string }) => ({ clientId }),
    },
    catalog: { spoil: spoils ?? (async (symbol: string) => void spoiled.push(symbol)) },
    log: (...entry: unknown[]) => void logged.push(entry),
  };
  const quote = async () => ({ bid: d("99"), ask: d("100.07") });
  const parts = { link, session, quote, market: async () => market({ tick: d("0.5") }) } as never;
  return {
    sent,
    spoiled,
    logged,
    create: (over: Parameters<typeof order>[0] = {}) => sendOrder(parts, order(over), PERMIT),
    cancel: (id = "x1") => sendCancel(parts, { symbol: "BTC/USDT", id }, PERMIT),
  };
}

describe("an order that is sent", () => {
  it("is accepted under the exchange's id, and unknown without a plausible one", async () => {
    expect(await sending({}).create()).toEqual({ result: "accepted", id: "x1" });
    for (const id of [undefined, 5, "", "two words", "-1", "NaN"])
      expect(await sending({ answer: { id } }).create()).toEqual({
        result: "unknown",
        reason: "the exchange returned no order id",
      });
  });

  it("has a price only as a limit order", async () => {
    const [limit, taker] = [sending({}), sending({})];
    await limit.create();
    await taker.create({ type: "market", side: "sell" });
    const params = { clientId: order().clientId };
    expect([limit.sent, taker.sent]).toEqual([
      [["BTC/USDT", "limit", "buy", "2", "100", params]],
      [["BTC/USDT", "market", "sell", "2", undefined, params]],
    ]);
  });

  it("buys at the market with a limit 1 % above the ask where it could only name a cost", async () => {
    const sent = async (over: object) => {
      const one = sending({ buysByCost: true });
      await one.create(over);
      return (one.sent[0] as unknown[]).slice(1, 5);
    };
    // 101.0707, down to half a unit.
    expect(await sent({ type: "market" })).toEqual(["limit", "buy", "2", "101"]);
    expect(await sent({ type: "market", side: "sell" })).toEqual(["market", "sell", "2", undefined]);
    expect(await sent({})).toEqual(["limit", "buy", "2", "100"]);
  });

  it.each<[string, Error, object]>([
    [
      "a rejection",
      failure(),
      { result: "rejected", reason: "no funds", failure: "refused", wouldTake: false },
    ],
    [
      "a rejection of a taker",
      failure({ wouldTake: true }),
      { result: "rejected", reason: "no funds", failure: "refused", wouldTake: true },
    ],
    ["no clear answer", failure({ definite: false }), { result: "unknown", reason: "no funds" }],
    [
      "an answer that cannot be read",
      new TypeError("x"),
      { result: "unknown", reason: "the exchange's response cannot be read" },
    ],
  ])("has the result of %s", async (_what, answer, outcome) => {
    expect(await sending({ answer }).create()).toEqual(outcome);
  });

  it.each<[string, Error, object]>([
    ["its time was over", new RequestNotSentError("late"), { result: "not_sent", reason: "late" }],
    [
      "no call is left",
      new BudgetSpent("none left", 5),
      { result: "not_sent", reason: "none left", failure: "rate_limited" },
    ],
    [
      "the account is busy",
      new AppError("Too many requests", "busy"),
      { result: "not_sent", reason: "busy", failure: "rate_limited" },
    ],
    ["its market is unknown", new AppError("Invalid request", "no"), { result: "not_sent", reason: "no" }],
    ["the exchange is down", new VenueError("unavailable", "down"), { result: "not_sent", reason: "down" }],
    [
      "there are no keys",
      new VenueError("missing_credentials", "no keys"),
      { result: "rejected", reason: "no keys", failure: "missing_credentials" },
    ],
    ["a call before it failed", failure({ definite: false }), { result: "not_sent", reason: "no funds" }],
    [
      "a call before it was limited",
      failure({ definite: false, failure: "rate_limited" }),
      { result: "not_sent", reason: "no funds", failure: "rate_limited" },
    ],
    // The text of another error can contain a signed address.
    ["of another error", new Error("https://x/?signature=1"), { result: "not_sent" }],
  ])("has not left if %s", async (_what, answer, outcome) => {
    expect(await sending({ answer, leaves: false }).create()).toEqual(outcome);
  });

  it("makes its market be loaded again if the exchange rejects it by other rules", async () => {
    const spoiled = async (over: Partial<CallFailure>) => {
      const one = sending({ answer: failure(over) });
      await one.create();
      return one.spoiled;
    };
    expect(await spoiled({ stale: true })).toEqual(["BTC/USDT"]);
    expect([await spoiled({}), await spoiled({ stale: true, definite: false })]).toEqual([[], []]);
    const spoils = () => Promise.reject(new Error("no database"));
    const one = sending({ answer: failure({ stale: true }), spoils });
    expect(await one.create()).toMatchObject({ result: "rejected" });
    expect(one.logged).toEqual([
      ["warn", "a market could not be marked for reloading", { symbol: "BTC/USDT", message: "no database" }],
    ]);
  });
});

describe("a cancel that is sent", () => {
  it("names the order, and is never sent without an id", async () => {
    const one = sending({});
    expect(await one.cancel()).toEqual({ result: "accepted" });
    expect(await one.cancel("")).toEqual({ result: "rejected", reason: "the order has no id" });
    expect(one.sent).toEqual([["x1", "BTC/USDT"]]);
  });

  it("asks for a look at an order that is missing, and has the result of other failures", async () => {
    const cancel = (answer: Error, leaves = true) => sending({ answer, leaves }).cancel();
    expect(await cancel(failure({ missing: true }))).toEqual({ result: "look" });
    expect(await cancel(failure())).toMatchObject({ result: "rejected", reason: "no funds" });
    expect(await cancel(failure({ definite: false }))).toMatchObject({ result: "unknown" });
    expect(await cancel(new RequestNotSentError("late"), false)).toEqual({ result: "not_sent" });
    expect(await cancel(new BudgetSpent("none left", 5), false)).toEqual({
      result: "not_sent",
      failure: "rate_limited",
    });
  });
});
