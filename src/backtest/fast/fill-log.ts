import type { GridStrategy, Slot } from "../../grid/state/state.ts";
import { mul, ZERO } from "../../kernel/decimal.ts";
import { clientOrderId, parseClientOrderId, strategyTag } from "../../kernel/ids.ts";
import { crossing } from "../../market/matching/corner.ts";
import type { Fill } from "../../model/fill.ts";
import type { Market } from "../../model/market.ts";
import type { Rules } from "../tape/rules.ts";
import { fillPricesOf, type Ticks } from "../tape/ticks.ts";
import { cornersOf } from "./corners.ts";
import type { Jumps } from "./jump.ts";
import { moveAt, type ReplayedSlot } from "./replayed-slot.ts";

/** The fills of a run. Fills of a jump are counts until a caller reads them. */
export interface FillLog {
  readonly count: number;
  /** Returns the newest fills up to a limit, newest last. */
  readonly newest: (limit: number) => readonly Fill[];
  /** By slot. */
  readonly sides: ReadonlyMap<number, { readonly buys: number; readonly sells: number }>;
}

export function fillLog(fills: readonly Fill[]): FillLog {
  const sides = new Map<number, { buys: number; sells: number }>();
  for (const { clientId, side } of fills) countOn(sides, parseClientOrderId(clientId)?.slot ?? -1, side);
  return { count: fills.length, newest: (limit) => (limit === 0 ? [] : fills.slice(-limit)), sides };
}

function countOn(
  sides: Map<number, { buys: number; sells: number }>,
  slot: number,
  side: Fill["side"],
): void {
  const counted = sides.get(slot) ?? { buys: 0, sells: 0 };
  sides.set(slot, counted);
  if (side === "buy") counted.buys++;
  else counted.sells++;
}

interface Jumped {
  readonly before: readonly Fill[];
  readonly jumps: Jumps;
  readonly slots: readonly Slot[];
  readonly replayed: readonly ReplayedSlot[];
  readonly strategy: GridStrategy;
  readonly bars: Ticks;
  readonly market: Market;
  readonly rules: Rules;
}

/** Returns the fills before a jump and those in it. */
export function jumpedLog(jumped: Jumped): FillLog {
  const { before, jumps, slots } = jumped;
  const log = fillLog(before);
  const sides = new Map(log.sides);
  // A slot's fills alternate, beginning with the side of its open order.
  for (const [place, { index, side }] of slots.entries()) {
    const count = jumps.counts[place] as number;
    const [first, second] = [Math.ceil(count / 2), Math.floor(count / 2)];
    const { buys, sells } = sides.get(index) ?? { buys: 0, sells: 0 };
    const [more, less] = side === "buy" ? [first, second] : [second, first];
    sides.set(index, { buys: buys + more, sells: sells + less });
  }
  return {
    count: before.length + jumps.count,
    newest(limit) {
      const own = fillsOf(jumped, Math.max(0, jumps.count - limit));
      return [...(own.length < limit ? before.slice(-(limit - own.length)) : []), ...own];
    },
    sides,
  };
}

function fillsOf({ jumps, slots, replayed, strategy, bars, market, rules }: Jumped, from: number): Fill[] {
  const done = new Int32Array(slots.length);
  const fillPrices = fillPricesOf(market.tick, rules);
  const fills: Fill[] = [];
  for (let i = 0; i < jumps.count; i++) {
    const code = jumps.codes[i] as number;
    const index = code >> 3;
    const k = done[index] as number;
    done[index] = k + 1;
    const slot = slots[index];
    if (i < from || !slot) continue;
    const isSell = (code & 1) === 1;
    const price = isSell ? slot.upper : slot.lower;
    const { amount } = moveAt(replayed[index] as ReplayedSlot, k);
    const notional = mul(price, amount, "half");
    const inBase = !isSell && market.buyFeeIn === "base";
    const fee = mul(inBase ? amount : notional, market.maker, "up");
    const bar = jumps.bars[i] as number;
    const [left, right] = cornersAround(bars, { bar, corner: (code >> 1) & 3 }, rules.extremes);
    const bound = isSell ? fillPrices.sell(price) : fillPrices.buy(price);
    const isGood = (ticks: number) => (isSell ? ticks >= bound : ticks <= bound);
    const { number, account, symbol, id, state } = strategy;
    const key = { tag: strategyTag(number), generation: state.generation, slot: slot.index };
    fills.push({
      account,
      symbol,
      tradeId: `${bar}-${i}`,
      clientId: clientOrderId({ ...key, serial: state.serial + 1 + i }),
      strategy: id,
      side: isSell ? "sell" : "buy",
      price,
      amount,
      notional,
      fees: fee === ZERO ? [] : [{ asset: inBase ? market.base : market.quote, amount: fee }],
      at: crossing(left as never, right as never, isGood),
      superseded: false,
    });
  }
  return fills.sort((a, b) => a.at - b.at);
}

/** Returns the price path of a fill: from the previous price point to its own. */
function cornersAround(
  bars: Jumped["bars"],
  { bar, corner }: { readonly bar: number; readonly corner: number },
  extremes: Rules["extremes"],
) {
  const corners = cornersOf(bars, bar, extremes);
  const left = corner > 0 ? corners[corner - 1] : cornersOf(bars, bar - 1, extremes)[3];
  return [left, corners[corner]] as const;
}
