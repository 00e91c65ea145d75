import * as z from "zod";
import type { TapeCoverage } from "../../candles/tape.ts";
import { fieldsCsv } from "../../kernel/csv.ts";
import { type Decimal, div, roundToStep, sum, text, texts, wire } from "../../kernel/decimal.ts";
import { parseClientOrderId } from "../../kernel/ids.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { SIDES } from "../../model/market.ts";
import type { Fill } from "../../model/order.ts";
import type { QueueModel } from "../queue.ts";
import type { FillLog } from "../replayed-slot.ts";
import type { BacktestResult } from "../run/backtest.ts";

export const BacktestShape = lazy(() =>
  z.object({
    exchange: z.string(),
    symbol: z.string(),
    fromAt: z.number(),
    untilAt: z.number(),
    engine: z
      .enum(["walk", "jump"])
      .describe("jump: integer arithmetic from fill to fill; walk: pass by pass"),
    bars: z.number().describe("Number of trades, if trades were replayed"),
    missingBars: z.number(),
    tape: TapeShape(),
    isWhole: z.boolean().describe("false if it ended before the last candle"),
    ...earnedFields(),
    position: z.string(),
    averageCost: z.number().nullable(),
    breakEvenPrice: z.number().nullable(),
    drawdown: z.object({ amount: z.number(), percent: z.number(), fromAt: z.number(), untilAt: z.number() }),
    sharpe: z.number().nullable(),
    timeInRangePercent: z.number(),
    status: z.string(),
    band: z
      .object({
        total: z.object({ least: z.string(), most: z.string() }),
        cycles: z.object({ least: z.number(), most: z.number() }),
      })
      .nullable()
      .describe(
        "Range over both fill rules and the three orders of a candle's high and low; trades have one price path and no range",
      ),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    slots: z.array(SlotResultShape()),
    fills: z.array(FillShape()).describe("Newest last"),
    series: z.array(PointShape()).describe("Equity over time, and equity of buy and hold"),
  }),
);

export type BacktestAnswer = z.input<ReturnType<typeof BacktestShape>>;

const percentOfShare = (share: number): number => Math.round(share * 1e6) / 1e4;

interface AnsweredOver {
  readonly exchange: string;
  /** Maximum number of newest fills in the response. */
  readonly fills: number;
  readonly tape?: (TapeCoverage & { readonly queue: QueueModel | null }) | undefined;
}

export function answerOf(
  { exchange, fills, tape }: AnsweredOver,
  { engine, figures, run, band, warnings, bars, missing, market }: BacktestResult,
  { from, until }: { readonly from: Millis; readonly until: Millis },
): BacktestAnswer {
  const { strategy } = run.account;
  return {
    exchange,
    symbol: market.symbol,
    fromAt: from,
    untilAt: until,
    engine,
    bars: run.bars,
    missingBars: missing,
    tape: tape ? { ...tape, refused: tape.refused.map((refused) => ({ ...refused })) } : null,
    isWhole: run.bars === bars,
    ...earnedOut(run, figures),
    sharpe: figures.sharpe === null ? null : cents(figures.sharpe),
    timeInRangePercent: percentOfShare(figures.timeInRange),
    status: strategy.status,
    band: band && {
      total: { least: text(band.total.least), most: text(band.total.most) },
      cycles: band.count,
    },
    warnings: warnings.map(({ code, message }) => ({ code, message })),
    slots: slotsOf(strategy.state.slots, run.fills.sides),
    fills: run.fills.newest(fills).map(fillOut),
    series: figures.series.map(({ at, price, equity, buyAndHold, drawdown: fall }) => ({
      timestamp: at,
      price,
      equity: cents(equity),
      buyAndHold: cents(buyAndHold),
      drawdownPercent: percentOfShare(fall),
    })),
  };
}

function earnedOut({ account }: BacktestResult["run"], figures: BacktestResult["figures"]) {
  const { ledger } = account.strategy.state;
  const { drawdown, invested } = figures;
  return {
    total: text(figures.total),
    totalPercent: wire(roundToStep(div(figures.total * 100n, invested, "half"), 10n ** 14n, "half")),
    realized: text(figures.realized),
    unrealized: text(figures.unrealized),
    fees: texts(ledger.fees),
    cycles: ledger.cycles,
    filledOrders: ledger.filledOrders,
    invested: text(invested),
    startPrice: wire(figures.startPrice),
    endPrice: wire(figures.endPrice),
    holding: { start: text(figures.holdingStart), base: text(figures.holdingBase), quote: "0" },
    position: text(figures.position),
    averageCost: figures.averageCost === null ? null : wire(figures.averageCost),
    breakEvenPrice: figures.breakEvenPrice === null ? null : wire(figures.breakEvenPrice),
    drawdown: {
      amount: cents(drawdown.amount),
      percent: percentOfShare(drawdown.share),
      fromAt: drawdown.from,
      untilAt: drawdown.to,
    },
  };
}

const cents = (value: number): number => Math.round(value * 100) / 100;

const slotIn = ({ clientId }: Fill): number => parseClientOrderId(clientId)?.slot ?? -1;

function slotsOf(
  slots: readonly {
    readonly index: number;
    readonly lower: Decimal;
    readonly upper: Decimal;
    readonly cycles: number;
  }[],
  sides: FillLog["sides"],
): BacktestAnswer["slots"] {
  return slots.map(({ index, lower, upper, cycles }) => ({
    slot: index,
    lowerPrice: wire(lower),
    upperPrice: wire(upper),
    buys: sides.get(index)?.buys ?? 0,
    sells: sides.get(index)?.sells ?? 0,
    cycles,
  }));
}

function fillOut(fill: Fill): BacktestAnswer["fills"][number] {
  const { base, quote } = splitPair(fill.symbol);
  const fees = [base, quote].flatMap((asset) => {
    const fee = sum(fill.fees.filter((bookedFee) => bookedFee.asset === asset).map(({ amount }) => amount));
    return fee > 0n ? [`${text(fee)} ${asset}`] : [];
  });
  return {
    timestamp: fill.at,
    slot: slotIn(fill),
    side: fill.side,
    price: wire(fill.price),
    amount: text(fill.amount),
    notional: text(fill.notional),
    fee: fees.join(", "),
  };
}

const BACKTEST_FILL_COLUMNS = ["timestamp", "slot", "side", "price", "amount", "notional", "fee"] as const;

export const fillsCsv = ({ fills }: BacktestAnswer): string => fieldsCsv(BACKTEST_FILL_COLUMNS, fills);

const FillShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(SIDES),
    price: z.number(),
    amount: z.string(),
    notional: z.string(),
    fee: z.string(),
  }),
);

const SlotResultShape = lazy(() =>
  z.object({
    slot: z.number(),
    lowerPrice: z.number(),
    upperPrice: z.number(),
    buys: z.number(),
    sells: z.number(),
    cycles: z.number(),
  }),
);

const PointShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    price: z.number(),
    equity: z.number(),
    buyAndHold: z.number(),
    drawdownPercent: z.number(),
  }),
);

/** Fields for the profit, and for buy and hold. */
const earnedFields = () => ({
  total: z.string().describe("Equity at the end minus the investment, in quote, exact"),
  totalPercent: z.number(),
  realized: z.string(),
  unrealized: z.string(),
  fees: z.record(z.string(), z.string()),
  cycles: z.number(),
  filledOrders: z.number(),
  invested: z.string().describe("Maximum quote that all slots together can use"),
  startPrice: z.number(),
  endPrice: z.number(),
  holding: z
    .object({ start: z.string(), base: z.string(), quote: z.string() })
    .describe("Profit of three alternatives, in quote: keep the first base, buy only base, keep only quote"),
});

/** Description of the tape that was used instead of bars. */
const TapeShape = () =>
  z
    .object({
      prints: z.number().describe("Number of replayed trades"),
      books: z.number().describe("Number of replayed order books"),
      hasAmounts: z.boolean().describe("false if trades have no amounts, so each one fills a whole order"),
      from: z.number(),
      until: z.number(),
      gaps: z.number().describe("Number of gaps of more than a minute"),
      longestGap: z.number().describe("Milliseconds"),
      duplicates: z.number().describe("Number of duplicate rows"),
      refusedRows: z.number().describe("Number of invalid rows"),
      refused: z.array(
        z.object({
          row: z.string().describe('Position of the row, such as "line 12"'),
          reason: z.string(),
        }),
      ),
      hash: z.string(),
      queue: z.enum(["trades", "proportional"]).nullable().describe("Queue model; null without order books"),
    })
    .nullable()
    .describe("The replayed trades and order books, if --data has them");
