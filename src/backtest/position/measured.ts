/** Measures the fills of a backtest with the prices of its passes, as a server does. */
import { midOf } from "../../kernel/spread.ts";
import {
  type Fill,
  HORIZONS,
  type HorizonName,
  isInferred,
  isMidAt,
  type MeasuredFill,
} from "../../model/fill.ts";
import type { Quote } from "../../model/market.ts";
import { addToTallies, newTally, type Tally } from "../../quality/tally.ts";

type OpenFill = { -readonly [name in keyof MeasuredFill]: MeasuredFill[name] };

const NO_MIDS: Readonly<Record<HorizonName, null>> = {
  ...{ mid1s: null, mid10s: null, mid1m: null, mid5m: null, mid1h: null },
};

/** Takes the passes of a backtest in order; a pass costs the same however many fills there are. */
export function fillMeasurer() {
  const fills: OpenFill[] = [];
  const decided = HORIZONS.map((horizon) => ({ ...horizon, next: 0 }));
  let before: Quote | undefined;
  return {
    /** Adds the fills that a pass booked, oldest first, and the price that it read. */
    addPass(booked: readonly Fill[], quote: Quote): void {
      for (const fill of booked) {
        const isKnown = before && !isInferred(fill) && isMidAt(fill, before);
        fills.push({ ...NO_MIDS, ...fill, mid: before && isKnown ? midOf(before) : null });
      }
      before = quote;
      for (const horizon of decided)
        for (
          let fill = fills[horizon.next];
          fill && fill.at + horizon.after <= quote.at;
          fill = fills[++horizon.next]
        )
          if (quote.at <= fill.at + horizon.after + horizon.late) fill[horizon.name] = midOf(quote);
    },
    fills: fills as readonly MeasuredFill[],
  };
}

export function tallyOf(fills: readonly MeasuredFill[]): Tally {
  const tally = newTally();
  for (const fill of fills) if (!fill.superseded) addToTallies([tally], fill);
  return tally;
}
