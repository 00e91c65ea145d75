import { fromNumber, text } from "../../src/kernel/decimal.ts";
import { plainText } from "../../src/kernel/plain-text.ts";

/** Formats a number without an exponent. */
export function numberText(value: number): string {
  const exact = fromNumber(value);
  return exact === undefined ? String(value) : text(exact);
}

export const isTime = (name: string, value: unknown): value is number =>
  typeof value === "number" &&
  (name === "timestamp" || name.endsWith("At") || (SPAN_ENDS.has(name) && value > LEAST_TIME));

/** Fields that are times if their number is large, and otherwise something else. */
const SPAN_ENDS = new Set(["from", "to"]);
const LEAST_TIME = 1e11;

/** Formats a value for people on one line. */
export function format(value: unknown, name = ""): string {
  if (value === undefined || value === null) return "-";
  if (isTime(name, value)) return new Date(value).toISOString();
  if (name === "runningTime" && typeof value === "number") return durationText(value);
  if (typeof value === "number") return numberText(value);
  // An exchange's text must not reach the terminal's control codes.
  if (typeof value !== "object") return plainText(String(value));
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map((item) => format(item)).join(", ");
  const parts = Object.entries(value).map(([key, part]) => `${plainText(key)} ${format(part, key)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

function durationText(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? "0s" : shown.map(([count, unit]) => `${count}${unit}`).join(" ");
}
