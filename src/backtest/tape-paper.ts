import type { TapeBooks } from "../candles/tape.ts";
import { type Decimal, min, roundToStep, ZERO } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { BookedOrder } from "../market/matching.ts";
import type { Balance } from "../model/account.ts";
import type { BidAsk, Market } from "../model/market.ts";
import type { NewOrder } from "../model/order.ts";
import {
  DEEP_DEPTH,
  type PaperVenue,
  type Placed,
  paperAccount,
  quoteAt,
  slippedPrice,
} from "./paper-account.ts";
import { createQueues, type QueueModel } from "./queue.ts";
import { type FillPrices, fillPricesOf, type Rules, type TickReach } from "./ticks.ts";

/** One trade in whole steps; an unknown amount is enough for any order. */
export interface Print {
  readonly at: Millis;
  readonly ticks: number;
  readonly amount: Decimal | undefined;
}

/** An account on a venue whose trades and recorded books the caller reports one by one. */
export interface TapePaper extends PaperVenue {
  /** Fills the orders that a trade reaches, best price first. Returns whether any filled. */
  readonly print: (print: Print) => boolean;
  /** Advances the time; the last trade, if any, fills nothing. */
  readonly see: (at: Millis, printed?: number) => void;
  /** Shows the recorded book at this position. */
  readonly show: (index: number, at: Millis) => void;
  /** Returns the prices in steps at which a trade affects open orders. */
  readonly reach: () => TickReach;
  /** Returns the prices of the last trade, or the best prices of the last book, in steps. */
  readonly lastPrices: () => TickReach;
}

interface TapeOpening {
  readonly balances: readonly Balance[];
  readonly first: Print;
  readonly books: TapeBooks | null;
  readonly queue: QueueModel;
  /** Of the prices; the market's tick by default. */
  readonly step?: Decimal;
}

export function tapePaper(
  market: Market,
  rules: Rules,
  { balances, first, books, queue: model, step = market.tick }: TapeOpening,
): TapePaper {
  const account = paperAccount(market, { balances, at: first.at });
  const queues = createQueues(books, model);
  // A trade happens at a bid or an ask, so no spread is subtracted.
  const fillPrices = fillPricesOf(step, { fill: books ? "touch" : rules.fill, spread: ZERO });
  let [ticks, now] = [first.ticks, first.at];
  let reached: TickReach | undefined;

  function reach(): TickReach {
    reached ??= tickReachOf(account.resting(), fillPrices);
    return reached;
  }

  function print(one: Print): boolean {
    see(one.at, one.ticks);
    const at = BigInt(one.ticks) * step;
    let [left, hasFilled]: [Decimal, boolean] = [one.amount ?? DEEP_DEPTH, false];
    for (const order of reachedBy(account.resting(), one.ticks, fillPrices)) {
      if (books && order.price === at) left = queues.passed(order, one.amount && left, left);
      const amount = min(order.amount - order.filled, roundToStep(left, market.lot, "down"));
      if (amount === ZERO) continue;
      account.fill(order, amount, one.at);
      left -= amount;
      hasFilled = true;
    }
    reached = undefined;
    return hasFilled;
  }

  function see(at: Millis, printed = ticks): void {
    ticks = printed;
    now = at;
  }

  function quote(): BidAsk {
    const [bid, ask] = [queues.levels("buy", 1)[0]?.price, queues.levels("sell", 1)[0]?.price];
    return bid && ask ? { bid, ask, at: now } : quoteAt(market, rules, { at: now, ticks }, step);
  }

  function lastPrices(): TickReach {
    const { bid, ask } = quote();
    if (!books) return { below: ticks, above: ticks };
    return { below: Number(bid / step), above: Number((ask + step - 1n) / step) };
  }

  /** Fills a taker order from the other side of the book, or at the best price with slippage. */
  function placeOrder(order: NewOrder): Placed {
    const recorded = queues.levels(order.side === "buy" ? "sell" : "buy");
    const best = { price: slippedPrice(market, rules, order.side, quote()), amount: DEEP_DEPTH };
    const placed = account.place(order, recorded.length > 0 ? recorded : [best], now);
    const rests = "id" in placed && account.resting().find(({ id }) => id === placed.id);
    if (rests) queues.join(rests);
    reached = undefined;
    return placed;
  }

  return {
    ...account,
    quote,
    reach,
    lastPrices,
    print,
    see,
    place: placeOrder,
    show(place, at) {
      see(at);
      queues.show(place, account.resting());
    },
    cancel(id) {
      account.cancel(id, now);
      reached = undefined;
    },
  };
}

/** Returns the orders that a trade fills, best price first. */
const reachedBy = (
  resting: readonly BookedOrder[],
  ticks: number,
  fillPrices: FillPrices,
): readonly BookedOrder[] =>
  resting
    .filter(({ side, price }) =>
      side === "buy" ? ticks <= fillPrices.buy(price) : ticks >= fillPrices.sell(price),
    )
    .sort((a, b) => Number(a.side === "buy" ? b.price - a.price : a.price - b.price));

/** Returns the prices in steps at which a trade fills one of these orders. */
function tickReachOf(resting: readonly BookedOrder[], fillPrices: FillPrices): TickReach {
  let [below, above] = [-Infinity, Infinity];
  for (const { side, price } of resting) {
    if (side === "buy") below = Math.max(below, fillPrices.buy(price));
    else above = Math.min(above, fillPrices.sell(price));
  }
  return { below, above };
}
