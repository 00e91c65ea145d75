import type { Candles } from "../candles/candles.ts";

/** A grid as it is scanned: levels ascending, in the candles' own whole numbers; a slot lies between two of them. */
export interface ScannedGrid {
  readonly levels: Float64Array;
  /** Base that a buy of each slot brings, net of a fee taken in base. */
  readonly base: Float64Array;
  /** Quote that its buy takes and its sell brings, fees included. */
  readonly cost: Float64Array;
  readonly proceeds: Float64Array;
}

export interface Scanned {
  /** Gains in quote between equal parts of the time, marked at closes. */
  readonly gains: Float64Array;
  readonly cycles: number;
  readonly total: number;
}

/**
 * What a grid that begins with quote alone comes to over some bars: fills on cross at its levels, the nearest extreme
 * of a bar first, gaps walked through. Floats, for comparing thousands of grids; what trades is booked elsewhere.
 *
 * With complete fills a grid's state is two numbers (grid.md, identity 7): slots below `empty` wait to buy, from
 * there to `armed` they hold base, above it they wait for the price to rise above their buy price.
 */
export function scan(
  grid: ScannedGrid,
  candles: Candles,
  { parts, priceUnit }: { parts: number; priceUnit: number },
): Scanned {
  const { levels, base, cost, proceeds } = grid;
  const { open, high, low, close } = candles;
  const slots = levels.length - 1;
  const bars = close.length;
  const gains = new Float64Array(parts);
  let [empty, armed, cash, held, cycles] = [0, 0, 0, 0, 0];
  let [rises, falls] = [0, 0];

  /** The next price above or below which something happens. */
  function look(): void {
    const nextSell = empty < armed ? (levels[empty + 1] as number) : Number.POSITIVE_INFINITY;
    const nextArmed = armed < slots ? (levels[armed] as number) : Number.POSITIVE_INFINITY;
    rises = Math.min(nextSell, nextArmed);
    falls = empty > 0 ? (levels[empty - 1] as number) : Number.NEGATIVE_INFINITY;
  }

  function moveTo(price: number): void {
    while (price > rises) {
      if (empty < armed && rises === levels[empty + 1]) {
        cash += proceeds[empty] as number;
        held -= base[empty] as number;
        cycles++;
        empty++;
      } else arm();
      look();
    }
    while (price < falls) {
      empty--;
      cash -= cost[empty] as number;
      held += base[empty] as number;
      look();
    }
  }

  /** A slot above those that hold base can only wait to buy when none below it holds any. */
  function arm(): void {
    if (empty === armed) empty++;
    armed++;
  }

  const first = open[0] as number;
  while (armed < slots && (levels[armed] as number) < first) armed++;
  empty = armed;
  look();
  let [before, part] = [0, 0];
  for (let bar = 0; bar < bars; bar++) {
    const [top, bottom] = [high[bar] as number, low[bar] as number];
    if (top > rises || bottom < falls) {
      const begin = open[bar] as number;
      moveTo(begin);
      const isHighFirst = top - begin < begin - bottom;
      moveTo(isHighFirst ? top : bottom);
      moveTo(isHighFirst ? bottom : top);
      moveTo(close[bar] as number);
    }
    if ((bar + 1) * parts >= (part + 1) * bars) {
      const equity = cash + held * (close[bar] as number) * priceUnit;
      gains[part++] = equity - before;
      before = equity;
    }
  }
  return { gains, cycles, total: before };
}
