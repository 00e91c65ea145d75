import { type Decimal, div, max, min, mul, ONE, snap, text, ZERO } from "../../kernel/decimal.ts";
import { isWide } from "../../kernel/spread.ts";
import { inOneOrder } from "../../limits/one-order.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import type { Capital, Funds, Intent, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import { rejectionOf } from "../../model/rejection.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { firstAmount } from "../ladder/layout.ts";
import { unsoldBase } from "../ledger/booking.ts";
import { drawAll } from "../ledger/draw.ts";
import type { GridConfig } from "../state/config.ts";
import { totalBase } from "../state/lots.ts";
import { FIRST_BUY_SLOT, type GridState, type GridStrategy, type Slot } from "../state/state.ts";
import { committed, fitIntoShares } from "./capital.ts";
import { boundRoom, roomAfter } from "./room.ts";

/** Maximum number of these orders; slots without base after that stay without it. */
const MOST_INITIAL_BUYS = 5;

/** Returns an amount of base plus the buy's fee in base. */
const grossed = (amount: Decimal, { buyFeeIn, maker, taker, lot }: Market): Decimal =>
  buyFeeIn !== "quote" ? snap(div(amount, ONE - max(maker, taker), "up"), lot, "up") : amount;

/** Returns the limit price of an immediate order: 1 % beyond the ask or the bid. */
export const takingPrice = ({ ask }: Quote, { tick }: Market): Decimal =>
  snap(mul(ask, (101n * ONE) / 100n, "up"), tick, "up");

const lacksBase = (slot: Slot): boolean => slot.side === "sell" && unsoldBase(slot) === ZERO;

export interface FirstBuy {
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
    quote: Quote;
    bounds?: Bounds | undefined;
    capital: Capital | undefined;
    /** A sell of the account; the order buys below it. */
    under?: Decimal | undefined;
    /** Quote that the grid's limit leaves for it. */
    room?: Decimal | undefined;
  },
): { readonly state: GridState; readonly intent: Intent } | undefined {
  if (!before.firstBuy || before.firstBuy.tries >= MOST_INITIAL_BUYS) return undefined;
  const state = drawAll(before, config, market);
  const lacking = state.slots.filter(lacksBase);
  const whole = lacking.reduce((total, slot) => total + firstAmount(market, slot), ZERO);
  const all = snap(grossed(whole - totalBase(state.idle), market), market.lot, "up");
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
function costlier({ firstBuy, slots }: GridState, quote: Quote): string | null {
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
  if (killed || isRecovering || state.halted || !market.active || !funds || limit < 1) return none(state);
  const { asset, amount } = need(market, bought.intent);
  if (amount > (funds[asset] ?? ZERO)) return doubted.has(asset) ? none(state, DOUBTED) : over();
  const order = { ...bought.intent, symbol: market.symbol, type: "limit" as const };
  const refused = refusedWithin(order, quote, bounds);
  if (refused) return none(state, `the base is not bought yet: ${refused.detail}`);
  const left = { ...funds, [asset]: (funds[asset] ?? ZERO) - amount };
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
