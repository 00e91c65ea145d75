import { isLasting, isOfVenue, limitedAgain, unlimited, waitsForLimit } from "../../engine/decide/intents.ts";
import { addFee } from "../../engine/reconcile/reconcile.ts";
import { type Decimal, max, mul, mulDiv, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import { isAhead, MAX_BACKOFF_MS, MINUTE, timeInPast } from "../../kernel/time.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import { accepts, leastAmount, lotsFor, type Market, meetsMinimum } from "../../model/market.ts";
import { type Funds, type Intent, type Order, type Resting, spendFunds, takes } from "../../model/order.ts";
import {
  isSameRefusal,
  lockedBy,
  NO_RESERVE,
  need,
  type Refusal,
  type Reserve,
  unreadFunds,
} from "../../model/strategy.ts";
import { costInAll, flattened, gridPosition, unsoldBase } from "../booking.ts";
import { quoteFee } from "../ladder/check-rules.ts";
import { followed, targetBase } from "../ladder/levels.ts";
import { totalBase } from "../state/lots.ts";
import type { GridConfig, GridState, GridStrategy, Ledger, Slot } from "../state/state.ts";
import {
  beyondRoom,
  committed,
  lacksBase,
  makerPriced,
  roomAfter,
  roomsOf,
  sellPrice,
  slotSale,
  type TargetOrder,
  targetOrderOf,
  turn,
  type View,
} from "./first-buy.ts";

export interface NextOrders {
  readonly next: GridState;
  /** Nearest the market first. */
  readonly intents: readonly Intent[];
  readonly funds: Funds | undefined;
  /** Number of slots whose order did not fit in this pass. */
  readonly postponed: number;
}

const KEPT_BACK = {
  reason: "inventory_missing",
  detail: "another slot has already sold this base and buys it back first",
} as const;

/** Returns the next order of each slot without one, and why other slots place none. */
export function nextOrders(state: GridState, view: View): NextOrders {
  const mid = midOf(view.quote);
  let { funds, capital, resting, bounds, room } = view;
  let postponed = 0;
  const intents: Intent[] = [];
  const refused: Refusal[] = [...(view.unclear ?? [])];
  const planned = new Map<number, Slot>();

  const free = nearestFirst(
    state.slots.filter(({ index }) => !view.busy.has(index)),
    mid,
  );
  const kept = retainedSlots(state, free);
  const reinvested = reinvestedOf(state, view.config);
  let needed = reinvested.profit === ZERO ? ZERO : sum(free.map((slot) => plainNeed(slot, view.market)));
  let { ledger } = state;
  for (const slot of free) {
    const isDoubted = view.isDoubted || view.isRecovering || kept.has(slot.index);
    // The initial buy buys this slot's base: a buy of the slot itself would be a second one.
    const first = state.firstBuy && lacksBase(slot) ? slot : turn(slot, view.market, mid);
    const credited = asCredited(first, { ...view, funds, isDoubted });
    const turned = credited.lacks > ZERO ? turn(credited.slot, view.market, mid) : credited.slot;
    ledger = withoutBase(ledger, view.market.base, credited.lacks);
    const left = { ...view, funds, capital, resting, bounds, room };
    if (needed > ZERO) needed = max(ZERO, needed - plainNeed(slot, view.market));
    const larger = orderNow(withReinvested(turned, reinvested), left, { state, kept });
    // What was withdrawn, or is needed by the slots after it, cannot be reinvested: the configured size is bought.
    const isTooLarge =
      isBetweenCycles(turned) &&
      larger.slot.grown !== undefined &&
      (larger.refusal !== undefined || leavesLess(needed, larger.wish, left));
    const {
      slot: acting,
      whole,
      wish,
      refusal,
    } = isTooLarge ? orderNow(withoutReinvested(turned), left, { state, kept }) : larger;
    planned.set(slot.index, acting);
    if (refusal) {
      const result = backedOff(acting, refusal, view);
      planned.set(slot.index, result.slot);
      refused.push({ slot: slot.index, ...result.refusal });
    } else if (!wish) continue;
    else if (intents.length >= view.limit) postponed++;
    else {
      intents.push({ slot: slot.index, ...wish });
      planned.set(slot.index, withPart(unlimited(acting), wish !== whole && wish.amount !== whole?.amount));
      resting = [...resting, wish];
      funds = funds && spendNeed(funds, view.market, wish);
      capital = capital && committed(capital, view.market, wish);
      bounds = bounds && boundsAfter(bounds, limitOrderOf(wish, view.market), view.quote);
      room = roomAfter(room, wish);
    }
  }
  const booked = ledger === state.ledger ? state : { ...state, ledger };
  return { next: nextState(booked, planned, refused), intents, funds, postponed };
}

interface OrderNow {
  readonly slot: Slot;
  readonly whole: TargetOrder | undefined;
  /** The part of it that limits allow. */
  readonly wish: TargetOrder | undefined;
  readonly refusal: Omit<Refusal, "slot"> | undefined;
}

/** Returns a slot's order with what is left in this pass, and why it is not placed. */
function orderNow(
  slot: Slot,
  view: View,
  { state, kept }: { readonly state: GridState; readonly kept: ReadonlySet<number> },
): OrderNow {
  const whole = makerPriced(asFunded(targetOrderOf(slot, view.market), view), view);
  const wish = slotSale(whole, slot, view);
  const isKept = wish?.side === "sell" && kept.has(slot.index);
  return { slot, whole, wish, refusal: isKept ? KEPT_BACK : refuse(slot, wish, view, state) };
}

const isBetweenCycles = ({ side, bought }: Slot): boolean => side === "buy" && bought === ZERO;

/** Profit to reinvest, and the sum of the slots' configured sizes over which it is spread. */
interface Reinvested {
  readonly profit: Decimal;
  readonly over: Decimal;
}

/** Returns what a grid reinvests; one that a limit counted at its start stays within the orders that were counted. */
const reinvestedOf = (
  { ledger, slots }: GridState,
  { reinvest = ZERO, bound }: View["config"],
): Reinvested => ({
  profit: bound ? ZERO : mul(max(ZERO, ledger.realized), reinvest, "down"),
  over: sum(slots.map(configuredSize)),
});

/**
 * Returns a slot that begins a cycle with its part of the reinvested profit: its configured size · (1 + share ·
 * max(0, realized)/Σ configured sizes). All slots grow in proportion, and together by no more than was realized.
 */
function withReinvested(slot: Slot, { profit, over }: Reinvested): Slot {
  if (!isBetweenCycles(slot)) return slot;
  const size = configuredSize(slot);
  const grown = profit === ZERO ? ZERO : mulDiv(profit, { times: size, over }, "down");
  if (grown === (slot.grown ?? ZERO)) return slot;
  return grown === ZERO ? withoutReinvested(slot) : { ...slot, size: size + grown, grown };
}

function withoutReinvested(slot: Slot): Slot {
  if (slot.grown === undefined) return slot;
  const { grown: _, ...rest } = slot;
  return { ...rest, size: configuredSize(slot) };
}

/** Returns the quote for a slot's next buy without reinvested profit. */
function plainNeed(slot: Slot, market: Market): Decimal {
  const wish = targetOrderOf(isBetweenCycles(slot) ? withoutReinvested(slot) : slot, market);
  return wish?.side === "buy" ? need(market, wish).amount : ZERO;
}

const leavesLess = (needed: Decimal, wish: TargetOrder | undefined, { market, funds }: View): boolean =>
  wish !== undefined &&
  funds !== undefined &&
  (funds[market.quote] ?? ZERO) - need(market, wish).amount < needed;

const configuredSize = ({ size, grown = ZERO }: Slot): Decimal => size - grown;

/** A larger share of a sell than one in this many was not lost by rounding: something else locks it. */
const ROUNDED_PART = 100n;

type Account = Pick<View, "market" | "now" | "funds" | "readLag" | "isDoubted">;

/**
 * Returns a selling slot with the base that the account has. An exchange can credit fewer decimals than its trades
 * have. What is missing is then a small part of the sell; when reads have shown it for a minute, it is booked.
 */
function asCredited(slot: Slot, view: Account): { readonly slot: Slot; readonly lacks: Decimal } {
  const { lacksSince, ...others } = slot;
  const { market, funds, now, readLag } = view;
  if (!funds || funds[market.base] === null || readLag === undefined) return { slot, lacks: ZERO };
  const wish = targetOrderOf(slot, market);
  const lacks = wish?.side === "sell" ? wish.amount - (funds[market.base] ?? ZERO) : ZERO;
  const isRounded = wish && lacks < leastAmount(market, wish.price) && lacks * ROUNDED_PART <= wish.amount;
  if (lacks <= ZERO || !isRounded) return { slot: lacksSince === undefined ? slot : others, lacks: ZERO };
  const since = view.isDoubted ? undefined : timeInPast(lacksSince, now);
  // The balances of one pass prove nothing: it can have read them before its last fill.
  if (since === undefined || now - since < Math.max(readLag, MINUTE))
    return { slot: since === undefined ? { ...slot, lacksSince: now } : slot, lacks: ZERO };
  return { slot: { ...flattened(others), base: unsoldBase(slot) - lacks }, lacks };
}

/** Books base that was never credited, like a fee. */
const withoutBase = (ledger: Ledger, base: string, lacks: Decimal): Ledger =>
  lacks === ZERO
    ? ledger
    : {
        ...ledger,
        fees: addFee(ledger.fees, { asset: base, amount: lacks }),
        moved: addFee(ledger.moved, { asset: base, amount: -lacks }),
      };

/** Share of its quote that a buy can lack and is still placed, for less: credits of quote are rounded, too. */
const ROUNDED_SHARE = 1000n;

function asFunded(
  wish: TargetOrder | undefined,
  { market, funds, readLag }: Account,
): TargetOrder | undefined {
  if (wish?.side !== "buy" || !funds || readLag === undefined) return wish;
  const { amount: needed } = need(market, wish);
  const free = funds[market.quote] ?? ZERO;
  if (needed <= free || (needed - free) * ROUNDED_SHARE > needed) return wish;
  const amount = lotsFor(market, free, need(market, { ...wish, amount: ONE }).amount);
  return meetsMinimum(market, wish.price, amount) ? { ...wish, amount } : wish;
}

/** Returns a slot with whether its order is a part of its sell. */
function withPart(slot: Slot, isPart: boolean): Slot {
  if ((slot.isPart ?? false) === isPart) return slot;
  const { isPart: _, ...rest } = slot;
  return isPart ? { ...rest, isPart } : rest;
}

// Returns the same state if nothing changed, so a pass without changes writes nothing.
function nextState(
  state: GridState,
  planned: ReadonlyMap<number, Slot>,
  refusals: readonly Refusal[],
): GridState {
  const refused = [...refusals].sort((a, b) => a.slot - b.slot);
  const same =
    refused.length === state.refused.length &&
    refused.every((refusal, i) => isSameRefusal(refusal, state.refused[i])) &&
    state.slots.every((slot) => (planned.get(slot.index) ?? slot) === slot);
  return same
    ? state
    : { ...state, slots: state.slots.map((slot) => planned.get(slot.index) ?? slot), refused };
}

const nearestFirst = (slots: readonly Slot[], mid: Decimal): Slot[] => {
  const distance = (slot: Slot) => {
    const away = (slot.side === "buy" ? slot.lower : sellPrice(slot)) - mid;
    return away < ZERO ? -away : away;
  };
  return [...slots].sort((a, b) =>
    distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : a.index - b.index,
  );
};

function spendNeed(funds: Funds, market: Market, wish: TargetOrder): Funds {
  const { asset, amount } = need(market, wish);
  return spendFunds(funds, asset, amount);
}

/** Returns base that slots sold beyond what they had, in orders found after a restore, when the grid had moved. */
function owedBase({ slots, idle }: Pick<GridState, "slots" | "idle">): Decimal {
  const owed = slots.reduce((sum, slot) => sum + max(ZERO, -unsoldBase(slot)), ZERO);
  return owed - totalBase(idle);
}

/** Returns slots that keep their base until the base owed by others is bought back, from the last one of `free` on. */
export function retainedSlots(
  state: Pick<GridState, "slots" | "idle">,
  free: readonly Slot[],
): ReadonlySet<number> {
  const kept = new Set<number>();
  let owed = owedBase(state);
  for (const slot of [...free].reverse()) {
    if (owed <= ZERO) return kept;
    if (unsoldBase(slot) <= ZERO) continue;
    kept.add(slot.index);
    owed -= unsoldBase(slot);
  }
  return kept;
}

function refuse(
  slot: Slot,
  wish: TargetOrder | undefined,
  view: View,
  state: GridState,
): Omit<Refusal, "slot"> | undefined {
  const { market, quote, now, killed, isRecovering, funds, resting, config } = view;
  if (!wish)
    return { reason: slot.side === "sell" && unsoldBase(slot) === ZERO ? "no_base" : "below_minimum" };
  if (killed) return { reason: "killed" };
  if (isRecovering) return { reason: "recovering" };
  if (state.halted) return { reason: "limit_loss", detail: state.halted };
  if (!accepts(market, wish.side)) return { reason: "market_closed" };
  if (isDoubtful(view)) return { reason: "low_confidence" };
  if (isAhead(slot.retryAt, now, MAX_BACKOFF_MS)) return rejectedBefore(slot, state.refused);
  if (waitsForLimit(slot, limitVersion(view))) return limitedBefore(slot, state.refused);
  const crossing = crosses(wish, resting);
  if (crossing) return crossing;
  if (config.postOnly !== false && takes(wish, quote)) return { reason: "would_take" };
  const { asset, amount } = need(market, wish);
  const unread = funds && unreadFunds(funds, asset);
  if (unread) return unread;
  if (funds && amount > (funds[asset] ?? ZERO))
    return { reason: wish.side === "buy" ? "no_quote" : "inventory_missing" };
  return (
    (wish.side === "buy" ? overLimit(amount, view) : undefined) ??
    beyondRoom(wish, view.room) ??
    beyondBounds(wish, view)
  );
}

const limitVersion = ({ now, bounds }: View) => ({ now, version: bounds?.standings.version });

/** Returns a slot's refusal with its backoff; one that already waits does not restart its backoff. */
const backedOff = (slot: Slot, refusal: Omit<Refusal, "slot">, view: View) =>
  view.backoff && !waitsForLimit(slot, limitVersion(view))
    ? limitedAgain(slot, refusal, limitVersion(view), view.backoff)
    : { slot, refusal };

const limitedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const result = before.find(({ slot, reason }) => slot === index && isLasting(reason));
  return { reason: result?.reason ?? "limit_order", ...(result?.detail ? { detail: result.detail } : {}) };
};

const isDoubtful = ({ confidence, config }: View): boolean =>
  config.confidence !== undefined && confidence !== undefined && confidence < config.confidence;

export const limitOrderOf = (wish: TargetOrder, { symbol }: Market) => ({
  symbol,
  type: "limit" as const,
  ...wish,
});

const beyondBounds = (
  wish: TargetOrder,
  { market, quote, bounds }: View,
): Omit<Refusal, "slot"> | undefined => bounds && refusedWithin(limitOrderOf(wish, market), quote, bounds);

/** Returns whether a buy exceeds its share of the capital or the reserve of quote; these limits never refuse sells. */
function overLimit(amount: Decimal, { capital, config }: View): Omit<Refusal, "slot"> | undefined {
  const over = capital && roomsOf(config, capital).find(({ room }) => amount > room);
  return over && { reason: over.reason };
}

const rejectedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const result = before.find(({ slot, reason }) => slot === index && isOfVenue(reason));
  return { reason: result?.reason ?? "rejected", ...(result?.detail ? { detail: result.detail } : {}) };
};

const crosses = (
  { side, price }: TargetOrder,
  resting: readonly Resting[],
): Omit<Refusal, "slot"> | undefined => {
  const met = resting.find(
    (other) => other.side !== side && (side === "buy" ? other.price <= price : other.price >= price),
  );
  const id = met && (met.order?.exchangeId ?? met.order?.clientId ?? met.id);
  return (
    met && { reason: "would_self_cross", ...(id ? { detail: `it could fill against order ${id}` } : {}) }
  );
};

/**
 * Returns the free quote and base without which a slot of the grid would have to wait: for its buy, for the buy after
 * its sell, or for the base of its sell, including fees. Balances that its orders lock are not free, and not counted.
 */
export function reserveOf(strategy: GridStrategy, orders: readonly Order[], market: Market): Reserve {
  const { state, status, wants, config } = strategy;
  if (status === "stopped") return NO_RESERVE;
  const { maxPosition, safetyReserve } = config;
  const shares = { maxPosition, safetyReserve };
  const locked = lockedBy(strategy, orders, market);
  const base = max(ZERO, gridPosition(state) + unbegun(strategy, market) - locked.base);
  // An exiting grid sells its base, and buys nothing more.
  if (wants === "stop" || state.exit) return { quote: ZERO, base, locked, ...shares };
  return { quote: max(ZERO, runningQuote(strategy, market) - locked.quote), base, locked, ...shares };
}

/** Returns the account's base that a grid takes when it starts. */
const unbegun = ({ phase, config, state }: GridStrategy, market: Market): Decimal =>
  phase === "starting" && config.useOwnBase !== false ? targetBase(state, market) : ZERO;

/** Returns the quote that keeps every slot funded, including what its orders lock. */
export function runningQuote(
  { config, state }: { readonly config: GridConfig; readonly state: Pick<GridState, "slots" | "idle"> },
  market: Market,
): Decimal {
  const fees = ONE + quoteFee(market);
  const whole = ({ size }: Pick<Slot, "size">) => mul(size, fees, "up");
  // After a rebuild any of its slots can buy, and its base belongs to none of them.
  if (config.centered) return sum(state.slots.map(whole));
  const now = sum(state.slots.map((slot) => max(ZERO, whole(slot) - broughtBy(slot, market))));
  if (!config.trail) return now;
  const all = [...state.slots, ...followed({ config, state, market })];
  return max(now, sum(all.map(whole)) - costInAll(state));
}

/** Returns what a slot has spent in this cycle, or what its sell will bring. */
function broughtBy(slot: Slot, market: Market): Decimal {
  if (slot.side === "buy") return mul(slot.bought, slot.lower, "down");
  const fee = max(market.maker, market.taker);
  return mul(mul(unsoldBase(slot), sellPrice(slot), "down"), ONE - fee, "down");
}
