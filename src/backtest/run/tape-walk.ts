import type { Tape } from "../../candles/tape/tape.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { fromNumber } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { opened } from "../paper/strategy-on-paper.ts";
import { type Print, type TapePaper, tapePaper } from "../paper/tape-paper.ts";
import type { WalkOptions } from "../paper/walk-options.ts";
import type { QueueModel } from "../tape/queue.ts";
import { closeAt, type Ticks } from "../tape/ticks.ts";
import { type GridRun, makeGridPass, skipTo, type Walked, walkedTo } from "./walk.ts";

export interface TapeWalkOptions extends WalkOptions {
  readonly queue: QueueModel;
}

/** State of a run over a tape. */
interface TapeWalk extends GridRun<TapePaper> {
  readonly tape: Tape;
  /** The next book and the next trade. */
  book: number;
  print: number;
}

/** Number of trades between two checks of whether to end. */
const PRINTS_EACH = 1024;

/**
 * Runs the strategy over a tape: its own passes after every trade and book, or at each tick interval; events at the
 * same time precede the pass. An order fills at most the amounts of the trades that reach it. Yields the processed
 * trades.
 */
export function* walkingTape(
  strategy: GridStrategy,
  { tape, bars }: { readonly tape: Tape; readonly bars: Ticks },
  options: TapeWalkOptions,
): Generator<number, Walked> {
  const tapeWalk = begunOn(strategy, { tape, bars }, options);
  const end = tape.prints.times.length;
  passOn(tapeWalk, tape.prints.from);
  for (let value = 0; tapeWalk.print < end; ) {
    if (tapeWalk.print - value >= PRINTS_EACH) {
      value = tapeWalk.print;
      if (options.isOver?.(value)) break;
      yield value;
    }
    const at = nextTime(tapeWalk);
    passesUntil(tapeWalk, at);
    eventsAt(tapeWalk, at);
    if (options.rules.tickInterval === undefined && isDueOn(tapeWalk)) passOn(tapeWalk, at);
  }
  return walkedTo(tapeWalk, tapeWalk.print);
}

function begunOn(
  strategy: GridStrategy,
  { tape, bars }: Pick<TapeWalk, "tape" | "bars">,
  options: TapeWalkOptions,
): TapeWalk {
  const { market, rules, balances, queue } = options;
  const at = tape.prints.from;
  const first = printAt(bars, 0);
  const tapeWalk: TapeWalk = {
    ...{ tape, bars, options, account: opened(strategy), wake: undefined, filled: false },
    venue: tapePaper(market, rules, { balances, first, books: tape.books, queue }),
    nextPass: at + (rules.tickInterval ?? 0),
    ...{ book: 0, print: 1, fills: [], positions: [], passes: [] },
  };
  booksUntil(tapeWalk, at);
  return tapeWalk;
}

function printAt(bars: Ticks, index: number): Print {
  const { times, volume } = bars.candles;
  return {
    at: times[index] as number,
    ticks: closeAt(bars, index),
    // An unknown amount is NaN.
    amount: fromNumber(volume[index] as number),
  };
}

/** Returns the time of the next trade, or of a book before it. */
const nextTime = ({ tape: { prints, books }, print, book }: TapeWalk): Millis =>
  Math.min(prints.times[print] as number, books?.times[book] ?? Infinity);

/** Processes everything recorded up to a time: trades, then the book after them. */
function eventsAt(tapeWalk: TapeWalk, at: Millis): void {
  const { times } = tapeWalk.tape.prints;
  for (; (times[tapeWalk.print] ?? Infinity) <= at; tapeWalk.print++) {
    const { below, above } = tapeWalk.venue.reach();
    const ticks = closeAt(tapeWalk.bars, tapeWalk.print);
    if (ticks > below && ticks < above) tapeWalk.venue.see(at, ticks);
    else tapeWalk.filled = tapeWalk.venue.print(printAt(tapeWalk.bars, tapeWalk.print)) || tapeWalk.filled;
  }
  booksUntil(tapeWalk, at);
}

function booksUntil(tapeWalk: TapeWalk, at: Millis): void {
  const times = tapeWalk.tape.books?.times;
  for (; (times?.[tapeWalk.book] ?? Infinity) <= at; tapeWalk.book++) tapeWalk.venue.show(tapeWalk.book, at);
}

/** Runs the timer's passes before a time, if any: between two events only the first pass can change anything. */
function passesUntil(tapeWalk: TapeWalk, at: Millis): void {
  const interval = tapeWalk.options.rules.tickInterval;
  if (interval === undefined) return;
  while (tapeWalk.nextPass < at && isDueOn(tapeWalk)) {
    passOn(tapeWalk, tapeWalk.nextPass);
    tapeWalk.nextPass += interval;
  }
  skipTo(tapeWalk, at, interval);
}

function isDueOn({ wake, filled, venue, options }: TapeWalk): boolean {
  if (options.everyPass === true || wake === undefined || filled) return true;
  const { below, above } = venue.lastPrices();
  return below <= wake.below || above >= wake.above;
}

function passOn(tapeWalk: TapeWalk, at: Millis): void {
  tapeWalk.venue.see(at);
  makeGridPass(tapeWalk, at, tapeWalk.print - 1);
}
