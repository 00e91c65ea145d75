import type { GridStrategy, Ledger } from "../grid/state/state.ts";
import type { Fill } from "../model/fill.ts";
import type { Account } from "./account.ts";
import { type FillLog, jumpedLog } from "./fill-log.ts";
import { type Held, type HeldRow, heldOf } from "./held.ts";
import { isUndisturbed, jump, ladderOf } from "./jump.ts";
import { joined, moveAt, type ReplayedSlot, replaySlot } from "./replayed-slot.ts";
import type { Reach, Ticks } from "./ticks.ts";
import type { WalkOptions } from "./walk-options.ts";

export interface LeapPoint {
  readonly account: Account;
  readonly bars: Ticks;
  /** The next bar. */
  readonly from: number;
  readonly wake: Reach;
  readonly fills: readonly Fill[];
  readonly held: readonly HeldRow[];
  readonly options: WalkOptions;
  readonly freeQuote: bigint;
}

export interface Leapt {
  readonly account: Account;
  readonly fills: FillLog;
  readonly held: Held;
}

/** From here to the last bar in whole numbers, where nothing but the grid's own fills can happen; undefined where more may. */
export function leap(point: LeapPoint): Leapt | undefined {
  const { account, bars, from, wake, options, fills: before, freeQuote } = point;
  const { market, rules } = options;
  const ladder = ladderOf(account, market, { rules, freeQuote });
  if (!ladder || !isUndisturbed(bars, from, wake)) return undefined;
  const { strategy } = account;
  const { state } = strategy;
  const jumps = jump(ladder, bars, { market, rules, from });
  const replayed = ladder.slots.map(({ index }, place) =>
    replaySlot(state, index, jumps.counts[place] as number, market),
  );
  const ledger = replayed.reduce<Ledger>((all, one) => joined(all, one.ledger), state.ledger);
  const slots = state.slots.map(
    (slot) => replayed.find((one) => one.slot.index === slot.index)?.slot ?? slot,
  );
  const after: GridStrategy = { ...strategy, phase: "active", state: { ...state, slots, ledger } };
  return {
    account: { ...account, strategy: after, orders: [] },
    fills: jumpedLog({ before, jumps, ladder, replayed, strategy, bars, market, rules }),
    held: heldIn(point, { ...jumps, replayed }),
  };
}

interface Moved {
  readonly count: number;
  readonly bars: Int32Array;
  readonly codes: Int32Array;
  readonly replayed: readonly ReplayedSlot[];
}

function heldIn({ held: before }: LeapPoint, { count, bars, codes, replayed }: Moved): Held {
  const held = heldOf(before, count);
  const done = new Int32Array(replayed.length);
  let place = held.bars.length - count;
  let cash = held.cash[place - 1] as number;
  let base = held.base[place - 1] as number;
  for (let i = 0; i < count; i++) {
    const slot = (codes[i] as number) >> 3;
    const move = moveAt(replayed[slot] as ReplayedSlot, done[slot] as number);
    done[slot] = (done[slot] as number) + 1;
    cash += move.cash;
    base += move.base;
    // Within one bar only what is held at its close counts.
    if (i + 1 < count && bars[i + 1] === bars[i]) continue;
    held.bars[place] = bars[i] as number;
    held.cash[place] = cash;
    held.base[place] = base;
    place++;
  }
  const column = <T extends Int32Array | Float64Array>(of: T): T => of.subarray(0, place) as T;
  return { ...held, bars: column(held.bars), cash: column(held.cash), base: column(held.base) };
}
