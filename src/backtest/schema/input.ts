import * as z from "zod";
import { ZERO } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  exchangeField,
  flagField,
  idField,
  MAX_AMOUNT,
  pairField,
  percentField,
  shareField,
  textField,
  timeField,
  wordField,
  zeroOrMoreField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { DAY, TIMEFRAMES } from "../../kernel/time.ts";
import type { Call } from "../../operation.ts";
import { type ConfigForm, configForm, formSchema } from "../../ports/config-form.ts";
import type { Deps } from "../../ports/deps.ts";
import type { BacktestAnswer } from "./answer.ts";

/** A form of a definition's config, as a backtest's command takes it. */
export interface PastForm extends ConfigForm {
  readonly examples: readonly string[];
  /** Whether a stored strategy can supply its fields. */
  readonly takesStored?: true;
  /** Whether it replays trades and order books one by one. */
  readonly walksTrades?: true;
}

/** A definition of a strategy, as a backtest runs it. */
export interface PastDefinition {
  readonly name: string;
  /** Forms of its config; the first one is the default. */
  readonly forms: readonly [PastForm, ...PastForm[]];
  readonly run: (deps: Deps, request: PastRequest, call: Call) => Promise<BacktestAnswer>;
}

export interface PastRequest {
  readonly config: Readonly<Record<string, unknown>>;
  readonly fields: BacktestFields;
}

const words = Object.keys(TIMEFRAMES) as (keyof typeof TIMEFRAMES)[];

const time = (name: string, what: string) => timeField(name).optional().describe(what);
const rate = (name: string, what: string) => shareField(name).optional().describe(what);

/** Length of a bar. */
export const barField = () =>
  wordField("Invalid request", words)
    .default("1m")
    .describe(`Candle length: ${words.join(" ")}`);

/** Fields of every backtest besides its definition: the funds, the past data and the market's rules. */
export const pastShape = () => ({
  baseBudget: zeroOrMoreField("Invalid request", MAX_AMOUNT)
    .optional()
    .describe("Base at the start; default: none"),
  quoteBudget: zeroOrMoreField("Invalid request")
    .optional()
    .describe("Quote at the start; a grid's default: enough for every slot to buy"),
  timeframe: wordField("Invalid request", [...words, "trades"])
    .default("1m")
    .describe(`Candle length: ${words.join(" ")}; trades replays the exchange's latest trades`),
  since: time(
    "since",
    "Time of the first candle, as a date or in milliseconds; default: the latest 1000 candles",
  ),
  until: time("until", "End of the candles, as a date or in milliseconds"),
  single: flagField("Invalid request", "single")
    .default(false)
    .describe("Make one run only, without the band: several times as fast"),
  fill: wordField("Invalid request", ["cross", "touch"])
    .optional()
    .describe(
      "When an order fills: when the price passes it (cross) or reaches it (touch); default: cross, or touch for a replay of a simulated account",
    ),
  queue: wordField("Invalid request", ["trades", "proportional"])
    .default("trades")
    .describe("Queue model for order books: trades only, or also proportional cancellations"),
  extremes: wordField("Invalid request", ["nearest", "high_first", "low_first"])
    .default("nearest")
    .describe("Which extreme of a candle comes first"),
  marketSpreadPercent: percentField("marketSpreadPercent")
    .default(ZERO)
    .describe("Spread of other traders, in percent of the price"),
  slippagePercent: percentField("slippagePercent")
    .default(ZERO)
    .describe("Slippage of a taker order, in percent of the price"),
  tickInterval: countField("Invalid request", { min: 1000, max: DAY })
    .optional()
    .describe("Milliseconds between two passes; default: 5000, for a grid at every price of a candle"),
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
    .describe("Number of fills in the response; beside `strategy`, also of differences, oldest first"),
});

/** Fields of every backtest besides its definition and config. */
const commonShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids)
    .optional()
    .describe(exchangeField(ids).description ?? ""),
  symbol: pairField().optional().describe("Trading pair, BASE/QUOTE"),
  from: idField("Invalid request").optional().describe("Id of a stored grid whose settings are the defaults"),
  ...pastShape(),
});

/** Fields that a stored strategy can supply. */
const STORED_FIELDS = ["exchange", "symbol"] as const;

interface GivenBacktest {
  readonly definition: string;
  readonly from?: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Returns the input of a backtest of any of these definitions. Its definition's schema checks the config. */
export function backtestInput(ids: readonly string[], definitions: readonly PastDefinition[]) {
  const names = definitions.map(({ name }) => name) as [string, ...string[]];
  // Beside a stored strategy, the config has a part of the fields, which a schema with all required ones would refuse.
  const schemas = definitions.flatMap(({ forms }) =>
    forms.map((form) => ({ ...formSchema(form), additionalProperties: true })),
  );
  const missing = { exchange: exchangeField(ids), symbol: pairField() };
  const { exchange, symbol, from, ...past } = commonShape(ids);
  return z
    .object({
      definition: wordField("Invalid request", names)
        .default("grid")
        .describe(`Strategy to test: ${names.join(", ")}`),
      exchange,
      symbol,
      from,
      strategy: idField("Invalid request")
        .optional()
        .describe(
          "Id of a stored grid: compare its fills with a backtest over its time; `config` has other settings to compare",
        ),
      config: z
        .record(z.string(), z.unknown(), { error: "Invalid request: config must be an object" })
        .default({})
        .meta({ description: "Settings of the strategy", anyOf: schemas }),
      ...past,
    })
    .superRefine((input, context) => {
      const { definition, config } = input as GivenBacktest;
      const from = (input as GivenBacktest).from ?? input.strategy;
      for (const field of STORED_FIELDS)
        if (from === undefined && input[field] === undefined)
          for (const issue of missing[field].safeParse(undefined).error?.issues ?? [])
            context.addIssue({ ...issue, path: [field] } as never);
      const chosen = definitions.find(({ name }) => name === definition);
      // Beside a stored strategy, the config has only what differs.
      if (!chosen || from !== undefined) return;
      const { error } = configForm(chosen.forms, config).config().strict().safeParse(config);
      for (const issue of error?.issues ?? [])
        context.addIssue({ ...issue, path: ["config", ...issue.path] } as never);
    });
}

/** Returns the input of a form's command: the config's fields beside the others, without their relations. */
export function flatInput({ config, fixed = {}, takesStored }: PastForm, ids: readonly string[]) {
  const { exchange, symbol, from, ...past } = commonShape(ids);
  const own = Object.entries(config().shape as z.ZodRawShape).filter(([name]) => !Object.hasOwn(fixed, name));
  if (!takesStored)
    return z.object({
      exchange: exchangeField(ids),
      symbol: pairField(),
      ...Object.fromEntries(own),
      ...past,
    });
  const optional = own.map(([name, field]) => {
    const { description = "" } = field as z.ZodType;
    return [name, (field as z.ZodType).optional().describe(description)];
  });
  return z.object({ exchange, symbol, ...Object.fromEntries(optional), from, ...past });
}

/** Returns the input of a backtest from the input of a form's command. */
export function nestedInput(
  { definition, config, fixed = {} }: PastForm,
  flat: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own = config().shape;
  const part = (isConfig: boolean) =>
    Object.fromEntries(Object.entries(flat).filter(([field]) => Object.hasOwn(own, field) === isConfig));
  // A stored strategy has its own form.
  return {
    definition,
    ...part(false),
    config: { ...part(true), ...(flat.from === undefined ? fixed : {}) },
  };
}

export type BacktestFields = z.output<z.ZodObject<ReturnType<typeof commonShape>>>;

/** Returns the input of the command that replays a stored grid. */
export const replayInput = lazy(() => {
  const { fill, extremes, fills } = pastShape();
  return z.object({
    strategy: idField("Invalid request").describe("Strategy id"),
    timeframe: barField(),
    set: textField(
      "Invalid request",
      /^[A-Za-z-]{1,30}=[\w.-]{1,40}(,[A-Za-z-]{1,30}=[\w.-]{1,40}){0,19}$/,
      "must be options of the grid, for example size=80,levels=20",
    )
      .optional()
      .describe("Other settings to compare, for example size=80"),
    fill,
    extremes,
    fills: fills.describe("Number of differences in the response, oldest first"),
  });
});
