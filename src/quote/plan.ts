/** Plans all quotes at one moment; previews and passes use the same function. */
import { abs, type Decimal, decimal, div, max, min, mul, ONE, ZERO } from "../kernel/decimal.ts";
import { HOUR, type Millis } from "../kernel/time.ts";
import { type Market, SIDES, type Side } from "../model/market.ts";
import {
  type firstMet,
  HORIZONS,
  isToxic,
  type MeasuredFill,
  MIN_FILLS,
  pickedOffFlow,
  TOXIC_AT,
} from "../model/order.ts";
import {
  avoidTakerLevels,
  type Cut,
  clearOfOwn,
  cutToFunds,
  type Others,
  type QuoteLadder,
  type QuoteLevel,
  type QuotePrices,
  quoteLevelsOf,
} from "./levels.ts";
import { type PriceSource, type ReferencePrice, referencePrice } from "./reference.ts";
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
  const planned = avoidTakerLevels(quoteLevelsOf(side, rules, { prices, market }), others, market);
  const clear = clearOfOwn(planned, own);
  const means = {
    free: side === "buy" ? view.freeQuote : view.freeBase,
    inventory,
    most: rules.mostBase ?? null,
    least: rules.leastBase ?? null,
    halted,
    isPaused,
  };
  const kept = cutToFunds(clear.levels, means, market);
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

/**
 * Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8 (2008) 217–224.
 * Statistics use floats: an order's price is computed from shares of the reference, which are bounded decimals.
 */
interface AvellanedaModel {
  /** Risk aversion γ, per unit of quote; 0 gives its limit. */
  readonly gamma: number;
  /** σ: the price's standard deviation per square root of the time unit, in quote. */
  readonly sigma: number;
  /** k: how fast the rate of fills decreases with the distance, per unit of quote: λ(δ) = A·exp(−k·δ). */
  readonly k: number;
}

/** Equation 29: r = s − q·γ·σ²·(T − t), for an inventory of q. */
export const indifferencePrice = (
  { gamma, sigma }: AvellanedaModel,
  { mid, inventory, left }: { readonly mid: number; readonly inventory: number; readonly left: number },
): number => mid - inventory * gamma * sigma ** 2 * left;

/** Equation 30, the sum of both distances: γ·σ²·(T − t) + (2/γ)·ln(1 + γ/k); at γ = 0, its limit 2/k. */
export const optimalSpread = ({ gamma, sigma, k }: AvellanedaModel, left: number): number =>
  gamma * sigma ** 2 * left + (gamma === 0 ? 2 / k : (2 / gamma) * Math.log1p(gamma / k));

/** Spread and skew as shares of the reference price. */
interface AvellanedaShares {
  /** Distance of the reservation price above the reference; negative below it. */
  readonly skew: Decimal;
  readonly halfSpread: Decimal;
}

/**
 * Returns the model's values within the bounds: the half-spread between `least` and `widest`, the skew at most
 * `most`. If the model gives no number, it returns the widest spread without skew.
 */
export function avellanedaShares(
  model: AvellanedaModel,
  at: { readonly mid: number; readonly inventory: number; readonly left: number },
  { least, widest, most }: { readonly least: Decimal; readonly widest: Decimal; readonly most: Decimal },
): AvellanedaShares {
  const half = optimalSpread(model, at.left) / 2 / at.mid;
  const skew = indifferencePrice(model, at) / at.mid - 1;
  if (!Number.isFinite(half) || !Number.isFinite(skew)) return { skew: ZERO, halfSpread: widest };
  return { skew: boundedShare(skew, -most, most), halfSpread: boundedShare(half, least, widest) };
}

/** Maximum share before bounding, so a Decimal can be made of it. */
const MAX_FINITE_SHARE = 1e6;

const boundedShare = (value: number, least: Decimal, most: Decimal): Decimal =>
  max(least, min(most, decimal(Math.min(Math.max(value, -MAX_FINITE_SHARE), MAX_FINITE_SHARE).toFixed(18))));

/** The optional answer to a side that is picked off, within bounds that the user sets. */
export interface Defence {
  /** How many ticks the side moves away from the price, or whether it is canceled. */
  readonly ticks: number | "pause";
  /** Number of passes that it lasts after the last fill that shows the need. */
  readonly passes: number;
}

/** Formats it as input and responses do: `20:60`, or `pause:60`. */
export const formatDefence = ({ ticks, passes }: Defence): string => `${ticks}:${passes}`;

/** Maximum number of fills that a pass reads; of more, the newest. */
const FILLS_PER_PASS = 100;

const { after: DUE, late: LATE } = HORIZONS.find(
  ({ name }) => name === TOXIC_AT,
) as (typeof HORIZONS)[number];

/** Returns how long after a fill it can defend its side: until the pass that knows its later mid, and the passes after it. */
const lasting = ({ passes }: Defence, interval: Millis): Millis =>
  DUE + Math.min(LATE, interval) + passes * interval;

/** Returns how old the newest fill can be, and how many fills are needed. */
export const fillsForDefence = (defence: Defence | undefined, interval: Millis) =>
  defence && { within: lasting(defence, interval), count: FILLS_PER_PASS };

/**
 * Returns the sides to defend at a market time. It depends on the fills alone, so restarts and backtests decide alike.
 * Of two sides, only the one that was hit last is paused, so one always stays open.
 */
export function defendedSides(
  defence: Defence | undefined,
  fills: readonly MeasuredFill[],
  { at, interval }: { readonly at: Millis; readonly interval: Millis },
): readonly Side[] {
  if (!defence) return [];
  const hits = SIDES.flatMap((side) => {
    const hitAt = lastHit(fills.filter((fill) => fill.side === side && !fill.superseded));
    return hitAt !== undefined && hitAt <= at && at - hitAt <= lasting(defence, interval)
      ? [{ side, hitAt }]
      : [];
  }).sort((a, b) => b.hitAt - a.hitAt);
  return hits.slice(0, defence.ticks === "pause" ? 1 : 2).map(({ side }) => side);
}

/** Returns the time of the newest toxic fill that, with the few before it, shows that the side was picked off. */
function lastHit(fills: readonly MeasuredFill[]): Millis | undefined {
  const measured = fills.filter((fill) => fill[TOXIC_AT] !== null).sort((a, b) => a.at - b.at);
  const hit = measured.findLast((fill, index) => {
    if (!isToxic(fill, fill[TOXIC_AT] as Decimal)) return false;
    const last = measured.slice(Math.max(0, index + 1 - MIN_FILLS), index + 1);
    return pickedOffFlow(last.filter(({ at }) => fill.at - at <= HOUR)) !== undefined;
  });
  return hit?.at;
}

/** Returns how much wider the defended side is, as a share of a price. */
const widenedShare = (ticks: number, tick: Decimal, price: Decimal): Decimal =>
  div(BigInt(ticks) * tick, price, "up");

/** Standard deviation of a price's returns over a span, as a share of the price. */
export interface Volatility {
  readonly share: number;
  readonly over: Millis;
}

/** Distance of the nearest order from the reservation price, as a share of it. */
export interface HalfSpread {
  readonly share: Decimal;
  /** Which of the three distances applied. */
  readonly because: "asked" | "fees" | "volatility";
}

/**
 * Returns the largest of three: the configured half-spread, the one that covers both fees, and a factor times the
 * price's movement between two passes. A round trip at `share` earns 2·share of the notional and pays the maker fee
 * twice.
 */
export function halfSpread({
  requested: requestedValue,
  maker,
  volatility,
  factor,
  interval,
}: {
  readonly requested: Decimal;
  /** The maker fee as a share of the notional; negative for a rebate. */
  readonly maker: Decimal;
  /** Undefined if unknown; then it has no effect. */
  readonly volatility?: Volatility | undefined;
  readonly factor: Decimal;
  /** How long an order waits for the next pass. */
  readonly interval: Millis;
}): HalfSpread {
  const moves = volatility ? mul(moveWithin(volatility, interval), factor, "up") : 0n;
  if (moves > requestedValue && moves > maker) return { share: moves, because: "volatility" };
  return maker > requestedValue
    ? { share: maker, because: "fees" }
    : { share: requestedValue, because: "asked" };
}

/** Maximum price movement: an extreme estimate widens a quote, but does not remove it. */
const MAX_VOLATILITY_MOVE = 0.5;

/**
 * Returns one standard deviation of the price movement within an interval; in a random walk it grows with the square
 * root of time.
 */
export function moveWithin({ share, over }: Volatility, interval: Millis): Decimal {
  const move = share * Math.sqrt(interval / over);
  return decimal(
    (Number.isFinite(move) ? Math.min(Math.max(move, 0), MAX_VOLATILITY_MOVE) : MAX_VOLATILITY_MOVE).toFixed(
      18,
    ),
  );
}

/**
 * Returns the realized volatility of prices at irregular times: √(Σ r² / Σ Δt) (Andersen, Bollerslev, Diebold, Labys,
 * "The Distribution of Realized Exchange Rate Volatility", 2001). Undefined for fewer than two prices.
 */
export function realizedVolatility(
  prices: readonly { readonly price: number; readonly at: Millis }[],
  over: Millis,
): Volatility | undefined {
  let [squares, elapsed] = [0, 0];
  for (const [index, { price, at }] of prices.entries()) {
    const before = prices[index - 1];
    if (!before || at <= before.at || !(price > 0 && before.price > 0)) continue;
    squares += Math.log(price / before.price) ** 2;
    elapsed += at - before.at;
  }
  return elapsed > 0 ? { share: Math.sqrt((squares / elapsed) * over), over } : undefined;
}

/** Returns base's share of the inventory's value; null if the inventory is worth nothing. */
export function shareOfBase(base: Decimal, quote: Decimal, reference: Decimal): Decimal | null {
  const worth = mul(max(base, ZERO), reference, "half");
  const whole = worth + max(quote, ZERO);
  return whole > ZERO ? div(worth, whole, "half") : null;
}

/**
 * Returns the reservation price, which is the reference price adjusted for inventory: reference × (1 − (share − target)
 * × strength). With too much base, asks and bids are lower. The distance from the reference is at most the share `most`.
 */
export function reservationPrice(
  reference: Decimal,
  {
    share,
    target,
    strength,
    most,
  }: {
    readonly share: Decimal | null;
    readonly target: Decimal;
    readonly strength: Decimal;
    readonly most: Decimal;
  },
): Decimal {
  if (share === null) return reference;
  const skew = mul(share - target, strength, "half");
  return mul(reference, ONE - boundedSkew(skew, most), "half");
}

const boundedSkew = (value: Decimal, most: Decimal): Decimal => min(max(value, -abs(most)), abs(most));
