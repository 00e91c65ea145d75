import { describe, expect, it } from "vitest";
import {
  balancesOf,
  bookOf,
  candleOf,
  readFeeRates,
  readMarket,
  tickerOf,
  tradeOf,
  venueFillOf,
  venueOrderOf,
} from "../../../../src/adapters/ccxt/account/reading.ts";
import type { Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { type BalanceRow, DEFAULT_QUIRKS, type Quirks } from "../../../../src/adapters/ccxt/client/quirks.ts";
import { UnreadableError, VenueError } from "../../../../src/kernel/errors.ts";
import { balanceIn } from "../../../../src/model/account.ts";
import { d } from "../../../support/grid.ts";

const AT = 1_767_225_600_000;
const plain = { clientIdOf: () => "em1", stopOf: DEFAULT_QUIRKS.stopOf } as unknown as Quirks;

describe("a ticker", () => {
  const TICKER = { bid: "99", ask: "101", last: "100.5", baseVolume: "2", quoteVolume: "200", timestamp: AT };
  const read = (over: Dict = {}, now = AT + 5) => tickerOf({ ...TICKER, ...over }, now);

  it("has exact prices, and the quote volume that the base is worth where none is reported", () => {
    const expected = {
      bid: d("99"),
      ask: d("101"),
      last: d("100.5"),
      baseVolume: d("2"),
      quoteVolume: d("200"),
      at: AT,
    };
    expect(read()).toEqual(expected);
    expect(read({ last: undefined, close: "100.5" })).toEqual(expected);
    for (const quoteVolume of [undefined, null]) expect(read({ quoteVolume }).quoteVolume).toBe(d("201"));
    expect(read({ bid: "1e2", ask: 1e2 })).toMatchObject({ bid: d("100"), ask: d("100") });
  });

  it("is never of a later time, nor of an unknown one", () => {
    expect(read({}, AT - 5).at).toBe(AT - 5);
    for (const timestamp of [undefined, 0, -1, 1.5, String(AT), Number.NaN])
      expect(read({ timestamp }).at).toBe(AT + 5);
  });

  it.each([{ bid: "101.01" }, { bid: "0" }, { ask: undefined }])("fails the read with %j", (over) => {
    expect(() => read(over)).toThrow(UnreadableError);
  });

  it.each([
    [{ last: "-1" }, { last: null }],
    [
      { last: "n/a", quoteVolume: null },
      { last: null, quoteVolume: null },
    ],
    [{ baseVolume: null }, { baseVolume: null, quoteVolume: d("200") }],
    [
      { baseVolume: {}, quoteVolume: undefined },
      { baseVolume: null, quoteVolume: null },
    ],
    [{ quoteVolume: "-1" }, { quoteVolume: null }],
  ])("has its best prices although %j cannot be read", (over, expected) => {
    expect(read(over)).toMatchObject({ bid: d("99"), ask: d("101"), ...expected });
  });
});

describe("an order", () => {
  const ORDER = {
    id: "x1",
    symbol: "BTC/USDT",
    side: "buy",
    type: "limit",
    price: "100",
    amount: "2",
    filled: "1",
    cost: "99",
    status: "open",
    timestamp: AT,
    fees: [{ cost: "0.1", currency: "USDT" }],
  };
  const read = (over: Dict = {}, quirks: Partial<Quirks> = {}) =>
    venueOrderOf({ ...ORDER, ...over }, { ...plain, ...quirks }, AT + 5);

  it("has an unknown notional with a cost that cannot be read", () => {
    for (const cost of ["-1", "n/a", {}]) expect(read({ cost }).notional).toBeUndefined();
  });

  it("has its amounts, its notional and its fees", () => {
    expect(read()).toEqual({
      id: "x1",
      clientId: "em1",
      symbol: "BTC/USDT",
      side: "buy",
      type: "limit",
      price: d("100"),
      amount: d("2"),
      filled: d("1"),
      notional: d("99"),
      status: "partially_filled",
      at: AT,
      fees: [{ asset: "USDT", amount: d("0.1") }],
    });
    expect(read({ timestamp: undefined }).at).toBe(AT + 5);
  });

  it("without a fill has no notional and no fee, whatever is reported", () => {
    expect(read({ filled: "0", cost: "5", fees: undefined })).toMatchObject({
      status: "open",
      notional: 0n,
      fees: [],
    });
  });

  it("has an unknown notional or fee if the response has none", () => {
    expect(read({ cost: undefined })).toMatchObject({ notional: undefined, price: d("100") });
    expect(read({ fees: [] }).fees).toBeUndefined();
    expect(read({ fees: [{ cost: "0.1" }] }).fees).toBeUndefined();
    expect(read({ fees: [{ currency: "USDT" }, { cost: "1", currency: "BTC" }] }).fees).toBeUndefined();
    expect(read({}, { tellsFee: () => false }).fees).toBeUndefined();
    expect(read({}, { tellsFee: () => true }).fees).toHaveLength(1);
  });

  it("has one fee in either form, and none of zero", () => {
    const fee = { cost: "0.2", currency: "BTC" };
    for (const fees of [undefined, []])
      expect(read({ fees, fee }).fees).toEqual([{ asset: "BTC", amount: d("0.2") }]);
    expect(read({ fees: [{ cost: "0", currency: "BTC" }] }).fees).toEqual([]);
  });

  it("at the market has its average price, or none", () => {
    const market = { type: "market", price: undefined };
    expect(read({ ...market, filled: "2", cost: "201" })).toMatchObject({
      type: "market",
      price: d("100.5"),
    });
    expect(read({ ...market, filled: "0" }).price).toBe(0n);
    expect(read({ ...market, filled: "2", cost: undefined }).price).toBe(0n);
    // Its amount can be the cost that was asked for.
    expect(read({ type: "MARKET_BUY".toLowerCase(), amount: "1", filled: "2" }).type).toBe("market");
    expect(read({ ...market, amount: undefined, filled: "2" }).amount).toBe(d("2"));
  });

  it("has the exchange's own amounts, notional and status where ccxt's differ", () => {
    const own: Partial<Quirks> = {
      sizesOf: () => ({ filled: "1.5", amount: "3" }),
      notionalOf: () => "150",
      statusOf: () => "canceled",
    };
    expect(read({}, own)).toMatchObject({
      filled: d("1.5"),
      amount: d("3"),
      notional: d("150"),
      status: "canceled",
    });
    const without = { sizesOf: () => undefined, notionalOf: () => undefined, statusOf: () => undefined };
    expect(read({}, without)).toEqual(read());
  });

  it.each([
    ["open", "0", "open"],
    ["closed", "2", "filled"],
    ["canceled", "1", "canceled"],
    ["expired", "0", "expired"],
    ["rejected", "0", "rejected"],
    ["odd", "0", "unknown"],
    [undefined, "0", "unknown"],
  ])("of status %s with %s filled is %s", (word, filled, status) => {
    expect(read({ status: word, filled }).status).toBe(status);
  });

  it.each([
    { filled: "2.1" },
    { price: "-1" },
    { side: "both" },
    { id: "" },
    { id: 5 },
    { symbol: "" },
    { symbol: 5 },
    { filled: "-1" },
    { filled: "NaN" },
    { amount: [] },
  ])("fails the read with %j", (over) => {
    expect(() => read(over)).toThrow(VenueError);
  });
});

describe("an execution", () => {
  const FILL = {
    id: "t1",
    order: "x1",
    symbol: "BTC/USDT",
    side: "sell",
    price: "100",
    amount: "2",
    cost: "200",
    fees: [{ cost: "0.1", currency: "USDT" }],
    timestamp: AT,
  };
  const read = (over: Dict = {}) => venueFillOf({ ...FILL, ...over });

  it("has the reported cost, or what its price and amount come to", () => {
    expect(read()).toEqual({
      id: "t1",
      orderId: "x1",
      symbol: "BTC/USDT",
      side: "sell",
      price: d("100"),
      amount: d("2"),
      notional: d("200"),
      fees: [{ asset: "USDT", amount: d("0.1") }],
      at: AT,
    });
    expect(read({ cost: "199.9" }).notional).toBe(d("199.9"));
    for (const cost of [undefined, null]) expect(read({ cost }).notional).toBe(d("200"));
    // It rounds to zero at two decimals, and not at three; half of a cent does not.
    const fees = [{ cost: "0", currency: "USDT" }];
    expect(read({ price: "0.002", cost: "0.00", fees }).notional).toBe(0n);
    expect(read({ price: "0.2", amount: "0.2", cost: 0, fees }).notional).toBe(0n);
    for (const over of [
      { price: "0.002", cost: "0.000" },
      { price: "0.0025", cost: "0.00" },
    ])
      expect(() => read({ ...over, fees })).toThrow(VenueError);
  });

  it.each([
    { fees: [] },
    { price: "0" },
    { amount: "0" },
    { id: "" },
    { order: undefined },
    { timestamp: 0 },
    { timestamp: "5" },
    { cost: "-1" },
    { side: "" },
    { symbol: "x" },
  ])("fails the read with %j", (over) => {
    expect(() => read(over)).toThrow(VenueError);
  });
});

describe("balances", () => {
  const read = (rows: readonly BalanceRow[], spentAs?: Quirks["spentAs"]) =>
    balancesOf(rows, spentAs ? { spentAs } : {});
  const rows = [
    { asset: "BTC", free: "1", used: ["2"] },
    { asset: "BTC.F", total: "0.75", used: ["0.25"] },
    { asset: "USDT", free: "9", used: ["0", "1"] },
  ];
  const usdt = { asset: "USDT", free: d("9"), used: d("1") };

  it("add up the names of an asset", () => {
    expect(read(rows)).toEqual([
      { asset: "BTC", free: d("1"), used: d("2") },
      { asset: "BTC.F", free: d("0.5"), used: d("0.25") },
      usdt,
    ]);
    const spentAs = (name: string) => (name === "BTC.F" ? "BTC" : undefined);
    expect(read(rows, spentAs)).toEqual([{ asset: "BTC", free: d("1.5"), used: d("2.25") }, usdt]);
  });

  it("can be negative under one name, and not in sum", () => {
    const of = (free: string) =>
      read(
        [
          { asset: "A", free, used: ["0"] },
          { asset: "B", free: "1", used: ["0"] },
        ],
        () => "BTC",
      );
    expect(of("-1")).toEqual([{ asset: "BTC", free: 0n, used: 0n }]);
    expect([...of("-1.1")]).toEqual([]);
    expect(of("-1.1").unreadable).toEqual([
      { asset: "BTC", reason: "the exchange's balance of BTC is negative: -0.1" },
    ]);
  });

  it.each([
    { used: [undefined], free: "1" },
    { used: ["0"] },
    { used: ["-1"], free: "1" },
    { used: ["0", "n/a"], free: "1" },
    { used: ["0"], free: {} },
  ])("are unreadable for one asset with %j", (row) => {
    const found = read([{ asset: "A", ...row }, ...rows.slice(2)]);
    expect([...found]).toEqual([usdt]);
    expect(found.unreadable).toEqual([{ asset: "A", reason: "the exchange's balance of A cannot be read" }]);
    expect(balanceIn(found, "B")).toEqual({ asset: "B", free: 0n, used: 0n });
    expect(() => balanceIn(found, "A")).toThrow(VenueError);
  });

  it("leave every asset that is not listed unknown if one has no name", () => {
    const found = read([{ asset: undefined, free: "1", used: ["0"] }, ...rows.slice(2)]);
    expect(balanceIn(found, "USDT")).toEqual(usdt);
    expect(() => balanceIn(found, "B")).toThrow("the exchange's name of a balance cannot be read");
  });
});

describe("public data", () => {
  it("has a book of so many levels, of no later time", () => {
    const levels = [
      ["100", "1"],
      ["99", "0"],
      ["98", "3"],
    ];
    const bids = [
      { price: d("100"), amount: d("1") },
      { price: d("99"), amount: 0n },
    ];
    expect(bookOf({ bids: levels, asks: [], timestamp: AT }, 2, AT + 5)).toEqual({ bids, asks: [], at: AT });
    expect(bookOf({ bids: [], asks: levels.slice(0, 2), timestamp: AT + 9 }, 9, AT + 5)).toEqual({
      bids: [],
      asks: bids,
      at: AT + 5,
    });
    for (const bad of [undefined, "x", ["x"], [["0", "1"]], [["1", "-1"]], [["1"]]])
      expect(() => bookOf({ bids: bad, asks: [] }, 5, AT)).toThrow(VenueError);
  });

  it("has trades and candles with every field", () => {
    const trade = { id: "t1", side: "buy", price: "100", amount: "2", timestamp: AT };
    expect(tradeOf(trade)).toEqual({ id: "t1", side: "buy", price: d("100"), amount: d("2"), at: AT });
    for (const name of Object.keys(trade))
      expect(() => tradeOf({ ...trade, [name]: undefined })).toThrow(VenueError);
    const row = [AT, "1", "3", "0.5", "2", "0"];
    expect(candleOf(row)).toEqual({
      at: AT,
      open: d("1"),
      high: d("3"),
      low: d("0.5"),
      close: d("2"),
      volume: 0n,
    });
    for (const index of [0, 1, 2, 3, 4])
      expect(() => candleOf(row.with(index, "-1"))).toThrow(UnreadableError);
    for (const volume of ["-1", undefined, "n/a"])
      expect(candleOf(row.with(5, volume as string)).volume).toBeNull();
  });

  const MARKET = {
    symbol: "BTC/USDT",
    precision: { price: "0.1", amount: "0.001" },
    maker: "0.001",
    taker: "0.002",
    limits: { amount: { min: "0.01" }, cost: { min: "5" } },
    active: true,
  };
  it("has a market with the account's rates, or the listed ones", () => {
    const read = (over: Dict = {}, fees?: object) =>
      readMarket(
        { ...MARKET, ...over },
        {
          buyFeeIn: "base",
          publishedFees: { maker: d("0.0015"), taker: d("0.0015"), published: "2026-01-02" },
        },
        fees as never,
      );
    const expected = {
      symbol: "BTC/USDT",
      base: "BTC",
      quote: "USDT",
      tick: d("0.1"),
      lot: d("0.001"),
      minAmount: d("0.01"),
      minNotional: d("5"),
      active: true,
      maker: d("0.001"),
      taker: d("0.002"),
      buyFeeIn: "base",
    };
    expect(read()).toEqual(expected);
    expect(read({}, { maker: 0n, taker: 5n })).toEqual({ ...expected, maker: 0n, taker: 5n });
    expect(read({ limits: {}, active: undefined })).toEqual({ ...expected, minAmount: 0n, minNotional: 0n });
    expect(read({ active: false }).active).toBe(false);
    expect(read({ maker: "-0.0001" })).toMatchObject({ maker: d("0.0015"), taker: d("0.002") });
    for (const maker of [undefined, null, "", "NaN", "abc", {}, "1", "1e999", 7]) {
      const assumed = { names: ["maker"], published: "2026-01-02" };
      const found = { ...expected, maker: d("0.0015"), assumedFees: assumed };
      expect(read({ maker })).toEqual(found);
    }
    // What an account with unread fees pays is at least what is listed and what is published.
    expect(read({}, "unread" as never)).toEqual({
      ...expected,
      maker: d("0.0015"),
      assumedFees: { names: ["maker", "taker"], published: "2026-01-02" },
    });
    expect(() => read({ precision: { price: "0", amount: "1" } })).toThrow(VenueError);
  });

  it("has rates of which the maker's can be a rebate", () => {
    expect(readFeeRates({ maker: "-0.0001", taker: "0.001" })).toEqual({
      maker: d("-0.0001"),
      taker: d("0.001"),
    });
    for (const bad of [{ maker: "x", taker: "0" }, { maker: "0", taker: "-0.1" }, { maker: "0" }])
      expect(() => readFeeRates(bad)).toThrow(VenueError);
  });
});
