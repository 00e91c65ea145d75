import { type Decimal, max, mul, ONE, snap } from "../kernel/decimal.ts";
import {
  applied,
  type BookChange,
  type BookedOrder,
  told,
  toldFill,
  type VenueBooks,
} from "../market/matching/books.ts";
import { type Corner, crossing } from "../market/matching/corner.ts";
import { execute, holdingsAfter } from "../market/matching/executing.ts";
import { cancel, place } from "../market/matching/placing.ts";
import type { Balance } from "../model/account.ts";
import type { Market, Quote } from "../model/market.ts";
import type { NewOrder } from "../model/order.ts";
import type { VenueFill, VenueOrder } from "../ports/venue.ts";
import type { Rules } from "./rules.ts";
import { meetingOf, type Reach } from "./ticks.ts";

/** More than anybody asks for: an order that takes finds all that it wants. */
const PLENTY: Decimal = 10n ** 12n * ONE;

/** One account on a venue whose price is told to it, corner by corner. */
export interface Paper {
  readonly quote: () => Quote;
  /** Lets the price go straight to this corner: what rests in its way fills, at its own price. Whether anything has. */
  readonly moveTo: (corner: Corner) => boolean;
  readonly place: (order: NewOrder) => Placed;
  readonly cancel: (id: string) => void;
  readonly balances: () => readonly Balance[];
  readonly openOrders: () => readonly VenueOrder[];
  /** An order as it now stands, by the id that we gave it. */
  readonly order: (clientId: string) => VenueOrder | undefined;
  /** Of an order that has ended nobody asks any more. */
  readonly forget: (clientId: string) => void;
  /** Executions that were not taken yet, oldest first. */
  readonly takeFills: () => readonly VenueFill[];
  /** The prices in ticks from which on the next resting order fills. */
  readonly reach: () => Reach;
}

export type Placed = { readonly id: string } | { readonly rejected: string; readonly wouldTake?: boolean };

export function paper(
  market: Market,
  rules: Rules,
  { balances, first }: { readonly balances: readonly Balance[]; readonly first: Corner },
): Paper {
  const meeting = meetingOf(market.tick, rules);
  let books: VenueBooks = {
    version: 1,
    settledAt: first.at,
    open: [],
    holdings: Object.fromEntries(
      balances.map(({ asset, free, used }) => [asset, { total: free + used, used }]),
    ),
  };
  let now = first;
  let fills: VenueFill[] = [];
  const orders = new Map<string, VenueOrder>();
  const bounds = new Map<string, number>();
  const commit = (change: BookChange): void => {
    books = applied(books, change);
    for (const order of change.orders) orders.set(order.clientId, told(order));
    fills.push(...change.fills.map(toldFill));
  };
  const boundOf = ({ id, side, price }: BookedOrder): number => {
    const known = bounds.get(id);
    if (known !== undefined) return known;
    const found = meeting[side](price);
    bounds.set(id, found);
    return found;
  };
  const isGood = (order: BookedOrder, ticks: number): boolean =>
    order.side === "buy" ? ticks <= boundOf(order) : ticks >= boundOf(order);
  const meet = (to: Corner): boolean => {
    const met = books.open
      .filter((order) => isGood(order, now.ticks) || isGood(order, to.ticks))
      .map((order) => {
        const good = (ticks: number) => isGood(order, ticks);
        return { order, at: good(now.ticks) ? now.at : crossing(now, to, good) };
      });
    for (const { order, at } of met.sort((a, b) => a.at - b.at)) {
      const amount = order.amount - order.filled;
      const executed = execute(order, market, { price: order.price, amount, rate: market.maker, at });
      const change = { market, before: order, after: executed.order, fills: [executed.fill] };
      commit({
        settledAt: at,
        orders: [executed.order],
        fills: [executed.fill],
        holdings: holdingsAfter(books.holdings, [change]),
      });
      bounds.delete(order.id);
    }
    return met.length > 0;
  };
  const quote = (): Quote => quoteAt(market, rules, now);
  return {
    quote,
    moveTo(corner) {
      const hasMet = meet(corner);
      now = corner;
      return hasMet;
    },
    place(order) {
      const { bid, ask } = quote();
      const price =
        order.side === "buy"
          ? snap(mul(ask, ONE + rules.slippage, "up"), market.tick, "up")
          : snap(mul(bid, ONE - rules.slippage, "down"), market.tick, "down");
      const change = place(books, order, { market, levels: [{ price, amount: PLENTY }], at: now.at });
      if ("rejected" in change) return change;
      commit(change);
      return { id: (change.orders[0] as BookedOrder).id };
    },
    cancel(id) {
      const change = cancel(books, id, { market, at: now.at });
      if (change) commit(change);
    },
    balances: () =>
      Object.entries(books.holdings).map(([asset, { total, used }]) => ({ asset, free: total - used, used })),
    openOrders: () => books.open.map((order) => orders.get(order.clientId) ?? told(order)),
    order: (clientId) => orders.get(clientId),
    forget: (clientId) => void orders.delete(clientId),
    takeFills() {
      const taken = fills;
      fills = [];
      return taken;
    },
    reach() {
      let [below, above] = [-Infinity, Infinity];
      for (const order of books.open) {
        const bound = boundOf(order);
        if (order.side === "buy") below = Math.max(below, bound);
        else above = Math.min(above, bound);
      }
      return { below, above };
    },
  };
}

/** Half the spread, at least one tick, on both sides of the price. */
export function quoteAt({ tick }: Market, { spread }: Rules, { ticks, at }: Corner): Quote {
  const price = BigInt(ticks) * tick;
  const half = max(tick, snap(mul(price, spread / 2n, "half"), tick, "half"));
  return { bid: price - half, ask: price + half, at };
}
