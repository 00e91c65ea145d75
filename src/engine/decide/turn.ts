import { type Capital, type Funds, type Resting, sellPrice } from "../../grid/plan/plan.ts";
import { leaving } from "../../grid/plan/trail.ts";
import type { GridState, SlotSearch } from "../../grid/state/state.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Bounds, Terms } from "../../limits/standing.ts";
import type { Event } from "../../model/events.ts";
import { takes } from "../../model/own-orders.ts";
import type { Order, Strategy } from "../../model/records.ts";
import type { Quote, Timing } from "../../ports/deps.ts";
import type { MarketSight } from "../reconcile/observation.ts";
import { isFinal } from "../reconcile/order-life.ts";
import { isBehind } from "../reconcile/recovery.ts";
import type { Window } from "./intents.ts";
import type { OwnBase } from "./share.ts";

/** What one strategy may use of a pass. */
export interface Turn {
  readonly sight: MarketSight;
  readonly now: Millis;
  readonly window: Window;
  /** Undefined when the balances were not read. */
  readonly funds: Funds | undefined;
  readonly capital: Capital | undefined;
  readonly confidence: Decimal | undefined;
  /** Free base that no strategy of the account holds; undefined when it is not known for certain. */
  readonly ownBase: OwnBase | undefined;
  readonly resting: readonly Resting[];
  readonly killed: boolean;
  /** The switch is on, and the base is sold all the same: no further through the price than the collar. */
  readonly panics: boolean;
  /** Open orders without a row: of this database's grids, and of grids that it does not know. */
  readonly held: string | null;
  readonly stranger: string | null;
  /** An order that the exchange has taken and does not show, long after it should. */
  readonly unshown: string | null;
  readonly epoch: number;
  /** Slots of which this pass has looked up some of the next ids; undefined where that does not count. */
  readonly searched: readonly SlotSearch[] | undefined;
  readonly timing: Timing;
  readonly limit: number;
  /** Why orders wait, where it is the exchange's answers that take so long. */
  readonly slow: string | null;
  readonly bounds: Bounds;
  /** Why nothing more is placed: what all strategies with this quote have lost together. */
  readonly accountLoss: string | null;
}

export interface Advanced {
  readonly strategy: Strategy;
  readonly intents: readonly Order[];
  /** Of limits, where the intents are recorded. */
  readonly terms: Terms | null;
  readonly cancels: readonly Order[];
  /** What else there is to say of it. */
  readonly events: readonly Event[];
  /** Orders left to the person by a stop that keeps them. */
  readonly released: readonly Order[];
  readonly funds: Funds | undefined;
  /** It is active as soon as these intents are accepted. */
  readonly placing: boolean;
  readonly short: boolean;
}

/** A turn that does nothing. */
export const still = (strategy: Strategy, funds: Funds | undefined): Advanced => ({
  strategy,
  intents: [],
  terms: null,
  cancels: [],
  events: [],
  released: [],
  funds,
  placing: false,
  short: false,
});

// What was under way when the database was restored, or has no row, may still live.
export const isHeld = (strategy: Strategy, { held, unshown, epoch, now }: Turn): boolean =>
  held !== null || unshown !== null || isBehind(strategy, epoch) || now < strategy.state.heldUntil;

const mayCancel = (order: Order): boolean => order.exchangeId !== null && !isFinal(order);

export const cancellable = (live: readonly Order[]): Order[] => live.filter(mayCancel);

/**
 * Orders that stand in the way of what the grid is to become: all for a rebuild, one for a trail, any of slots
 * that are no more, and any at a price that its slot has left.
 */
export function toCancel(state: GridState, live: readonly Order[], quote?: Quote): Order[] {
  if (state.rebuild) return cancellable(live);
  const going = leaving(state)?.index;
  return cancellable(live).filter(
    (order) =>
      order.generation !== state.generation || order.slot === going || isMisplaced(state, order, quote),
  );
}

// Found after a restore, when the backup is older than the grid's last move; or placed where it could rest while its
// level would have taken, which it does not any more.
function isMisplaced({ slots }: GridState, order: Order, quote: Quote | undefined): boolean {
  const { slot: index, side, price, timeInForce } = order;
  const slot = slots.find((one) => one.index === index);
  if (!slot) return false;
  const level = side === "buy" ? slot.lower : sellPrice(slot);
  const isBetter = side === "buy" ? price < level : price > level;
  const mayStay = timeInForce === "post_only" && isBetter && (!quote || takes({ side, price: level }, quote));
  return price !== level && !mayStay;
}
