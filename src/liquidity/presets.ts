/** Obligations by their names, with what a person asks of them. */
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

/** What an agreement usually asks, where a person says nothing else. */
export const USUAL_PROMISE = {
  spread: decimal("0.02"),
  depth: 1000n * ONE,
  band: 2,
  levels: 1,
  uptime: decimal("0.9"),
} as const;

/** The last whole day of a span: one that has only begun is none. */
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

/** By which a promise counts minutes; undefined where it judges by means alone. */
export function upRuleOf({ preset, request }: LiquidityPromise): UpRule | undefined {
  const agreed = agreedOf(request);
  if (preset === "gate-score") return gateRule({ ...agreed, size: agreed.depth });
  return preset === "agreement" ? agreementRule(agreed) : undefined;
}

/** `span` is counted by the promise's own rule; `volumes` are what everybody has traded a day, in quote, up to the last whole day. */
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
