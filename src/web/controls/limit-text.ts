import { LIMIT_FORMS } from "../../limits/texts.ts";
import type { LimitName } from "../../model/limits.ts";
import { duration, inPercent, number } from "../format.ts";

const limitFormOf = (name: string) => LIMIT_FORMS[name as LimitName];

export const limitTitle = (name: string): string => limitFormOf(name)?.title ?? name;
export const limitForm = (name: string): string => `${limitFormOf(name)?.form ?? "a value"}, or off`;

/** Formats a limit's value with its unit: `USDT=500` is 500 USDT, and 60000 ms are 1 min. */
export function limitValue(name: string, value: string): string {
  if (value === "off") return value;
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
