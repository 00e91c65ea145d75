/**
 * Input fields that several operations share. A schema's message is `Label: sentence`: the label is part of the
 * contract, the sentence says what to do. No field coerces: transport/input.ts alone converts text to types, so
 * `null`, `""` and `[]` are never converted.
 */
import * as z from "zod";
import { type Decimal, fromNumber, ONE, parseDecimal, text } from "./decimal.ts";
import { lazy } from "./lazy.ts";
import { assetEntry, isPair, type Pair } from "./pair.ts";
import { parseDay, parseTime, TIME_TEXT } from "./read-time.ts";
import type { Millis } from "./time.ts";

const isAbsent = ({ input }: { input?: unknown }): boolean => input === undefined;

export const exchangeField = (ids: readonly string[]) =>
  z
    .enum(ids as readonly [string, ...string[]], {
      error: `Invalid exchange: must be one of ${ids.join(", ")}`,
    })
    .describe(`Exchange id: ${ids.join(", ")}`);

const PAIR_FORM = "must be BASE/QUOTE in upper case, for example BTC/USDT";

export const pairField = lazy(() =>
  z
    .custom<Pair>((value) => typeof value === "string" && isPair(value), {
      error: (issue) => (isAbsent(issue) ? `Missing symbol: ${PAIR_FORM}` : `Invalid symbol: ${PAIR_FORM}`),
    })
    .meta({ description: "Trading pair, BASE/QUOTE", type: "string", example: "BTC/USDT" }),
);

/** A whole number within bounds. */
export const countField = (label: string, { min, max }: { min: number; max: number }) => {
  const error = `${label}: must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** How many rows a response has at most. */
export const rowsField = (what = "Number of rows", { max = 1000, initial = 100 } = {}) =>
  countField("Invalid limit", { min: 1, max }).default(initial).describe(`${what}, 1 to ${max}`);

/** Converts a valid value; `convert` returns undefined for a value that it does not accept. */
export const convertedField = <S extends z.ZodType, T>(
  schema: S,
  error: string,
  convert: (value: z.output<S>) => T | undefined,
) =>
  schema.transform((value, context): T => {
    const converted = convert(value);
    if (converted !== undefined) return converted;
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });

/** Maximum of prices and of sizes in quote, in any currency; shares and multiples are far below. */
const MAX_PRICE = 1e12;
/** Maximum amount, for a base with a tiny unit value. */
export const MAX_AMOUNT = 1e15;
export const MAX_MULTIPLE = 1e6;
const HUNDRED_PERCENT: Decimal = 100n * ONE;

const amountField = (label: string, most: number, sign: "positive" | "non-negative") => {
  const error = `${label}: must be a ${sign} number up to ${most} with at most 18 decimals`;
  return convertedField(z.number({ error }), error, (value): Decimal | undefined => {
    if (value === 0 && sign === "non-negative") return 0n;
    const exact = value <= most ? fromNumber(value) : undefined;
    return exact !== undefined && exact > 0n ? exact : undefined;
  });
};

/** A positive JSON number of at most 18 decimal places and at most `max`, checked before any calculation. */
export const decimalField = (label: string, most = MAX_PRICE) => amountField(label, most, "positive");

/** Does the same and accepts zero. */
export const zeroOrMoreField = (label: string, most = MAX_PRICE) => amountField(label, most, "non-negative");

const upToField = (name: string, most: Decimal) => {
  const error = `Invalid request: ${name} must be a number from 0 to ${text(most)}`;
  return convertedField(z.number({ error }), error, (value): Decimal | undefined => {
    const exact = value === 0 ? 0n : fromNumber(value);
    return exact !== undefined && exact >= 0n && exact <= most ? exact : undefined;
  });
};

/** A share of something, 0 to 1. */
export const shareField = (name: string) => upToField(name, ONE);

/** A percentage, 0 to 100; `ofPercent` converts it to a share. */
export const percentField = (name: string) => upToField(name, HUNDRED_PERCENT);

/** One of several fixed words. */
export const wordField = <const W extends string>(label: string, words: readonly W[]) =>
  z.enum(words as unknown as readonly [W, ...W[]], { error: `${label}: must be ${words.join(" or ")}` });

/** Text that matches a pattern and is safe to forward. */
export const textField = (label: string, form: RegExp, sentence: string) =>
  z.string({ error: `${label}: ${sentence}` }).regex(form, { error: `${label}: ${sentence}` });

export const flagField = (label: string, name: string) =>
  z.boolean({ error: `${label}: ${name} must be true or false` });

const ID_FORM = "must be an id of letters, digits, - _ . :";

/** An id that an exchange or this server assigned. */
export const idField = (label: string) =>
  z
    .string({ error: (issue) => `${label}: ${isAbsent(issue) ? "id is missing" : ID_FORM}` })
    .regex(/^[\w\p{Lu}\p{Lo}\p{Nd}.:-]{1,80}$/u, { error: `${label}: ${ID_FORM}` });

/** A UTC day, as a date or as a time within it. */
export const dayField = (name: string) => {
  const sentence = `${name} must be a day, for example 2026-01-31`;
  const text = textField("Invalid request", TIME_TEXT, sentence);
  return convertedField(text, `Invalid request: ${sentence}`, parseDay);
};

/** A time: milliseconds, or a date or time in ISO 8601. */
export const timeField = (name: string) => {
  const error = `Invalid request: ${name} must be milliseconds, or a date such as 2026-01-31 or 2026-01-31T08:00Z, from 2009 on`;
  const count = z.int({ error }).min(0, { error }).max(9_999_999_999_999, { error });
  return convertedField(z.union([count, z.string()], { error }), error, (value): Millis | undefined =>
    parseTime(String(value)),
  );
};

/**
 * Optional flags of a stop with their descriptions. Each flag is a field of every stop, a column of the strategy with
 * the same name, and part of the wish that a pass acts on. To add a flag, add a line here, a migration, and the code
 * that acts on it.
 */
const FLAG_MEANINGS = {
  sellBase: "Also sells the strategy's base, at up to 10 % below the mid price",
} as const;

type StopFlag = keyof typeof FLAG_MEANINGS;
export type StopFlags = Readonly<Record<StopFlag, boolean>>;

/** How to stop: what happens to the orders, and the flags. */
export interface StopRequest extends StopFlags {
  /** A stop that leaves the open orders to the user, or a pause that leaves them open. */
  readonly keepOrders: boolean;
}

export const STOP_FLAGS = Object.keys(FLAG_MEANINGS) as readonly StopFlag[];

/** Input fields of every start that has a plan. */
export const flag = (name: string) => flagField("Invalid request", name).optional();

/** Builds a value for each flag, under its name. */
export const ofEachStopFlag = <T>(make: (flag: StopFlag) => T): Record<StopFlag, T> =>
  Object.fromEntries(STOP_FLAGS.map((flag) => [flag, make(flag)])) as Record<StopFlag, T>;

/** State of a strategy without a requested stop. */
export const NO_STOP: StopRequest = { keepOrders: false, ...ofEachStopFlag(() => false) };

/** Returns the question before a stop. */
export function questionBeforeStop({
  id,
  cancelOrders,
  sellBase,
}: Readonly<Record<string, unknown>>): string {
  const orders = cancelOrders === false ? "leave its orders open" : "cancel its orders";
  const sale = sellBase ? ", and sell its base at up to 10 % below the mid price" : "";
  return `Stop ${id}, ${orders}${sale}? You cannot resume it.`;
}

/** The fields of a stop's input. */
export const stopFields = () =>
  ofEachStopFlag((flag) => flagField("Invalid request", flag).default(false).describe(FLAG_MEANINGS[flag]));

export const price = () => decimalField("Invalid price").optional();

const NAME_FORM = "name must have 1 to 40 characters of letters, digits, - _ . and begin with a letter";

/** A strategy's name. It never has the form of an id, so a text is one or the other. */
export const strategyName = () =>
  textField("Invalid request", /^(?!.*-\d{10,}$)[A-Za-z][\w.-]{0,39}$/, NAME_FORM)
    .optional()
    .describe("Name of the strategy, for lists, alerts and commands");

export const planHash = () =>
  textField("Invalid request", /^[0-9a-f]{32}(-\d{1,20}(\.\d{1,18})?)?$/, "must be the planHash of a preview")
    .optional()
    .describe("Start only the plan of this preview; 409 if it is out of date");

const MAX_LIST_CHARACTERS = 1000;
const MAX_BALANCE: Decimal = 10n ** 15n * ONE;
const DRY_FORM =
  "Invalid request: dryBalance must be ASSET=amount, separated by commas, for example USDT=1000,BTC=0.1";

/** `USDT=1000,BTC=0.1` */
export const dryBalance = () =>
  convertedField(
    z.string({ error: DRY_FORM }).max(MAX_LIST_CHARACTERS, { error: DRY_FORM }),
    DRY_FORM,
    balancesIn,
  )
    .optional()
    .describe("Initial balances of the paper account, for example USDT=1000,BTC=0.1; default 10000 quote");

function balancesIn(text: string): Readonly<Record<string, Decimal>> | undefined {
  const parts = text.split(",").map(assetEntry);
  const balances = parts.map((part) => [part?.[0] ?? "", parseDecimal(part?.[1] ?? "")] as const);
  const areValid = balances.every(([, amount]) => amount !== undefined && amount <= MAX_BALANCE);
  return areValid ? (Object.fromEntries(balances) as Record<string, Decimal>) : undefined;
}
