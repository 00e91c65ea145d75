import { indexAt } from "../candles/candles.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import { type Decimal, divideWhole, max, mul, text, ZERO } from "../kernel/decimal.ts";
import { formatSpan, type Millis } from "../kernel/time.ts";
import type { Event } from "../model/events.ts";
import type { Order } from "../model/order.ts";
import type { RefusalReason } from "../model/strategy.ts";
import type { ExecutedOrder } from "./executed.ts";
import { highAt, lowAt, type Ticks } from "./ticks.ts";

export type CauseCode =
  | "parts"
  | "refused"
  | "late_pass"
  | "rejected"
  | "canceled"
  | "paused"
  | "stopped"
  | "edited"
  | "centered"
  | "resting"
  | "not_placed"
  | "within_bar"
  | "not_shown"
  | "missing_bars"
  | "amount"
  | "price"
  | "follows";

/** Why an order executed differently from the candles. `of` is what counts once: a pass, a slot, an order. */
export interface Cause {
  readonly code: CauseCode;
  readonly of: string;
  /** Description of the cause. */
  readonly text: string;
  readonly reason?: RefusalReason | undefined;
}

/** Stored data of a grid, and the bars to compare it with. */
export interface Recorded {
  readonly strategy: GridStrategy;
  /** Orders by slot, in order of creation. */
  readonly orders: ReadonlyMap<string, readonly Order[]>;
  /** Times of passes that placed orders, in order. */
  readonly placedAt: readonly Millis[];
  readonly use: QuoteUse;
  readonly executed: ReadonlyMap<string, ExecutedOrder>;
  /** Events in order, in market time. */
  readonly events: readonly Event[];
  readonly bars: Ticks;
  /** Maximum time difference of the same execution. */
  readonly within: Millis;
}

export const slotKey = ({
  generation,
  slot,
}: {
  readonly generation: number;
  readonly slot: number;
}): string => `${generation}.${slot}`;

/** Returns why an execution in the backtest never happened. */
export function causeOfMissed(missed: ExecutedOrder, recorded: Recorded): Cause {
  const { orders, executed, events } = recorded;
  const edit = editAfter(missed.at, events);
  if (edit) return edit;
  const ofSlot = orders.get(slotKey(missed)) ?? [];
  const before = ofSlot.findLast(({ createdAt }) => createdAt <= missed.at);
  const done = before && executed.get(before.clientId);
  if (before?.state === "rejected") {
    const output = `the exchange refused the order: ${before.reason ?? "no reason given"}`;
    return { code: "rejected", of: before.clientId, text: output };
  }
  // The previous order was complete, so its slot was free, and something prevented the next order.
  const isFree = !before || (done !== undefined && done.until <= missed.at && before.settled);
  return isFree ? causeOfFree(missed, { ofSlot, done }, recorded) : causeOfResting(missed, before, done);
}

interface FreeSlot {
  readonly ofSlot: readonly Order[];
  /** Result of its previous order. */
  readonly done: ExecutedOrder | undefined;
}

/** Returns why a slot had no order when the backtest executed one. */
function causeOfFree(missed: ExecutedOrder, { ofSlot, done }: FreeSlot, recorded: Recorded): Cause {
  const { strategy, events, placedAt, use } = recorded;
  const slot = `slot ${missed.slot}`;
  const next = ofSlot.find(({ createdAt }) => createdAt > missed.at);
  const turned = done?.side ?? (ofSlot[0]?.side === "sell" ? "buy" : "sell");
  if (turned === missed.side) return { code: "follows", of: slot, text: OTHER_SIDE };
  const paused = pauseAt(missed.at, events);
  if (paused) return { code: "paused", of: missed.clientId, text: paused };
  const refusal = next ? undefined : strategy.state.refused.find((refusal) => refusal.slot === missed.slot);
  if (refusal)
    return {
      code: "refused",
      of: slot,
      reason: refusal.reason,
      text: `${slot} has no order ${forLack(refusal.reason)}${refusal.detail ? `: ${refusal.detail}` : ""}`,
    };
  if (missed.side === "buy" && isBeyondUse(use, missed))
    return {
      code: "refused",
      of: slot,
      reason: "no_quote",
      text: `${slot} had no order: it would have needed more quote than the grid ever used`,
    };
  const freeSince = done?.until ?? strategy.startedAt;
  if (placedAt.some((at) => at > freeSince + recorded.within && at <= missed.at))
    return { code: "not_placed", of: slot, text: `${slot} had no order then; the reason is not stored` };
  const output = next
    ? `no pass for ${formatSpan(next.createdAt - freeSince)}: the next order of ${slot} was placed after the price had passed`
    : `no pass since: ${slot} has no order yet`;
  return { code: "late_pass", of: `pass ${next?.createdAt ?? "to come"}`, text: output };
}

const OTHER_SIDE = "its slot was on the other side, because of an earlier difference";

function causeOfResting(missed: ExecutedOrder, before: Order, done: ExecutedOrder | undefined): Cause {
  const { clientId: of, price, side, state, reason } = before;
  if (done && before.booked < before.amount && side !== missed.side)
    return { code: "parts", of, text: `the ${side} before it had filled only in part` };
  if (done && done.until > missed.at && done.at <= missed.at)
    return {
      code: "parts",
      of,
      text: `the ${side} before it filled in ${done.parts} parts, the last one later`,
    };
  if (state === "canceled" || state === "expired")
    return { code: "canceled", of, text: `its order was ${state}${reason ? `: ${reason}` : ""}` };
  if (side === missed.side)
    return {
      code: "resting",
      of,
      text: `its order was open at ${text(price)} and did not fill, although the candles pass this price`,
    };
  return { code: "follows", of, text: OTHER_SIDE };
}

/** Returns why something executed that the backtest did not. */
export function causeOfExtra(extra: ExecutedOrder, { events, bars, within, strategy }: Recorded): Cause {
  const of = extra.clientId;
  const edit = editAfter(extra.at, events);
  if (edit) return edit;
  if (
    strategy.wants === "stop" &&
    extra.slot >= strategy.config.gridLevels &&
    strategy.state.exit?.reason === "stop"
  )
    return { code: "stopped", of, text: "a requested stop sold its base" };
  const shown = showsPrice(bars, extra, within);
  if (shown === undefined) return { code: "missing_bars", of, text: "there are no candles for this time" };
  if (!shown) return { code: "not_shown", of, text: `the candles never reach ${text(extra.price)} here` };
  return { code: "within_bar", of, text: "the price path within the candle is unknown" };
}

/** Returns what differs in an order that both executed; undefined if nothing does. */
export function causeOfOther(
  { record, candles }: { readonly record: ExecutedOrder; readonly candles: ExecutedOrder },
  tick: Decimal,
): Cause | undefined {
  const of = record.clientId;
  if (record.parts !== candles.parts)
    return { code: "parts", of, text: `it filled in ${record.parts} parts` };
  if (record.amount !== candles.amount)
    return { code: "amount", of, text: `${text(record.amount)} instead of ${text(candles.amount)}` };
  const off = record.price - candles.price;
  return off >= tick || -off >= tick
    ? { code: "price", of, text: `${text(record.price)} instead of ${text(candles.price)}` }
    : undefined;
}

/** Returns whether any bar around that time reaches the price; undefined without bars. */
function showsPrice(bars: Ticks, { price, at }: ExecutedOrder, within: Millis): boolean | undefined {
  const ticks = Number(divideWhole(price, bars.step, "half"));
  const { times, spanMillis } = bars.candles;
  const [from, until] = [indexAt(bars.candles, at - within - spanMillis), indexAt(bars.candles, at + within)];
  const around = [...times.subarray(from, until)].map((_, i) => from + i);
  if (around.length === 0) return undefined;
  return around.some((bar) => lowAt(bars, bar) <= ticks && highAt(bars, bar) >= ticks);
}

/**
 * Returns a later change of the grid: its earlier configuration is not stored, so the candles are compared with the
 * current one.
 */
function editAfter(at: Millis, events: readonly Event[]): Cause | undefined {
  const edit = events.findLast(({ kind, at: value }) => kind === "edited" && value > at);
  return edit && { code: "edited", of: `edit ${edit.at}`, text: "before the grid was changed" };
}

function pauseAt(at: Millis, events: readonly Event[]): string | undefined {
  const last = events.findLast((event) => event.kind === "wants" && event.at <= at);
  return last && last.message !== "run" ? `requested by a person: ${last.message}` : undefined;
}

const LACKS: Partial<Record<RefusalReason, string>> = {
  no_quote: "for lack of quote",
  no_base: "for lack of base",
};

export const forLack = (reason: RefusalReason): string => LACKS[reason] ?? `(${reason.replaceAll("_", " ")})`;

/** Quote that a grid has used: in its open buys and for bought base, minus the proceeds of sells. */
interface QuoteUse {
  readonly maxUsed: Decimal;
  /** Usage from each time on, in order. */
  readonly rows: readonly { readonly at: Millis; readonly used: Decimal }[];
}

interface UseChange {
  readonly at: Millis;
  readonly by: Decimal;
}

/** Computes the usage from orders and their results, without fees. */
export function quoteUseOf(orders: readonly Order[], executed: ReadonlyMap<string, ExecutedOrder>): QuoteUse {
  const changes = orders.flatMap((order) => changesIn(order, executed.get(order.clientId)));
  let [used, maxUsed]: [Decimal, Decimal] = [ZERO, ZERO];
  const rows = changes
    .sort((a, b) => a.at - b.at)
    .map(({ at, by }) => {
      used += by;
      maxUsed = max(maxUsed, used);
      return { at, used };
    });
  return { maxUsed, rows };
}

function changesIn(
  { side, state, price, amount, createdAt, endedAt }: Order,
  done: ExecutedOrder | undefined,
): UseChange[] {
  if (side === "sell") return done ? [{ at: done.until, by: -mul(done.price, done.amount, "half") }] : [];
  if (state === "rejected") return [];
  const left = amount - (done?.amount ?? ZERO);
  const isOver = endedAt !== null && left > ZERO;
  const placed = { at: createdAt, by: mul(price, amount, "half") };
  return isOver
    ? [placed, { at: Math.max(createdAt, done?.until ?? endedAt), by: -mul(price, left, "half") }]
    : [placed];
}

/** Returns whether an order at that time would have exceeded the maximum that the grid ever used. */
export function isBeyondUse({ maxUsed, rows }: QuoteUse, { at, price, amount }: ExecutedOrder): boolean {
  const used = rows.findLast((row) => row.at <= at)?.used ?? ZERO;
  return used + mul(price, amount, "half") > maxUsed;
}
