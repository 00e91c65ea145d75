/** Returns the number of decimals for prices or amounts. */
export function digitsOf(values: readonly (number | null | undefined)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, decimalsIn(value ?? 0)), 0);
}

function decimalsIn(value: number): number {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length - Number(exponent);
  return Math.min(12, Math.max(0, decimals));
}

/** Formats a number with a market's decimals, or as few as necessary, with a minus sign that does not break lines. */
export const number = (value: number, digits?: number): string =>
  value
    .toLocaleString("en-US", {
      minimumFractionDigits: digits ?? 0,
      maximumFractionDigits: digits ?? fitting(value),
      signDisplay: "negative",
    })
    .replace("-", "−");

/** Formats a percentage with its sign on the same line. */
export const inPercent = (value: number, digits?: number): string => `${number(value, digits)}\u00a0%`;

/** Rounds to six significant figures. */
const fitting = (value: number): number => {
  const size = Math.abs(value);
  return size === 0 ? 0 : Math.min(12, Math.max(2, 5 - Math.floor(Math.log10(size))));
};

/** Formats an amount of a quote asset, always with a sign for a change. */
export const money = (value: number, digits = moneyDigits(value)): string => number(value, digits);
export const change = (value: number | null, digits?: number): string =>
  value === null ? "–" : `${value > 0 ? "+" : value < 0 ? "−" : ""}${money(Math.abs(value), digits)}`;
/** Two decimals; below a cent, two significant figures. */
const moneyDigits = (value: number): number =>
  value === 0 || Math.abs(value) >= 0.01 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(Math.abs(value))));

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
    ...{ year: "2-digit", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  });
export const utc = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");

export const toneOf = (value: number | null): string =>
  value === null || value === 0 ? "" : value > 0 ? "up" : "down";

/** Formats a fee: in the pair's quote as money, in any other asset with all its digits. */
export const feeText = (asset: string, fee: string, symbol: string): string =>
  `${asset === pairOf(symbol).quote ? money(Number(fee)) : amount(fee)} ${asset}`;

export const pairOf = (symbol: string): { base: string; quote: string } => {
  const [base = symbol, quote = ""] = symbol.split("/");
  return { base, quote };
};
