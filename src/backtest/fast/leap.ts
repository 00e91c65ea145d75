import type { GridStrategy, Ledger, Slot } from "../../grid/state/state.ts";
import type { Fill } from "../../model/fill.ts";
import { type PositionRow, type Positions, positionsOf, UNKNOWN } from "../paper/positions.ts";
import type { StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import type { WalkOptions } from "../paper/walk-options.ts";
import type { TickReach, Ticks } from "../tape/ticks.ts";
import { type FillLog, jumpedLog } from "./fill-log.ts";
import { isUndisturbed, type Jumps, jump, type Rungs } from "./jump.ts";
import { type Ladder, ladderOf } from "./ladder.ts";
import { joinedLedgers, moveAt, type ReplayedSlot, replaySlot } from "./replayed-slot.ts";

export interface LeapPoint {
  readonly account: StrategyOnPaper;
  readonly bars: Ticks;
  /** The next bar. */
  readonly from: number;
  readonly wake: TickReach;
  readonly fills: readonly Fill[];
  readonly positions: readonly PositionRow[];
  readonly options: WalkOptions;
  readonly freeQuote: bigint;
}

export interface Leapt {
  readonly account: StrategyOnPaper;
  readonly fills: FillLog;
  readonly positions: Positions;
}

/** A leap that depends on passes, and the bar before which it need not be tried again. */
export interface NoLeap {
  readonly notBefore: number;
}

/** Continues to the last bar in whole numbers, if only the grid's own fills can happen. */
export function leap(point: LeapPoint): Leapt | NoLeap {
  const { account, bars, from, wake, options, fills: before, freeQuote } = point;
  const { market, rules } = options;
  const ladder = ladderOf(account, market, { rules, freeQuote });
  if (!ladder || !isUndisturbed(bars, from, wake)) return { notBefore: from + 1 };
  const { strategy } = account;
  const until = bars.count;
  const jumps = jump(ladder.rungs, bars, { extremes: rules.extremes, from, until, isExact: true });
  if (jumps.metAt !== undefined) return { notBefore: jumps.metAt + 1 };
  const slots = armedSlots(ladder, jumps);
  const state = { ...strategy.state, slots };
  const replayed = slots.map(({ index }, place) =>
    replaySlot(state, index, jumps.counts[place] as number, market),
  );
  const ledger = replayed.reduce<Ledger>(
    (all, replayedSlot) => joinedLedgers(all, replayedSlot.ledger),
    state.ledger,
  );
  const done = strategy.state.slots.map(
    (slot) => replayed.find((replayedSlot) => replayedSlot.slot.index === slot.index)?.slot ?? slot,
  );
  const after: GridStrategy = { ...strategy, state: { ...state, slots: done, ledger } };
  return {
    account: { ...account, strategy: after, orders: [] },
    fills: jumpedLog({ before, jumps, slots, replayed, strategy, bars, market, rules }),
    positions: positionsIn(point, { ...jumps, replayed, rungs: ladder.rungs }),
  };
}

/** Returns the slots before their first fill; those that began to buy did so with an order. */
const armedSlots = ({ slots, rungs }: Ladder, { armed }: Jumps): Slot[] =>
  slots.map((slot, index) => {
    if (index < rungs.armed || index >= armed) return slot;
    return { ...slot, side: "buy" };
  });

interface Moved {
  readonly count: number;
  readonly bars: Int32Array;
  readonly codes: Int32Array;
  readonly replayed: readonly ReplayedSlot[];
  readonly rungs: Rungs;
}

function positionsIn(
  { positions: before }: LeapPoint,
  { count, bars, codes, replayed, rungs }: Moved,
): Positions {
  const positions = positionsOf(before, count);
  const done = new Int32Array(replayed.length);
  let index = positions.bars.length - count;
  let cash = positions.cash[index - 1] as number;
  let base = positions.base[index - 1] as number;
  for (let i = 0; i < count; i++) {
    const code = codes[i] as number;
    const slot = code >> 3;
    const move = moveAt(replayed[slot] as ReplayedSlot, done[slot] as number);
    done[slot] = (done[slot] as number) + 1;
    cash += move.cash;
    base += move.base;
    // Within one bar, only the position at its close counts.
    if (i + 1 < count && bars[i + 1] === bars[i]) continue;
    positions.bars[index] = bars[i] as number;
    positions.cash[index] = cash;
    positions.base[index] = base;
    // Until the next fill, the price stays between the orders next to this one; above the armed slots nothing is known.
    const buying = slot + (code & 1);
    positions.least[index] = buying > 0 ? (rungs.buys[buying - 1] as number) : 0;
    positions.most[index] = buying < rungs.armed ? (rungs.sells[buying] as number) : UNKNOWN;
    index++;
  }
  const column = <T extends Int32Array | Float64Array>(of: T): T => of.subarray(0, index) as T;
  const { cash: cashes, base: bases, least, most } = positions;
  return {
    ...positions,
    ...{ bars: column(positions.bars), cash: column(cashes), base: column(bases) },
    ...{ least: column(least), most: column(most) },
  };
}
