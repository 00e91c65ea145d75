import { isLasting, limitedAgain, unlimited, waitsForLimit } from "../../engine/decide/limited.ts";
import { type Decimal, min, mul, snap, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import type { Capital, Funds, Intent, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote, Side } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import { need } from "../../model/need.ts";
import { takes } from "../../model/own-orders.ts";
import type { Refusal } from "../../model/strategy.ts";
import type { Timing } from "../../ports/venue.ts";
import { held } from "../ledger/booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";
import { keptBack } from "./owed.ts";

/** What a plan may know of the world. */
export interface View {
  readonly market: Market;
  readonly quote: Quote;
  /** Protocol time. */
  readonly now: Millis;
  /** Slots of this generation whose order is not settled. */
  readonly busy: ReadonlySet<number>;
  /** Slots of which the venue has not said whether it took their order. */
  readonly unclear?: readonly Refusal[];
  /** Every order of the account that rests, or may rest, on the symbol. */
  readonly resting: readonly Resting[];
  /** Undefined when the balances are not known: then nothing is refused for them. */
  readonly funds: Funds | undefined;
  readonly killed: boolean;
  /** The venue may know orders that the store does not: nothing is placed until that is settled. */
  readonly held: boolean;
  /** How many orders this pass may still place. */
  readonly limit: number;
  /** Price confidence; undefined where nobody asks for it. */
  readonly confidence?: Decimal | undefined;
  readonly config: Pick<GridConfig, "confidence" | "maxPosition" | "safetyReserve" | "postOnly">;
  /** What limits are shares of; undefined when the balances are not known. */
  readonly capital?: Capital | undefined;
  /** Undefined where no order is held to limits. */
  readonly bounds?: Bounds | undefined;
  /** Left out where nothing is tried again. */
  readonly backoff?: Timing["backoff"];
}

export interface Plan {
  readonly next: GridState;
  /** Nearest the market first. */
  readonly intents: readonly Intent[];
  readonly funds: Funds | undefined;
  /** Slots that want an order which this pass has no room for. */
  readonly postponed: number;
}

const KEPT_BACK = {
  reason: "inventory_missing",
  detail: "another slot has sold this base already and buys it back first",
} as const;

type Wish = { readonly side: Side; readonly price: Decimal; readonly amount: Decimal };

/** Which order each slot without one should rest next, and why another rests nothing. */
export function plan(state: GridState, view: View): Plan {
  const mid = midOf(view.quote);
  let { funds, capital, resting, bounds } = view;
  let postponed = 0;
  const intents: Intent[] = [];
  const refused: Refusal[] = [...(view.unclear ?? [])];
  const planned = new Map<number, Slot>();

  const free = nearestFirst(
    state.slots.filter(({ index }) => !view.busy.has(index)),
    mid,
  );
  const kept = keptBack(state, free);
  for (const slot of free) {
    const turned = turn(slot, view.market, mid);
    planned.set(slot.index, turned);
    const wish = atRest(wishOf(turned, view.market), view);
    const isKept = wish?.side === "sell" && kept.has(slot.index);
    const refusal = isKept
      ? KEPT_BACK
      : refuse(turned, wish, { ...view, funds, capital, resting, bounds }, state);
    if (refusal) {
      const told = backedOff(turned, refusal, view);
      planned.set(slot.index, told.slot);
      refused.push({ slot: slot.index, ...told.refusal });
    } else if (!wish) continue;
    else if (intents.length >= view.limit) postponed++;
    else {
      intents.push({ slot: slot.index, sequence: turned.sequence, ...wish });
      planned.set(slot.index, { ...unlimited(turned), sequence: turned.sequence + 1 });
      resting = [...resting, wish];
      funds = funds && spend(funds, view.market, wish);
      capital = capital && committed(capital, view.market, wish);
      bounds = bounds && boundsAfter(bounds, orderOf(wish, view.market), view.quote);
    }
  }
  return { next: nextState(state, planned, refused), intents, funds, postponed };
}

// The same state when nothing has changed, so that a quiet pass writes nothing.
function nextState(
  state: GridState,
  planned: ReadonlyMap<number, Slot>,
  refusals: readonly Refusal[],
): GridState {
  const refused = [...refusals].sort((a, b) => a.slot - b.slot);
  const same =
    refused.length === state.refused.length &&
    refused.every((one, i) => isSame(one, state.refused[i])) &&
    state.slots.every((slot) => (planned.get(slot.index) ?? slot) === slot);
  return same
    ? state
    : { ...state, slots: state.slots.map((slot) => planned.get(slot.index) ?? slot), refused };
}

const isSame = (a: Refusal, b: Refusal | undefined): boolean =>
  a.slot === b?.slot && a.reason === b.reason && a.detail === b.detail;

const nearestFirst = (slots: readonly Slot[], mid: Decimal): Slot[] => {
  const distance = (slot: Slot) => {
    const away = (slot.side === "buy" ? slot.lower : sellPrice(slot)) - mid;
    return away < ZERO ? -away : away;
  };
  return [...slots].sort((a, b) =>
    distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : a.index - b.index,
  );
};

/** Where a slot's sell rests. */
export const sellPrice = ({ upper, sellAt }: Slot): Decimal => sellAt ?? upper;

const sellable = ({ lot }: Market, slot: Slot): Decimal => snap(held(slot), lot, "down");

/** Base that the cycle's buy still lacks, in whole lots. */
const missing = (market: Market, slot: Slot): Decimal =>
  snap(lotsFor(market, slot.size, slot.lower) - slot.bought, market.lot, "down");

/**
 * The side on which the slot can act. A part-filled order that was cancelled is completed: what is
 * missing is bought, or what is held is sold, if that meets the minimum. A selling slot that never
 * had base becomes a buying one as soon as its lower price is below the market.
 */
function turn(slot: Slot, market: Market, mid: Decimal): Slot {
  const sells = meetsMinimum(market, sellPrice(slot), sellable(market, slot));
  if (slot.side === "buy") {
    const stuck = slot.bought > ZERO && !meetsMinimum(market, slot.lower, missing(market, slot));
    return stuck && sells ? { ...slot, side: "sell" } : slot;
  }
  if (sells) return slot;
  if (held(slot) === ZERO && slot.bought === ZERO) return slot.lower < mid ? { ...slot, side: "buy" } : slot;
  const lacking = { ...slot, bought: min(held(slot), lotsFor(market, slot.size, slot.lower)) };
  return meetsMinimum(market, slot.lower, missing(market, lacking)) ? { ...lacking, side: "buy" } : slot;
}

function wishOf(slot: Slot, market: Market): Wish | undefined {
  const wish: Wish =
    slot.side === "buy"
      ? { side: "buy", price: slot.lower, amount: missing(market, slot) }
      : { side: "sell", price: sellPrice(slot), amount: sellable(market, slot) };
  return meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;
}

/**
 * At its level, or where that would take at the nearest price that rests: better for the grid than the level. Once the
 * level rests too, the order goes back there (see turn.ts).
 */
function atRest(wish: Wish | undefined, { config, market, quote }: View): Wish | undefined {
  if (!wish || config.postOnly === false || !takes(wish, quote)) return wish;
  const price = wish.side === "buy" ? quote.bid : quote.ask;
  return price > ZERO && meetsMinimum(market, price, wish.amount) ? { ...wish, price } : wish;
}

function refuse(
  slot: Slot,
  wish: Wish | undefined,
  view: View,
  state: GridState,
): Omit<Refusal, "slot"> | undefined {
  const { market, quote, now, killed, held: isHeld, funds, resting, config } = view;
  if (!wish) return { reason: slot.side === "sell" && held(slot) === ZERO ? "no_base" : "below_minimum" };
  if (killed) return { reason: "killed" };
  if (isHeld) return { reason: "recovering" };
  if (state.halted) return { reason: "limit_loss", detail: state.halted };
  if (!market.active) return { reason: "market_closed" };
  if (isDoubtful(view)) return { reason: "low_confidence" };
  if (now < slot.retryAt) return rejectedBefore(slot, state.refused);
  if (waitsForLimit(slot, standingOf(view))) return limitedBefore(slot, state.refused);
  const crossing = crosses(wish, resting);
  if (crossing) return crossing;
  if (config.postOnly !== false && takes(wish, quote)) return { reason: "would_take" };
  const { asset, amount } = need(market, wish);
  if (funds && amount > (funds[asset] ?? ZERO))
    return { reason: wish.side === "buy" ? "no_quote" : "inventory_missing" };
  return (wish.side === "buy" ? overLimit(amount, view) : undefined) ?? beyondBounds(wish, view);
}

const standingOf = ({ now, bounds }: View) => ({ now, version: bounds?.standings.version });

/** A refusal as it stands, with what the slot remembers of it: one that waits is not refused anew. */
const backedOff = (slot: Slot, refusal: Omit<Refusal, "slot">, view: View) =>
  view.backoff && !waitsForLimit(slot, standingOf(view))
    ? limitedAgain(slot, refusal, standingOf(view), view.backoff)
    : { slot, refusal };

const limitedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const told = before.find(({ slot, reason }) => slot === index && isLasting(reason));
  return { reason: told?.reason ?? "limit_order", ...(told?.detail ? { detail: told.detail } : {}) };
};

const isDoubtful = ({ confidence, config }: View): boolean =>
  config.confidence !== undefined && confidence !== undefined && confidence < config.confidence;

const orderOf = (wish: Wish, { symbol }: Market) => ({ ...wish, symbol, type: "limit" as const });

const beyondBounds = (wish: Wish, { market, quote, bounds }: View): Omit<Refusal, "slot"> | undefined =>
  bounds && refusedWithin(orderOf(wish, market), quote, bounds);

/** Buys stay below a share of the capital, and leave a reserve of quote. Sells are refused by neither. */
function overLimit(amount: Decimal, { capital, config }: View): Omit<Refusal, "slot"> | undefined {
  if (!capital) return undefined;
  const { maxPosition, safetyReserve } = config;
  const { whole, quote, position, openBuys } = capital;
  if (maxPosition !== undefined && position + amount > mul(maxPosition, whole, "down"))
    return { reason: "max_position" };
  if (safetyReserve !== undefined && quote - openBuys - amount < mul(safetyReserve, whole, "up"))
    return { reason: "safety_reserve" };
  return undefined;
}

function committed(capital: Capital, market: Market, wish: Wish): Capital {
  if (wish.side === "sell") return capital;
  const { amount } = need(market, wish);
  return { ...capital, position: capital.position + amount, openBuys: capital.openBuys + amount };
}

const rejectedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const told = before.find(({ slot, reason }) => slot === index && isOfVenue(reason));
  return { reason: told?.reason ?? "rejected", ...(told?.detail ? { detail: told.detail } : {}) };
};

/** A refusal that the venue has caused, by what it said or did not say. */
export const isOfVenue = (reason: Refusal["reason"]): boolean =>
  reason === "rejected" || reason === "unclear";

const crosses = ({ side, price }: Wish, resting: readonly Resting[]): Omit<Refusal, "slot"> | undefined => {
  const met = resting.find(
    (other) => other.side !== side && (side === "buy" ? other.price <= price : other.price >= price),
  );
  const id = met && (met.order?.exchangeId ?? met.order?.clientId ?? met.id);
  return met && { reason: "would_self_cross", ...(id ? { detail: `it would meet order ${id}` } : {}) };
};

function spend(funds: Funds, market: Market, wish: Wish): Funds {
  const { asset, amount } = need(market, wish);
  return { ...funds, [asset]: (funds[asset] ?? ZERO) - amount };
}
