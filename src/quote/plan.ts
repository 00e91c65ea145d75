/** Plans all quotes at one moment; previews and passes use the same function. */
import { type Decimal, max, mul, ONE, ZERO } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Market, Side } from "../model/market.ts";
import type { firstMet } from "../model/own-orders.ts";
import { type AvellanedaModel, avellanedaShares } from "./avellaneda.ts";
import { affordable, besideOthers, type Cut, clearOfOwn, type Others } from "./cut.ts";
import { type Defence, widenedShare } from "./defence.ts";
import { type HalfSpread, halfSpread, type Volatility } from "./half-spread.ts";
import { type QuoteLadder, type QuoteLevel, type QuotePrices, quoteLevelsOf } from "./levels.ts";
import { type PriceSource, type ReferencePrice, referencePrice } from "./reference.ts";
import { reservationPrice, shareOfBase } from "./reservation.ts";
import { statistic } from "./statistic.ts";

/** Settings of quotes; shares are between 0 and 1, and unset ones are absent. */
export interface QuoteRules extends QuoteLadder {
  /** Half of the configured spread. */
  readonly halfSpread: Decimal;
  /** Factor of the price movement between two passes. */
  readonly volatilityFactor: Decimal;
  /** Target share of base in the inventory, and how strongly the price adjusts to it. */
  readonly target: Decimal;
  readonly strength: Decimal;
  /** Maximum distance of the reservation price from the reference. */
  readonly mostSkew: Decimal;
  /** Maximum half-spread from an estimator. */
  readonly widest: Decimal;
  /** Replaces skew and half-spread within their bounds; `horizon` is T − t in the time unit of its σ. */
  readonly avellaneda?: (AvellanedaModel & { readonly horizon: number }) | undefined;
  /** What happens to a side that is picked off; absent, nothing. */
  readonly defence?: Defence | undefined;
  /** Bounds of the inventory. */
  readonly mostBase?: Decimal | undefined;
  readonly leastBase?: Decimal | undefined;
}

/** Known data at that moment. */
export interface QuoteView {
  readonly now: Millis;
  /** Time between two passes. */
  readonly interval: Millis;
  readonly market: Market;
  readonly sources: readonly PriceSource[];
  /** Best prices of others. */
  readonly others: Others;
  readonly volatility?: Volatility | undefined;
  /** Current base, and the free balances for these quotes, including what their orders lock. */
  readonly inventory: Decimal;
  readonly freeBase: Decimal;
  readonly freeQuote: Decimal;
  /** The account's other orders. */
  readonly own: Parameters<typeof firstMet>[1];
  readonly halted: boolean;
  /** Sides that are picked off. */
  readonly defended: readonly Side[];
}

export interface QuotePlan {
  readonly reference: ReferencePrice;
  /** Null without a reference price; then nothing is quoted. */
  readonly prices: QuotePrices | null;
  readonly widenedBy: HalfSpread["because"] | "model" | null;
  readonly bids: readonly QuoteLevel[];
  readonly asks: readonly QuoteLevel[];
  readonly cuts: readonly Cut[];
  /** Sides that moved away or are paused. */
  readonly defended: readonly Side[];
  /** Notices for the user. */
  readonly notices: readonly QuoteNotice[];
}

export type QuoteNotice = "no_reference" | "one_sided" | "nothing_quoted" | "outside_depth";

export function quotePlan(rules: QuoteRules, view: QuoteView): QuotePlan {
  const reference = referencePrice(view.sources, view.now);
  if (reference.price === null) return { reference, ...NO_QUOTES };
  const { widenedBy, ...prices } = quotedPrices(reference.price, rules, view);
  const sides = (["buy", "sell"] as const).map((side) => quoteSide(side, prices, rules, view));
  const [bids = [], asks = []] = sides.map(({ levels }) => levels);
  const cuts = sides.flatMap((side) => side.cuts);
  return {
    reference,
    prices,
    widenedBy,
    bids,
    asks,
    cuts,
    defended: view.halted ? [] : view.defended,
    notices: view.halted ? [] : quoteNotices({ bids, asks, cuts }, rules, prices),
  };
}

const NO_QUOTES = {
  prices: null,
  widenedBy: null,
  bids: [],
  asks: [],
  cuts: [],
  defended: [],
  notices: ["no_reference"],
} as const satisfies Omit<QuotePlan, "reference">;

function quotedPrices(
  reference: Decimal,
  rules: QuoteRules,
  { market, volatility, interval, inventory, freeQuote }: QuoteView,
): QuotePrices & Pick<QuotePlan, "widenedBy"> {
  const { halfSpread: requestedValue, target, strength, mostSkew: most } = rules;
  const half = halfSpread({
    requested: requestedValue,
    maker: market.maker,
    volatility,
    factor: rules.volatilityFactor,
    interval,
  });
  const least = half.share;
  if (rules.avellaneda) {
    const bounds = { least, widest: max(rules.widest, least), most };
    const at = { mid: statistic(reference), inventory: statistic(inventory), left: rules.avellaneda.horizon };
    const model = avellanedaShares(rules.avellaneda, at, bounds);
    const reservation = mul(reference, ONE + model.skew, "half");
    return { reference, reservation, halfSpread: model.halfSpread, widenedBy: "model" };
  }
  const share = shareOfBase(inventory, freeQuote, reference);
  const reservation = reservationPrice(reference, { share, target, strength, most });
  return { reference, reservation, halfSpread: least, widenedBy: half.because };
}

function quoteSide(side: Side, quoted: QuotePrices, rules: QuoteRules, view: QuoteView) {
  const { market, others, inventory, halted, own } = view;
  const ticks = view.defended.includes(side) ? (rules.defence?.ticks ?? 0) : 0;
  const isPaused = ticks === "pause";
  const widened = isPaused ? ZERO : widenedShare(ticks, market.tick, quoted.reservation);
  const prices = { ...quoted, halfSpread: quoted.halfSpread + widened };
  const planned = besideOthers(quoteLevelsOf(side, rules, { prices, market }), others, market);
  const clear = clearOfOwn(planned, own);
  const means = {
    free: side === "buy" ? view.freeQuote : view.freeBase,
    inventory,
    most: rules.mostBase ?? null,
    least: rules.leastBase ?? null,
    halted,
    isPaused,
  };
  const kept = affordable(clear.levels, means, market);
  return { levels: kept.levels, cuts: [...clear.cuts, ...kept.cuts] };
}

function quoteNotices(
  { bids, asks, cuts }: Pick<QuotePlan, "bids" | "asks" | "cuts">,
  { sizes }: QuoteRules,
  { reference, reservation, halfSpread: half }: QuotePrices,
): QuoteNotice[] {
  if (bids.length + asks.length === 0) return ["nothing_quoted"];
  const isPaused = cuts.some(({ because }) => because === "defended");
  const notices: QuoteNotice[] = !isPaused && (bids.length === 0 || asks.length === 0) ? ["one_sided"] : [];
  if (sizes.model !== "depth") return notices;
  const edge = mul(reference, sizes.within, "half");
  const nearest = mul(reservation, half, "half");
  const shift = reservation - reference;
  return nearest + (shift < ZERO ? -shift : shift) > edge ? [...notices, "outside_depth"] : notices;
}
