import { movementsOf } from "../../engine/reconcile/reconcile.ts";
import {
  type Decimal,
  div,
  divideWhole,
  max,
  min,
  mul,
  ONE,
  roundToStep,
  sum,
  ZERO,
} from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { ageOf, HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import { lotsFor, type Market } from "../../model/market.ts";
import type { FoundOrder } from "../../ports/kind.ts";
import { costInAll, gridPosition, releaseInventory, unsoldBase } from "../booking.ts";
import type { CenteredConfig, GridConfig } from "../state/config.ts";
import { takeLots, totalBase, withLot } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";

type LevelRange = Pick<
  GridConfig,
  "lowerPrice" | "upperPrice" | "gridLevels" | "gridSpacing" | "spacingModel" | "isSpaced"
>;

/**
 * Returns the i-th level of a range grid, rounded half-up once to whole ticks from its exact value: lower + i·(upper
 * − lower)/m, lower + i·spacing, or lower·(upper/lower)^(i/m). Levels below 0 and above m belong to a grid that has
 * moved.
 */
export function levelAt(range: LevelRange, i: number, tick: Decimal): Decimal {
  const { lowerPrice, upperPrice, gridLevels, gridSpacing, spacingModel, isSpaced } = range;
  if (spacingModel === "geometric") return geometricLevel({ lowerPrice, upperPrice, gridLevels }, i, tick);
  if (isSpaced) return divideWhole(lowerPrice + gridSpacing * BigInt(i), tick, "half") * tick;
  const exact = lowerPrice * BigInt(gridLevels) + (upperPrice - lowerPrice) * BigInt(i);
  return divideWhole(exact, tick * BigInt(gridLevels), "half") * tick;
}

/** Maximum error of a float's power, as a share: a few of its last digits. */
const NEAR = 1e-12;

/**
 * Returns the tick count t with (2t − 1)^m ≤ 2^m·L^(m−i)·U^i < (2t + 1)^m, compared in integers; with floats, a
 * rounding error could put a level on the wrong side of the market.
 */
function geometricLevel(
  { lowerPrice, upperPrice, gridLevels: m }: Pick<LevelRange, "lowerPrice" | "upperPrice" | "gridLevels">,
  i: number,
  tick: Decimal,
): Decimal {
  const power = (base: bigint, exponent: number) => base ** BigInt(Math.max(0, exponent));
  const right = 2n ** BigInt(m) * power(lowerPrice, m - i) * power(upperPrice, i);
  const factor = power(lowerPrice, i - m) * power(upperPrice, -i);
  const isAtMost = (ticks: bigint) => power((2n * ticks - 1n) * tick, m) * factor <= right;
  // A guess saves most of the large powers; where it is wrong, the search is wider and what it finds the same.
  // biome-ignore lint/plugin: a float guesses, whole numbers decide.
  const near = (Number(lowerPrice) / Number(tick)) * (Number(upperPrice) / Number(lowerPrice)) ** (i / m);
  const [below, above] = [BigInt(Math.floor(near * (1 - NEAR))), BigInt(Math.ceil(near * (1 + NEAR))) + 1n];
  let least = isAtMost(below) ? below : 0n;
  let most = least + (above > least ? above - least : 1n);
  while (isAtMost(most)) [least, most] = [most, most * 2n];
  while (most - least > 1n) {
    const middle = (least + most) / 2n;
    if (isAtMost(middle)) least = middle;
    else most = middle;
  }
  return least * tick;
}

/** Returns all initial levels of a range grid. */
export const levelsFrom = (range: LevelRange, tick: Decimal): Decimal[] =>
  Array.from({ length: range.gridLevels + 1 }, (_, i) => i).map((i) => levelAt(range, i, tick));

/** Returns whether every level is above the one before; false if the tick is too coarse for the spacing. */
export const ascends = (levels: readonly Decimal[]): boolean =>
  levels.every((level, i) => i === 0 || level > (levels[i - 1] as Decimal));

interface Apart {
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/** Returns the smallest ratio of a slot's upper price to its lower price, rounded down. */
export function leastRatio(slots: readonly Apart[]): Decimal {
  // Compared by products, because a division takes ten times as long, and every pass compares.
  const nearest = slots.reduce<Apart>(
    (least, slot) => (slot.upper * least.lower < least.upper * slot.lower ? slot : least),
    { lower: ONE, upper: 1_000_000n * ONE },
  );
  return divideWhole(nearest.upper * ONE, nearest.lower, "down");
}

/** Returns the slots between neighboring levels. */
export const slotsBetween = (levels: readonly Decimal[]): Apart[] =>
  levels.slice(1).map((upper, i) => ({ lower: levels[i] as Decimal, upper }));

/** Returns levels around a center, which is one of them; offsets are shares of the center price, nearest first. */
export function levelsAround(center: Decimal, offsets: readonly Decimal[], tick: Decimal): Decimal[] {
  const round = (price: Decimal) => divideWhole(price, tick, "half") * tick;
  const middle = round(center);
  const below = offsets.map((offset) => round(mul(middle, ONE - offset, "half"))).reverse();
  return [...below, middle, ...offsets.map((offset) => round(mul(middle, ONE + offset, "half")))];
}

/**
 * Returns the slots between neighboring levels at a market price. A slot buys if its lower price is strictly below
 * the market, otherwise it sells; selling slots are empty until they get base.
 */
export const layOut = (levels: readonly Decimal[], size: Decimal, market: Decimal): Slot[] =>
  levels.slice(1).map((upper, index) => {
    const lower = levels[index] as Decimal;
    return {
      index,
      lower,
      upper,
      size,
      side: lower < market ? "buy" : "sell",
      bought: ZERO,
      base: ZERO,
      cost: ZERO,
      sold: ZERO,
      first: false,
      cycles: 0,
      retryAt: 0,
    };
  });

/** Returns the amount in base of a slot's first order. */
export const firstAmount = (market: Market, { side, lower, upper, size }: Slot): Decimal =>
  lotsFor(market, size, side === "buy" ? lower : upper);

// True before its first pass only if the database was restored to that moment.
const hasTraded = ({ base, cost, sold }: Slot): boolean => base !== ZERO || cost !== ZERO || sold !== ZERO;

/** Returns the base that all selling slots of a starting grid need. */
export const targetBase = ({ slots }: GridState, market: Market): Decimal =>
  sum(slots.filter(({ side }) => side === "sell").map((slot) => firstAmount(market, slot)));

/**
 * Gives free base of the account to selling slots, lowest first, in whole orders, booked at the start price. From
 * then on it belongs to the strategy.
 */
export function giveFirstBase(state: GridState, market: Market, free: Decimal): GridState {
  let left = free;
  const slots = state.slots.map((slot) => {
    const amount = firstAmount(market, slot);
    if (slot.side === "buy" || hasTraded(slot) || amount > left || amount === ZERO) return slot;
    left -= amount;
    return { ...slot, base: amount, cost: mul(amount, state.startPrice, "half"), first: true };
  });
  return withFirst({ ...state, slots }, state);
}

/**
 * Returns base that a restored database does not know: what a starting grid's sell, found on the exchange, has sold
 * or offers beyond its slot's base. The grid bought it and no slot has it, and it exceeds the first base.
 */
export function forgottenBase(state: GridState, { order, fills, ended }: FoundOrder): GridState {
  const { base } = splitPair(order.symbol);
  const moved = fills
    .flatMap((fill) => movementsOf(order.symbol, fill))
    .reduce((total, { asset, amount }) => (asset === base ? total - amount : total), ZERO);
  const needed = ended ? moved : max(moved, order.amount);
  if (order.generation !== state.generation) return withIdleFor(state, needed);
  const slot = state.slots.find(({ index }) => index === order.slot);
  const lacks = slot ? needed - unsoldBase(slot) : ZERO;
  if (!slot || lacks <= ZERO) return state;
  const { drawn, rest: idle } = takeLots(state.idle, min(lacks, max(ZERO, totalBase(state.idle))));
  const own = lacks - drawn.base;
  const cost = slot.cost + drawn.cost + mul(own, state.startPrice, "half");
  const first = slot.first || drawn.first || own > ZERO;
  const given = { ...slot, base: slot.base + lacks, cost, first };
  const slots = state.slots.map((one) => (one === slot ? given : one));
  return withFirst({ ...state, slots, idle }, state);
}

/**
 * Returns the base that an order of another layout needs as idle base, because its trades are booked there. Base that
 * the slots bought before was moved to that layout; only what is lacking then was the account's, at the start price.
 */
function withIdleFor(before: GridState, needed: Decimal): GridState {
  const idleOf = ({ idle }: GridState) => max(ZERO, totalBase(idle));
  if (needed <= idleOf(before)) return before;
  const state = releaseInventory(before, () => true);
  const base = needed - idleOf(state);
  if (base <= ZERO) return state;
  const cost = mul(base, state.startPrice, "half");
  return withFirst({ ...state, idle: withLot(state.idle, { base, cost, first: true }) }, state);
}

/** Adds base that slots or the idle base got to the ledger. */
function withFirst(state: GridState, before: GridState): GridState {
  const { ledger } = state;
  const firstBase = ledger.firstBase + gridPosition(state) - gridPosition(before);
  const firstCost = ledger.firstCost + costInAll(state) - costInAll(before);
  return { ...state, ledger: { ...ledger, firstBase, firstCost } };
}

/** Maximum distance of the outermost level from the center as a share of it, including the widening for volatility. */
const FARTHEST_FROM_CENTER: Decimal = (95n * ONE) / 100n;

/**
 * Returns the distances of each side's levels from the center as shares of it, nearest first, times `widening`.
 * Linear: k·spacing. Geometric: Σ spacing·factor^(k−1). Custom: as configured.
 */
function offsetsOf(config: CenteredConfig, widening: Decimal): Decimal[] {
  const { levels, spacing, spacingModel, spacingFactor, customSpacings = [] } = config;
  const offsets: Decimal[] = [];
  let [gap, total] = [spacing, ZERO];
  for (let k = 0; k < levels; k++) {
    total = spacingModel === "custom" ? (customSpacings[k] ?? ZERO) : total + gap;
    offsets.push(total);
    if (spacingModel === "geometric") gap = mul(gap, spacingFactor, "half");
  }
  return offsets.map((offset) => mul(offset, widening, "half"));
}

/** Returns the maximum number of levels per side with an allowed outermost offset; −1 if any number is allowed. */
export function mostLevels(config: CenteredConfig): number {
  const widest = config.volatility ? 2n * ONE : ONE;
  return offsetsOf(config, widest).findIndex((offset) => offset >= FARTHEST_FROM_CENTER);
}

/** Returns multiples of the base size, nearest slot first; they sum to the number of levels, except custom ones. */
function weightsOf({ levels, sizeModel, sizeWeights = [] }: CenteredConfig): Decimal[] {
  return Array.from({ length: levels }, (_, i) => {
    if (sizeModel === "custom") return sizeWeights[i] ?? ZERO;
    // (n + 1 − k) of a sum of n(n + 1)/2, scaled to n.
    return sizeModel === "flat"
      ? ONE
      : divideWhole(2n * BigInt(levels - i) * ONE, BigInt(levels + 1), "half");
  });
}

interface CenteredContext {
  readonly config: CenteredConfig;
  readonly orderSize: Decimal;
  /** The mid price at its center. */
  readonly mid: Decimal;
  readonly widening: Decimal;
  readonly tick: Decimal;
}

/** Returns the 2n slots around a mid price, and the rounded center, which is one of their prices and starts empty. */
export function layAround({ config, orderSize, mid, widening, tick }: CenteredContext): {
  readonly center: Decimal;
  readonly levels: readonly Decimal[];
  readonly slots: readonly Slot[];
} {
  const levels = levelsAround(mid, offsetsOf(config, widening), tick);
  const center = roundToStep(mid, tick, "half");
  const weights = weightsOf(config);
  const slots = layOut(levels, orderSize, center).map((slot) => {
    const fromCenter =
      slot.index < config.levels ? config.levels - 1 - slot.index : slot.index - config.levels;
    return { ...slot, size: mul(orderSize, weights[fromCenter] ?? ONE, "down") };
  });
  return { center, levels, slots };
}

type Mids = GridState["mids"];

const WINDOW: Millis = HOUR;
/** Minimum part of the window with known prices; with less, there is no estimate. */
const MIN_WINDOW_KNOWN_MS: Millis = 30 * MINUTE;

/**
 * Adds a mid price to the window: at most one per minute, none older than an hour. Returns the same object if nothing
 * changes.
 */
export function withMid(mids: Mids, mid: Decimal, at: Millis): Mids {
  const known = mids.filter((one) => ageOf(one.at, at) <= WINDOW);
  const last = known.at(-1);
  return last && at - last.at < MINUTE ? mids : [...known, { at, mid }];
}

/** Returns (max − min)/mean of the last hour's mid prices; undefined with too few of them. */
function volatilityOf(mids: Mids, at: Millis): Decimal | undefined {
  const known = mids.filter((one) => ageOf(one.at, at) <= WINDOW);
  const [first] = known;
  if (!first || at - first.at < MIN_WINDOW_KNOWN_MS) return undefined;
  const prices = known.map(({ mid }) => mid);
  const mean = divideWhole(
    prices.reduce((total, price) => total + price, 0n),
    BigInt(prices.length),
    "half",
  );
  return div(prices.reduce(max) - prices.reduce(min), mean, "half");
}

/** Returns 1 below `low`, rising linearly to 2 at `high`; undefined if volatility is unknown. */
export function wideningOf(
  { low, high }: { low: Decimal; high: Decimal },
  { mids }: Pick<GridState, "mids">,
  at: Millis,
): Decimal | undefined {
  const volatility = volatilityOf(mids, at);
  if (volatility === undefined) return undefined;
  if (volatility <= low) return ONE;
  return volatility >= high ? 2n * ONE : ONE + div(volatility - low, high - low, "half");
}

/** A grid with its slots. */
interface LaidGrid {
  readonly config: GridConfig;
  readonly state: Pick<GridState, "slots">;
  readonly market: Market;
}

/** Returns the slots that a trailing grid can add to its initial ones. */
export function followed({ config, state, market }: LaidGrid): Slot[] {
  const { trail } = config;
  const [model] = state.slots;
  if (!trail || !model) return [];
  const at = (i: number) => levelAt(config, i, market.tick);
  const slots: Slot[] = [];
  const add = (i: number): boolean => {
    const [lower, upper] = [at(i), at(i + 1)];
    if (!ascends([lower, upper]) || lower <= ZERO) return false;
    slots.push({ ...model, lower, upper, size: config.orderSize, side: "buy", base: ZERO });
    return slots.length < MAX_SUMMED_SLOTS;
  };
  const { down, up } = trail;
  for (let i = -1; down !== undefined && at(i) >= down; i--) if (!add(i)) break;
  for (let i = config.gridLevels; up !== undefined && at(i + 1) <= up; i++) if (!add(i)) break;
  return slots;
}

/** Maximum number of slots to sum; a bound beyond it is meaningless and slow to compute. */
const MAX_SUMMED_SLOTS = 10_000;

/** Returns the largest buy and sell of slots in quote: a slot sells at its upper price what it buys at its lower one. */
export const largestOrdersOf = (slots: readonly Pick<Slot, "lower" | "upper" | "size">[]) => ({
  buy: slots.map(({ size }) => size).reduce(max, ZERO),
  sell: slots.map(({ size, lower, upper }) => div(mul(size, upper, "up"), lower, "up")).reduce(max, ZERO),
});
