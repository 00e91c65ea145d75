/** Plans a grid's initial buy, and single orders of its slots: side, price and amount. `nextOrders` puts these together. */

import { type Decimal, div, max, min, mul, ONE, roundToStep, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { isWide } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import { inOneOrder, soldInOneOrder } from "../../limits/position.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import type { Bounds } from "../../model/limits.ts";
import { accepts, type BidAsk, lotsFor, type Market, meetsMinimum } from "../../model/market.ts";
import {
  type Capital,
  type Funds,
  type Intent,
  type Order,
  type OrderTerms,
  type Resting,
  spendFunds,
  takes,
} from "../../model/order.ts";
import { rejectionOf } from "../../model/refusal-text.ts";
import { need, type Refusal, type RefusalReason, unreadFunds } from "../../model/strategy.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import type { Timing } from "../../ports/venue.ts";
import { costInAll, drawAll, spentOf, unsoldBase } from "../booking.ts";
import { firstAmount } from "../ladder/levels.ts";
import type { GridConfig } from "../state/config.ts";
import { totalBase } from "../state/lots.ts";
import { FIRST_BUY_SLOT, type GridState, type GridStrategy, type Slot } from "../state/state.ts";

/** Maximum number of these orders; slots without base after that stay without it. */
const MAX_INITIAL_BUYS = 5;

/** Returns an amount of base plus the buy's fee in base. */
const grossed = (amount: Decimal, { buyFeeIn, maker, taker, lot }: Market): Decimal =>
  buyFeeIn !== "quote" ? roundToStep(div(amount, ONE - max(maker, taker), "up"), lot, "up") : amount;

/** Returns the limit price of an immediate order: 1 % beyond the ask or the bid. */
export const takingPrice = ({ ask }: BidAsk, { tick }: Market): Decimal =>
  roundToStep(mul(ask, (101n * ONE) / 100n, "up"), tick, "up");

export const lacksBase = (slot: Slot): boolean => slot.side === "sell" && unsoldBase(slot) === ZERO;

interface FirstBuy {
  readonly state: GridState;
  readonly intents: readonly Intent[];
  readonly funds: Funds | undefined;
  /** Limits minus this order's usage. */
  readonly bounds: Bounds | undefined;
  readonly capital: Capital | undefined;
  readonly room: Decimal | undefined;
  /** Why it waits. */
  readonly problem: string | null;
}

/** Returns the immediate order for the base that selling slots lack; undefined if there is none to place or no try left. */
export function firstBuyOf(
  before: GridState,
  config: GridConfig,
  {
    market,
    quote,
    bounds,
    capital,
    under,
    room,
  }: {
    market: Market;
    quote: BidAsk;
    bounds?: Bounds | undefined;
    capital: Capital | undefined;
    /** A sell of the account; the order buys below it. */
    under?: Decimal | undefined;
    /** Quote that the grid's limit leaves for it. */
    room?: Decimal | undefined;
  },
): { readonly state: GridState; readonly intent: Intent } | undefined {
  if (!before.firstBuy || before.firstBuy.tries >= MAX_INITIAL_BUYS) return undefined;
  const state = drawAll(before, config, market);
  const lacking = state.slots.filter(lacksBase);
  const whole = lacking.reduce((total, slot) => total + firstAmount(market, slot), ZERO);
  const all = roundToStep(grossed(whole - totalBase(state.idle), market), market.lot, "up");
  const taking = takingPrice(quote, market);
  const price = under === undefined ? taking : min(taking, under - market.tick);
  const shared = fitIntoShares(all, price, { market, config, capital });
  const most = room === undefined ? shared : min(shared, lotsFor(market, room, price));
  const amount = inOneOrder(most, { price, market, bounds });
  if (whole === ZERO || !meetsMinimum(market, price, amount)) return undefined;
  return { state, intent: { slot: FIRST_BUY_SLOT, side: "buy", price, amount } };
}

/** Counts a try when its order ends. An order that was refused here or did not leave in time is not a try. */
export const countTry = (state: GridState, { slot, reason }: Pick<Order, "slot" | "reason">): GridState =>
  state.firstBuy && slot === FIRST_BUY_SLOT && rejectionOf(reason).cause !== "not_sent"
    ? { ...state, firstBuy: { ...state.firstBuy, tries: state.firstBuy.tries + 1 } }
    : state;

const lowestSell = (resting: readonly Resting[]): Decimal | undefined =>
  resting
    .filter(({ side }) => side === "sell")
    .reduce<Decimal | undefined>(
      (least, { price }) => (least === undefined ? price : min(least, price)),
      undefined,
    );

/** Returns why it waits in a book that is too wide for a reliable price: there it pays no more than in the plan. */
function costlier({ firstBuy, slots }: GridState, quote: BidAsk): string | null {
  const planned = firstBuy?.ask;
  if (planned === undefined || !isWide(quote) || quote.ask <= planned || !slots.some(lacksBase)) return null;
  return `the base is not bought yet: the spread is wider than 2 %, and the best ask is above ${text(planned)}, that of the plan; it waits for a narrower spread or a lower ask. To buy at this ask, stop the grid and start it again`;
}

const DOUBTED = "the base is not bought yet: an unconfirmed order could have used the funds";

/** Buys the base that selling slots lack at the start, and gives it to them after the fill. */
export function firstBuy(
  strategy: GridStrategy,
  live: readonly Order[],
  context: Omit<StrategyContext, "orphan"> & { isRecovering: boolean },
): FirstBuy {
  const { state, config } = strategy;
  const { observed, funds, doubted, killed, limit, bounds, capital, resting, isRecovering } = context;
  const room = boundRoom(strategy, live);
  const none = (next: GridState, problem: string | null = null): FirstBuy => {
    return { state: next, intents: [], funds, bounds, capital, room, problem };
  };
  const { market, quote } = observed;
  const isUnderWay = live.some(({ slot }) => slot === FIRST_BUY_SLOT);
  if (!state.firstBuy || !market || !quote || isUnderWay) return none(state);
  const over = () => none({ ...drawAll(state, config, market), firstBuy: null });
  const tooCostly = costlier(state, quote);
  if (tooCostly !== null) return none(state, tooCostly);
  const under = lowestSell(resting);
  const isInWay = under !== undefined && under <= quote.ask;
  const below = isInWay ? undefined : under;
  const bought = firstBuyOf(state, config, { market, quote, bounds, capital, under: below, room });
  if (!bought) return over();
  if (isInWay) return none(state, "the base is not bought yet: an order of this account sells at the ask");
  if (killed || isRecovering || state.halted || !accepts(market, "buy") || !funds || limit < 1)
    return none(state);
  const { asset, amount } = need(market, bought.intent);
  const unread = unreadFunds(funds, asset);
  if (unread) return none(state, `the base is not bought yet: ${unread.detail}`);
  if (amount > (funds[asset] ?? ZERO)) return doubted.has(asset) ? none(state, DOUBTED) : over();
  const order = { ...bought.intent, symbol: market.symbol, type: "limit" as const };
  const refused = refusedWithin(order, quote, bounds);
  if (refused) return none(state, `the base is not bought yet: ${refused.detail}`);
  const left = spendFunds(funds, asset, amount);
  return {
    state: bought.state,
    intents: [bought.intent],
    funds: left,
    bounds: boundsAfter(bounds, order, quote),
    capital: capital && committed(capital, market, order),
    room: roomAfter(room, order),
    problem: null,
  };
}

type Shares = Pick<GridConfig, "maxPosition" | "safetyReserve">;

/** Returns the quote that each limited share of the capital leaves for further buys, including fees. */
export const roomsOf = (
  { maxPosition, safetyReserve }: Shares,
  { whole, quote, position, openBuys }: Capital,
): readonly { readonly reason: RefusalReason; readonly room: Decimal }[] => [
  ...(maxPosition === undefined
    ? []
    : [{ reason: "max_position" as const, room: mul(maxPosition, whole, "down") - position }]),
  ...(safetyReserve === undefined
    ? []
    : [{ reason: "safety_reserve" as const, room: quote - openBuys - mul(safetyReserve, whole, "up") }]),
];

/** Returns the part of a buy, in lots, that its capital limits allow; it can be zero. */
function fitIntoShares(
  amount: Decimal,
  price: Decimal,
  {
    market,
    config,
    capital,
  }: { readonly market: Market; readonly config: Shares; readonly capital: Capital | undefined },
): Decimal {
  const rooms = capital ? roomsOf(config, capital).map(({ room }) => room) : [];
  const ofOne = need(market, { side: "buy", price, amount: ONE }).amount;
  const most = rooms.map((room) =>
    room > 0n ? roundToStep(div(room, ofOne, "down"), market.lot, "down") : 0n,
  );
  return most.reduce(min, amount);
}

/** Subtracts a planned order from it. */
export function committed(capital: Capital, market: Market, order: OrderTerms): Capital {
  if (order.side === "sell") return capital;
  const { amount } = need(market, order);
  return { ...capital, position: capital.position + amount, openBuys: capital.openBuys + amount };
}

/** Adds the cost of base that the grid got in this pass to its used capital. */
export function withCost(
  capital: Capital | undefined,
  before: GridState,
  after: GridState,
): Capital | undefined {
  const cost = before === after ? 0n : costInAll(after) - costInAll(before);
  return capital && { ...capital, whole: capital.whole + cost, position: capital.position + cost };
}

/**
 * Returns the quote that further buys can spend, given its unsettled orders `live`; undefined if the grid has no limit.
 * The limit that counted its start applies to every later order.
 */
export function boundRoom(
  { config, state, symbol }: GridStrategy,
  live: readonly Order[],
): Decimal | undefined {
  if (!config.bound) return undefined;
  const open = live
    .filter(({ side }) => side === "buy")
    .map(({ price, amount, booked }) => mul(price, amount - booked, "up"));
  return max(ZERO, config.bound.spent - spentOf(state.ledger, splitPair(symbol).quote) - sum(open));
}

export const roomAfter = (
  room: Decimal | undefined,
  { side, price, amount }: TargetOrder,
): Decimal | undefined => (room === undefined || side === "sell" ? room : room - mul(price, amount, "up"));

export function beyondRoom(wish: TargetOrder, room: Decimal | undefined): Omit<Refusal, "slot"> | undefined {
  if (room === undefined || wish.side === "sell") return undefined;
  const notional = mul(wish.price, wish.amount, "up");
  if (notional <= room) return undefined;
  const detail = `a limit allows this grid to buy for ${text(room)} more, and this order needs ${text(notional)}`;
  return { reason: "limit_exposure", detail };
}

/** Data that a plan can use. */
export interface View {
  readonly market: Market;
  readonly quote: BidAsk;
  /** Protocol time. */
  readonly now: Millis;
  /** Slots of this generation with an unsettled order. */
  readonly busy: ReadonlySet<number>;
  /** Slots whose order the exchange has not confirmed. */
  readonly unclear?: readonly Refusal[];
  /** Every order of the account on the symbol that is open or can be open. */
  readonly resting: readonly Resting[];
  /** Undefined if the balances are unknown; then no order is refused for lack of funds. */
  readonly funds: Funds | undefined;
  readonly killed: boolean;
  /** Whether the exchange may have orders without a row; nothing is placed until they are resolved. */
  readonly isRecovering: boolean;
  /** Number of orders that this pass can still place. */
  readonly limit: number;
  /** Price confidence; undefined if no grid uses it. */
  readonly confidence?: Decimal | undefined;
  readonly config: Pick<
    GridConfig,
    "confidence" | "maxPosition" | "safetyReserve" | "postOnly" | "reinvest" | "bound"
  >;
  /** Basis of capital limits; undefined if the balances are unknown. */
  readonly capital?: Capital | undefined;
  /** Undefined if no limits apply to orders. */
  readonly bounds?: Bounds | undefined;
  /** Quote that the grid's limit leaves for further buys; undefined without a limit. */
  readonly room?: Decimal | undefined;
  /** Absent if nothing is retried. */
  readonly backoff?: Timing["backoff"];
  /** How long a balance can lack what was credited; undefined if nothing is retried. */
  readonly readLag?: Millis;
  /** Whether an order that is not visible may have used the base. */
  readonly isDoubted?: boolean;
}

export type TargetOrder = OrderTerms & Pick<Intent, "ownBase">;

/** Returns the price of a slot's sell. */
export const sellPrice = ({ upper, sellAt }: Slot): Decimal => sellAt ?? upper;

const sellable = ({ lot }: Market, slot: Slot): Decimal => roundToStep(unsoldBase(slot), lot, "down");

/** Returns the base that the cycle's buy still lacks, in whole lots. */
const missing = (market: Market, slot: Slot): Decimal =>
  roundToStep(lotsFor(market, slot.size, slot.lower) - slot.bought, market.lot, "down");

/**
 * Returns the side on which the slot can act. After a canceled partial fill it buys the missing amount or sells its
 * base, if that meets the minimum. A selling slot that never had base becomes a buying slot when its lower price is
 * below the market.
 */
export function turn(slot: Slot, market: Market, mid: Decimal): Slot {
  const sells = meetsMinimum(market, sellPrice(slot), sellable(market, slot));
  if (slot.side === "buy") {
    const stuck = slot.bought > ZERO && !meetsMinimum(market, slot.lower, missing(market, slot));
    return stuck && sells ? { ...slot, side: "sell" } : slot;
  }
  if (sells) return slot;
  if (unsoldBase(slot) === ZERO && slot.bought === ZERO)
    return slot.lower < mid ? { ...slot, side: "buy" } : slot;
  const lacking = { ...slot, bought: min(unsoldBase(slot), lotsFor(market, slot.size, slot.lower)) };
  return meetsMinimum(market, slot.lower, missing(market, lacking)) ? { ...lacking, side: "buy" } : slot;
}

/** Returns the nearest price that the market accepts and that is no worse: its tick can be wider than at the start. */
export const priceAtTick = (
  { side, price }: Pick<TargetOrder, "side" | "price">,
  { tick }: Pick<Market, "tick">,
) => roundToStep(price, tick, side === "buy" ? "down" : "up");

/** Returns a slot's sell as limits allow it: a slot that bought its base always sells it, in parts if necessary. */
export function slotSale(
  wish: TargetOrder | undefined,
  slot: Slot,
  { market, quote, bounds }: View,
): TargetOrder | undefined {
  if (wish?.side !== "sell" || slot.first) return wish;
  const own = { ...wish, ownBase: wish.amount };
  const order = { ...own, symbol: market.symbol, type: "limit" as const };
  const amount = soldInOneOrder(order, { quote, market, bounds });
  return { ...own, amount, ownBase: amount };
}

export function targetOrderOf(slot: Slot, market: Market): TargetOrder | undefined {
  const ideal: TargetOrder =
    slot.side === "buy"
      ? { side: "buy", price: slot.lower, amount: missing(market, slot) }
      : { side: "sell", price: sellPrice(slot), amount: sellable(market, slot) };
  const wish = { ...ideal, price: priceAtTick(ideal, market) };
  return meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;
}

/**
 * Prices an order at its level, or at the nearest price where it would be a maker order; that is better for the grid
 * than the level. When the level itself allows a maker order, the order moves back (see `outdated`).
 */
export function makerPriced(
  wish: TargetOrder | undefined,
  { config, market, quote }: View,
): TargetOrder | undefined {
  if (!wish || config.postOnly === false || !takes(wish, quote)) return wish;
  const price = wish.side === "buy" ? quote.bid : quote.ask;
  return price > ZERO && meetsMinimum(market, price, wish.amount) ? { ...wish, price } : wish;
}
