import { describe, expect, it } from "vitest";
import {
  balancesOf,
  candleOf,
  tradeOf,
  venueFillOf,
  venueOrderOf,
} from "../../../../src/adapters/ccxt/account/reading.ts";
import type { Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import type { Quirks } from "../../../../src/adapters/ccxt/client/quirks.ts";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { text } from "../../../../src/kernel/decimal.ts";
import { VenueError } from "../../../../src/kernel/errors.ts";

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
const BALANCE = { total: { BTC: "3" }, BTC: { free: "1", used: "2", total: "3" } };

const READ: Readonly<Record<string, (answer: Dict) => unknown>> = {
  "an order": (result) => venueOrderOf(result, kraken, AT),
  "a trade": tradeOf,
  "a balance": (result) => balancesOf(result, kraken),
  "a candle": ({ row }) => candleOf(row as unknown[]),
};

describe("a response without a field that money depends on", () => {
  it.each<[string, Dict, Dict]>([
    ["an order, without how much of it was filled", ORDER, { ...ORDER, filled: undefined }],
    ["a trade, without its time", TRADE, { ...TRADE, timestamp: undefined }],
    ["a balance, without what is in orders", BALANCE, { ...BALANCE, BTC: { free: "1" } }],
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
