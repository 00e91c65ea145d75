import type { Candles, Column } from "../candles/candles.ts";
import { requestedAs } from "../grid/start/as-requested.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import { type Decimal, divideWhole, ONE } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Balance } from "../model/account.ts";
import type { Event } from "../model/events.ts";
import type { Market } from "../model/market.ts";
import type { Fill, Order } from "../model/order.ts";
import { FIRST_WHOLE_SLOT } from "../model/strategy.ts";
import {
  type Cause,
  type CauseCode,
  causeOfExtra,
  causeOfMissed,
  causeOfOther,
  quoteUseOf,
  type Recorded,
  slotKey,
} from "./cause.ts";
import { type ExecutedOrder, executedOrdersOf, type PairedExecutions, pairExecutions } from "./executed.ts";
import { type BacktestResult, backtesting } from "./run/backtest.ts";
import { closeOf } from "./run/figures.ts";
import { type Rules, ticksOf } from "./ticks.ts";

/** All stored data of a grid's lifetime, oldest first. */
export interface GridRecord {
  readonly strategy: GridStrategy;
  readonly orders: readonly Order[];
  readonly fills: readonly Fill[];
  /** In market time. */
  readonly events: readonly Event[];
}

export interface ReplayOptions {
  readonly market: Market;
  readonly rules: Partial<Rules>;
  /** Market time at which the record ends. */
  readonly until: Millis;
  /** Values that replace the grid's own, for a what-if result. */
  readonly changes?: Readonly<Record<string, unknown>> | undefined;
  readonly isOver?: (() => boolean) | undefined;
}

/** An order that executed differently in the record and in the backtest. */
export interface Difference {
  readonly where: "record" | "candles" | "both";
  readonly order: ExecutedOrder;
  readonly cause: Cause;
}

export interface Replayed {
  readonly over: BacktestResult;
  /** Result with the requested changes; null without any. */
  readonly changed: BacktestResult | null;
  readonly same: number;
  /** Close of the last bar. */
  readonly lastPrice: Decimal;
  readonly executed: { readonly record: number; readonly candles: number };
  /** In time order. */
  readonly differences: readonly Difference[];
}

/** Maximum distance in bars of the same execution: a bar shows its price path only roughly. */
const BARS_APART = 2;

/**
 * Compares a grid's record with a backtest over the candles of its time. Returns every order that executed in only
 * one of them, or differently, with its cause. Yields the completed share. Throws AppError as a backtest does.
 */
export function* replaying(
  record: GridRecord,
  candles: Candles,
  options: ReplayOptions,
): Generator<number, Replayed> {
  const { strategy } = record;
  const { market, rules, until } = options;
  const begun = beginningAt(candles, strategy.state.startPrice);
  const runOf = (changes: Readonly<Record<string, unknown>>) =>
    backtesting(requestedAs(strategy.config, changes), begun, {
      market,
      rules,
      balances: fundsOfReplay(strategy, market),
      engine: "walk",
      isOver: options.isOver,
    });
  const all = [{}, ...(options.changes ? [options.changes] : [])];
  const [over, changed = null] = (yield* sideBySide(all.map(runOf))) as [BacktestResult, BacktestResult?];
  const within = BARS_APART * candles.spanMillis;
  const bars = ticksOf(begun, market.tick);
  const recorded = recordedOf(record, { bars, within });
  const ours = [...recorded.executed.values()].filter(({ at }) => at < until);
  const { fills } = over.run;
  const theirs = executedOrdersOf(fills.newest(fills.count));
  const { both, onlyRecord, onlyCandles } = pairExecutions(ours, theirs, within);
  const pairing = {
    both,
    onlyRecord: onlyRecord.filter(({ at }) => at < comparedUntil(over, candles, within)),
    // The last bar can continue after the grid has ended.
    onlyCandles: onlyCandles.filter(({ at }) => at < until),
  };
  const { tick } = market;
  const last = over.run.account.strategy.state.generation;
  const elsewhere = strategy.config.centered
    ? centeredElsewhere({ orders: record.orders, executed: ours, candles: theirs, last, tick, within })
    : new Set<number>();
  const { differences, same } = differencesOf(pairing, recorded, { tick, elsewhere });
  return {
    over,
    changed,
    same,
    differences,
    lastPrice: closeOf(bars, bars.count - 1),
    executed: {
      record: both.length + pairing.onlyRecord.length,
      candles: both.length + pairing.onlyCandles.length,
    },
  };
}

/**
 * Returns the end of the comparison. In a run that was ended early, the next bars could contain executions of the
 * last orders.
 */
function comparedUntil(
  { run, bars }: BacktestResult,
  { times, spanMillis }: Candles,
  within: Millis,
): Millis {
  const last = times[run.bars - 1] as Millis;
  return run.bars < bars ? last + spanMillis - within : Number.POSITIVE_INFINITY;
}

/** Advances several runs over the same bars together, and yields the completed share of all. */
function* sideBySide<T>(runs: readonly Generator<number, T>[]): Generator<number, T[]> {
  const shares = runs.map(() => 0);
  const results = new Map<number, T>();
  while (results.size < runs.length) {
    const index = shares.indexOf(Math.min(...shares));
    const step = (runs[index] as Generator<number, T>).next();
    if (step.done) results.set(index, step.value);
    shares[index] = step.done ? Number.POSITIVE_INFINITY : step.value;
    yield shares.reduce((sum, share) => sum + Math.min(share, 1), 0) / runs.length;
  }
  return runs.map((_, index) => results.get(index) as T);
}

const UNLIMITED_QUOTE: Decimal = 10n ** 12n * ONE;

/** Returns the account's base that the grid took; its available quote is not stored. */
const fundsOfReplay = ({ state }: GridStrategy, { base, quote }: Market): readonly Balance[] => [
  { asset: base, free: state.ledger.firstBase, used: 0n },
  { asset: quote, free: UNLIMITED_QUOTE, used: 0n },
];

function recordedOf(
  { strategy, orders, fills, events }: GridRecord,
  { bars, within }: Pick<Recorded, "bars" | "within">,
): Recorded {
  const bySlot = new Map<string, Order[]>();
  for (const order of orders) {
    if (order.slot >= FIRST_WHOLE_SLOT) continue;
    const known = bySlot.get(slotKey(order));
    if (known) known.push(order);
    else bySlot.set(slotKey(order), [order]);
  }
  const executed = new Map(executedOrdersOf(fills).map((executed) => [executed.clientId, executed]));
  const placedAt = [...new Set(orders.map(({ createdAt }) => createdAt))];
  const use = quoteUseOf(orders, executed);
  return { strategy, orders: bySlot, placedAt, use, executed, events, bars, within };
}

function differencesOf(
  { both, onlyRecord, onlyCandles }: PairedExecutions,
  recorded: Recorded,
  { tick, elsewhere }: { readonly tick: Decimal; readonly elsewhere: ReadonlySet<number> },
): { readonly differences: readonly Difference[]; readonly same: number } {
  const others = both.flatMap(({ record, candles }): Difference[] => {
    const cause = causeOfOther({ record, candles }, tick);
    return cause ? [{ where: "both", order: record, cause }] : [];
  });
  const missed = onlyCandles.map(
    (order): Difference => ({ where: "candles", order, cause: causeOfMissed(order, recorded) }),
  );
  const extra = onlyRecord.map(
    (order): Difference => ({ where: "record", order, cause: causeOfExtra(order, recorded) }),
  );
  const all = [...others, ...missed, ...extra]
    .map((difference) => ({
      ...difference,
      cause: causeByLayout(difference.order, difference.cause, elsewhere),
    }))
    .sort((a, b) => a.order.at - b.order.at);
  return { differences: withFollowers(all, both), same: both.length - others.length };
}

/**
 * Adds the cause to following differences: a slot that switches sides in only one of the runs causes others, until
 * both execute the same again.
 */
function withFollowers(all: readonly Difference[], both: PairedExecutions["both"]): Difference[] {
  const first = new Map<string, Difference>();
  const agreed = new Map<string, Millis[]>();
  for (const { record } of both) {
    const known = agreed.get(slotKey(record));
    if (known) known.push(record.at);
    else agreed.set(slotKey(record), [record.at]);
  }
  return all.map((difference) => {
    if (difference.where === "both") return difference;
    const key = slotKey(difference.order);
    const known = first.get(key);
    const isSince = known && !agreed.get(key)?.some((at) => at > known.order.at && at < difference.order.at);
    if (isSince && WEAK.has(difference.cause.code))
      return { ...difference, cause: { ...known.cause, text: `it follows from: ${known.cause.text}` } };
    first.set(key, difference);
    return difference;
  });
}

const WEAK: ReadonlySet<CauseCode> = new Set(["follows", "not_placed", "not_shown", "within_bar", "resting"]);

/**
 * Returns candles that begin at the grid's start price: in the first bar, extremes could precede the start, so the
 * price goes straight to its close.
 */
function beginningAt(candles: Candles, price: Decimal): Candles {
  const open = Number(divideWhole(price * 10n ** BigInt(candles.scale), ONE, "half"));
  const close = candles.close[0] as number;
  return {
    ...candles,
    open: replacingFirst(candles.open, open),
    high: replacingFirst(candles.high, Math.max(open, close)),
    low: replacingFirst(candles.low, Math.min(open, close)),
  };
}

function replacingFirst(column: Column, value: number): Column {
  const copy = column.slice();
  copy[0] = value;
  return copy;
}

/** Compares the levels of a centered grid: each of its generations has its own. */
interface Layouts {
  /** Placed by the grid, oldest first. */
  readonly orders: readonly Order[];
  /** Executed by the grid. */
  readonly executed: readonly ExecutedOrder[];
  /** Executed in the backtest, and its last generation. */
  readonly candles: readonly ExecutedOrder[];
  readonly last: number;
  readonly tick: Decimal;
  /** How far the times of the same layout can lie apart. */
  readonly within: Millis;
}

/** Returns the generations that the record and the backtest centered at different prices. */
export function centeredElsewhere(layouts: Layouts): ReadonlySet<number> {
  const { orders, executed, candles, last } = layouts;
  const recorded = orders.reduce((most, { generation }) => Math.max(most, generation), 0);
  const all = new Set([...executed, ...candles].map(({ generation }) => generation));
  const found = new Set<number>();
  let isBefore = false;
  for (const generation of [...all].sort((a, b) => a - b)) {
    const isInOne = generation > recorded || generation > last;
    isBefore = isInOne || (differsIn(generation, layouts) ?? isBefore);
    if (isBefore) found.add(generation);
  }
  return found;
}

/** Compares the prices of the same slots while the grid had them. Returns undefined if there is nothing to compare. */
function differsIn(generation: number, { orders, candles, tick, within }: Layouts): boolean | undefined {
  const executed = candles.filter((executed) => executed.generation === generation);
  const placed = orders.filter((order) => order.generation === generation);
  const from = (placed[0]?.createdAt ?? Number.POSITIVE_INFINITY) - within;
  const next = orders.find((order) => order.generation > generation);
  const until = (next?.createdAt ?? Number.POSITIVE_INFINITY) + within;
  const inTime = executed.filter(({ at }) => at >= from && at <= until);
  if (executed.length > 0 && inTime.length === 0) return true;
  // Buys first, because a sell can also be above its level.
  for (const side of ["buy", "sell"] as const) {
    const prices = new Map(
      placed.filter((order) => order.side === side).map(({ slot, price }) => [slot, price]),
    );
    const offs = inTime.flatMap((executed) => {
      const price = executed.side === side ? prices.get(executed.slot) : undefined;
      return price === undefined ? [] : [executed.price - price];
    });
    if (offs.length > 0) return offs.every((off) => off >= tick || -off >= tick);
  }
  return undefined;
}

/** Causes that explain nothing about an order at another level. */
const OF_ITS_LEVEL: ReadonlySet<CauseCode> = new Set([
  "resting",
  "not_placed",
  "within_bar",
  "not_shown",
  "follows",
  "canceled",
  "refused",
  "amount",
  "price",
]);

/** Returns the layout as the cause of a difference, if the levels were elsewhere. */
export function causeByLayout(
  { generation }: ExecutedOrder,
  cause: Cause,
  elsewhere: ReadonlySet<number>,
): Cause {
  if (!elsewhere.has(generation) || !OF_ITS_LEVEL.has(cause.code)) return cause;
  const text = "the grid was centered at another price then";
  return { code: "centered", of: `generation ${generation}`, text };
}
