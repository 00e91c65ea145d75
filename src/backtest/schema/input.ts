import * as z from "zod";
import { BOUNDS, centeredInput, isRange, rangeInput, withRules } from "../../grid/schema/input.ts";
import { ZERO } from "../../kernel/decimal.ts";
import { countField, decimalField, idField, shareField, timeField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { DAY, TIMEFRAMES } from "../../kernel/time.ts";

const words = Object.keys(TIMEFRAMES) as (keyof typeof TIMEFRAMES)[];

const time = (name: string, what: string) => timeField(name).optional().describe(what);
const rate = (name: string, what: string) => shareField(name).optional().describe(what);

/** Length of a bar. */
export const barField = () =>
  wordField("Invalid request", words)
    .default("1m")
    .describe(`Candle length: ${words.join(" ")}`);

/** Backtest input besides the input of a start. */
export const shape = () => ({
  timeframe: wordField("Invalid request", [...words, "trades"])
    .default("1m")
    .describe(`Candle length: ${words.join(" ")}; trades replays the exchange's latest trades`),
  since: time(
    "since",
    "Time of the first candle, as a date or in milliseconds; default: the latest 1000 candles",
  ),
  until: time("until", "End of the candles, as a date or in milliseconds"),
  fill: wordField("Invalid request", ["cross", "touch"])
    .default("cross")
    .describe("When an order fills: when the price passes it (cross) or reaches it (touch)"),
  queue: wordField("Invalid request", ["trades", "proportional"])
    .default("trades")
    .describe("Queue model for order books: trades only, or also proportional cancellations"),
  extremes: wordField("Invalid request", ["nearest", "high_first", "low_first"])
    .default("nearest")
    .describe("Which extreme of a candle comes first"),
  spread: shareField("spread").default(ZERO).describe("Spread between bid and ask, as a share of the price"),
  slippage: shareField("slippage")
    .default(ZERO)
    .describe("Slippage of a taker order, as a share of the price"),
  tickInterval: countField("Invalid request", { min: 1000, max: DAY })
    .optional()
    .describe("Milliseconds between two passes; default: at every price of a candle"),
  makerFee: rate("makerFee", "Maker fee, as a share; default: the market's"),
  takerFee: rate("takerFee", "Taker fee, as a share; default: the market's"),
  feeIn: wordField("Invalid request", ["base", "quote"]).optional().describe("Asset of the fee of a buy"),
  tick: decimalField("Invalid request").optional().describe("Price tick; default: the market's"),
  lot: decimalField("Invalid request").optional().describe("Amount step; default: the market's"),
  minNotional: decimalField("Invalid request")
    .optional()
    .describe("Smallest order in quote; default: the market's"),
  fills: countField("Invalid request", { min: 0, max: 100_000 })
    .default(100)
    .describe("Number of fills in the response"),
});

/** Fields that a stored grid can supply. */
const STANDS_FOR = ["exchange", "symbol", "lowerPrice", "upperPrice", "gridLevels", "orderSize"] as const;

export function rangeBacktestInput(ids: readonly string[]) {
  const { shape: own } = rangeInput(ids);
  const optional = <T extends z.ZodType>(field: T) => field.optional().describe(field.description ?? "");
  const input = z.object({
    ...own,
    exchange: optional(own.exchange),
    symbol: optional(own.symbol),
    lowerPrice: optional(own.lowerPrice),
    upperPrice: optional(own.upperPrice),
    gridLevels: optional(own.gridLevels),
    orderSize: optional(own.orderSize),
    from: idField("Invalid request")
      .optional()
      .describe("Id of a stored grid whose settings are the defaults"),
    ...shape(),
  });
  const rules = STANDS_FOR.map((path) => ({
    path,
    error: own[path].safeParse(undefined).error?.issues[0]?.message ?? `Invalid request: ${path}`,
    holds: (request: { readonly from?: unknown } & { readonly [path: string]: unknown }) =>
      request.from !== undefined || request[path] !== undefined,
  }));
  return withRules(withRules(input, rules, isObject), BOUNDS, isRange);
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

export const centeredBacktestInput = (ids: readonly string[]) => centeredInput(ids).safeExtend(shape());

type Shape = z.ZodObject<ReturnType<typeof shape>>;
export type BacktestFields = z.output<Shape>;

const ownFields = lazy(() => new Set(Object.keys(shape())));

/** Splits an input into the fields of a start and the rest. */
export function inputParts<T extends BacktestFields>(input: T) {
  const own = ownFields();
  const part = (isOwn: boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => own.has(name) === isOwn));
  return {
    fields: part(true) as unknown as BacktestFields,
    grid: part(false) as unknown as Omit<T, keyof BacktestFields>,
  };
}
