import { LIMIT_FORMS } from "../../limits/texts.ts";
import type { LimitName } from "../../model/limits.ts";
import { duration, inPercent, number } from "../format.ts";
import {
  checkAmount,
  checkAsset,
  checkPair,
  checkPercent,
  pairText,
  type RowColumn,
  type TextRows,
} from "../row-checks.ts";
import type { LimitsAnswer } from "../types.ts";

const limitFormOf = (name: string) => LIMIT_FORMS[name as LimitName];

export const limitTitle = (name: string): string => limitFormOf(name)?.title ?? name;

const checkWhole = (text: string): string => (/^\d{1,9}$/.test(text) ? "" : "Write a whole number.");
const checkSeconds = (text: string): string =>
  /^\d{1,6}(\.\d{1,3})?$/.test(text) ? "" : "Write a number of seconds, such as 60.";

const hasAmounts = (name: string): boolean => /Notional$|[a-z]Loss$/.test(name) && name !== "onLoss";

/** Whether a limit has several values. */
export const isList = (name: string): boolean => name === "symbols" || hasAmounts(name);

/** Returns the fields of a limit's value: of an amount by asset, of allowed pairs, or of one value. */
export function limitColumns(name: string): readonly RowColumn[] {
  if (name === "symbols") return [{ label: "Pair", kind: "text", initial: "", check: checkPair }];
  if (name === "onLoss")
    return [{ label: "New value", kind: "choice", initial: "pause", choices: AFTER_LOSS }];
  if (hasAmounts(name))
    return [
      { label: "Asset", kind: "text", initial: "", check: checkAsset },
      { label: "Amount", kind: "number", initial: "", check: checkAmount },
    ];
  const [unit, check] = name.endsWith("Percent")
    ? [", %", checkPercent]
    : name.endsWith("Millis")
      ? [", seconds", checkSeconds]
      : ["", checkWhole];
  return [{ label: `New value${unit}`, kind: "number", initial: "", check }];
}

const AFTER_LOSS = [
  ["pause", "Pause the strategy"],
  ["stop", "Stop it and sell its base"],
] as const;

/** Returns the rows of a limit as the text of a request: `USDT=500` is an amount, and times are milliseconds. */
export const writeLimit = (name: string, rows: TextRows): string =>
  rows
    .map(([first = "", amount]) => {
      if (name.endsWith("Millis")) return String(Math.round(1000 * Number(first)));
      if (!isList(name)) return first;
      return amount === undefined ? pairText(first) : `${pairText(first)}=${amount}`;
    })
    .join(",");

/** Formats a limit's value with its unit: `USDT=500` is 500 USDT, and 60000 ms are 1 min. */
export function limitValue(name: string, value: string): string {
  // A loss limit works without a choice of what it does.
  if (value === "off") return name === "onLoss" ? "pause (default)" : value;
  if (name.endsWith("Millis"))
    return Number(value) % 1000 === 0 ? duration(Number(value)) : `${number(Number(value))} ms`;
  if (name.endsWith("Percent")) return inPercent(Number(value));
  return value
    .split(",")
    .map((one) => {
      const [asset = "", amount] = one.split("=");
      return amount === undefined ? asset : `${number(Number(amount))} ${asset}`;
    })
    .join(", ");
}

/** Names the orders to which a limit applies. */
export function scopeText(scope: string): string {
  if (scope === "every") return "all orders";
  const [kind, ...rest] = scope.split(":");
  return `${kind} ${rest.filter((part) => !["", "live", "sandbox"].includes(part)).join(" ")}`;
}

/** Returns the lowest limit of a day's notional that applies to an account or a token; undefined without one. */
export function lowestDayLimit(
  { settings, limits }: Pick<LimitsAnswer, "settings" | "limits">,
  { scope, asset }: Pick<LimitsAnswer["used"][number], "scope" | "asset">,
): number | undefined {
  // A limit's scope names an account by its exchange alone. Only a token's own limits apply to it.
  const [of, , exchange = ""] = scope.split(":");
  const isAccount = of === "account";
  const name = isAccount ? `account:${exchange.replace(/#.*$/, "")}` : scope;
  const own = limits.filter((one) => one.scope === name || (isAccount && one.scope === "every"));
  const amounts = [...(isAccount ? [settings] : []), ...own.map((one) => one.limits)]
    .flatMap((one: Readonly<Record<string, string>>) => one.dayNotional?.split(",") ?? [])
    .filter((one) => one.startsWith(`${asset}=`))
    .map((one) => Number(one.slice(asset.length + 1)));
  return amounts.length === 0 ? undefined : Math.min(...amounts);
}
