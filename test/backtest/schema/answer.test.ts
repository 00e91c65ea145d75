import { describe, expect, it } from "vitest";
import { CALCULATIONS } from "../../../src/backtest/operations/calculations.ts";
import { backtest } from "../../../src/backtest/run/backtest.ts";
import { finish } from "../../../src/backtest/run/begin.ts";
import { BacktestShape, fillsCsv } from "../../../src/backtest/schema/answer.ts";
import { backtestView, describeBacktest } from "../../../src/backtest/schema/answer-view.ts";
import { candlesOf, slice } from "../../../src/candles/candles.ts";
import { DAY, HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { d, market } from "../../support/grid.ts";

const START = Date.UTC(2026, 0, 1);
/** Day after day: open, high, low and close. The fourth day is missing. */
const ROWS = [
  [0, 105, 105, 105, 105],
  [1, 105, 105, 99, 99],
  [2, 99, 111, 99, 111],
  [4, 111, 111, 89, 89],
  [5, 89, 95, 89, 95],
] as const;
const PAST = candlesOf(
  { pair: "BTC/USDT", spanMillis: DAY },
  ROWS.map(([day, ...prices]) => {
    const [open, high, low, close] = prices.map(String) as [string, string, string, string];
    return { at: START + day * DAY, open, high, low, close, volume: 1 };
  }),
);
const MARKET = market({ tick: d("1"), lot: d("0.001"), maker: d("0.001"), taker: d("0.004") });
const REQUEST = {
  lowerPrice: d("90"),
  upperPrice: d("110"),
  gridLevels: 2,
  orderSize: d("90"),
  allowLoss: true,
};

const answered = (engine: "walk" | undefined, fills = 3) => {
  const options = { market: MARKET, withBand: true, ...(engine ? { engine } : {}) };
  const job = {
    request: REQUEST,
    past: PAST,
    options,
    over: { definition: "grid", config: {}, exchange: "kraken", fills },
  };
  return finish(CALCULATIONS.grid(job, () => false));
};

const at = (day: number, hours = 0): number => START + day * DAY + hours * HOUR;
const FEW = "1 cycle is too few to distinguish luck from skill";
const MISSING = "1 candle is missing; the price is assumed to move straight across each gap";
const COARSE =
  "depending on the order of a candle's high and low, there are 1 to 3 cycles; these candles are too long for this spacing, so use shorter ones";
const SLOTS = [
  { slot: 0, lowerPrice: "90", upperPrice: "100", buys: 1, sells: 0, cycles: 0 },
  { slot: 1, lowerPrice: "100", upperPrice: "110", buys: 2, sells: 1, cycles: 1 },
];

// 105, 99 and 95 of five closes are in its range.
const DETAILS = { timeInRangePercent: 60, slots: SLOTS };
// Every figure is computed by hand. Slot 1 buys 0.9 at 100, sells them at 110 and buys them again; slot 0 buys 1 at
// 90. Each fill pays 0.1 %: 0.09, 0.099, 0.09 and 0.09.
const ANSWER = {
  definition: "grid",
  config: {},
  exchange: "kraken",
  symbol: "BTC/USDT",
  fromAt: at(0),
  untilAt: at(6),
  bars: 5,
  missingBars: 1,
  tape: null,
  isWhole: true,
  status: "running",
  lastError: null,
  refused: [],
  // -90 + 99 - 90 - 90 - 0.369 of quote, and 1.9 base at 95. Two slots of 90 and the taker fee are invested.
  total: "9.131",
  totalPercent: 5.0526,
  invested: "180.72",
  fees: { USDT: "0.369" },
  // The cycle: 99 - 90 - 0.189. The rest: 1.9 base at 95 for 180.18.
  realized: "8.811",
  unrealized: "0.32",
  cycles: 1,
  filledOrders: 4,
  startPrice: "105",
  endPrice: "95",
  position: "1.9",
  averageCost: "94.831578947368421053",
  breakEvenPrice: "90.194210526315789474",
  // 180.72 / 105 base, each of which lost 10.
  holding: { start: "0", base: "-17.21142857142857143", quote: "0" },
  // From 189.531 to 178.451.
  drawdown: { amount: "11.08", percent: 5.846, fromAt: at(2), untilAt: at(4) },
  // Returns of the days: -0.5478 %, 5.4532 %, -5.8460 % and 6.3883 %, on average 1.3619 %; their deviation is 5.7039 %.
  sharpe: 4.56,
  // Low first, the fourth bar sells both slots on the way back to its high: 8.811 and 9.81 more.
  band: { total: { least: "9.131", most: "27.752" }, count: { least: 1, most: 3 } },
  warnings: [
    { code: "coarse_candles", message: COARSE },
    { code: "few_cycles", message: FEW },
    { code: "missing_bars", message: MISSING },
  ],
  fills: [
    // Between the first and the second third of its day the price rises from 99 to 111, and rounds to 111 after 23 / 24.
    {
      timestamp: at(2, 8 + (23 / 24) * 8),
      slot: 1,
      side: "sell",
      price: "110",
      amount: "0.9",
      notional: "99",
      fee: "0.099 USDT",
    },
    // From 111 to 89, it rounds to 99 after 11.5 of 22, and to 89 after 21.5 of them.
    {
      timestamp: Math.ceil(at(4, 8 + (11.5 / 22) * 8)),
      slot: 1,
      side: "buy",
      price: "100",
      amount: "0.9",
      notional: "90",
      fee: "0.09 USDT",
    },
    {
      timestamp: Math.ceil(at(4, 8 + (21.5 / 22) * 8)),
      slot: 0,
      side: "buy",
      price: "90",
      amount: "1",
      notional: "90",
      fee: "0.09 USDT",
    },
  ],
  series: [
    { timestamp: at(0), price: "105", equity: "180.72", buyAndHold: "180.72", drawdownPercent: 0 },
    { timestamp: at(1), price: "99", equity: "179.73", buyAndHold: "170.39", drawdownPercent: 0.5478 },
    { timestamp: at(2), price: "111", equity: "189.53", buyAndHold: "191.05", drawdownPercent: 0 },
    { timestamp: at(4), price: "89", equity: "178.45", buyAndHold: "153.18", drawdownPercent: 5.846 },
    { timestamp: at(5), price: "95", equity: "189.85", buyAndHold: "163.51", drawdownPercent: 0 },
  ],
};

describe("the result of a grid over five days", () => {
  it.each([
    ["walk", "walk"],
    [undefined, "jump"],
  ] as const)("has the figures computed by hand, by engine %s", (engine, name) => {
    expect(answered(engine)).toEqual({ ...ANSWER, details: { ...DETAILS, engine: name } });
    expect(BacktestShape().parse(answered(engine))).toEqual({
      ...ANSWER,
      details: { ...DETAILS, engine: name },
    });
    expect(answered(engine, 0).fills).toEqual([]);
    expect(answered(engine, 9).fills.map(({ price }) => price)).toEqual(["100", "110", "100", "90"]);
  });

  it("has no fills in slots that never traded, and no fee where none is taken", () => {
    const free = { ...MARKET, maker: 0n };
    const job = {
      request: REQUEST,
      past: PAST,
      options: { market: free },
      over: { definition: "grid", config: {}, exchange: "kraken", fills: 9 },
    };
    const found = finish(CALCULATIONS.grid(job, () => false));
    expect([found.details, found.fees, found.fills.map(({ fee }) => fee), found.total]).toEqual([
      expect.objectContaining({ engine: "jump" }),
      {},
      ["", "", "", ""],
      "9.5",
    ]);
    const still = { ...job, past: slice(PAST, START, START + DAY) };
    expect(finish(CALCULATIONS.grid(still, () => false)).details).toMatchObject({
      slots: SLOTS.map((slot) => ({ ...slot, buys: 0, sells: 0, cycles: 0 })),
    });
    const { fills } = backtest(REQUEST, PAST, { market: free }).run;
    expect(fills.newest(1)[0]?.fees).toEqual([]);
  });

  it("is shown in cents, with what its candles hide", () => {
    expect(backtestView(answered(undefined))).toEqual({
      total: "9.13 (5.0526 %)",
      realized: "8.81",
      unrealized: "0.32",
      "buy and hold": "-17.21 with all in base, 0 with the first base, 0 with quote only",
      band: "9.13 to 27.75, 1 to 3 cycles",
      drawdown: "11.08 (5.846 %)",
      sharpe: 4.56,
      cycles: 1,
      "filled orders": 4,
      fees: { USDT: "0.369" },
      invested: "180.72",
      position: "1.9",
      "break-even": 90.19421052631579,
      "time in range": "60 %",
      market: "BTC/USDT at kraken, 105 to 95",
      from: at(0),
      to: at(6),
      bars: "5, 1 missing, engine jump",
      status: "running",
      fills: "3 of them in --json and --format csv",
      warnings: `${COARSE}; ${FEW}; ${MISSING}`,
      slots: SLOTS.map((slot) => ({
        ...slot,
        lowerPrice: Number(slot.lowerPrice),
        upperPrice: Number(slot.upperPrice),
      })),
    });
  });

  it("is described in a sentence", () => {
    expect(describeBacktest(answered(undefined))).toBe(
      `The strategy grid would have made 9.131 in quote (5.0526 %) with 4 filled orders in 1 cycle; buy and hold would have made -17.21142857142857143. Its equity fell by up to 5.846 %. Warnings: ${COARSE}; ${FEW}; ${MISSING}.`,
    );
    expect(describeBacktest({ ...answered(undefined), warnings: [] })).toMatch(/ up to 5\.846 %\.$/);
  });

  it("is written as a CSV line for each fill", () => {
    expect(fillsCsv(answered(undefined, 1))).toBe(
      `timestamp,slot,side,price,amount,notional,fee\r\n${Math.ceil(at(4, 8 + (21.5 / 22) * 8))},0,buy,90,1,90,0.09 USDT\r\n`,
    );
  });
});

describe("the view of an incomplete result over a tape", () => {
  const tape = {
    prints: 9,
    books: 2,
    hasAmounts: false,
    from: 0,
    until: 1,
    gaps: 2,
    longestGap: 5 * MINUTE,
    duplicates: 3,
    refusedRows: 4,
    refused: [],
    hash: "0123456789abcdef0123",
    queue: null,
  };
  const view = (over: object) =>
    backtestView({ ...answered(undefined), isWhole: false, warnings: [], ...over });

  it("describes its trades, its queue and its missing amounts", () => {
    const result = view({ tape });
    expect(result).toMatchObject({
      band: "none: trades show the price path",
      prints:
        "5, ended before the last, 2 gaps of more than a minute (longest 5 min), 3 duplicates, 4 invalid rows, hash 0123456789abcdef",
      books: "2, an order queues behind the amount at its price; only trades reduce it",
      amounts: "unknown: each trade fills a whole order",
    });
    expect(Object.keys(result as object)).not.toContain("warnings");
    const known = view({ tape: { ...tape, books: 0, hasAmounts: true } });
    const shown = Object.keys(known as object);
    expect(["prints", "books", "amounts", "bars"].filter((name) => shown.includes(name))).toEqual(["prints"]);
  });

  it("has no band if the other runs did not end", () => {
    expect(view({ band: null })).toMatchObject({
      band: null,
      bars: "5, ended before the last, 1 missing, engine jump",
    });
  });
});
