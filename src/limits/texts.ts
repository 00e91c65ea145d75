import { type Decimal, decimal, parseDecimal, text, ZERO } from "../kernel/decimal.ts";
import { isPair, type Pair } from "../kernel/pair.ts";
import type { Amounts, LimitName, Limits } from "../model/limits.ts";
import { isAmounts } from "./limits.ts";

/** How a limit is written, and what it is. */
interface LimitForm<T> {
  /** Undefined when the text is none of this form. */
  readonly read: (text: string) => T | undefined;
  readonly form: string;
  readonly describe: string;
}

const amounts = (describe: string): LimitForm<Amounts> => ({
  read: readAmounts,
  form: "amounts by quote asset, for example USDT=500,EUR=400",
  describe: `${describe}, by quote asset: USDT=500,EUR=400`,
});

const count = (describe: string, unit: string): LimitForm<number> => ({
  read: (told) => (/^\d{1,9}$/.test(told) ? Number(told) : undefined),
  form: `a whole number of ${unit}`,
  describe,
});

/** Every limit there is. */
export const LIMIT_FORMS: { readonly [N in LimitName]-?: LimitForm<NonNullable<Limits[N]>> } = {
  orderNotional: amounts("The most notional of one order"),
  dayNotional: amounts("The most notional of all orders of a day (UTC)"),
  openOrders: count("The most orders that may be open at once", "orders"),
  symbols: {
    read: readPairs,
    form: "pairs, for example BTC/USDT,ETH/USDT",
    describe: "Pairs in which orders are placed at all: BTC/USDT,ETH/USDT",
  },
  collarPercent: {
    read: readPercent,
    form: "a percentage above 0 and at most 100",
    describe: "How far through the market's mid an order may execute, in percent",
  },
  priceAgeMillis: count("How old the price may be on which an order is placed", "milliseconds"),
  orderGapMillis: count("The least time from one order to the next", "milliseconds"),
  strategyLoss: amounts("The most that one strategy may lose from its best result so far"),
  accountLoss: amounts("The most that an account's strategies may lose from their best result so far"),
  onLoss: {
    read: (told) => (told === "pause" || told === "stop" ? told : undefined),
    form: "pause or stop",
    describe: "What a loss beyond its limit does: pause, or stop, which sells the base",
  },
};

export const LIMIT_NAMES = Object.keys(LIMIT_FORMS) as readonly LimitName[];
export const LIMIT_OFF = "off";

/** A limit's value as a person writes it; null for `off`, undefined for what is none. */
export const readLimit = (name: LimitName, told: string): Limits[LimitName] | null =>
  told === LIMIT_OFF ? null : LIMIT_FORMS[name].read(told);

/** A limit's value as it is read. */
export function showLimit(value: Limits[LimitName] | null): string {
  if (value === undefined || value === null) return LIMIT_OFF;
  if (typeof value === "bigint") return text(value);
  if (isAmounts(value))
    return Object.entries(value)
      .map(([asset, one]) => `${asset}=${text(one)}`)
      .join(",");
  return Array.isArray(value) ? value.join(",") : String(value);
}

function readAmounts(told: string): Amounts | undefined {
  const entries = told.split(",").map((part): [string, Decimal] | undefined => {
    const [, asset, amount = ""] = /^\s*([A-Z0-9]{1,20})=([\d.]{1,40})\s*$/.exec(part) ?? [];
    const read = parseDecimal(amount);
    return asset === undefined || read === undefined ? undefined : [asset, read];
  });
  return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : undefined;
}

function readPairs(told: string): readonly Pair[] | undefined {
  const pairs = told.split(",").map((part) => part.trim());
  return pairs.every(isPair) ? pairs : undefined;
}

const ONE_HUNDRED = decimal("100");

function readPercent(told: string): Decimal | undefined {
  const percent = parseDecimal(told);
  return percent !== undefined && percent > ZERO && percent <= ONE_HUNDRED ? percent : undefined;
}
