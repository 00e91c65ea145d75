import type * as z from "zod";
import { stopReasonOf } from "../../engine/decide/stop.ts";
import { stopPricesOf } from "../../engine/operations/stop-prices.ts";
import { type Decimal, text, texts, wire } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { runningTime, type Strategy } from "../../model/strategy.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { gridBooks, profitOf } from "../booking.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridStrategy } from "../state/state.ts";
import {
  accountingOut,
  cachedPerView,
  costOut,
  unbookedBalanceChanges,
  type ViewWithoutTime,
} from "./accounting.ts";
import {
  type ConfigShape,
  currentRange,
  type GridStatusShape,
  holdingProfit,
  investmentOf,
} from "./shapes.ts";

export const configOut = (
  exchange: string,
  { symbol, config }: Pick<GridStrategy, "symbol" | "config">,
): z.input<ReturnType<typeof ConfigShape>> => ({ exchange, symbol, ...layoutOut(config, wire) });

/** Returns a grid's settings, with money in the form that `as` gives it. */
export function layoutOut<Money>(config: GridConfig, as: (amount: Decimal) => Money) {
  const { lowerPrice, upperPrice, gridLevels, orderSize, gridSpacing } = config;
  const prices = {
    lowerPrice: as(lowerPrice),
    upperPrice: as(upperPrice),
    gridSpacing: as(gridSpacing),
  };
  return { gridLevels, orderSize: as(orderSize), ...prices };
}

interface StatusFacts {
  /** Current market time. */
  readonly now: Millis;
  /** Market time of the last pass. */
  readonly lastStepAt: Millis | null;
  /** Message if no server runs its passes. */
  readonly missing: string | null;
  /** Problem of the database, if it cannot be written. */
  readonly trouble?: string | undefined;
  /** Description of its account's stream. */
  readonly stream?: string | null;
  /** Notices about its stop price. */
  readonly watch?: readonly { readonly code: string; readonly message: string }[];
}

type StatusAnswer = z.input<ReturnType<typeof GridStatusShape>>;

/** Returns a strategy's status as the contract defines it, with where the profit comes from and why slots have no order. */
export function gridStatusAnswer(
  view: StrategyView<GridStrategy>,
  { now, lastStepAt, missing, trouble, stream = null, watch = [] }: StatusFacts,
): StatusAnswer {
  const { strategy } = view;
  return {
    ...standingOut(view),
    stopPrices: stopPricesOf(view, watch, wire),
    notices: [...strategy.state.notices, ...watch].map((notice) => ({ ...notice })),
    runningTime: runningTime(strategy, now),
    lastStepAt,
    stream,
    lastError: trouble ?? strategy.lastError ?? view.accountError ?? missing,
  };
}

/** Returns the part of a status that stays until stored data changes, with placeholders that keep the order of fields. */
const standingOut = cachedPerView((view): StatusAnswer => {
  const { strategy, memory } = view;
  const mark = memory.marks[strategy.symbol]?.mid;
  return {
    id: strategy.id,
    name: strategy.name ?? null,
    dryRun: isDry(strategy),
    status: strategy.status,
    phase: phaseOf(strategy),
    centered: strategy.config.centered !== undefined,
    ...configOut(parseAccountKey(strategy.account).exchange, strategy),
    ...currentRange(strategy, wire),
    openOrders: view.openOrders,
    ...profitOut(view),
    stopPrices: [],
    stopReason: stopReasonOf(gridBooks, strategy, mark),
    ...accountingOut(view),
    otherChanges: texts(unbookedBalanceChanges(view)),
    refused: strategy.state.refused.map((refusal) => ({ ...refusal, ...lowerPriceOf(strategy, refusal) })),
    notices: [],
    startedAt: strategy.startedAt,
    runningTime: 0,
    lastStepAt: null,
    lastStepBy: view.steppedBy,
    stream: null,
    lastError: null,
    cost: costOut(view.costs, strategy.id),
  };
});

/** Returns the lower price of a slot without an order; an initial buy has none. */
function lowerPriceOf({ state }: GridStrategy, { slot }: { readonly slot: number }) {
  const lower = state.slots.find(({ index }) => index === slot)?.lower;
  return lower === undefined ? {} : { lowerPrice: wire(lower) };
}

/** Returns its P&L and base; fields that need a price are null before the first one was read. */
function profitOut({ strategy, memory }: ViewWithoutTime) {
  const { ledger, startPrice } = strategy.state;
  const { mid: mark, lot } = memory.marks[strategy.symbol] ?? {};
  const profit = profitOf(strategy.state, mark ?? startPrice);
  return {
    filledOrders: ledger.filledOrders,
    cycles: ledger.cycles,
    profit: wire(profit.realized),
    unrealizedProfit: mark === undefined ? null : wire(profit.unrealized),
    totalProfit: mark === undefined ? null : wire(profit.total),
    markPrice: mark === undefined ? null : wire(mark),
    startPrice: wire(startPrice),
    investment: wire(investmentOf(strategy)),
    holdingProfit: mark === undefined ? null : wire(holdingProfit(strategy, mark)),
    position: text(profit.position),
    averageCost: orNull(profit.averageCost),
    breakEvenPrice: isDust(profit.position, lot) ? null : orNull(profit.breakEvenPrice),
    fees: texts(ledger.fees),
  };
}

/** Returns whether a position is below one lot; it cannot be sold, so it has no break-even price. */
const isDust = (position: Decimal, lot: Decimal | undefined): boolean => lot !== undefined && position < lot;

/** Returns the phase. A stop applies from its request, even before a pass has stored it. */
const phaseOf = ({ wants, status, phase }: Strategy): Strategy["phase"] =>
  wants === "stop" && status !== "stopped" ? "stopping" : phase;

export const isDry = ({ account }: Pick<Strategy, "account">): boolean =>
  parseAccountKey(account).kind === "dry";

const orNull = (value: bigint | null): number | null => (value === null ? null : wire(value));
