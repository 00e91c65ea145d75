import { groupThousands } from "../kernel/thousands.ts";
import type { LiquidityAnswer } from "./schema.ts";

/** Formats the figures of a report, with thousands separators. */
export const countText = (value: number): string => groupThousands(String(value));

export type OwnFigures = LiquidityAnswer["own"];
export type Day = LiquidityAnswer["days"][number];

export const NOT_KNOWN = "not known";
export const shownPercent = (value: number | null, digits = 2): string =>
  value === null ? NOT_KNOWN : `${value.toFixed(digits)} %`;
/** Formats an amount with two decimals, or with six where two would show a small amount as zero. */
export const quote = (value: number | null, digits?: number): string =>
  value === null ? NOT_KNOWN : groupThousands(value.toFixed(digits ?? (isSmall(value) ? 6 : 2)));
const isSmall = (value: number): boolean => value !== 0 && Math.abs(value) < 1;
