import * as z from "zod";
import { type TapeCoverage, type TapeFile, tapeCoverage } from "../../candles/tape.ts";
import { budgetOut } from "../../engine/operations/shapes.ts";
import { type PositionStrategy, positionAccounts } from "../../engine/position/position.ts";
import { fieldsCsv } from "../../kernel/csv.ts";
import {
  type Decimal,
  div,
  mul,
  plainNumber,
  roundToStep,
  text,
  texts,
  wire,
  ZERO,
} from "../../kernel/decimal.ts";
import { parseClientOrderId } from "../../kernel/ids.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Market, SIDES } from "../../model/market.ts";
import type { Fill } from "../../model/order.ts";
import type { Refusal } from "../../model/strategy.ts";
import { attributionOf, partsShown } from "../../quality/answer.ts";
import { attributionFields, figuresOfTally, measureFields } from "../../quality/tally.ts";
import { type PositionBacktest, tallyOf } from "../position/backtest.ts";
import type { QueueModel } from "../queue.ts";
import type { FillLog } from "../replayed-slot.ts";
import type { BacktestResult } from "../run/backtest.ts";
import type { Band } from "../run/begin.ts";
import type { Curve } from "../run/figures.ts";
import { ReplayShape } from "./replay-shape.ts";

/** The response about any definition; `details` has what only some of them have. */
export const BacktestShape = lazy(() =>
  z.object({
    definition: z.string().describe("Name of the tested strategy"),
    config: z.record(z.string(), z.unknown()).describe("Settings of the strategy"),
    exchange: z.string(),
    symbol: z.string(),
    fromAt: z.number(),
    untilAt: z.number(),
    bars: z.number().describe("Number of trades, if trades were replayed"),
    missingBars: z.number(),
    tape: TapeShape(),
    isWhole: z.boolean().describe("false if it ended before the last candle"),
    total: z.string().describe("Equity at the end minus the investment, in quote, exact"),
    totalPercent: z.number().describe("Total as a share of the investment"),
    realized: z.string(),
    unrealized: z.string(),
    fees: z.record(z.string(), z.string()),
    cycles: z.number().describe("Completed buys that a sell followed"),
    filledOrders: z.number(),
    invested: z
      .string()
      .describe("Value of the funds at the start; for a grid, the maximum quote that all slots can use"),
    startPrice: z.string(),
    endPrice: z.string(),
    holding: z
      .object({ start: z.string(), base: z.string(), quote: z.string() })
      .describe(
        "Profit of three alternatives, in quote: keep the first base, buy only base, keep only quote",
      ),
    position: z.string(),
    averageCost: z.string().nullable(),
    breakEvenPrice: z.string().nullable(),
    drawdown: z
      .object({ amount: z.string(), percent: z.number(), fromAt: z.number(), untilAt: z.number() })
      .describe("Max drawdown of the equity, in quote; of a grid, at the closes"),
    sharpe: z.number().nullable(),
    status: z.string(),
    lastError: z.string().nullable().describe("Why the strategy failed, which ended its orders; else null"),
    band: z
      .object({
        total: z.object({ least: z.string(), most: z.string() }),
        count: z
          .object({ least: z.number(), most: z.number() })
          .describe("Cycles of a grid, else filled orders"),
      })
      .nullable()
      .describe(
        "Range over both fill rules and the three orders of a candle's high and low; trades have one price path and no range",
      ),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    refused: z
      .array(z.object({ id: z.string(), reason: z.string(), detail: z.string().optional() }))
      .describe("Orders that were not placed at the end, by the strategy's ids or slots"),
    fills: z.array(FillShape()).describe("Newest last"),
    series: z.array(PointShape()).describe("Equity over time, and equity of buy and hold"),
    details: z
      .union([GridRunShape(), PositionDetailsShape()])
      .describe("What only some strategies have: a grid, or a strategy with one position"),
  }),
);

export type BacktestAnswer = z.input<ReturnType<typeof BacktestShape>>;
export type GridDetails = z.input<ReturnType<typeof GridRunShape>>;
export type PositionDetails = z.input<ReturnType<typeof PositionDetailsShape>>;

const GridRunShape = lazy(() =>
  z.object({
    engine: z
      .enum(["walk", "jump"])
      .describe("jump: integer arithmetic from fill to fill; walk: pass by pass"),
    timeInRangePercent: z.number(),
    slots: z.array(
      z.object({
        slot: z.number(),
        lowerPrice: z.string(),
        upperPrice: z.string(),
        buys: z.number(),
        sells: z.number(),
        cycles: z.number(),
      }),
    ),
    replay: ReplayShape().optional().describe("Comparison with the real fills of the requested `strategy`"),
  }),
);

const PositionDetailsShape = lazy(() =>
  z.object({
    passes: z.number(),
    budget: budgetOut(),
    twoSidedPercent: z.number().describe("Share of passes that found both sides still open"),
    leastBase: z.string(),
    mostBase: z.string(),
    quality: z
      .object({ ...attributionFields(), ...measureFields() })
      .describe("What fills earned and cost, from the prices of the passes, as in `get_quality`"),
    state: z.unknown().describe("State that its function returned last; null without one"),
    notes: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("Values by name that its function returned with its last orders"),
    logLines: z.number().describe("Number of lines that its code wrote"),
    log: z.array(z.string()).describe("The last 50 of them"),
  }),
);

/** What a response repeats from the request. */
export interface AnsweredOver extends Pick<BacktestAnswer, "definition" | "config" | "exchange"> {
  /** Maximum number of newest fills in the response. */
  readonly fills: number;
  readonly tape?: (TapeCoverage & { readonly queue: QueueModel | null }) | undefined;
}

interface WalkedTime {
  readonly from: Millis;
  readonly until: Millis;
}

/** Returns the response about a grid. */
export function gridAnswer(over: AnsweredOver, result: BacktestResult, walked: WalkedTime): BacktestAnswer {
  const { engine, figures, run, market } = result;
  const { strategy } = run.account;
  const { ledger, slots, refused } = strategy.state;
  const { tape } = over;
  return {
    ...commonOut({ over, market, figures, walked, strategy, run, result }),
    tape: tape ? { ...tape, refused: tape.refused.map((row) => ({ ...row })) } : null,
    cycles: ledger.cycles,
    filledOrders: ledger.filledOrders,
    fees: texts(ledger.fees),
    holding: { start: text(figures.holdingStart), base: text(figures.holdingBase), quote: "0" },
    drawdown: { ...drawdownOut(figures), amount: String(cents(figures.drawdown.amount)) },
    refused: refused.map((refusal) => refusedOut(refusal, String(refusal.slot))),
    fills: run.fills.newest(over.fills).map(fillOut),
    details: {
      engine,
      timeInRangePercent: percentOfShare(figures.timeInRange),
      slots: slotsOf(slots, run.fills.sides),
    },
  };
}

/** What only a user's strategy has. */
type OwnDetails = Pick<PositionDetails, "state" | "notes" | "logLines" | "log">;
const NO_DETAILS: OwnDetails = { state: null, notes: {}, logLines: 0, log: [] };

/** Returns the response about a strategy with one position. `nameOf` returns the definition's id of a slot's order. */
export function positionAnswer<S extends PositionStrategy>(
  over: AnsweredOver,
  result: PositionBacktest<S>,
  walked: WalkedTime,
  own: OwnDetails = NO_DETAILS,
  nameOf: (slot: number) => string = String,
): BacktestAnswer {
  const { run, config, market, startPrice, endPrice, invested, curve } = result;
  const { strategy } = run.account;
  const accounts = positionAccounts(strategy, endPrice);
  const { cycles, filledOrders } = accounts;
  const tally = tallyOf(run.measured);
  const parts = attributionOf({ from: { total: ZERO, fees: ZERO }, to: accounts }, tally.spread.earned);
  const figures = { ...accounts, ...curve, startPrice, endPrice, invested };
  const onlyBase = mul(div(invested, startPrice, "half"), endPrice - startPrice, "half");
  const { fills } = over;
  const { amount, peak, from, to } = run.drawdown;
  return {
    ...commonOut({ over, market, figures, walked, strategy, run, result }),
    tape: null,
    cycles,
    filledOrders,
    fees: texts(strategy.state.ledger.fees),
    holding: { start: text(result.kept), base: text(onlyBase), quote: "0" },
    drawdown: {
      amount: text(amount),
      percent: wholePercent(amount, invested + peak),
      fromAt: from,
      untilAt: to,
    },
    refused: strategy.state.refused.map((refusal) => refusedOut(refusal, nameOf(refusal.slot))),
    fills: run.fills.slice(fills === 0 ? run.fills.length : -fills).map(fillOut),
    details: {
      passes: run.passes,
      budget: { base: text(config.budget.base), quote: text(config.budget.quote) },
      // Before the first pass there are no open orders.
      twoSidedPercent: wholePercent(BigInt(run.twoSided), BigInt(Math.max(1, run.passes - 1))),
      leastBase: text(run.leastBase),
      mostBase: text(run.mostBase),
      quality: { ...partsShown(parts), ...figuresOfTally(tally) },
      ...own,
    },
  };
}

interface CommonResult {
  readonly over: AnsweredOver;
  readonly market: Market;
  readonly figures: Curve & {
    readonly total: Decimal;
    readonly realized: Decimal;
    readonly unrealized: Decimal;
    readonly position: Decimal;
    readonly averageCost: Decimal | null;
    readonly breakEvenPrice: Decimal | null;
    readonly invested: Decimal;
    readonly startPrice: Decimal;
    readonly endPrice: Decimal;
  };
  readonly walked: WalkedTime;
  readonly strategy: { readonly status: string; readonly lastError: string | null };
  readonly run: { readonly bars: number };
  readonly result: {
    readonly bars: number;
    readonly missing: number;
    readonly band: Band | null;
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  };
}

function commonOut({ over, market, figures, walked, strategy, run, result }: CommonResult) {
  const { band, warnings } = result;
  return {
    definition: over.definition,
    config: { ...over.config },
    exchange: over.exchange,
    symbol: market.symbol,
    fromAt: walked.from,
    untilAt: walked.until,
    bars: run.bars,
    missingBars: result.missing,
    isWhole: run.bars === result.bars,
    total: text(figures.total),
    totalPercent: wholePercent(figures.total, figures.invested),
    realized: text(figures.realized),
    unrealized: text(figures.unrealized),
    invested: text(figures.invested),
    startPrice: text(figures.startPrice),
    endPrice: text(figures.endPrice),
    position: text(figures.position),
    averageCost: figures.averageCost === null ? null : text(figures.averageCost),
    breakEvenPrice: figures.breakEvenPrice === null ? null : text(figures.breakEvenPrice),
    sharpe: figures.sharpe === null ? null : cents(figures.sharpe),
    status: strategy.status,
    lastError: strategy.lastError,
    band: band && {
      total: { least: text(band.total.least), most: text(band.total.most) },
      count: band.count,
    },
    warnings: warnings.map(({ code, message }) => ({ code, message })),
    series: figures.series.map(({ at, price, equity, buyAndHold, drawdown: fall }) => ({
      timestamp: at,
      price: plainNumber(price),
      equity: plainNumber(cents(equity)),
      buyAndHold: plainNumber(cents(buyAndHold)),
      drawdownPercent: percentOfShare(fall),
    })),
  };
}

const drawdownOut = ({ drawdown }: Curve) => ({
  percent: percentOfShare(drawdown.share),
  fromAt: drawdown.from,
  untilAt: drawdown.to,
});

/** A budget of nothing has no shares. */
const percentOfShare = (share: number): number =>
  Number.isFinite(share) ? Math.round(share * 1e6) / 1e4 : 0;

const wholePercent = (part: Decimal, whole: Decimal): number =>
  whole === ZERO ? 0 : wire(roundToStep(div(part * 100n, whole, "half"), 10n ** 14n, "half"));

const cents = (value: number): number => Math.round(value * 100) / 100;

const refusedOut = ({ reason, detail }: Refusal, id: string): BacktestAnswer["refused"][number] => ({
  id,
  reason,
  ...(detail === undefined ? {} : { detail }),
});

/** Describes the tape behind a response. */
export const describeTape = ({ tape, ...file }: TapeFile, queue: QueueModel) => ({
  ...tapeCoverage(tape, file),
  queue: tape.books ? queue : null,
});

const slotIn = ({ clientId }: Fill): number => parseClientOrderId(clientId)?.slot ?? -1;

function slotsOf(
  slots: readonly {
    readonly index: number;
    readonly lower: Decimal;
    readonly upper: Decimal;
    readonly cycles: number;
  }[],
  sides: FillLog["sides"],
): GridDetails["slots"] {
  return slots.map(({ index, lower, upper, cycles }) => ({
    slot: index,
    lowerPrice: text(lower),
    upperPrice: text(upper),
    buys: sides.get(index)?.buys ?? 0,
    sells: sides.get(index)?.sells ?? 0,
    cycles,
  }));
}

function fillOut(fill: Fill): BacktestAnswer["fills"][number] {
  const fees = new Map<string, Decimal>();
  for (const { asset, amount } of fill.fees) fees.set(asset, (fees.get(asset) ?? ZERO) + amount);
  return {
    timestamp: fill.at,
    slot: slotIn(fill),
    side: fill.side,
    price: text(fill.price),
    amount: text(fill.amount),
    notional: text(fill.notional),
    fee: [...fees]
      .filter(([, fee]) => fee > ZERO)
      .map(([asset, fee]) => `${text(fee)} ${asset}`)
      .join(", "),
  };
}

const BACKTEST_FILL_COLUMNS = ["timestamp", "slot", "side", "price", "amount", "notional", "fee"] as const;

export const fillsCsv = ({ fills }: Pick<BacktestAnswer, "fills">): string =>
  fieldsCsv(BACKTEST_FILL_COLUMNS, fills);

const FillShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(SIDES),
    price: z.string(),
    amount: z.string(),
    notional: z.string(),
    fee: z.string(),
  }),
);

const PointShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    price: z.string(),
    equity: z.string(),
    buyAndHold: z.string(),
    drawdownPercent: z.number(),
  }),
);

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
