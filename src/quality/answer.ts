import { type Decimal, divideWhole, ONE, text, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { parseAccountKey } from "../model/account.ts";
import { dateOf } from "../model/limits.ts";
import type { DayTotals } from "../model/news.ts";
import type { ExactSum } from "../model/order.ts";
import type { MeasuredDay, MeasuredStrategy } from "./measure.ts";
import { figuresOfTally, type QualityAnswer, type SpreadTally, sumTallies } from "./tally.ts";

/** Formats the parts of P&L for a response. */
export const partsShown = ({ total, spread, inventory, fees }: Attribution) => ({
  totalProfit: text(total),
  spread: text(spread),
  inventory: text(inventory),
  fees: text(fees),
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

/** P&L of a span by its cause, in quote: spread + inventory − fees = total, exactly. */
interface Attribution {
  readonly total: Decimal;
  /** What the fills earned against the mid at their time. */
  readonly spread: Decimal;
  /** What price changes made of the inventory. */
  readonly inventory: Decimal;
  /** Negative if rebates exceed fees. */
  readonly fees: Decimal;
}

/**
 * Splits the change of a strategy's totals. Fills and prices alone change the total: a fill adds its spread minus its
 * fee, and the change of the price between two fills adds inventory × change. So the inventory's part is the rest. It
 * includes the spread of fills without a known mid. A fee in base is valued at the newest mid, as in every P&L.
 */
export function attributionOf(
  { from, to }: Readonly<Record<"from" | "to", Pick<DayTotals, "total" | "fees">>>,
  earned: ExactSum,
): Attribution {
  const [total, fees] = [to.total - from.total, to.fees - from.fees];
  const spread = divideWhole(earned, ONE, "half");
  return { total, spread, inventory: total - spread + fees, fees };
}

/** P&L of some days by its cause, in quote, and the fills whose spread is not known. */
export interface DaysProfit extends Attribution {
  readonly fills: number;
  /** Fills without a known mid; their spread is part of `inventory`. */
  readonly withoutMid: number;
}

const NO_PROFIT: DaysProfit = {
  total: ZERO,
  spread: ZERO,
  inventory: ZERO,
  fees: ZERO,
  fills: 0,
  withoutMid: 0,
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
      total: add("total"),
      spread: add("spread"),
      inventory: add("inventory"),
      fees: add("fees"),
      fills: a.fills + b.fills,
      withoutMid: a.withoutMid + b.withoutMid,
    };
  }, NO_PROFIT);

/** Returns the sum of the days' parts, so that days add up to the strategy. */
export const profitOfDays = (days: readonly ProfitDay[]): DaysProfit => addProfits(days.map(profitOfDay));
