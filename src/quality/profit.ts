import { type Decimal, ZERO } from "../kernel/decimal.ts";
import { type Attribution, attributionOf } from "./attribution.ts";
import type { MeasuredDay } from "./measure.ts";
import type { SpreadTally } from "./tally.ts";

/** P&L of some days by its cause, in quote, and the fills whose spread is not known. */
export interface DaysProfit extends Attribution {
  readonly fills: number;
  /** Fills without a known mid; their spread is part of `inventory`. */
  readonly withoutMid: number;
}

const NO_PROFIT: DaysProfit = {
  ...{ total: ZERO, spread: ZERO, inventory: ZERO, fees: ZERO },
  ...{ fills: 0, withoutMid: 0 },
};

type ProfitDay = MeasuredDay<SpreadTally>;

const profitOfDay = ({ row, before, tally: { fills, spread } }: ProfitDay): DaysProfit => ({
  ...attributionOf({ from: before, to: row.latest }, spread.earned),
  fills,
  withoutMid: fills - spread.known,
});

/** Adds up in one quote asset. */
export const addProfits = (profits: readonly DaysProfit[]): DaysProfit =>
  profits.reduce((a, b) => {
    const add = (name: keyof Attribution): Decimal => a[name] + b[name];
    return {
      ...{ total: add("total"), spread: add("spread"), inventory: add("inventory"), fees: add("fees") },
      ...{ fills: a.fills + b.fills, withoutMid: a.withoutMid + b.withoutMid },
    };
  }, NO_PROFIT);

/** Returns the sum of the days' parts, so that days add up to the strategy. */
export const profitOfDays = (days: readonly ProfitDay[]): DaysProfit => addProfits(days.map(profitOfDay));
