import type { Pair } from "../../src/kernel/pair.ts";
import type { Trouble } from "./liveness.ts";

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;
/** The price of every symbol at the start, in ticks of 0.01. */
export const TICKS = 10_000;
export const SYMBOLS: readonly Pair[] = ["AAA/USDT", "BBB/USDT"];

export const EXCHANGE = "sim";
/** Each has an account of its own. */
export const OTHER_EXCHANGES: readonly string[] = ["sim2", "sim3"];

/** What the venue is relied upon for, and does not keep here. */
export type Bound = "expiry" | "skew" | "read lag" | "steady lag" | "steady lag, all answered";
/** All reads are alike old, and older than they may be. */
export const isSteady = (bound: Bound | undefined): boolean => bound?.startsWith("steady lag") ?? false;

export const EDITIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20] as const;
export type Edition = (typeof EDITIONS)[number];

/** Seeds from each million on draw the next edition, so that a kept seed goes on meaning the same. */
export const EDITION = 1_000_000;
/** Seeds beyond the last edition draw this one, as they did when it was the last. */
const BEYOND: Edition = 10;
export const editionOf = (seed: number): Edition => EDITIONS[Math.floor(seed / EDITION)] ?? BEYOND;

/** What is drawn from the eleventh edition on, with faults as in the sixth. */
export const IS_OF = {
  lateRestores: 11,
  quotesBesideGrids: 12,
  wrongAnswers: 13,
  accounts: 14,
  budgets: 15,
  rules: 16,
  versions: 17,
  hints: 18,
  endings: 19,
  reinvesting: 20,
} as const satisfies Record<string, Edition>;

export interface Shape {
  readonly ticks: number;
  readonly broken?: Bound;
  /** Nothing but one start, and a stop or a change where asked for, or an order by hand and a panic. */
  readonly calm?: "run" | "stop" | "panic" | "edit";
  readonly timing?: "sandbox" | "real";
  /** The first knows range grids without options, the second all options, the third fees in a token and doubts, the fourth people against ourselves, the fifth limits, the sixth a mix of faults of each seed's own, the seventh changes of running grids, the eighth databases that lose their last commits or are put back more than once, and clocks that step, the ninth, with faults as in the sixth, venues that tell of many orders in one call, rows that are refused in one batch, and stop prices that somebody watches, the tenth, with faults as in the sixth, clocks that jump and come right again, and those after it what `IS_OF` names. */
  readonly edition?: Edition;
  /** This alone goes wrong, and has come right within its bound. */
  readonly trouble?: Trouble;
  /** Of the kind that is only a test, quotes, or functions that users write, or those of the examples; a grid where nothing is said. */
  readonly strategy?: "follow" | "quote" | "declared" | "example";
  /** What becomes of the hints that the seed draws; they arrive as drawn where nothing is said. */
  readonly hints?: "removed" | "doubled" | "delayed";
  /** Of a calm run: the deeds of this kind of grid. */
  readonly grid?: "range" | "trail" | "centered" | "exit";
}
