import { describe, expect, it } from "vitest";
import type { Replayed } from "../../../src/backtest/replay.ts";
import type { BacktestResult } from "../../../src/backtest/run/backtest.ts";
import type { BacktestAnswer } from "../../../src/backtest/schema/answer.ts";
import { describeReplay, replayIn, replayOut, replayView } from "../../../src/backtest/schema/replay.ts";
import { ReplayShape } from "../../../src/backtest/schema/replay-shape.ts";
import { type GridStrategy, NO_LEDGER } from "../../../src/grid/state/state.ts";
import { d, slot, state } from "../../support/grid.ts";
import { strategy } from "../../support/made.ts";
import { execution } from "../replay/executions.ts";

/** A grid that holds 2 base for 200, after so many cycles with this profit. */
const grid = (cycles: number, realized: string): GridStrategy =>
  strategy({
    status: "running",
    state: state([slot({ base: d("2"), cost: d("200") })], {
      ledger: {
        ...NO_LEDGER,
        cycles,
        filledOrders: 2 * cycles + 1,
        realized: d(realized),
        fees: { USDT: d("0.5") },
        quote: d(realized) - d("200"),
      },
    }),
  }) as GridStrategy;
const result = (own: GridStrategy, bars: number) =>
  ({
    run: { account: { strategy: own }, bars },
    figures: { endPrice: d("101") },
    bars: 10,
    missing: 3,
  }) as unknown as BacktestResult;

const late = (slotIndex: number, pass: string) => ({
  where: "candles" as const,
  order: execution({ slot: slotIndex, at: 5000 + slotIndex, amount: d("0.25") }),
  cause: { code: "late_pass" as const, of: pass, text: "no pass" },
});
const refused = (of: string, reason: "no_quote" | "no_base") => ({
  where: "record" as const,
  order: execution({ at: 9000, side: "sell" }),
  cause: { code: "refused" as const, of, text: "no order", reason },
});
const REPLAYED: Replayed = {
  over: result(grid(4, "8"), 10),
  changed: null,
  same: 5,
  lastPrice: d("102"),
  executed: { record: 7, candles: 9 },
  differences: [
    late(1, "pass 1"),
    late(2, "pass 1"),
    refused("slot 1", "no_quote"),
    refused("slot 2", "no_quote"),
  ],
};
const OF = {
  strategy: grid(3, "6.004"),
  limit: 2,
};
/** The backtest of the grid, which the comparison is added to. */
const ANSWER = {
  config: {},
  exchange: "kraken",
  symbol: "BTC/USDT",
  fromAt: 1000,
  untilAt: 2000,
  missingBars: 3,
  isWhole: true,
  total: "10",
  realized: "8",
  cycles: 4,
  filledOrders: 9,
  details: { engine: "walk", timeInRangePercent: 100, slots: [] },
} as unknown as BacktestAnswer;
const whole = (over: Partial<Replayed> = {}, config: Readonly<Record<string, unknown>> = {}) => {
  const replayed = { ...REPLAYED, ...over };
  return replayOut({ ...ANSWER, config, bars: replayed.over.run.bars }, replayed, OF);
};
const partOf = (answer: BacktestAnswer) => replayIn(answer) as NonNullable<ReturnType<typeof replayIn>>;
const out = (over: Partial<Replayed> = {}) => partOf(whole(over));

const TEXT = "match 55.55 %: 2 slots refused for lack of quote, 1 pass late";
// 2 base at 102 are worth 204, and at 101 202; 5 of 9 orders are the same.
const RECORD = {
  total: "10.004",
  realized: "6.004",
  cycles: 3,
  filledOrders: 7,
  fees: { USDT: "0.5" },
  position: "2",
};

describe("the answer of a replay", () => {
  it("counts each cause once, the most frequent one first, and both results", () => {
    expect(out()).toEqual({
      matchPercent: 55.55,
      text: TEXT,
      executed: { same: 5, record: 7, candles: 9 },
      causes: [
        { cause: "refused", count: 2, text: "2 slots refused for lack of quote" },
        { cause: "late_pass", count: 1, text: "1 pass late" },
      ],
      differences: [1, 2].map((index) => ({
        timestamp: 5000 + index,
        slot: index,
        side: "buy",
        price: "100",
        amount: "0.25",
        where: "candles",
        cause: "late_pass",
        text: "no pass",
      })),
      record: RECORD,
      set: null,
    });
  });

  it("has the fields that its operation declares", () => {
    const part = out({ changed: result(grid(2, "3"), 10) });
    expect(ReplayShape().parse(part)).toEqual(part);
  });

  it("separates the reasons of refusals, and has a plural for each", () => {
    const differences = [
      refused("slot 1", "no_quote"),
      refused("slot 1", "no_base"),
      late(1, "a"),
      late(1, "b"),
    ];
    expect(out({ differences }).causes.map(({ text }) => text)).toEqual([
      "2 passes late",
      "1 slot refused for lack of quote",
      "1 slot refused for lack of base",
    ]);
  });

  it("matches completely where nothing was executed", () => {
    const none = out({ same: 0, differences: [] });
    expect([none.matchPercent, none.text, none.causes]).toEqual([100, "match 100 %", []]);
  });

  it("is incomplete if one of the backtests is", () => {
    const part = whole({ over: result(grid(4, "8"), 6) });
    expect([part.isWhole, partOf(part).text]).toEqual([
      false,
      TEXT.replace(" %:", " % of the first 6 of 10 candles:"),
    ]);
    const changed = whole({ changed: result(grid(2, "3"), 7) });
    expect([changed.isWhole, changed.bars]).toEqual([false, 10]);
    expect(partOf(changed)).toMatchObject({
      text: TEXT,
      set: { bars: 7, total: "5", realized: "3", cycles: 2, filledOrders: 5 },
    });
    expect(whole({ changed: result(grid(2, "3"), 10) }).isWhole).toBe(true);
  });

  it("is shown in cents, and described in a sentence", () => {
    const shown = replayView(whole());
    expect(shown).toEqual({
      match: TEXT.slice("match ".length),
      record: "total 10, realized 6, 3 cycles, 7 filled orders",
      candles: "total 10, realized 8, 4 cycles, 9 filled orders",
      executed: "5 the same, 7 only in the record, 9 only in the backtest",
      market: "BTC/USDT at kraken",
      fromAt: 1000,
      untilAt: 2000,
      bars: "10, 3 missing",
      differences: out().differences.map((one) => ({ ...one, price: Number(one.price) })),
    });
    expect(describeReplay(whole())).toBe(
      `Record and backtest: ${TEXT}. The record's total is 10.004 in quote, the backtest's is 10.`,
    );
    const changed = whole({ changed: result(grid(2, "3"), 7), differences: [] }, { orderSize: 80 });
    expect(replayView(changed)).toMatchObject({
      "with orderSize=80": "total 5, realized 3, 2 cycles, 5 filled orders, 7 candles",
      bars: "10, ended before the last, 3 missing",
    });
    expect(Object.keys(replayView(changed) as object)).not.toContain("differences");
    expect(describeReplay(changed)).toMatch(/ With orderSize=80 the grid would have made 5\.$/);
    const other = whole(
      { changed: result(grid(2, "3"), 10) },
      { trail: { up: 9 }, spacingModel: "geometric" },
    );
    expect(replayView(other)).toMatchObject({
      'with trail={"up":9},spacingModel=geometric': "total 5, realized 3, 2 cycles, 5 filled orders",
    });
  });
});
