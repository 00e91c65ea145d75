/** The result of a strategy in words and numbers, as a stop returns it. */
import * as z from "zod";
import { stopReasonOf } from "../engine/decide/stop.ts";
import { placedFields, placedOut } from "../engine/operations/shapes.ts";
import type { Pass } from "../engine/pass/pass.ts";
import { sellsBase } from "../engine/pass/urgent.ts";
import { type Decimal, mul, ONE, roundToStep, text, wire } from "../kernel/decimal.ts";
import { lazy } from "../kernel/lazy.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import { parseAccountKey } from "../model/account.ts";
import type { Order } from "../model/order.ts";
import { runningTime, type Strategy } from "../model/strategy.ts";
import type { ConfiguredExchanges } from "../ports/exchanges.ts";
import type { ReadableStrategy } from "./reading.ts";

export const SummaryShape = lazy(() =>
  z.object({
    runningTime: z.number(),
    filledOrders: z.number(),
    profit: z.number(),
    totalProfit: z.number().nullable(),
    base: z.string(),
    baseWorth: z.number().nullable(),
    averageCost: z.number().nullable(),
    stopReason: z.string().nullable(),
    openOrders: z.array(z.object({ id: z.string(), ...placedFields() })).optional(),
  }),
);

/** Returns the result; `left` are the orders that a stop left open, and `now` is market time. */
export function summaryOf(
  view: ReadableStrategy,
  now: Millis,
  left: readonly Order[] | undefined,
): z.input<ReturnType<typeof SummaryShape>> {
  const { kind, strategy, memory } = view;
  const mark = memory.marks[strategy.symbol]?.mid;
  const { position, averageCost, realized, total, filledOrders } = kind.accounts(strategy, mark ?? ONE);
  // Without base the total equals the realized P&L, at any price.
  const isKnown = mark !== undefined || position === 0n;
  return {
    runningTime: runningTime(strategy, now),
    filledOrders,
    profit: wire(realized),
    totalProfit: isKnown ? wire(total) : null,
    base: text(position),
    baseWorth: isKnown ? wire(mul(position, mark ?? 0n, "half")) : null,
    averageCost: averageCost === null ? null : wire(averageCost),
    stopReason: stopReasonOf(kind, strategy, mark),
    ...(left ? { openOrders: left.map(openOrderOut) } : {}),
  };
}

const openOrderOut = (order: Order) => ({ id: order.exchangeId ?? "", ...placedOut(order) });

/** Describes a stop: its state, why the strategy had ended before, and its result. */
export function describeStopResult(
  deps: ConfiguredExchanges,
  view: ReadableStrategy,
  pass: Pass | undefined,
): string {
  const { kind, strategy, memory } = view;
  const reason = stopReasonOf(kind, strategy, memory.marks[strategy.symbol]?.mid);
  const parts = [describeState(deps, view, pass), ...(reason === null ? [] : [reason]), describeResult(view)];
  return parts.join("; ");
}

function describeState(
  { venueOf }: ConfiguredExchanges,
  { strategy, openOrders, accountError }: ReadableStrategy,
  pass: Pass | undefined,
): string {
  const { id, status, account, keepOrders } = strategy;
  if (status === "stopped")
    return keepOrders
      ? `${id} is stopped; its open orders are yours now`
      : `${id} is stopped and has no orders left`;
  if (!venueOf(parseAccountKey(account)))
    return `${id} stops at the next pass of a process that is configured for ${account}`;
  const why = accountError ? ` (${accountError})` : "";
  if (pass?.outcome === "failed" && pass.cancels)
    return `${id} is stopping: the exchange accepted the cancels of ${pass.cancels} orders, but their final state cannot be read yet${why}; the next passes finish it`;
  return `${id} is stopping${openOrders === 0 ? "" : `: ${openOrders} of its orders could still be open`}${why}; the next passes finish the stop`;
}

/** Describes the total result; the realized part alone could show a loss as a gain. */
function describeResult({ kind, strategy, memory }: ReadableStrategy): string {
  const { symbol } = strategy;
  const { base, quote } = splitPair(symbol);
  const mark = memory.marks[symbol]?.mid;
  const { total, realized, position } = kind.accounts(strategy, mark ?? ONE);
  const where = isBeingSold(strategy) ? "are being sold" : "stay in the account";
  const toCents = (value: Decimal) => text(roundToStep(value, ONE / 100n, "half"));
  if (position === 0n) return `total ${toCents(total)} ${quote}`;
  if (mark === undefined)
    return `${toCents(realized)} ${quote} realized; ${text(position)} ${base} ${where}, at an unknown price`;
  const worth = `worth ${toCents(mul(position, mark, "half"))} ${quote} at ${text(mark)}`;
  return `total ${toCents(total)} ${quote}, of which ${toCents(realized)} realized; ${text(position)} ${base} ${where}, ${worth}`;
}

/** Returns whether a stop that has not finished sells the base. */
const isBeingSold = (strategy: Strategy): boolean => strategy.status !== "stopped" && sellsBase(strategy);
