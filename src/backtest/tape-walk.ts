import type { Tape } from "../candles/tape/tape.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import { fromNumber } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Fill } from "../model/fill.ts";
import { type PositionRow, positionFrom } from "./positions.ts";
import type { QueueModel } from "./queue.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "./strategy-on-paper.ts";
import { type Print, type TapePaper, tapePaper } from "./tape-paper.ts";
import { closeAt, type TickReach, type Ticks } from "./ticks.ts";
import { wakeOf } from "./wake.ts";
import { type Walked, walkedTo } from "./walk.ts";
import type { WalkOptions } from "./walk-options.ts";

export interface TapeWalkOptions extends WalkOptions {
  readonly queue: QueueModel;
}

/** State of a run over a tape. */
interface TapeWalk {
  readonly tape: Tape;
  readonly bars: Ticks;
  readonly options: TapeWalkOptions;
  readonly venue: TapePaper;
  account: StrategyOnPaper;
  /** Prices beyond which a pass can act; undefined if any pass can. */
  wake: TickReach | undefined;
  filled: boolean;
  nextPass: Millis;
  /** The next book and the next trade. */
  book: number;
  print: number;
  readonly fills: Fill[];
  readonly positions: PositionRow[];
  readonly passes: Millis[];
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
  const one = begunOn(strategy, { tape, bars }, options);
  const end = tape.prints.times.length;
  passOn(one, tape.prints.from);
  for (let value = 0; one.print < end; ) {
    if (one.print - value >= PRINTS_EACH) {
      value = one.print;
      if (options.isOver?.(value)) break;
      yield value;
    }
    const at = nextTime(one);
    passesUntil(one, at);
    eventsAt(one, at);
    if (options.rules.tickInterval === undefined && isDueOn(one)) passOn(one, at);
  }
  return walkedTo(one, one.print);
}

function begunOn(
  strategy: GridStrategy,
  { tape, bars }: Pick<TapeWalk, "tape" | "bars">,
  options: TapeWalkOptions,
): TapeWalk {
  const { market, rules, balances, queue } = options;
  const at = tape.prints.from;
  const first = printAt(bars, 0);
  const one: TapeWalk = {
    ...{ tape, bars, options, account: opened(strategy), wake: undefined, filled: false },
    venue: tapePaper(market, rules, { balances, first, books: tape.books, queue }),
    nextPass: at + (rules.tickInterval ?? 0),
    ...{ book: 0, print: 1, fills: [], positions: [], passes: [] },
  };
  booksUntil(one, at);
  return one;
}

function printAt(bars: Ticks, place: number): Print {
  const { times, volume } = bars.candles;
  const amount = volume[place] as number;
  return {
    at: times[place] as number,
    ticks: closeAt(bars, place),
    amount: Number.isNaN(amount) ? undefined : fromNumber(amount),
  };
}

/** Returns the time of the next trade, or of a book before it. */
const nextTime = ({ tape: { prints, books }, print, book }: TapeWalk): Millis =>
  Math.min(prints.times[print] as number, books?.times[book] ?? Infinity);

/** Processes everything recorded up to a time: trades, then the book after them. */
function eventsAt(one: TapeWalk, at: Millis): void {
  const { times } = one.tape.prints;
  for (; one.print < times.length && (times[one.print] as number) <= at; one.print++) {
    const { below, above } = one.venue.reach();
    const ticks = closeAt(one.bars, one.print);
    if (ticks > below && ticks < above) one.venue.see(at, ticks);
    else one.filled = one.venue.print(printAt(one.bars, one.print)) || one.filled;
  }
  booksUntil(one, at);
}

function booksUntil(one: TapeWalk, at: Millis): void {
  const { books } = one.tape;
  for (; books && one.book < books.times.length && (books.times[one.book] as number) <= at; one.book++)
    one.venue.show(one.book, at);
}

/** Runs the timer's passes before a time, if any: between two events only the first pass can change anything. */
function passesUntil(one: TapeWalk, at: Millis): void {
  const interval = one.options.rules.tickInterval;
  if (interval === undefined) return;
  while (one.nextPass < at && isDueOn(one)) {
    passOn(one, one.nextPass);
    one.nextPass += interval;
  }
  if (one.nextPass < at) one.nextPass += Math.ceil((at - one.nextPass) / interval) * interval;
}

function isDueOn({ wake, filled, venue, options }: TapeWalk): boolean {
  if (options.everyPass === true || wake === undefined || filled) return true;
  const { below, above } = venue.lastPrices();
  return below <= wake.below || above >= wake.above;
}

function passOn(one: TapeWalk, at: Millis): void {
  const { market } = one.options;
  const before = one.passes.length === 0 ? undefined : one.account.strategy.state.ledger;
  one.venue.see(at);
  const { account, fills, cancelled } = passOnPaper(one.account, market, one.venue, at);
  one.account = account;
  one.passes.push(at);
  one.filled = false;
  one.wake = cancelled ? undefined : wakeOf(account, market.tick);
  one.fills.push(...fills);
  const place = Math.max(0, one.print - 1);
  if (account.strategy.state.ledger !== before) one.positions.push(positionFrom(place, account.strategy));
}
