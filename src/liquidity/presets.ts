/** Obligations by name, with the user's values. */
import { type Decimal, decimal, ONE } from "../kernel/decimal.ts";
import { dayOfMinute } from "../model/samples/minute.ts";
import type { LiquidityPromise, PromiseRequest } from "../model/samples/promise.ts";
import { dayAverages } from "./days.ts";
import {
  agreementRule,
  bitgetSt,
  gateRule,
  gateScore,
  mexcSt,
  type ObligationFinding,
  quotingAgreement,
} from "./obligations.ts";
import type { LiquiditySpan, UpRule } from "./span.ts";

/** Default terms of an agreement. */
export const USUAL_PROMISE = {
  spread: decimal("0.02"),
  depth: 1000n * ONE,
  band: 2,
  levels: 1,
  uptime: decimal("0.9"),
} as const;

/** Returns the last complete day of a span. */
export const lastWholeDay = ({ to }: Pick<LiquiditySpan, "to">): number => dayOfMinute(to) - 1;

function agreedOf(request: PromiseRequest) {
  const { spread, depth, band, levels, uptime } = USUAL_PROMISE;
  return {
    spread: request.spread ?? spread,
    depth: request.depth ?? depth,
    band: request.band ?? band,
    levels: request.levels ?? levels,
    uptime: request.uptime ?? uptime,
  };
}

/** Returns the rule by which an agreement counts minutes; undefined if it uses means only. */
export function upRuleOf({ preset, request }: LiquidityPromise): UpRule | undefined {
  const agreed = agreedOf(request);
  if (preset === "gate-score") return gateRule({ ...agreed, size: agreed.depth });
  return preset === "agreement" ? agreementRule(agreed) : undefined;
}

/**
 * Returns the results. `span` is counted by the agreement's own rule; `volumes` are everybody's daily volumes in
 * quote, up to the last complete day.
 */
export function findingsOf(
  { preset, request }: LiquidityPromise,
  span: LiquiditySpan,
  volumes: readonly (Decimal | null)[] = [],
): ObligationFinding[] {
  const agreed = agreedOf(request);
  if (preset === "gate-score") return gateScore(span, { share: agreed.uptime });
  if (preset === "agreement") return quotingAgreement(span, agreed);
  const days = span.days.filter(({ day }) => day <= lastWholeDay(span)).map(dayAverages);
  if (preset === "mexc-st") return mexcSt(days, volumes);
  return bitgetSt(days, request.spread === undefined ? {} : { spread: request.spread });
}
