import { addedDensity, type Density, NO_DENSITY } from "./density.ts";
import type { Fault } from "./faults.ts";
import type { Shape } from "./shape.ts";

/** What a worker is asked to run: seeds one after another, or one seed with something done at each of its calls. */
export type Job =
  | {
      readonly kind: "seeds";
      readonly from: number;
      readonly count: number;
      readonly shape: Shape;
      readonly mirrored?: boolean;
      /** Ends with the first seed that violates an invariant. */
      readonly untilFirst?: boolean;
    }
  | {
      readonly kind: "calls";
      readonly seed: number;
      readonly shape: Shape;
      /** `kill` puts the kill switch on there. */
      readonly faults: readonly (Fault | "kill")[];
      readonly from: number;
      readonly to: number;
    };

export interface Failure {
  /** How to run it again. */
  readonly run: string;
  readonly what: string;
}

export interface Tally {
  readonly runs: number;
  readonly passes: number;
  readonly orders: number;
  readonly fills: number;
  readonly moves: number;
  readonly calls: number;
  /** The longest that a run took to come to rest after its last fault, in its own time. */
  readonly settled: number;
  readonly density: Density;
  /** The most of any run. */
  readonly right: { readonly millis: number; readonly passes: number };
  /** Of each run, in order. */
  readonly hashes: readonly number[];
  readonly failed: readonly Failure[];
}

export const NO_TALLY: Tally = {
  runs: 0,
  passes: 0,
  orders: 0,
  fills: 0,
  moves: 0,
  calls: 0,
  settled: 0,
  density: NO_DENSITY,
  right: { millis: 0, passes: 0 },
  hashes: [],
  failed: [],
};

export const added = (a: Tally, b: Tally): Tally => ({
  runs: a.runs + b.runs,
  passes: a.passes + b.passes,
  orders: a.orders + b.orders,
  fills: a.fills + b.fills,
  moves: a.moves + b.moves,
  calls: a.calls + b.calls,
  settled: Math.max(a.settled, b.settled),
  density: addedDensity(a.density, b.density),
  right: {
    millis: Math.max(a.right.millis, b.right.millis),
    passes: Math.max(a.right.passes, b.right.passes),
  },
  hashes: [...a.hashes, ...b.hashes],
  failed: [...a.failed, ...b.failed],
});
