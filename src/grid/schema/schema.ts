import * as z from "zod";
import { mul, ONE, text, wire } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { profitOf } from "../ledger/profit.ts";
import type { GridStrategy } from "../state/state.ts";
import { accountingOut, accountingShape, otherChanges, SlotShape } from "./accounting.ts";
import { CostShape, costOut } from "./cost.ts";
import { holdingProfit, investmentOf, StopPriceShape, stopPricesOf, stopReasonOf } from "./ends.ts";

/** Where a grid stands, as it was asked for. */
const layoutShape = () => ({
  exchange: z.string(),
  symbol: z.string(),
  lowerPrice: z.number(),
  upperPrice: z.number(),
  gridLevels: z.number(),
  orderSize: z.number(),
  gridSpacing: z.number(),
});

const ConfigShape = lazy(() => z.object(layoutShape()));

const WarningShape = lazy(() => z.object({ code: z.string(), message: z.string() }));

const RefusedShape = lazy(() =>
  z.object({ slot: z.number(), reason: z.string(), detail: z.string().optional() }),
);

export const PlannedShape = lazy(() =>
  z.object({
    config: ConfigShape(),
    marketPrice: z.number(),
    orders: z.array(
      z.object({ slot: z.number(), side: z.enum(["buy", "sell"]), price: z.number(), amount: z.number() }),
    ),
    refused: z.array(RefusedShape()),
    slots: z.array(
      z.object({
        slot: z.number(),
        lowerPrice: z.number(),
        upperPrice: z.number(),
        netPercent: z.number(),
        netProfit: z.number(),
      }),
    ),
    investment: z.object({ quote: z.string(), base: z.string() }),
    free: z.object({ quote: z.string(), base: z.string() }),
    options: z
      .object({
        stopLossPrice: z.number(),
        takeProfitPrice: z.number(),
        triggerPrice: z.number(),
        trail: z.object({ up: z.number(), down: z.number() }).partial(),
        initialBuy: z.boolean(),
        postOnly: z.boolean(),
        confidence: z.number(),
        maxPosition: z.number(),
        safetyReserve: z.number(),
      })
      .partial(),
    maxQuoteUsed: z.string(),
    ownBaseUsed: z.string(),
    breakEvenSpacingPercent: z.number(),
    worstCase: z.array(z.object({ price: z.number(), loss: z.number() })),
    spread: z.number(),
    warnings: z.array(WarningShape()),
    planHash: z.string(),
  }),
);

export const StartedShape = lazy(() =>
  z.object({
    id: z.string(),
    status: z.enum(["idle", "running", "stopped", "error"]),
    phase: z.string(),
    message: z.string(),
    config: ConfigShape(),
    maxQuoteUsed: z.string(),
    ownBaseUsed: z.string(),
    warnings: z.array(WarningShape()),
  }),
);

export const StoppedShape = lazy(() =>
  z.object({
    success: z.boolean(),
    id: z.string(),
    message: z.string(),
    summary: z.object({
      runningTime: z.number(),
      filledOrders: z.number(),
      profit: z.number(),
      totalProfit: z.number().nullable(),
      base: z.string(),
      baseWorth: z.number().nullable(),
      averageCost: z.number().nullable(),
      stopReason: z.string().nullable(),
      openOrders: z
        .array(
          z.object({ id: z.string(), side: z.enum(["buy", "sell"]), price: z.number(), amount: z.number() }),
        )
        .optional(),
    }),
  }),
);

const GridShape = lazy(() =>
  z.object({
    id: z.string(),
    dryRun: z.boolean(),
    status: z.enum(["idle", "running", "stopped", "error"]),
    phase: z.string(),
    ...layoutShape(),
    openOrders: z.number(),
    filledOrders: z.number(),
    cycles: z.number(),
    profit: z.number(),
    unrealizedProfit: z.number().nullable(),
    totalProfit: z.number().nullable(),
    markPrice: z.number().nullable(),
    startPrice: z.number().describe("The market price at which the grid was laid out first"),
    investment: z.number().describe("Quote that the orders of all slots come to"),
    holdingProfit: z
      .number()
      .nullable()
      .describe("What the investment would have made, put into base at the start"),
    position: z.string(),
    averageCost: z.number().nullable(),
    breakEvenPrice: z.number().nullable(),
    fees: z.record(z.string(), z.string()),
    stopPrices: z.array(StopPriceShape()),
    stopReason: z.string().nullable().describe("What has stopped it, where no person has"),
    ...accountingShape(),
    otherChanges: z.record(z.string(), z.string()),
    refused: z.array(RefusedShape()),
    notices: z.array(z.object({ code: z.string(), message: z.string() })),
    startedAt: z.number(),
    runningTime: z.number(),
    lastStepAt: z.number().nullable(),
    lastStepBy: z.string().nullable(),
    lastError: z.string().nullable(),
    cost: CostShape().nullable(),
    /** Of the one that was asked for by its id. */
    slots: z.array(SlotShape()).optional(),
  }),
);

export const StatusShape = lazy(() =>
  z.object({
    strategies: z.array(GridShape()),
    count: z.number(),
    next: z.string().nullable(),
    warnings: z.array(z.string()).describe("What a person has to know of the exchange keys"),
  }),
);

export const ListShape = lazy(() =>
  z.object({
    strategies: z.array(
      z.object({
        id: z.string(),
        dryRun: z.boolean(),
        exchange: z.string(),
        symbol: z.string(),
        status: z.enum(["idle", "running", "stopped", "error"]),
        stalled: z.boolean().describe("Nothing has stepped it for three intervals"),
        startedAt: z.number(),
      }),
    ),
    count: z.number(),
  }),
);

export const TickShape = lazy(() =>
  z.object({
    accounts: z.array(z.object({ account: z.string(), outcome: z.string(), message: z.string().optional() })),
  }),
);

export function configOut(
  exchange: string,
  { symbol, config }: Pick<GridStrategy, "symbol" | "config">,
): z.input<ReturnType<typeof ConfigShape>> {
  const { lowerPrice, upperPrice, gridLevels, orderSize, gridSpacing } = config;
  const prices = {
    lowerPrice: wire(lowerPrice),
    upperPrice: wire(upperPrice),
    gridSpacing: wire(gridSpacing),
  };
  return { exchange, symbol, gridLevels, orderSize: wire(orderSize), ...prices };
}

export interface Times {
  /** Market time now. */
  readonly now: Millis;
  /** That nobody here steps it. */
  readonly missing: string | null;
  /** What is wrong with the database, where nothing can be written of it. */
  readonly trouble?: string | undefined;
  /** What there is to say of its stop price. */
  readonly watch?: readonly { readonly code: string; readonly message: string }[];
}

/** One strategy as the contract shows it, and what it leaves open: where the profit comes from, and what rests nothing. */
export function gridOut(
  exchange: string,
  view: StrategyView<GridStrategy>,
  { now, missing, trouble, watch = [] }: Times,
): z.input<ReturnType<typeof GridShape>> {
  const { strategy, memory } = view;
  const { ledger, refused, notices, startPrice } = strategy.state;
  const mark = memory.marks[strategy.symbol]?.mid;
  const profit = profitOf(strategy.state, mark ?? startPrice);
  return {
    id: strategy.id,
    dryRun: isDry(strategy),
    status: strategy.status,
    phase: phaseOf(strategy),
    ...configOut(exchange, strategy),
    openOrders: view.openOrders,
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
    breakEvenPrice: orNull(profit.breakEvenPrice),
    fees: texts(ledger.fees),
    stopPrices: stopPricesOf(view, watch),
    stopReason: stopReasonOf(strategy, mark),
    ...accountingOut(view),
    otherChanges: texts(otherChanges(view)),
    refused: refused.map((refusal) => ({ ...refusal })),
    notices: [...notices, ...watch].map((notice) => ({ ...notice })),
    startedAt: strategy.startedAt,
    runningTime: runningTime(strategy, now),
    lastStepAt: view.steppedAt,
    lastStepBy: view.steppedBy,
    lastError: trouble ?? strategy.lastError ?? view.accountError ?? missing,
    cost: costOut(view.costs, strategy.id),
  };
}

/** A stop holds from the moment it is asked for, whether or not a step has been able to write so. */
const phaseOf = ({ wants, status, phase }: Strategy): Strategy["phase"] =>
  wants === "stop" && status !== "stopped" ? "stopping" : phase;

export const isDry = ({ account }: Pick<Strategy, "account">): boolean =>
  parseAccountKey(account).kind === "dry";

export const runningTime = ({ startedAt, stoppedAt }: Strategy, now: Millis): Millis =>
  Math.max(0, (stoppedAt ?? now) - startedAt);

export function stoppedOut(
  { strategy, memory }: StrategyView<GridStrategy>,
  now: Millis,
  openOrders: readonly Order[] | undefined,
): z.input<ReturnType<typeof StoppedShape>>["summary"] {
  const mark = memory.marks[strategy.symbol]?.mid;
  const { position, averageCost, realized, total } = profitOf(strategy.state, mark ?? ONE);
  // Without base the total is what was realised, whatever the price.
  const isKnown = mark !== undefined || position === 0n;
  return {
    runningTime: runningTime(strategy, now),
    filledOrders: strategy.state.ledger.filledOrders,
    profit: wire(realized),
    totalProfit: isKnown ? wire(total) : null,
    base: text(position),
    baseWorth: isKnown ? wire(mul(position, mark ?? 0n, "half")) : null,
    averageCost: orNull(averageCost),
    stopReason: stopReasonOf(strategy, mark),
    ...(openOrders ? { openOrders: openOrders.map(openOrderOut) } : {}),
  };
}

const openOrderOut = ({ exchangeId, side, price, amount }: Order) => ({
  id: exchangeId ?? "",
  side,
  price: wire(price),
  amount: wire(amount),
});

const orNull = (value: bigint | null): number | null => (value === null ? null : wire(value));
const texts = (amounts: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, text(amount)]));
