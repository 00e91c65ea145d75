/** What a grid can sell and buy, by the slots that it has or is about to have. */
import { type Decimal, decimal, max, min, mul, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { exitsOnLoss, exposureOf, openBids, type PlannedPart } from "../../limits/exposure.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor } from "../../model/minimum.ts";
import type { Order } from "../../model/order.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { StrategyStatus } from "../../model/strategy.ts";
import { followed } from "../ladder/followed.ts";
import { firstAmount } from "../ladder/layout.ts";
import { baseHeld, heldInAll } from "../ledger/booking.ts";
import { spentOf } from "../ledger/spent.ts";
import { sellPrice } from "../plan/wish.ts";
import type { GridConfig } from "../state/config.ts";
import { totalBase } from "../state/lots.ts";
import type { GridState, Ledger, Slot } from "../state/state.ts";
import { beginsOf, type PlannedStart, type StartWorld } from "./planned-start.ts";
import { mostMoved } from "./worst-case.ts";

/** A grid as it runs, or as it would. */
export interface ExposedGrid {
  readonly symbol: Pair;
  readonly config: GridConfig;
  readonly state: GridState;
  readonly market: Market;
  readonly mid: Decimal;
  /** Its buys, as far as they may have filled and are not booked. */
  readonly buys: readonly Order[];
  /** The slots of a ladder that is about to replace its own. */
  readonly laid?: readonly Slot[] | undefined;
  /** Own base that it has not taken yet. */
  readonly unbegun?: Decimal | undefined;
  /** Of one that follows the market anywhere: the most that it can buy; undefined where nothing bounds that. */
  readonly capital: Decimal | undefined;
  /** Whether a loss limit of the account sells its base. */
  readonly exitsOnLoss: boolean;
  /** Its stop or take-profit price is reached already: it sells all base in one order. */
  readonly exitsAtOnce?: boolean | undefined;
}

export function gridExposure(grid: ExposedGrid): Exposure {
  const { symbol, config, mid, exitsAtOnce } = grid;
  const { stopLossPrice, takeProfitPrice } = config;
  const exits = grid.exitsOnLoss || stopLossPrice !== undefined || takeProfitPrice !== undefined;
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
    const base = max(ZERO, heldInAll(state)) + unbegun;
    // A share of the capital bounds its base, its own included.
    const own = (amount: Decimal) =>
      config.maxPosition === undefined ? ZERO : mul(amount, grid.mid, "down");
    const bids = openBids(grid.buys).base;
    const quote = max(ZERO, capital - own(base + bids));
    return [{ base, quote, least: capital, bids: { base: bids, quote: own(bids) } }];
  }
  if (!laid) {
    const idle = { base: max(ZERO, totalBase(state.idle)), quote: ZERO };
    return [...state.slots.map((slot) => slotPart(slot, grid)), idle, begins, ...followedParts(grid)];
  }
  const held = { base: heldAndBought(grid), quote: ZERO };
  return [...laid.map(({ size }) => ({ base: ZERO, quote: size })), held, begins, ...followedParts(grid)];
}

/** What it holds, and what its buys may have brought. */
export const heldAndBought = ({ state, buys }: Pick<ExposedGrid, "state" | "buys">): Decimal =>
  max(ZERO, heldInAll(state)) + openBids(buys).base;

/** A first buy takes at up to 1 % beyond the ask, and buys its fee beside the base. */
const FIRST_BUY_SPARE = decimal("1.02");

/** A slot sells what it holds, or buys what it lacks: what a sell has returned is not counted again. */
function slotPart(slot: Slot, { state, buys }: ExposedGrid): PlannedPart {
  const held = max(ZERO, baseHeld(slot));
  const bids = openBids(
    buys.filter(({ generation, slot: index }) => generation === state.generation && index === slot.index),
  );
  const isBoughtFirst = state.firstBuy !== null && slot.side === "sell" && held === ZERO;
  const size = isBoughtFirst ? mul(slot.size, FIRST_BUY_SPARE, "up") : slot.size;
  const lacking = slot.side === "buy" ? size - mul(slot.bought, slot.lower, "down") : ZERO;
  return {
    base: held,
    quote: max(ZERO, max(lacking, size - mul(held, sellPrice(slot), "down")) - bids.quote),
    least: slot.size,
    bids,
  };
}

const followedParts = ({ config, state, market, laid }: ExposedGrid): PlannedPart[] =>
  followed({ config, state: { slots: laid ?? state.slots }, market }).map(({ size }) => ({
    base: ZERO,
    quote: size,
  }));

/** Own base that a grid takes when it begins: at its trigger any of its slots may sell. */
export function unbegunBase(
  { config, state, status }: { config: GridConfig; state: GridState; status: StrategyStatus },
  market: Market,
): Decimal {
  if (config.useOwnBase === false) return ZERO;
  const wanted = state.slots
    .filter(({ side }) => status === "idle" || side === "sell")
    .map((slot) => (status === "idle" ? lotsFor(market, slot.size, slot.upper) : firstAmount(market, slot)));
  const most = config.bound?.base;
  return most === undefined ? sum(wanted) : min(most, sum(wanted));
}

/** What the bound of a grid leaves to buy; undefined of one that has none. */
export const boundLeft = (
  { config, state }: Pick<ExposedGrid, "config" | "state">,
  symbol: Pair,
): Decimal | undefined =>
  config.bound && max(ZERO, config.bound.spent - spentOf(state.ledger, splitPair(symbol).quote));

/** The configuration of a grid that trades no more than an exposure from now on. */
export function withBound(exposure: Exposure, config: GridConfig, ledger: Ledger): GridConfig {
  if (exposure.trades !== "known") return config;
  const spent = spentOf(ledger, splitPair(exposure.symbol).quote) + exposure.quote;
  return { ...config, bound: { base: exposure.base, spent } };
}

/** What a start can sell and buy. */
export function exposureOfStart(planned: PlannedStart, start: StartWorld): Exposure {
  const { market, quote, bounds } = start;
  const { config } = planned.checked;
  const limits = bounds?.standings.all[0]?.limits ?? {};
  return gridExposure({
    ...{ symbol: market.symbol, config, state: planned.state, market, mid: midOf(quote), buys: [] },
    capital: config.centered && mostMoved(beginsOf(planned, start)),
    exitsOnLoss: exitsOnLoss(limits, market.quote),
  });
}
