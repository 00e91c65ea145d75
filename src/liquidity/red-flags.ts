/** Binance's six red flags of market makers, as far as samples can show them. */
import { type Decimal, div, ZERO } from "../kernel/decimal.ts";
import { VOLUME_DAYS, volumeFinding } from "./exchange-rules.ts";
import type { Measured, ObligationFinding } from "./obligations.ts";

const WITHIN_2_PERCENT = 2;

/**
 * Returns Binance's red flags (guidance of 2026) with a figure for each that edgemaker can observe. Binance publishes no
 * thresholds, so there is no verdict. `volumes` are everybody's daily volumes in quote.
 */
export function binanceFlags(
  { sums: { own, market } }: Pick<Measured, "sums">,
  volumes: readonly (Decimal | null)[],
): ObligationFinding[] {
  const rule = `high volume without price movement: mean daily volume over ${VOLUME_DAYS} days`;
  const ofVolume = volumeFinding(rule, volumes, null);
  const { value: volume, reason: noVolume } = ofVolume;
  const [bids, asks] = [own.depth.bids[WITHIN_2_PERCENT], own.depth.asks[WITHIN_2_PERCENT]];
  const { count } = market.depth;
  const depth = market.depth.bids[WITHIN_2_PERCENT] + market.depth.asks[WITHIN_2_PERCENT];
  const hasBoth = volume !== null && volume > ZERO && count > 0;
  return [
    hidden("sales before the agreed release schedule", "edgemaker knows no release schedule"),
    {
      ...shownShare("selling on one side: own bids as a share of own orders within 2 %"),
      value: bids + asks > ZERO ? div(bids, bids + asks, "half") : null,
      reason: bids + asks > ZERO ? undefined : "no sample has own orders within 2 %",
    },
    hidden("coordinated sales on several exchanges", "edgemaker sees only its own accounts"),
    ofVolume,
    {
      ...shownShare("a thin book behind high volume: mean depth within 2 % as a share of a day's volume"),
      value: hasBoth ? div(depth / BigInt(count), volume, "half") : null,
      reason: noVolume ?? (hasBoth ? undefined : "no sample has the depth, or there was no volume"),
    },
    hidden("a shared or guaranteed profit of the market maker", "edgemaker knows no contracts"),
  ];
}

const shownShare = (rule: string) => ({ rule, state: "shown", unit: "share", limit: null }) as const;

const hidden = (rule: string, reason: string): ObligationFinding => ({
  ...shownShare(rule),
  ...{ value: null, reason: `not observable here: ${reason}` },
});
