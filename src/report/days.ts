/** How a strategy's day went, as whoever runs looks at it about once a minute. */
import { asGridView } from "../grid/kind.ts";
import { profitOf } from "../grid/ledger/profit.ts";
import { mul, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { DAY, dayOf, type Millis } from "../kernel/time.ts";
import type { Standing, StrategyDay } from "../model/day.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";

/** The mark of one that has seen no price is the price it began at. */
export function standingOf(view: StrategyView): Standing {
  const { strategy, memory } = asGridView(view);
  const { symbol, state } = strategy;
  const { ledger } = state;
  const mark = memory.marks[symbol]?.mid ?? state.startPrice;
  const { base, quote } = splitPair(symbol);
  const [inBase = ZERO, inQuote = ZERO] = [ledger.fees[base], ledger.fees[quote]];
  return {
    total: profitOf(state, mark).total,
    realized: ledger.realized,
    fees: inQuote + mul(inBase, mark, "up") + ledger.feesValue,
    cycles: ledger.cycles,
    filledOrders: ledger.filledOrders,
    symbol,
  };
}

/** Between the lowest and the highest price of its slots; undefined where no price is known. */
export function isInRange(view: StrategyView): boolean | undefined {
  const { strategy, memory } = asGridView(view);
  const mid = memory.marks[strategy.symbol]?.mid;
  if (mid === undefined) return undefined;
  const { slots } = strategy.state;
  return slots.some(({ lower }) => lower <= mid) && slots.some(({ upper }) => upper >= mid);
}

interface Look {
  readonly now: Millis;
  /** How long this look stands for: since the one before it, unless nobody looked for long. */
  readonly elapsed: Millis;
  readonly isUp: boolean;
  readonly incidents: number;
}

/** The strategy's row of this day after a look; `rows` are its rows of this day and the one before. */
export function withLook(rows: readonly StrategyDay[], view: StrategyView, look: Look): StrategyDay {
  const { strategy } = view;
  const { now, elapsed, isUp, incidents } = look;
  const day = dayOf(now);
  const standing = standingOf(view);
  const known = rows.find((row) => row.day === day);
  const before = rows.find((row) => row.day === day - 1);
  const today: StrategyDay = known ?? {
    strategy: strategy.id,
    day,
    account: strategy.account,
    opened: before?.latest ?? (strategy.number >= day * DAY ? begun(standing) : standing),
    latest: standing,
    from: before ? day * DAY : now,
    to: now,
    upMillis: 0,
    inRangeMillis: 0,
    incidents: 0,
    isFinal: false,
  };
  const spent = strategy.status === "stopped" ? 0 : Math.min(elapsed, now - Math.min(today.from, today.to));
  return {
    ...today,
    latest: standing,
    to: now,
    upMillis: today.upMillis + (isUp ? spent : 0),
    inRangeMillis: today.inRangeMillis + (isUp && isInRange(view) ? spent : 0),
    incidents: today.incidents + incidents,
    isFinal: strategy.status === "stopped",
  };
}

/** Of one that has begun on the day itself. */
const begun = (standing: Standing): Standing => ({
  ...standing,
  total: ZERO,
  realized: ZERO,
  fees: ZERO,
  cycles: 0,
  filledOrders: 0,
});
