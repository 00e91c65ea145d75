import type { GridStrategy, Ledger } from "../grid/state/state.ts";
import type { Fill } from "../model/fill.ts";
import type { Account } from "./account.ts";
import { type FillLog, jumpedLog } from "./fill-log.ts";
import type { Held } from "./held.ts";
import { isUndisturbed, jump, ladderOf } from "./jump.ts";
import { joined, moveAt, type ReplayedSlot, replaySlot } from "./replayed-slot.ts";
import type { Reach, Ticks } from "./ticks.ts";
import type { WalkOptions } from "./walk.ts";

export interface LeapPoint {
  readonly account: Account;
  readonly bars: Ticks;
  /** The next bar. */
  readonly from: number;
  readonly wake: Reach;
  readonly fills: readonly Fill[];
  readonly held: readonly Held[];
  readonly options: WalkOptions;
  readonly freeQuote: bigint;
}

export interface Leapt {
  readonly account: Account;
  readonly fills: FillLog;
  readonly held: readonly Held[];
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

function heldIn({ held: before }: LeapPoint, { count, bars, codes, replayed }: Moved): Held[] {
  const held = [...before];
  const last = held.at(-1) as Held;
  const done = new Int32Array(replayed.length);
  let { cash, base } = last;
  for (let i = 0; i < count; i++) {
    const place = (codes[i] as number) >> 3;
    const move = moveAt(replayed[place] as ReplayedSlot, done[place] as number);
    done[place] = (done[place] as number) + 1;
    cash += move.cash;
    base += move.base;
    // Within one bar only what is held at its close counts.
    if (i + 1 < count && bars[i + 1] === bars[i]) continue;
    held.push({ bar: bars[i] as number, cash, base, low: last.low, high: last.high });
  }
  return held;
}
