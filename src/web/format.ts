import type { ReportAnswer } from "./types.ts";

/** Decimals that a column shares; undefined where each value has as many as it needs. */
export type Digits = number | undefined;

/** A number, or the decimal text of an amount of money. */
export type MoneyValue = number | string;

/** Returns the number of decimals for prices or amounts; without any, undefined: each has as many as it needs. */
export function digitsOf(values: readonly (MoneyValue | null | undefined)[]): Digits {
  const known = values.filter((value) => value != null).map(Number);
  return known.length === 0 ? undefined : Math.max(...known.map(decimalsIn));
}

function decimalsIn(value: number): number {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length - Number(exponent);
  return Math.min(12, Math.max(0, decimals));
}

/** Rounds to six significant figures. */
const fitting = (value: number): number => {
  const size = Math.abs(value);
  return size === 0 ? 0 : Math.min(12, Math.max(2, 5 - Math.floor(Math.log10(size))));
};

/** Formats a number with a market's decimals, or as few as necessary, with a minus sign that does not break lines. */
export const number = (value: MoneyValue, digits?: Digits): string =>
  Number(value)
    .toLocaleString("en-US", {
      minimumFractionDigits: digits ?? 0,
      maximumFractionDigits: digits ?? fitting(Number(value)),
      signDisplay: "negative",
    })
    .replace("-", "−");

/** Begins a text with a capital letter, as a sentence of the page does. */
export const capitalized = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

/** Formats a number that can be unknown. */
export const numberOr = (value: MoneyValue | null, digits?: Digits): string =>
  value === null ? "–" : number(value, digits);

/** Formats a percentage with its sign on the same line. */
export const inPercent = (value: number, digits?: Digits): string => `${number(value, digits)}\u00a0%`;

/** Two decimals; below a cent, two significant figures. */
function moneyDigits(amount: MoneyValue): number {
  const size = Math.abs(Number(amount));
  return size === 0 || size >= 0.01 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(size)));
}

/** Formats an amount of a quote asset, always with a sign for a change. */
export const money = (value: MoneyValue, digits = moneyDigits(value)): string => number(value, digits);
export function change(amount: MoneyValue | null, digits?: Digits): string {
  if (amount === null) return "–";
  const value = Number(amount);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${money(Math.abs(value), digits)}`;
}

export const percent = (share: number, digits = 2): string =>
  `${share > 0 ? "+" : ""}${inPercent(share * 100, digits)}`;

/** Shortens an amount that arrived as decimal text. */
export const amount = (text: string): string => number(Number(text));

const DURATION_UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

export function duration(millis: number): string {
  const at = DURATION_UNITS.findIndex(([, size]) => millis >= size);
  if (at < 0) return "0 s";
  const parts = DURATION_UNITS.slice(at, at + 2).map(([unit, size], index) => {
    const whole = index === 0 ? millis : millis % (DURATION_UNITS[at]?.[1] ?? 1);
    return [Math.floor(whole / size), unit] as const;
  });
  return parts
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** Formats a time in the viewer's zone, with the zone. */
export const localTime = (at: number): string =>
  new Date(at).toLocaleString(undefined, {
    year: "2-digit",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
export const utc = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");

export const toneOf = (value: MoneyValue | null): string =>
  value === null || Number(value) === 0 ? "" : Number(value) > 0 ? "up" : "down";

export const pairOf = (symbol: string): { base: string; quote: string } => {
  const [base = symbol, quote = ""] = symbol.split("/");
  return { base, quote };
};

/** Formats a fee: in the pair's quote as money, in any other asset with all its digits. */
export const feeText = (asset: string, fee: string, symbol: string): string =>
  `${asset === pairOf(symbol).quote ? money(Number(fee)) : amount(fee)} ${asset}`;

type DayProfit = Pick<ReportAnswer["days"][number], "day" | "totalProfit">;

export interface DailyFigures {
  readonly days: readonly { readonly day: string; readonly profit: number; readonly sum: number }[];
  /** Largest fall of the sum from its highest value, which starts at zero. */
  readonly drawdown: number;
}

/** Adds up the P&L of each day, oldest first. */
export function dailyFigures(rows: readonly DayProfit[]): DailyFigures {
  let [sum, top, drawdown] = [0, 0, 0];
  const days = rows.map(({ day, totalProfit }) => {
    const profit = Number(totalProfit);
    sum += profit;
    top = Math.max(top, sum);
    drawdown = Math.max(drawdown, top - sum);
    return { day, profit, sum };
  });
  return { days, drawdown };
}

const YEAR = 365 * 86_400_000;
/** Below a week, a yearly rate says nothing: a bad first day can come to -1,000 % a year. */
const MIN_YEARLY_SPAN_MS = 7 * 86_400_000;

/** Returns a profit as a simple rate per year, in percent; undefined where it says nothing. */
export const yearlyPercent = (profit: number | null, capital: number, millis: number): number | undefined =>
  profit === null || capital <= 0 || millis < MIN_YEARLY_SPAN_MS
    ? undefined
    : ((100 * profit) / capital) * (YEAR / millis);

/**
 * Returns a typed number with a point for decimals: 1,5 is 1.5, and 1,234.5 is 1234.5. Text that could be two numbers, such
 * as 1,500, or none stays as it is, which is no number.
 */
export function typedNumber(typed: string): string {
  const text = typed.trim();
  if (/^-?\d{1,3}((,\d{3})+\.\d*|(,\d{3}){2,})$/.test(text)) return text.replaceAll(",", "");
  if (/^-?\d{1,3}(\.\d{3})+,\d*$/.test(text)) return text.replaceAll(".", "").replace(",", ".");
  return /^-?(0?,\d*|\d+,(\d{0,2}|\d{4,}))$/.test(text) ? text.replace(",", ".") : text;
}
