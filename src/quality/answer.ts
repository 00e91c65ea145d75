import { wire } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { parseAccountKey } from "../model/account.ts";
import { dateOf } from "../model/usage.ts";
import type { Attribution } from "./attribution.ts";
import type { MeasuredDay, MeasuredStrategy } from "./measure.ts";
import { profitOfDays } from "./profit.ts";
import type { QualityAnswer } from "./schema.ts";
import { figuresOfTally, sumTallies } from "./tally.ts";

/** Formats the parts of P&L for a response. */
export const partsShown = ({ total, spread, inventory, fees }: Attribution) => ({
  totalProfit: wire(total),
  spread: wire(spread),
  inventory: wire(inventory),
  fees: wire(fees),
});

const inQuote = ({ row }: MeasuredDay) => ({
  quote: splitPair(row.latest.symbol as Pair).quote,
  dryRun: parseAccountKey(row.account).kind === "dry",
});

/** Formats strategies, each with at least one day. Groups are those of the only strategy, because sums of pairs mean nothing. */
export function qualityAnswer(
  span: Pick<QualityAnswer, "from" | "to">,
  strategies: readonly MeasuredStrategy[],
): QualityAnswer {
  const [only] = strategies.length === 1 ? strategies : [];
  const groups = [...(only?.groups?.values() ?? [])].map(({ tally, ...key }) => ({
    ...key,
    ...figuresOfTally(tally),
  }));
  return {
    ...span,
    strategies: strategies.map(strategyShown),
    days: daysShown(strategies.flatMap(({ days }) => days)),
    sides: groups.flatMap(({ side, level, hour: _hour, ...figures }) =>
      side !== null && level === null ? [{ side, ...figures }] : [],
    ),
    levels: groups
      .flatMap(({ side, level, hour: _hour, ...figures }) =>
        side !== null && level !== null ? [{ side, level, ...figures }] : [],
      )
      .sort((a, b) => a.level - b.level),
    hours: groups
      .flatMap(({ hour, side: _side, level: _level, ...figures }) =>
        hour === null ? [] : [{ hour, ...figures }],
      )
      .sort((a, b) => a.hour - b.hour),
    count: strategies.length,
  };
}

function strategyShown({ days }: MeasuredStrategy): QualityAnswer["strategies"][number] {
  const last = days.at(-1) as MeasuredDay;
  return {
    id: last.row.strategy,
    exchange: parseAccountKey(last.row.account).exchange,
    symbol: last.row.latest.symbol,
    ...inQuote(last),
    ...partsShown(profitOfDays(days)),
    ...figuresOfTally(sumTallies(days.map(({ tally }) => tally))),
  };
}

function daysShown(days: readonly MeasuredDay[]): QualityAnswer["days"] {
  const groups = new Map<string, MeasuredDay[]>();
  for (const day of days) {
    const { quote, dryRun } = inQuote(day);
    const key = `${day.row.day} ${dryRun} ${quote}`;
    groups.set(key, [...(groups.get(key) ?? []), day]);
  }
  return [...groups.values()]
    .map((group) => {
      const [first] = group as [MeasuredDay];
      const { fills, withoutMid, ...parts } = profitOfDays(group);
      return { day: dateOf(first.row.day), ...inQuote(first), ...partsShown(parts), fills, withoutMid };
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}
