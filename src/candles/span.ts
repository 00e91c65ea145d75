import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

const SPAN_UNITS: Readonly<Record<string, Millis>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** Parses `1m`, `15m`, `4h`, `1d`; undefined for anything else. */
export function spanOf(label: string): Millis | undefined {
  const [, count = "0", unit = ""] = /^([1-9]\d{0,3})([smhdw])$/.exec(label) ?? [];
  const span = Number(count) * (SPAN_UNITS[unit] ?? 0);
  return span > 0 ? span : undefined;
}

/** Formats a span in the largest unit that divides it: 60000 is `1m`. */
export function spanLabel(span: Millis): string {
  const [unit, length] = Object.entries(SPAN_UNITS).findLast(([, one]) => span % one === 0) ?? ["ms", 1];
  return `${span / length}${unit}`;
}
