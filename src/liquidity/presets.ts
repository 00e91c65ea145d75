/** Obligations by their names, with what a person asks of them. */
import { type Decimal, decimal, ONE } from "../kernel/decimal.ts";
import { dayOfMinute } from "../model/samples/minute.ts";
import type { AskedPromise, Preset } from "../model/samples/promise.ts";
import { liquidityDays } from "./days.ts";
import {
  bitgetSt,
  gateScore,
  type Minutes,
  mexcSt,
  type ObligationFinding,
  quotingAgreement,
} from "./obligations.ts";

/** What an agreement usually asks, where a person says nothing else. */
export const USUAL_PROMISE = {
  spread: decimal("0.02"),
  depth: 1000n * ONE,
  band: 2,
  levels: 1,
  uptime: decimal("0.9"),
} as const;

/** The last whole day of a span: one that has only begun is none. */
export const lastWholeDay = ({ to }: Pick<Minutes, "to">): number => dayOfMinute(to) - 1;

/** `volumes` are what everybody has traded a day, in quote, up to the last whole day. */
export function findingsOf(
  preset: Preset,
  span: Minutes,
  asked: AskedPromise,
  volumes: readonly (Decimal | null)[] = [],
): ObligationFinding[] {
  const {
    spread = USUAL_PROMISE.spread,
    depth = USUAL_PROMISE.depth,
    levels = USUAL_PROMISE.levels,
    uptime = USUAL_PROMISE.uptime,
  } = asked;
  const band = asked.band ?? USUAL_PROMISE.band;
  const days = liquidityDays(span.rows, dayOfMinute(span.from), lastWholeDay(span));
  if (preset === "mexc-st") return mexcSt(days, volumes);
  if (preset === "bitget-st")
    return bitgetSt(days, asked.spread === undefined ? {} : { spread: asked.spread });
  if (preset === "gate-score") return gateScore(span, { spread, size: depth, band, share: uptime });
  return quotingAgreement(span, { spread, depth, band, levels, uptime });
}
