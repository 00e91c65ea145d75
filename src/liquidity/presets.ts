/** Obligations by name, with the user's values. */
import { type Decimal, decimal, ONE, text } from "../kernel/decimal.ts";
import { pluralize } from "../kernel/pluralize.ts";
import { groupThousands } from "../kernel/thousands.ts";
import { dayOfMinute } from "../model/samples/minute.ts";
import type { LiquidityPromise, PromiseRequest } from "../model/samples/promise.ts";
import { dayAverages } from "./days.ts";
import { bitgetSt, mexcSt } from "./exchange-rules.ts";
import {
  agreementRule,
  gateRule,
  gateScore,
  type ObligationFinding,
  quotingAgreement,
} from "./obligations.ts";
import { binanceFlags } from "./red-flags.ts";
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

/** Bands of a depth, in percent of the mid price. */
export const BAND_PERCENTS = ["0.5", "1", "2"] as const;
const sharePercent = (share: Decimal): string => `${text(share * 100n)} %`;

/** Describes the rules that the minutes are compared with, in sentences without a period. */
export function describeTerms({ preset, request }: LiquidityPromise, quote: string): string[] {
  const { spread, depth, band, levels, uptime } = agreedOf(request);
  const amount = `${groupThousands(text(depth))} ${quote}`;
  switch (preset) {
    case "agreement":
      return [
        `Own orders on both sides for at least ${sharePercent(uptime)} of the time`,
        `At most ${sharePercent(spread)} between the best own bid and ask, and at least ${pluralize(levels, "own order")} per side; other minutes do not count`,
        `A mean depth of at least ${amount} per side within ${BAND_PERCENTS[band]} % of the mid price`,
      ];
    case "gate-score":
      return [
        `A minute scores if the own spread is below ${sharePercent(spread)}, and the smaller side has more than ${amount} within ${BAND_PERCENTS[band]} %`,
        `At least ${sharePercent(uptime)} of the time scores`,
      ];
    case "mexc-st":
      return ["MEXC's ST warning rules for a whole market, as of 2024-10-29"];
    case "binance-flags":
      return ["Binance's six red flags of market makers, as of 2026; it publishes no thresholds"];
    case "bitget-st":
      return [
        "Bitget's ST policy: means of the last seven whole days of the market; it publishes no thresholds",
        ...(request.spread === undefined
          ? []
          : [`Your own limit: a mean spread of at most ${sharePercent(spread)}`]),
      ];
  }
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
  if (preset === "binance-flags") return binanceFlags(span, volumes);
  const days = span.days.filter(({ day }) => day <= lastWholeDay(span)).map(dayAverages);
  if (preset === "mexc-st") return mexcSt(days, volumes);
  return bitgetSt(days, request.spread === undefined ? {} : { spread: request.spread });
}
