/** Rules of all markets of a pair together. */
import { text } from "../kernel/decimal.ts";
import { pluralize } from "../kernel/pluralize.ts";
import { groupThousands } from "../kernel/thousands.ts";
import type { LiquidityPromise, PromiseRequest } from "../model/samples/promise.ts";
import {
  agreementRule,
  depthFinding,
  type Measured,
  type ObligationFinding,
  upShare,
} from "./obligations.ts";
import { BAND_PERCENTS, USUAL_PROMISE, upRuleOf } from "./presets.ts";
import type { UpRule } from "./span.ts";

const totalBand = ({ band = USUAL_PROMISE.band }: PromiseRequest) => band;

/** Returns the rule that counts a market's minutes for the total: the total's own one, or the market's. */
export function totalRule({ spread, levels }: PromiseRequest, promise: LiquidityPromise): UpRule {
  const { spread: usualSpread, levels: usualLevels } = USUAL_PROMISE;
  const own = agreementRule({ spread: spread ?? usualSpread, levels: levels ?? usualLevels });
  return spread === undefined && levels === undefined ? (upRuleOf(promise) ?? own) : own;
}

/** Checks the total over all markets of one pair, whose minutes are counted by `totalRule`. */
export function totalFindings(spans: readonly Measured[], request: PromiseRequest): ObligationFinding[] {
  const { uptime, depth } = request;
  const over = pluralize(spans.length, "market");
  return [
    ...(uptime === undefined
      ? []
      : [upShare(spans, { rule: `time that counts, mean of ${over}`, required: uptime })]),
    ...(depth === undefined
      ? []
      : (["bids", "asks"] as const).map((side) =>
          depthFinding(
            spans,
            { depth, band: totalBand(request) },
            { side, rule: `mean depth of own ${side}, sum of ${over}` },
          ),
        )),
  ];
}

/** Describes the rules in sentences without a period. */
export function describeTotalRules(request: PromiseRequest): string[] {
  const { spread, levels, uptime, depth } = request;
  const counted = [
    ...(spread === undefined ? [] : [`own orders at most ${text(spread * 100n)} % apart`]),
    ...(levels === undefined ? [] : [`at least ${pluralize(levels, "own order")} per side`]),
  ];
  const which = counted.length === 0 ? "the rules of each market" : counted.join(" and ");
  return [
    ...(uptime === undefined
      ? []
      : [
          `At least ${text(uptime * 100n)} % of the time with ${which}, as the mean of all markets of a pair`,
        ]),
    ...(depth === undefined
      ? []
      : [
          `A mean depth of at least ${groupThousands(text(depth))} in quote per side within ${BAND_PERCENTS[totalBand(request)]} % of the mid price, as the sum of all markets of a pair`,
        ]),
  ];
}
