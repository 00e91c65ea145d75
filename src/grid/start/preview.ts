import { willSellAtOnce } from "../../engine/decide/ending.ts";
import { type Decimal, decimal, max, min, mul, sum, text, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { exitsOnLoss, exposureOf, openBids, type PlannedPart } from "../../limits/allowed.ts";
import { lotsFor, type Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { StrategyStatus } from "../../model/strategy.ts";
import { canExit } from "../../model/strategy.ts";
import { gridPosition, spentOf, unsoldBase } from "../booking.ts";
import { firstAmount, followed } from "../ladder/levels.ts";
import { sellPrice } from "../plan/first-buy.ts";
import type { GridConfig } from "../state/config.ts";
import { totalBase } from "../state/lots.ts";
import type { GridState, Ledger, Slot } from "../state/state.ts";
import { beginsOf, type PlannedStart, type StartInputs } from "./planned-start.ts";
import { mostMoved } from "./worst-case.ts";

const STOP_PRICES = [
  ["stopLossPrice", "stop price"],
  ["takeProfitPrice", "take-profit price"],
] as const;

/** Describes protection that a change removes or moves further away. */
export function protectionTexts(before: GridConfig, after: GridConfig, quote: string): string[] {
  const removed = STOP_PRICES.flatMap(([field, name]) => {
    const price = before[field];
    return price === undefined || after[field] !== undefined
      ? []
      : [`it removes the ${name} of ${text(price)} ${quote}: the grid no longer sells its base there`];
  });
  const [from, to] = [before.stopLossPrice, after.stopLossPrice];
  const isLower = from !== undefined && to !== undefined && to < from;
  return isLower
    ? [...removed, `it lowers the stop price from ${text(from)} to ${text(to)} ${quote}`]
    : removed;
}

/** A running or planned grid. */
export interface ExposedGrid {
  readonly symbol: Pair;
  readonly config: GridConfig;
  readonly state: GridState;
  readonly market: Market;
  readonly mid: Decimal;
  /** Its buys that can have filled without being booked. */
  readonly buys: readonly Order[];
  /** Slots of a new ladder that will replace its own. */
  readonly laid?: readonly Slot[] | undefined;
  /** Base of the account that it has not taken yet. */
  readonly unbegun?: Decimal | undefined;
  /** Maximum that a grid without a range limit can buy; undefined if nothing limits it. */
  readonly capital: Decimal | undefined;
  /** Whether a loss limit of the account sells its base. */
  readonly exitsOnLoss: boolean;
  /** Whether its stop or take-profit price is already reached: it then sells all base in one order. */
  readonly exitsAtOnce?: boolean | undefined;
}

/** Computes what a grid can sell and buy from its current or planned slots. */
export function gridExposure(grid: ExposedGrid): Exposure {
  const { symbol, config, mid, exitsAtOnce } = grid;
  const exits = grid.exitsOnLoss || canExit(config);
  const parts = gridParts(grid);
  const exposure = exposureOf({ symbol, mid, parts, exits, note: config.centered && FOLLOWS });
  if (!exitsAtOnce || exposure.trades !== "known") return exposure;
  return { ...exposure, largest: max(exposure.largest, mul(exposure.base, mid, "up")) };
}

const FOLLOWS = "a grid that follows the market can buy without limit; set maxPosition";

function gridParts(grid: ExposedGrid): PlannedPart[] | undefined {
  const { config, state, laid, capital, unbegun = ZERO } = grid;
  const begins = { base: unbegun, quote: ZERO };
  if (config.centered) {
    if (capital === undefined) return undefined;
    const base = max(ZERO, gridPosition(state)) + unbegun;
    // A share of the capital limits its base, including its own.
    const own = (amount: Decimal) =>
      config.maxPosition === undefined ? ZERO : mul(amount, grid.mid, "down");
    const bids = openBids(grid.buys).base;
    const quote = max(ZERO, capital - own(base + bids));
    return [{ base, quote, minCounted: capital, bids: { base: bids, quote: own(bids) } }];
  }
  if (!laid) {
    const idle = { base: max(ZERO, totalBase(state.idle)), quote: ZERO };
    return [...state.slots.map((slot) => slotPart(slot, grid)), idle, begins, ...followedParts(grid)];
  }
  const inventory = { base: positionWithBuys(grid), quote: ZERO };
  return [
    ...laid.map(({ size }) => ({ base: ZERO, quote: size })),
    inventory,
    begins,
    ...followedParts(grid),
  ];
}

/** Returns its base, including what its buys may have bought. */
export const positionWithBuys = ({ state, buys }: Pick<ExposedGrid, "state" | "buys">): Decimal =>
  max(ZERO, gridPosition(state)) + openBids(buys).base;

/** A first buy can execute 1 % beyond the ask, and also buys its fee. */
const FIRST_BUY_SPARE = decimal("1.02");

/** Returns a slot's part: it sells its base or buys what it lacks; quote from a sell is not counted again. */
function slotPart(slot: Slot, { state, buys }: ExposedGrid): PlannedPart {
  const unsold = max(ZERO, unsoldBase(slot));
  const bids = openBids(
    buys.filter(({ generation, slot: index }) => generation === state.generation && index === slot.index),
  );
  const isBoughtFirst = state.firstBuy !== null && slot.side === "sell" && unsold === ZERO;
  const size = isBoughtFirst ? mul(slot.size, FIRST_BUY_SPARE, "up") : slot.size;
  const lacking = slot.side === "buy" ? size - mul(slot.bought, slot.lower, "down") : ZERO;
  return {
    base: unsold,
    quote: max(ZERO, max(lacking, size - mul(unsold, sellPrice(slot), "down")) - bids.quote),
    minCounted: slot.size,
    bids,
  };
}

const followedParts = ({ config, state, market, laid }: ExposedGrid): PlannedPart[] =>
  followed({ config, state: { slots: laid ?? state.slots }, market }).map(({ size }) => ({
    base: ZERO,
    quote: size,
  }));

/** Returns the account's base that a grid takes when it starts: at its trigger any slot can sell. */
export function unbegunBase(
  { config, state, status }: { config: GridConfig; state: GridState; status: StrategyStatus },
  market: Market,
): Decimal {
  if (config.useOwnBase === false) return ZERO;
  const unarmed = state.slots
    .filter(({ side }) => status === "idle" || side === "sell")
    .map((slot) => (status === "idle" ? lotsFor(market, slot.size, slot.upper) : firstAmount(market, slot)));
  const most = config.bound?.base;
  return most === undefined ? sum(unarmed) : min(most, sum(unarmed));
}

/** Returns the quote that a grid's limit leaves for buys; undefined without a limit. */
export const boundLeft = (
  { config, state }: Pick<ExposedGrid, "config" | "state">,
  symbol: Pair,
): Decimal | undefined =>
  config.bound && max(ZERO, config.bound.spent - spentOf(state.ledger, splitPair(symbol).quote));

/** Limits a grid's configuration to an exposure from now on. */
export function withBound(exposure: Exposure, config: GridConfig, ledger: Ledger): GridConfig {
  if (exposure.trades !== "known") return config;
  const spent = spentOf(ledger, splitPair(exposure.symbol).quote) + exposure.quote;
  return { ...config, bound: { base: exposure.base, spent } };
}

/** Returns what a start can sell and buy. */
export function exposureOfStart(planned: PlannedStart, start: StartInputs): Exposure {
  const { market, quote, bounds } = start;
  const { config } = planned.checked;
  const limits = bounds?.standings.all[0]?.limits ?? {};
  return gridExposure({
    symbol: market.symbol,
    config,
    state: planned.state,
    market,
    mid: midOf(quote),
    buys: [],
    capital: config.centered && mostMoved(beginsOf(planned, start)),
    exitsOnLoss: exitsOnLoss(limits, market.quote),
    exitsAtOnce: willSellAtOnce({ config, state: {} }, midOf(quote)),
  });
}
