import * as z from "zod";
import { type PositionStrategy, positionAccounts } from "../../engine/position/position.ts";
import { fieldsCsv } from "../../kernel/csv.ts";
import { type Decimal, div, roundToStep, text, texts, wire, ZERO } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import type { Millis } from "../../kernel/time.ts";
import { SIDES } from "../../model/market.ts";
import { DEFAULT_TICK_INTERVAL_MS } from "../../ports/deps.ts";
import { attributionOf, partsShown } from "../../quality/answer.ts";
import { attributionFields, figuresOfTally, measureFields } from "../../quality/tally.ts";
import { barField, shape as pastShape } from "../schema/input.ts";
import { type PositionBacktest, tallyOf } from "./backtest.ts";

/** Fields of the past data for a position. Others' `spread` has a separate name. */
export function pastFields() {
  const { spread, slippage: _, takerFee: _fee, queue: _queue, tickInterval, ...past } = pastShape();
  return {
    ...past,
    timeframe: barField(),
    marketSpread: spread.describe("Spread of other traders, as a share of the price"),
    single: z.boolean().optional().describe("Make one run only, without the band: several times as fast"),
    tickInterval: tickInterval.describe(
      `Milliseconds between two passes; default ${DEFAULT_TICK_INTERVAL_MS}`,
    ),
  };
}

const TradeShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    side: z.enum(SIDES),
    price: z.number(),
    amount: z.string(),
    fee: z.string(),
  }),
);

/** Fields of a position's result over candles. */
export const positionBacktestFields = () => ({
  exchange: z.string(),
  symbol: z.string(),
  fromAt: z.number(),
  untilAt: z.number(),
  bars: z.number(),
  missingBars: z.number(),
  isWhole: z.boolean().describe("false if it ended before the last candle"),
  passes: z.number(),
  budget: z.object({ base: z.string(), quote: z.string() }),
  total: z.string().describe("Exact profit in quote, with base valued at the last price"),
  totalPercent: z.number().describe("Share of the initial equity"),
  realized: z.string(),
  keeping: z.string().describe("Profit of keeping the initial balances, in quote"),
  fees: z.record(z.string(), z.string()),
  filledOrders: z.number(),
  twoSidedPercent: z.number().describe("Share of passes that found both sides still open"),
  position: z.string(),
  leastBase: z.string(),
  mostBase: z.string(),
  drawdown: z.string().describe("Max drawdown of the profit, in quote"),
  startPrice: z.number(),
  endPrice: z.number(),
  status: z.string(),
  band: z
    .object({
      total: z.object({ least: z.string(), most: z.string() }),
      filledOrders: z.object({ least: z.number(), most: z.number() }),
    })
    .nullable()
    .describe("Range over both fill rules and the three orders of a candle's high and low"),
  quality: z
    .object({ ...attributionFields(), ...measureFields() })
    .describe("What fills earned and cost, from the prices of the passes, as in `get_quality`"),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  fills: z.array(TradeShape()).describe("Newest last"),
});

export type PositionBacktestAnswer = z.input<z.ZodObject<ReturnType<typeof positionBacktestFields>>>;

const wholePercent = (part: Decimal, whole: Decimal): number =>
  whole === ZERO ? 0 : wire(roundToStep(div(part * 100n, whole, "half"), 10n ** 14n, "half"));

export function positionBacktestOut<S extends PositionStrategy>(
  { exchange, fills }: { readonly exchange: string; readonly fills: number },
  backtest: PositionBacktest<S>,
  { from, until }: { readonly from: Millis; readonly until: Millis },
): PositionBacktestAnswer {
  const { run, band, config, market, startPrice, endPrice } = backtest;
  const { strategy } = run.account;
  const accounts = positionAccounts(strategy, endPrice);
  const { total, realized, position, filledOrders } = accounts;
  const tally = tallyOf(run.measured);
  const parts = attributionOf({ from: { total: ZERO, fees: ZERO }, to: accounts }, tally.spread.earned);
  return {
    exchange,
    symbol: market.symbol,
    budget: { base: text(config.budget.base), quote: text(config.budget.quote) },
    fromAt: from,
    untilAt: until,
    missingBars: backtest.missing,
    passes: run.passes,
    bars: run.bars,
    isWhole: run.bars === backtest.bars,
    status: strategy.status,
    filledOrders,
    total: text(total),
    totalPercent: wholePercent(total, backtest.invested),
    realized: text(realized),
    keeping: text(backtest.kept),
    fees: texts(strategy.state.ledger.fees),
    // Before the first pass there are no open orders.
    twoSidedPercent: wholePercent(BigInt(run.twoSided), BigInt(Math.max(1, run.passes - 1))),
    position: text(position),
    leastBase: text(run.leastBase),
    mostBase: text(run.mostBase),
    drawdown: text(run.drawdown),
    startPrice: wire(startPrice),
    endPrice: wire(endPrice),
    band: band && {
      total: { least: text(band.total.least), most: text(band.total.most) },
      filledOrders: band.count,
    },
    quality: { ...partsShown(parts), ...figuresOfTally(tally) },
    warnings: backtest.warnings.map((warning) => ({ ...warning })),
    fills: run.fills.slice(fills === 0 ? run.fills.length : -fills).map(tradeOut),
  };
}

const tradeOut = ({
  at,
  side,
  price,
  amount,
  fees,
}: PositionBacktest<PositionStrategy>["run"]["fills"][number]) => ({
  timestamp: at,
  side,
  price: wire(price),
  amount: text(amount),
  fee: fees.map((fee) => `${text(fee.amount)} ${fee.asset}`).join(", "),
});

const TRADE_COLUMNS = ["timestamp", "side", "price", "amount", "fee"] as const;

export const tradesCsv = ({ fills }: Pick<PositionBacktestAnswer, "fills">): string =>
  fieldsCsv(TRADE_COLUMNS, fills);

const centsOf = (value: string | number): string => Number(value).toFixed(2);

/** Formats the result: profit first, then the funds at risk, and what candles hide. */
export function positionBacktestView(
  answer: PositionBacktestAnswer,
  config: string,
): Readonly<Record<string, unknown>> {
  const { fills, warnings, band, exchange, symbol, quality, ...result } = answer;
  const { budget, bars, isWhole, missingBars, passes, fromAt, untilAt } = result;
  const [base, quote] = symbol.split("/");
  return {
    total: `${centsOf(result.total)} ${quote} (${result.totalPercent} %), ${centsOf(result.realized)} realized`,
    keeping: `${centsOf(result.keeping)} ${quote} for keeping the initial balances`,
    band: band
      ? `${centsOf(band.total.least)} to ${centsOf(band.total.most)}, ${band.filledOrders.least} to ${band.filledOrders.most} filled orders`
      : null,
    causes: `${centsOf(quality.spread)} spread, ${centsOf(quality.inventory)} inventory, ${centsOf(-quality.fees)} fees`,
    "toxic fills": `${quality.toxicPercent === null ? "unknown" : `${quality.toxicPercent} %`}; ${quality.unmeasured} of ${quality.fills} fills unknown`,
    drawdown: `${centsOf(result.drawdown)} ${quote}`,
    "both sides": `${result.twoSidedPercent} % of the time`,
    filledOrders: result.filledOrders,
    fees: result.fees,
    holds: `${result.position} ${base} at the end; ${result.leastBase} to ${result.mostBase} on the way`,
    quotes: `${config} with ${budget.base} ${base} and ${budget.quote} ${quote}`,
    market: `${symbol} at ${exchange}, ${result.startPrice} to ${result.endPrice}`,
    fromAt,
    untilAt,
    bars: `${bars}${isWhole ? "" : ", ended before the last"}, ${missingBars} missing, ${pluralize(passes, "pass")}`,
    fills: `${fills.length} of them in --json and --format csv`,
    warnings: warnings.map(({ message }) => message).join(". "),
  };
}
