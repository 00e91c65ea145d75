/** Options of every strategy with which it starts and ends by itself: their fields, config and texts. */
import * as z from "zod";
import { type Decimal, ONE, ofPercent, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import {
  decimalField,
  flag,
  percentField,
  price,
  timeField,
  wordField,
  zeroOrMoreField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Millis, minuteText } from "../../kernel/time.ts";
import type { BidAsk } from "../../model/market.ts";
import type { StrategyConfig } from "../../model/strategy.ts";
import { reachedStop, stopLevels } from "../decide/ending.ts";

const ON_END = ["keep", "sell"] as const;

/** Fields of a start. */
export const endingFields = () => ({
  stopLossPrice: price().describe("Stop-loss price: at or below it, it sells its base and stops"),
  takeProfitPrice: price().describe("Take-profit price: at or above it, it sells its base and stops"),
  trailingStopPercent: percentField("trailingStopPercent")
    .optional()
    .describe("Sells its base and stops this far below the highest price since its start, in percent"),
  stopAtOnce: flag("stopAtOnce").describe(
    "Exit at the first stop price that a pass reads, without a second pass 5 seconds later",
  ),
  triggerPrice: price().describe("Trigger price: it waits until the market reaches it"),
  maxLoss: decimalField("Invalid request")
    .optional()
    .describe("Maximum loss in quote; beyond it, it places nothing until you resume it"),
  endsAt: timeField("endsAt").optional().describe("Time at which it ends"),
  onEnd: wordField("Invalid request", ON_END)
    .optional()
    .describe("keep or sell its base at `endsAt`; default keep"),
});

type Endings = z.output<z.ZodObject<ReturnType<typeof endingFields>>>;

const optionalTime = () => z.union([z.literal(0), z.literal("0"), timeField("endsAt")]).optional();

/** Fields of a change; 0 removes one. */
export const endingEdits = () => ({
  stopLossPrice: zeroOrMoreField("Invalid price").optional().describe("Stop-loss price; 0 removes it"),
  takeProfitPrice: zeroOrMoreField("Invalid price").optional().describe("Take-profit price; 0 removes it"),
  trailingStopPercent: percentField("trailingStopPercent")
    .optional()
    .describe("Trailing stop, in percent below the highest price; 0 removes it"),
  stopAtOnce: flag("stopAtOnce").describe(
    "true exits at the first stop price that a pass reads; false waits for a second pass",
  ),
  maxLoss: zeroOrMoreField("Invalid request").optional().describe("Maximum loss in quote; 0 removes it"),
  endsAt: optionalTime().describe("Time at which it ends; 0 removes it"),
  onEnd: wordField("Invalid request", ON_END).optional().describe("keep or sell its base at `endsAt`"),
});

export type EndingEdits = z.output<z.ZodObject<ReturnType<typeof endingEdits>>>;

export type EndingConfig = Pick<
  StrategyConfig,
  | "stopLossPrice"
  | "takeProfitPrice"
  | "trailingStop"
  | "stopAtOnce"
  | "triggerPrice"
  | "maxLoss"
  | "endsAt"
  | "onEnd"
>;

const ENDINGS = lazy(() => new Set(Object.keys(endingFields())));

/** Splits a request into these options and the definition's own fields. */
export function splitEndings(request: Readonly<Record<string, unknown>>): {
  readonly endings: Partial<Endings>;
  readonly own: Readonly<Record<string, unknown>>;
} {
  const of = (isEnding: boolean) =>
    Object.fromEntries(Object.entries(request).filter(([name]) => ENDINGS().has(name) === isEnding));
  return { endings: of(true), own: of(false) };
}

/** Returns the config of a start; options that are not set are absent. */
export function endingConfig({ trailingStopPercent, ...endings }: Partial<Endings>): EndingConfig {
  if (trailingStopPercent === ZERO) throw new AppError("Invalid request", TRAILING_RANGE);
  checkEndings({ trailingStopPercent, ...endings });
  const trailingStop = trailingStopPercent ? { trailingStop: ofPercent(trailingStopPercent) } : {};
  return present({ ...endings, ...trailingStop });
}

/** Returns the fields of a start with these options. */
export function requestedEndings({ trailingStop, ...config }: EndingConfig): Partial<Endings> {
  const given = Object.fromEntries(Object.entries(config).filter(([name]) => ENDINGS().has(name)));
  return trailingStop === undefined ? given : { ...given, trailingStopPercent: 100n * trailingStop };
}

const TRAILING_RANGE = "trailingStopPercent must be above 0 and below 100";

/** Refuses what could have no effect. */
function checkEndings({ trailingStopPercent = ZERO, endsAt, onEnd }: Partial<Endings>): void {
  if (ofPercent(trailingStopPercent) >= ONE) throw new AppError("Invalid request", TRAILING_RANGE);
  if (onEnd !== undefined && endsAt === undefined)
    throw new AppError("Invalid request", "onEnd has no effect without endsAt");
}

/** Returns a config after a change; absent fields stay. */
export function editedEndings<C extends EndingConfig>(before: C, change: EndingEdits): C {
  const { trailingStopPercent, stopAtOnce } = change;
  const changed = <T>(now: T | undefined, given: T | 0 | 0n | "0" | undefined): T | undefined =>
    given === undefined ? now : given === 0 || given === 0n || given === "0" ? undefined : (given as T);
  const endsAt = changed(before.endsAt, change.endsAt);
  // Without a time, its end has no meaning; a later time starts with the default again.
  const onEnd = change.onEnd ?? (endsAt === undefined ? undefined : before.onEnd);
  checkEndings({ trailingStopPercent, endsAt, onEnd });
  const next = {
    ...before,
    stopLossPrice: changed(before.stopLossPrice, change.stopLossPrice),
    takeProfitPrice: changed(before.takeProfitPrice, change.takeProfitPrice),
    trailingStop: changed(before.trailingStop, trailingStopPercent && ofPercent(trailingStopPercent)),
    stopAtOnce: stopAtOnce ?? before.stopAtOnce,
    maxLoss: changed(before.maxLoss, change.maxLoss),
    endsAt,
    onEnd,
  };
  return present(next) as C;
}

const present = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const fieldTexts = ({ trailingStop, endsAt, ...config }: EndingConfig) => ({
  stopLossPrice: amountOrNone(config.stopLossPrice),
  takeProfitPrice: amountOrNone(config.takeProfitPrice),
  trailingStopPercent: amountOrNone(trailingStop && 100n * trailingStop),
  stopAtOnce: config.stopAtOnce === undefined ? "none" : String(config.stopAtOnce),
  maxLoss: amountOrNone(config.maxLoss),
  endsAt: endsAt === undefined ? "none" : timeText(endsAt),
  onEnd: config.onEnd ?? "none",
});

const timeText = (at: Millis): string => `${minuteText(at)} UTC`;

/** Lists each of these options that has another value. */
export function endingChanges(before: EndingConfig, after: EndingConfig) {
  const [from, to] = [fieldTexts(before), fieldTexts(after)];
  return (Object.keys(to) as (keyof typeof to)[]).flatMap((field) =>
    from[field] === to[field] ? [] : [{ field, from: from[field], to: to[field] }],
  );
}

const amountOrNone = (value: Decimal | undefined): string => (value === undefined ? "none" : text(value));

/** Describes what a strategy does by itself at its prices and times. */
export function endingTextsOf(config: EndingConfig, quote: string): string[] {
  const { stopLossPrice, takeProfitPrice, trailingStop, stopAtOnce, maxLoss, endsAt, onEnd } = config;
  return [
    ...(stopLossPrice === undefined
      ? []
      : [`it sells its base and stops at or below ${text(stopLossPrice)}`]),
    ...(takeProfitPrice === undefined
      ? []
      : [`it sells its base and stops at or above ${text(takeProfitPrice)}`]),
    ...(trailingStop === undefined
      ? []
      : [
          `it sells its base and stops ${text(100n * trailingStop)} % below the highest price since its start`,
        ]),
    ...(stopAtOnce && [stopLossPrice, takeProfitPrice, trailingStop].some((one) => one !== undefined)
      ? ["it exits at the first such price, without a second look 5 seconds later"]
      : []),
    ...(maxLoss === undefined
      ? []
      : [`at a loss of more than ${text(maxLoss)} ${quote} it places nothing until you resume it`]),
    ...(endsAt === undefined
      ? []
      : [`it ends at ${timeText(endsAt)} and ${onEnd === "sell" ? "sells" : "keeps"} its base`]),
  ];
}

/** Warns of a stop price or an end time that has passed already. `highest` is the price that a trailing stop follows. */
export function endingWarnings(
  config: EndingConfig,
  { quote, highest }: { readonly quote: BidAsk | undefined; readonly highest?: Decimal | undefined },
): { code: "stops_at_once" | "ends_at_once"; message: string }[] {
  const mid = quote && midOf(quote);
  const reached =
    mid === undefined
      ? undefined
      : reachedStop(stopLevels({ config, state: highest === undefined ? {} : { highest } }), mid);
  return [
    ...(reached && mid !== undefined
      ? [
          {
            code: "stops_at_once" as const,
            message: `the market is at ${text(mid)}, which has passed ${text(reached.price)}: it stops and sells its base at once`,
          },
        ]
      : []),
    ...(config.endsAt !== undefined && quote !== undefined && config.endsAt <= quote.at
      ? [{ code: "ends_at_once" as const, message: `it ends at once: ${timeText(config.endsAt)} has passed` }]
      : []),
  ];
}
