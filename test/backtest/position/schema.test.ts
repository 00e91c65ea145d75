import { describe, expect, it } from "vitest";
import { CALCULATIONS } from "../../../src/backtest/operations/calculations.ts";
import { pastBudget, pastStrategy } from "../../../src/backtest/position/backtest.ts";
import { finish } from "../../../src/backtest/run/begin.ts";
import { BacktestShape, fillsCsv, type PositionDetails } from "../../../src/backtest/schema/answer.ts";
import { backtestView, describeBacktest } from "../../../src/backtest/schema/answer-view.ts";
import { candlesOf, slice } from "../../../src/candles/candles.ts";
import { NO_STOP } from "../../../src/kernel/fields.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { d, market } from "../../support/grid.ts";
import { quotesOf } from "../../support/starts.ts";

const START = Date.UTC(2026, 0, 1);
const PAST = candlesOf(
  { pair: "BTC/USDT", spanMillis: MINUTE },
  // Open, high, low and close of each minute. The fourth one is missing.
  [
    [0, "100", "100", "100", "100"],
    [1, "100", "100", "98.9", "100"],
    [2, "100", "101.1", "100", "100"],
    [4, "100", "100", "100", "100"],
  ].map(([minute, open, high, low, close]) => ({
    at: START + Number(minute) * MINUTE,
    volume: 1,
    ...({ open, high, low, close } as Record<"open" | "high" | "low" | "close", string>),
  })),
);
const MARKET = market({ tick: d("0.01"), lot: d("0.001"), minAmount: d("0.001"), minNotional: d("5") });
/** A bid at 99 and an ask at 101, of 100 quote each. */
const REQUEST = quotesOf({
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 2,
  size: 100,
  skewPercent: 0,
  volatilityFactor: 0,
  baseBudget: 10,
  quoteBudget: 1000,
  tolerancePercent: 3,
});

const answered = (fills: number, { candles = PAST, withBand = false } = {}) => {
  const options = { market: MARKET, withBand };
  const job = {
    request: REQUEST,
    candles,
    options,
    over: { definition: "quote", config: {}, exchange: "kraken", fills },
  };
  return finish(CALCULATIONS.quotes(job, () => false));
};

const WARNINGS = {
  no_book:
    "candles have no order book: every order fills completely when the price passes it, and other exchanges do not count. Real quotes fill less often, and mostly when a fill loses money",
  path_made_up:
    "a candle of 60 s has four prices, and the path between them is assumed; with passes every 5 s, most fills come from that path",
  few_fills: "2 filled orders are too few to distinguish luck from skill",
  missing_bars: "1 candle is missing; the price is assumed to move straight across each gap",
};

// Every figure is computed by hand. The bid buys 1.01 at 99 for 99.99, the ask sells 0.99 at 101 for 99.99; each pays
// 0.1 %. The pass before the buy reads 99.18, the one before the sell 100.83.
const DETAILS: PositionDetails = {
  // A pass each five seconds of five minutes; the first one finds no order, and two find one of two.
  passes: 60,
  budget: { base: "10", quote: "1000" },
  twoSidedPercent: 96.6102,
  leastBase: "10",
  mostBase: "11.01",
  quality: {
    // 1.01 × 0.18 and 0.99 × 0.17 were earned against the mid.
    totalProfit: "1.80002",
    spread: "0.3501",
    inventory: "1.6499",
    fees: "0.19998",
    fills: 2,
    notional: "199.98",
    halfSpreadPercent: 0.1751,
    withoutMid: 0,
    toxicPercent: 0,
    unmeasured: 0,
    markouts: [
      // The next pass after a second reads 98.9 and 101.1; after ten seconds 99.45 and 100.55.
      { after: SECOND, percent: -0.1, impactPercent: 0.2751, known: 2, unknown: 0 },
      { after: 10 * SECOND, percent: 0.45, impactPercent: -0.275, known: 2, unknown: 0 },
      // After a minute 101.1 and 100.
      { after: MINUTE, percent: 1.5557, impactPercent: -1.3806, known: 2, unknown: 0 },
      { after: 5 * MINUTE, percent: null, impactPercent: null, known: 0, unknown: 2 },
      { after: HOUR, percent: null, impactPercent: null, known: 0, unknown: 2 },
    ],
  },
  state: null,
  notes: {},
  logLines: 0,
  log: [],
};
const ANSWER = {
  definition: "quote",
  config: {},
  exchange: "kraken",
  symbol: "BTC/USDT",
  tape: null,
  fromAt: START,
  untilAt: START + 5 * MINUTE,
  bars: 4,
  missingBars: 1,
  isWhole: true,
  status: "running",
  lastError: null,
  refused: [],
  // 10 base at 100, and 1000.
  invested: "2000",
  // 0.02 base at 100, less fees. 10 base for 1000 and 1.01 for 100.08999 cost 98.918… for 0.99.
  total: "1.80002",
  totalPercent: 0.09,
  realized: "0.971836512261580381",
  unrealized: "0.828183487738419619",
  cycles: 1,
  holding: { start: "0", base: "0", quote: "0" },
  fees: { USDT: "0.19998" },
  filledOrders: 2,
  position: "10.02",
  // 1100.08999 less 98.918… for 10.02 base; 1000 and the fees for 10.02 base.
  averageCost: "99.917346957311534968",
  breakEvenPrice: "99.820357285429141717",
  // At 98.9: 10 base lost 1.1 each and 1.01 base 0.1 each, and a fee was paid.
  drawdown: { amount: "11.20099", percent: 0.56, fromAt: START, untilAt: START + 100 * SECOND },
  sharpe: null,
  startPrice: "100",
  endPrice: "100",
  band: { total: { least: "1.80002", most: "1.80002" }, count: { least: 2, most: 2 } },
  warnings: Object.entries(WARNINGS).map(([code, message]) => ({ code, message })),
  fills: [
    // From 99.18 at 95 s to 98.9 at 100 s, the price rounds to 98.99 after 18.5 of 28 ticks.
    {
      timestamp: START + Math.ceil(95_000 + (18.5 / 28) * 5000),
      slot: 0,
      side: "buy",
      price: "99",
      amount: "1.01",
      notional: "99.99",
      fee: "0.09999 USDT",
    },
    // From 100.83 at 155 s to 101.1 at 160 s, to 101.01 after 17.5 of 27.
    {
      timestamp: START + Math.ceil(155_000 + (17.5 / 27) * 5000),
      slot: 1,
      side: "sell",
      price: "101",
      amount: "0.99",
      notional: "99.99",
      fee: "0.09999 USDT",
    },
  ],
  // Equity at the closes: 1.01 more base at 100 for 99.99 and a fee, then the sell.
  series: [
    { timestamp: START, price: "100", equity: "2000", buyAndHold: "2000", drawdownPercent: 0 },
    { timestamp: START + MINUTE, price: "100", equity: "2000.91", buyAndHold: "2000", drawdownPercent: 0 },
    { timestamp: START + 2 * MINUTE, price: "100", equity: "2001.8", buyAndHold: "2000", drawdownPercent: 0 },
    { timestamp: START + 4 * MINUTE, price: "100", equity: "2001.8", buyAndHold: "2000", drawdownPercent: 0 },
  ],
  details: DETAILS,
};

describe("the result of quotes over five minutes", () => {
  it("has the figures computed by hand", () => {
    expect(answered(9, { withBand: true })).toEqual(ANSWER);
    expect(BacktestShape().strict().parse(ANSWER)).toEqual(ANSWER);
    expect(answered(0)).toEqual({ ...ANSWER, fills: [], band: null });
    expect(answered(1).fills).toEqual([ANSWER.fills[1]]);
  });

  it("is shown in cents, with its causes and what its candles hide", () => {
    expect(backtestView({ ...ANSWER, fills: [] })).toEqual({
      total: "1.8 (0.09 %)",
      realized: "0.97",
      unrealized: "0.83",
      "buy and hold": "0 with all in base, 0 with the first base, 0 with quote only",
      band: "1.8 to 1.8, 2 to 2 filled orders",
      drawdown: "11.2 (0.56 %)",
      sharpe: null,
      cycles: 1,
      "filled orders": 2,
      fees: { USDT: "0.19998" },
      invested: "2000",
      position: "10.02",
      "break-even": Number(ANSWER.breakEvenPrice),
      causes: "0.35 spread, 1.65 inventory, -0.20 fees",
      "toxic fills": "0 %; 0 of 2 fills unknown",
      "both sides": "96.6102 % of the time",
      "base range": "10 to 11.01",
      budget: "10 BTC and 1000 USDT",
      config: {},
      market: "BTC/USDT at kraken, 100 to 100",
      from: START,
      to: START + 5 * MINUTE,
      bars: "4, 1 missing, 60 passes",
      status: "running",
      fills: "0 of them in --json and --format csv",
      warnings: Object.values(WARNINGS).join("; "),
    });
    const quality = { ...DETAILS.quality, toxicPercent: null };
    const refused = [{ id: "3", reason: "no_quote" }];
    expect(
      backtestView({ ...ANSWER, details: { ...DETAILS, quality }, band: null, isWhole: false, refused }),
    ).toMatchObject({
      band: null,
      bars: "4, ended before the last, 1 missing, 60 passes",
      "toxic fills": "unknown; 0 of 2 fills unknown",
      refused: expect.stringMatching(/^1 order: /),
    });
  });

  it("is described in a sentence, and written as a CSV line for each fill", () => {
    expect(describeBacktest(ANSWER)).toBe(
      `The strategy quote would have made 1.80002 in quote (0.09 %) with 2 filled orders in 1 cycle; buy and hold would have made 0. Its equity fell by up to 0.56 %. Warnings: ${Object.values(WARNINGS).join("; ")}.`,
    );
    expect(fillsCsv(answered(1))).toBe(
      `timestamp,slot,side,price,amount,notional,fee\r\n${ANSWER.fills[1]?.timestamp},1,sell,101,0.99,99.99,0.09999 USDT\r\n`,
    );
  });

  it("has no path to assume if its passes are as far apart as its candles", () => {
    const options = { market: MARKET, withBand: false, rules: { tickInterval: MINUTE } };
    const job = {
      request: REQUEST,
      candles: PAST,
      options,
      over: { definition: "quote", config: {}, exchange: "kraken", fills: 0 },
    };
    const { warnings, details } = finish(CALCULATIONS.quotes(job, () => false));
    const { passes } = details as PositionDetails;
    expect([warnings.map(({ code }) => code), passes]).toEqual([["no_book", "few_fills", "missing_bars"], 5]);
  });

  it("begins with the budget, and needs one", () => {
    expect(pastBudget({ baseBudget: 2n, quoteBudget: 5n })).toEqual({ base: 2n, quote: 5n });
    expect(pastBudget({ quoteBudget: 5n })).toEqual({ base: 0n, quote: 5n });
    expect(() => pastBudget({})).toThrow("set baseBudget and quoteBudget");
  });

  it("needs candles above the tick", () => {
    const options = { market: { ...MARKET, tick: d("1000") }, withBand: false };
    const job = {
      request: REQUEST,
      candles: PAST,
      options,
      over: { definition: "quote", config: {}, exchange: "kraken", fills: 0 },
    };
    expect(() => finish(CALCULATIONS.quotes(job, () => false))).toThrow("below the tick of 1000");
  });

  it("warns about a missing candle only where one is missing", () => {
    const whole = slice(PAST, START, START + 3 * MINUTE);
    expect(answered(0, { candles: whole })).toMatchObject({
      missingBars: 0,
      details: { passes: 36 },
      bars: 3,
      warnings: [{ code: "no_book" }, { code: "path_made_up" }, { code: "few_fills" }],
    });
  });
});

it("a strategy of a backtest is the one that a start would store, under its own account", () => {
  expect(pastStrategy("quote-backtest-BTC-USDT-7", "BTC/USDT", 7, {})).toEqual({
    id: "quote-backtest-BTC-USDT-7",
    number: 7,
    symbol: "BTC/USDT",
    account: "sandbox:backtest:",
    ...NO_STOP,
    wants: "run",
    status: "running",
    phase: "starting",
    lastError: null,
    startedAt: 7,
    stoppedAt: null,
    epoch: 0,
    resumes: 0,
    request: null,
  });
});
