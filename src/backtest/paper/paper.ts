import { max, mul, ONE, snap } from "../../kernel/decimal.ts";
import type { BookedOrder } from "../../market/matching/books.ts";
import { type Corner, crossing } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Market, Quote, Side } from "../../model/market.ts";
import type { Rules } from "../tape/rules.ts";
import { fillPricesOf, type TickReach } from "../tape/ticks.ts";
import { type PaperAccount, type PaperVenue, PLENTY, paperAccount } from "./paper-account.ts";

/** An account on a venue whose price the caller sets, price point by price point. */
export interface Paper extends PaperVenue {
  /**
   * Moves the price straight to this price point: open orders on the way fill at their own price. Returns whether any
   * filled.
   */
  readonly moveTo: (corner: Corner) => boolean;
  /** Returns the prices in ticks at which the next open order fills. */
  readonly reach: () => TickReach;
  /** Returns an independent copy of its current state. */
  readonly fork: () => Paper;
}

export const paper = (
  market: Market,
  rules: Rules,
  { balances, first }: { readonly balances: readonly Balance[]; readonly first: Corner },
): Paper => paperFrom(paperAccount(market, { balances, at: first.at }), { market, rules, first });

interface PaperPrices {
  readonly market: Market;
  readonly rules: Rules;
  readonly first: Corner;
}

function paperFrom(account: PaperAccount, { market, rules, first }: PaperPrices): Paper {
  const fillPrices = fillPricesOf(market.tick, rules);
  let now = first;
  const bounds = new Map<string, number>();
  const boundOf = ({ id, side, price }: BookedOrder): number => {
    const known = bounds.get(id);
    if (known !== undefined) return known;
    const found = fillPrices[side](price);
    bounds.set(id, found);
    return found;
  };
  const isGood = (order: BookedOrder, ticks: number): boolean =>
    order.side === "buy" ? ticks <= boundOf(order) : ticks >= boundOf(order);
  const meet = (to: Corner): boolean => {
    const met = account
      .resting()
      .filter((order) => isGood(order, now.ticks) || isGood(order, to.ticks))
      .map((order) => {
        const good = (ticks: number) => isGood(order, ticks);
        return { order, at: good(now.ticks) ? now.at : crossing(now, to, good) };
      });
    for (const { order, at } of met.sort((a, b) => a.at - b.at)) {
      account.fill(order, order.amount - order.filled, at);
      bounds.delete(order.id);
    }
    return met.length > 0;
  };
  const quote = (): Quote => quoteAt(market, rules, now);
  return {
    ...account,
    quote,
    fork: () => paperFrom(account.fork(), { market, rules, first: now }),
    moveTo(corner) {
      const hasMet = meet(corner);
      now = corner;
      return hasMet;
    },
    place: (order) =>
      account.place(
        order,
        [{ price: slippedPrice(market, rules, order.side, quote()), amount: PLENTY }],
        now.at,
      ),
    cancel: (id) => account.cancel(id, now.at),
    reach() {
      let [below, above] = [-Infinity, Infinity];
      for (const order of account.resting()) {
        const bound = boundOf(order);
        if (order.side === "buy") below = Math.max(below, bound);
        else above = Math.min(above, bound);
      }
      return { below, above };
    },
  };
}

/** Returns bid and ask: half the spread, at least one tick, on both sides of the price. */
export function quoteAt({ tick }: Market, { spread }: Rules, { ticks, at }: Corner): Quote {
  const price = BigInt(ticks) * tick;
  const half = max(tick, snap(mul(price, spread / 2n, "half"), tick, "half"));
  return { bid: price - half, ask: price + half, at };
}

/** Returns the best price of the other side plus slippage. */
export const slippedPrice = ({ tick }: Market, { slippage }: Rules, side: Side, { bid, ask }: Quote) =>
  side === "buy"
    ? snap(mul(ask, ONE + slippage, "up"), tick, "up")
    : snap(mul(bid, ONE - slippage, "down"), tick, "down");
