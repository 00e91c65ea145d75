import { type Decimal, decimal, parseDecimal, text, ZERO } from "../kernel/decimal.ts";
import { assetEntry, isPair, type Pair } from "../kernel/pair.ts";
import type { Amounts, LimitName, Limits } from "../model/limits.ts";
import { isAmounts } from "./limits.ts";

/** How a limit is parsed and described. */
interface LimitForm<T> {
  /** Undefined if the text does not have this format. */
  readonly read: (text: string) => T | undefined;
  readonly form: string;
  readonly describe: string;
  /** Name for people. */
  readonly title: string;
}

const amounts = (title: string, describe: string): LimitForm<Amounts> => ({
  title,
  read: readAmounts,
  form: "amounts by quote asset, for example USDT=500,EUR=400",
  describe: `${describe}, by quote asset: USDT=500,EUR=400`,
});

const count = (title: string, describe: string, unit: string): LimitForm<number> => ({
  title,
  read: (output) => (/^\d{1,9}$/.test(output) ? Number(output) : undefined),
  form: `a whole number of ${unit}`,
  describe,
});

/** All limits. */
export const LIMIT_FORMS: { readonly [N in LimitName]-?: LimitForm<NonNullable<Limits[N]>> } = {
  orderNotional: amounts("Largest order", "Maximum notional of one order"),
  dayNotional: amounts("Volume per day", "Maximum notional of all orders of one UTC day"),
  openOrders: count("Open orders", "Maximum number of open orders", "orders"),
  symbols: {
    title: "Allowed pairs",
    read: readPairs,
    form: "pairs, for example BTC/USDT,ETH/USDT",
    describe: "Pairs that can be traded: BTC/USDT,ETH/USDT",
  },
  collarPercent: {
    title: "Distance beyond the mid price",
    read: readPercent,
    form: "a percentage above 0 and at most 100",
    describe: "How far beyond the mid price an order can execute, in percent",
  },
  priceAgeMillis: count("Age of the price", "Maximum age of the price, in milliseconds", "milliseconds"),
  orderGapMillis: count(
    "Time between two orders",
    "Minimum time between two orders, in milliseconds",
    "milliseconds",
  ),
  strategyLoss: amounts("Loss of one strategy", "Maximum loss of one strategy from its best result"),
  accountLoss: amounts(
    "Loss of an account",
    "Maximum loss of all strategies of an account from their best result",
  ),
  onLoss: {
    title: "After a loss",
    read: (output) => (output === "pause" || output === "stop" ? output : undefined),
    form: "pause or stop",
    describe: "Effect of a loss limit: pause, or stop, which sells the base",
  },
};

export const LIMIT_NAMES = Object.keys(LIMIT_FORMS) as readonly LimitName[];
export const LIMIT_OFF = "off";

/** Parses a limit's value; null for `off`, undefined if it is invalid. */
export const readLimit = (name: LimitName, output: string): Limits[LimitName] | null =>
  output === LIMIT_OFF ? null : LIMIT_FORMS[name].read(output);

/** Formats a limit's value. */
export function showLimit(value: Limits[LimitName] | null): string {
  if (value === undefined || value === null) return LIMIT_OFF;
  if (typeof value === "bigint") return text(value);
  if (isAmounts(value))
    return Object.entries(value)
      .map(([asset, one]) => `${asset}=${text(one)}`)
      .join(",");
  return Array.isArray(value) ? value.join(",") : String(value);
}

function readAmounts(output: string): Amounts | undefined {
  const entries = output.split(",").map((part): [string, Decimal] | undefined => {
    const [asset, amount = ""] = assetEntry(part) ?? [];
    const read = parseDecimal(amount);
    return asset === undefined || read === undefined ? undefined : [asset, read];
  });
  return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : undefined;
}

function readPairs(output: string): readonly Pair[] | undefined {
  const pairs = output.split(",").map((part) => part.trim());
  return pairs.every(isPair) ? pairs : undefined;
}

const ONE_HUNDRED = decimal("100");

function readPercent(output: string): Decimal | undefined {
  const percent = parseDecimal(output);
  return percent !== undefined && percent > ZERO && percent <= ONE_HUNDRED ? percent : undefined;
}
