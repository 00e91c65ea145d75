import { describe, expect, it } from "vitest";
import { executedOrdersOf } from "../../../src/backtest/executed.ts";
import { quoteAt } from "../../../src/backtest/paper-account.ts";
import { type GridRecord, type ReplayOptions, replaying } from "../../../src/backtest/replay.ts";
import { begin, checkGrid, finish } from "../../../src/backtest/run/begin.ts";
import { RULES } from "../../../src/backtest/ticks.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import type { GridStrategy } from "../../../src/grid/state/state.ts";
import { clientOrderId, strategyTag } from "../../../src/kernel/ids.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import { d, market } from "../../support/grid.ts";
import { fill, order } from "../../support/made.ts";

const START = Date.UTC(2026, 0, 1);
const MARKET = market({ tick: d("1"), lot: d("0.01"), minNotional: d("1"), maker: 0n, taker: 0n });
/** One slot buys 1 at 100 and sells it at 110, and the one above it waits. It starts at 105. */
function gridWith(over: Partial<GridStrategy["state"]["ledger"]> = {}): GridStrategy {
  const quote = quoteAt(MARKET, RULES, { at: START, ticks: 105 });
  const setup = { market: MARKET, quote, balances: [{ asset: "USDT", free: d("1000"), used: 0n }] };
  const request = { lowerPrice: d("100"), upperPrice: d("120"), gridLevels: 2, orderSize: d("100") };
  const strategy = begin(checkGrid({ ...request, allowLoss: true, useOwnBase: true }, setup), setup);
  return { ...strategy, state: { ...strategy.state, ledger: { ...strategy.state.ledger, ...over } } };
}
const GRID = gridWith();

type Prices = readonly [open: number, high: number, low: number, close: number];
const barsOf = (rows: readonly Prices[]) =>
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    rows.map((row, i) => {
      const [open, high, low, close] = row.map(String) as [string, string, string, string];
      return { at: START + i * MINUTE, open, high, low, close, volume: 1 };
    }),
  );
/** Minutes of one price each: the candles buy at the start of minutes 1 and 5, and sell at that of minutes 2 and 6. */
const SWINGS = barsOf([105, 100, 110, 105, 105, 100, 110, 105].map((price) => [price, price, price, price]));

const idAt = (seconds: number, slot = 0) =>
  clientOrderId({ tag: strategyTag(GRID.number), generation: 0, slot, serial: seconds });
/** The fills of an order that executes after so many seconds, and its stored order, which was placed ten seconds before. */
function executedAt(
  millis: number,
  side: "buy" | "sell",
  { slot = 0, parts = 1, placed = millis - 10_000 } = {},
) {
  const seconds = Math.floor(millis / 1000);
  const [clientId, at] = [idAt(seconds, slot), START + millis];
  const price = d(side === "buy" ? "100" : "110");
  const [amount, notional] = [d("1") / BigInt(parts), price / BigInt(parts)];
  return {
    order: order({
      clientId,
      slot,
      side,
      price,
      amount: d("1"),
      booked: d("1"),
      state: "filled",
      settled: true,
      createdAt: START + placed,
      endedAt: at,
    }),
    fills: Array.from({ length: parts }, (_, part) =>
      fill({ clientId, side, price, amount, notional, fees: [], at, tradeId: `${seconds}-${part}` }),
    ),
  };
}
type Done = ReturnType<typeof executedAt>;
const SAME = [
  executedAt(60_000, "buy"),
  executedAt(120_000, "sell"),
  executedAt(300_000, "buy"),
  executedAt(360_000, "sell"),
];

function replayed(done: readonly Done[], options: Partial<ReplayOptions> = {}, more: readonly Order[] = []) {
  const orders = [...done.map(({ order }) => order), ...more].sort((a, b) => a.createdAt - b.createdAt);
  const record = { strategy: GRID, orders, fills: done.flatMap(({ fills }) => fills), events: [] };
  return finish(replaying(record, SWINGS, optionsWith(options)));
}
const optionsWith = (options: Partial<ReplayOptions> = {}): ReplayOptions => ({
  market: MARKET,
  rules: { fill: "touch" },
  until: START + 8 * MINUTE,
  ...options,
});
const describeAll = ({ differences }: ReturnType<typeof replayed>) =>
  differences.map(
    ({ where, order, cause }) => `${where} ${(order.at - START) / 1000} ${order.side}: ${cause.code}`,
  );

describe("a replay of a record", () => {
  it("agrees with candles that fill the same orders", () => {
    const { same, executed, differences, changed, lastPrice } = replayed(SAME);
    expect([same, executed, differences]).toEqual([4, { record: 4, candles: 4 }, []]);
    expect([changed, lastPrice]).toEqual([null, d("105")]);
  });

  it("compares what executed before its end", () => {
    const until = (millis: number) => {
      const { same, executed, differences } = replayed(SAME, { until: START + millis });
      return [same, executed.record, executed.candles, differences.length];
    };
    expect([until(120_000), until(120_001)]).toEqual([
      [1, 1, 1, 0],
      [2, 2, 2, 0],
    ]);
    const none = (millis: number) => describeAll(replayed([], { until: START + millis }));
    expect([none(60_000), none(60_001)]).toEqual([[], ["candles 60 buy: refused"]]);
  });

  it("compares a run that ended early up to two bars before its end", () => {
    const extra = [179_999, 180_000].map((millis, i) => executedAt(millis, "sell", { slot: 7 + i }));
    let bars = 0;
    // It ends before the sixth bar, so what executed from the fourth one on can come later in the candles.
    const part = replayed([...SAME, ...extra], { isOver: () => ++bars === 3 });
    expect([part.over.run.bars, part.same, describeAll(part)]).toEqual([
      5,
      2,
      ["record 179.999 sell: within_bar"],
    ]);
    expect(part.executed).toEqual({ record: 3, candles: 2 });
    const whole = replayed([...SAME, ...extra]);
    expect(describeAll(whole)).toEqual(["record 179.999 sell: within_bar", "record 180 sell: within_bar"]);
    expect(whole.executed).toEqual({ record: 6, candles: 4 });
  });

  it("reports differences in order of time, and one that follows from another with its cause", () => {
    // The record has the second buy only, in two parts, and a sell that stays open; an unknown slot sold at 30 s.
    const done = [
      executedAt(300_000, "buy", { parts: 2, placed: 180_000 }),
      executedAt(30_000, "sell", { slot: 7 }),
    ];
    const open = order({ clientId: idAt(999), side: "sell", price: d("110"), createdAt: START + 301_000 });
    const found = replayed(done, {}, [open]);
    expect(describeAll(found)).toEqual([
      "record 30 sell: within_bar",
      "candles 60 buy: late_pass",
      "candles 120 sell: late_pass",
      "both 300 buy: parts",
      "candles 360 sell: resting",
    ]);
    const late = "no pass for 3 min: the next order of slot 0 was placed after the price had passed";
    expect(found.differences.map(({ cause }) => cause.text).slice(1, 3)).toEqual([
      late,
      `it follows from: ${late}`,
    ]);
    expect([found.same, found.executed]).toEqual([0, { record: 2, candles: 4 }]);
  });

  it("runs with other settings too, and yields the share of both that is done", () => {
    const record: GridRecord = { strategy: GRID, orders: [], fills: [], events: [] };
    const work = replaying(record, SWINGS, optionsWith({ changes: { orderSize: d("200") } }));
    const shares: number[] = [];
    let step = work.next();
    for (; !step.done; step = work.next()) shares.push(step.value);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    // The first step completes one of eight bars in one of two runs.
    expect([shares[0], shares[1], shares.at(-1)]).toEqual([1 / 16, 2 / 16, 1]);
    const { over, changed } = step.value;
    expect([over, changed].map((result) => result?.figures.realized)).toEqual([d("20"), d("40")]);
    expect(changed?.run.account.strategy.config.orderSize).toBe(d("200"));
  });
});

describe("the first bar of a replay", () => {
  const fillsOf = (first: Prices, strategy = GRID) => {
    const [, , , close] = first;
    const candles = barsOf([first, [close, close, close, close]]);
    const record = { strategy, orders: [], fills: [], events: [] };
    const { fills } = finish(replaying(record, candles, optionsWith())).over.run;
    expect(candles.open[0]).toBe(first[0]);
    return executedOrdersOf(fills.newest(9)).map(({ at, side, price }) => [at - START, side, price / d("1")]);
  };

  it("goes from the start price straight to its close", () => {
    // It was below 100 and above 120 before the grid started.
    expect(fillsOf([130, 140, 80, 104])).toEqual([]);
    // From 105 at 20 s to 98 at 40 s: 100.5 after 4.5 of 7 ticks.
    expect(fillsOf([130, 140, 80, 98])).toEqual([[Math.ceil(20_000 + (4.5 / 7) * 20_000), "buy", 100n]]);
    // Its own base is sold at 120: from 105 at 20 s to 122 at 40 s, 119.5 after 14.5 of 17.
    expect(fillsOf([90, 140, 80, 122], gridWith({ firstBase: d("1") }))).toEqual([
      [Math.ceil(20_000 + (14.5 / 17) * 20_000), "sell", 120n],
    ]);
  });
});
