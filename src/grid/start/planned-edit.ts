import { endingChanges, endingTextsOf } from "../../engine/operations/ending-fields.ts";
import { type Decimal, max, text, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Balance } from "../../model/account.ts";
import { type BidAsk, feeWarnings, type Market } from "../../model/market.ts";
import type { Intent, Order, Resting } from "../../model/order.ts";
import type { CurrentPlan } from "../../model/shown-plan.ts";
import { freeBeside, need, type PairAmounts } from "../../model/strategy.ts";
import type { PlanFacts } from "../../ports/plan.ts";
import { gridPosition, profitOf } from "../booking.ts";
import type { Warning } from "../ladder/check-rules.ts";
import { layOutAnew } from "../plan/moves.ts";
import { nextOrders } from "../plan/next-orders.ts";
import { totalBase } from "../state/lots.ts";
import type { GridState, GridStrategy } from "../state/state.ts";
import type { EditedGrid } from "./edited.ts";
import { fallText, gridDetails, gridOrders, gridRefusals, gridText, missingQuote } from "./planned-start.ts";
import { protectionTexts } from "./preview.ts";
import {
  type GridStart,
  type LastWeek,
  lastWeekOut,
  mostQuote,
  neededQuote,
  worstCases,
} from "./worst-case.ts";

export interface EditInputs {
  readonly market: Market;
  readonly quote: BidAsk;
  readonly balances: readonly Balance[];
  /** Orders of the account on the pair that are open or can be open. */
  readonly orders: readonly Order[];
  /** What the account's other strategies still need of the free balances. */
  readonly kept: PairAmounts;
  readonly killed: boolean;
}

/** Result of a change: the canceled orders, and the open orders after it. */
export interface PlannedGridEdit {
  readonly edited: EditedGrid;
  readonly cancels: readonly Order[];
  readonly intents: readonly Intent[];
  readonly state: GridState;
  /** Free quote apart from other strategies' needs, after the cancels. */
  readonly free: Decimal;
  readonly shown: CurrentPlan;
}

type EditOrders = Omit<PlannedGridEdit, "shown">;

/** Plans a change with the functions that a pass uses. */
export function planEdit(strategy: GridStrategy, edited: EditedGrid, inputs: EditInputs): PlannedGridEdit {
  const planned = ordersOfEdit(strategy, edited, inputs);
  return { ...planned, shown: approvedEdit(strategy, planned, inputs) };
}

function ordersOfEdit(strategy: GridStrategy, edited: EditedGrid, inputs: EditInputs): EditOrders {
  const { market, quote, balances, orders, kept, killed } = inputs;
  const mine = orders.filter((order) => order.strategy === strategy.id);
  const funds = freed(balances, edited.isRelaid ? mine : [], market);
  const base = { edited, free: max(ZERO, (funds[market.quote] ?? ZERO) - kept.quote) };
  if (!edited.isRelaid) return { ...base, cancels: [], intents: [], state: strategy.state };
  const laid = layOutAnew(edited.config, strategy.state, { market, quote });
  const others = orders.filter((order) => order.strategy !== strategy.id);
  const planned = nextOrders(laid, {
    market,
    quote,
    busy: new Set(),
    now: 0,
    resting: others.map((order): Resting => ({ side: order.side, price: order.price, order })),
    funds,
    killed,
    isRecovering: false,
    limit: laid.slots.length,
    config: edited.config,
  });
  const { next: state, intents } = planned;
  return { ...base, cancels: mine, intents, state };
}

/**
 * Returns what a change approves: the configuration, whether the free balance covers it, and the kill switch. Its orders depend on the
 * fills and the price of the pass that makes the change.
 */
function approvedEdit(strategy: GridStrategy, planned: EditOrders, inputs: EditInputs): CurrentPlan {
  const { id, edits = 0 } = strategy;
  const { edited, free } = planned;
  const { lowerPrice, upperPrice, gridSpacing, ...settings } = edited.config;
  const { stopLossPrice, takeProfitPrice, centered } = settings;
  // A pass computes the range of a centered grid.
  const range = centered ? [] : [lowerPrice, upperPrice];
  const isCovered = !edited.isRelaid || neededQuote(beginsOfEdit(strategy, planned, inputs)) <= free;
  return {
    approved: [id, edits, settings, centered ? [] : [...range, gridSpacing], isCovered, inputs.killed],
    price: edited.isRelaid ? midOf(inputs.quote) : null,
    edges: [...range, stopLossPrice, takeProfitPrice],
  };
}

function freed(
  balances: readonly Balance[],
  cancels: readonly Order[],
  market: Market,
): Record<string, Decimal> {
  const funds = Object.fromEntries(balances.map(({ asset, free }) => [asset, free]));
  for (const { side, price, amount, filled } of cancels) {
    const back = need(market, { side, price, amount: max(ZERO, amount - filled) });
    funds[back.asset] = (funds[back.asset] ?? ZERO) + back.amount;
  }
  return funds;
}

/** Warns about base that no slot sells after the change; it waits for a price or a person. */
function idleWarnings({ edited, state }: PlannedGridEdit, { base }: Market): Warning[] {
  const idle = totalBase(state.idle);
  if (!edited.isRelaid || idle <= ZERO) return [];
  return [
    {
      code: "idle_base",
      message: `${text(idle)} ${base} have no slot that sells them; they stay in the grid until you stop it with sellBase`,
    },
  ];
}

/** Returns the funds that a change needs. */
function fundsOfEdit(
  { edited, state, intents, free }: PlannedGridEdit,
  begins: GridStart,
  inputs: EditInputs,
) {
  if (!edited.isRelaid) return [];
  const needed = neededQuote(begins);
  return missingQuote(
    { needed, free, resting: { orders: intents.length, slots: state.slots.length } },
    inputs,
  );
}

/** Returns the grid after the change. A start can buy base at once; a change buys only through its orders. */
const beginsOfEdit = (
  { state: { startPrice } }: GridStrategy,
  { edited, state }: EditOrders,
  { market, quote, balances }: EditInputs,
): GridStart => ({
  config: { ...edited.config, initialBuy: false },
  state,
  startPrice,
  takingPrice: midOf(quote),
  market,
  balances,
});

/** Returns the plan of a change: its orders, what the grid has, and the worst case after it. */
export function editFacts(
  strategy: GridStrategy,
  planned: PlannedGridEdit,
  inputs: EditInputs,
  week: LastWeek,
): PlanFacts {
  const { edited, intents, state, free } = planned;
  const { market, quote, kept, balances } = inputs;
  const { config, before } = edited;
  const mid = midOf(quote);
  const { realized, total } = profitOf(strategy.state, mid);
  const begins = beginsOfEdit(strategy, planned, inputs);
  const lastWeek = lastWeekOut(begins, week);
  return {
    what: gridText(config, state, market),
    price: mid,
    triggerPrice: strategy.status === "idle" ? config.triggerPrice : undefined,
    orders: gridOrders(intents),
    refused: edited.isRelaid ? gridRefusals(state) : [],
    free: { quote: free, base: freeBeside(kept, balances, market).base },
    worstCase: fallText(begins),
    losses: worstCases(begins),
    endings: endingTextsOf(config, market.quote),
    notes: [
      ...(edited.isRelaid
        ? [`the change sells nothing at once, and ${text(realized)} ${market.quote} stay realized`]
        : []),
      ...protectionTexts(before, config, market.quote),
    ],
    details: {
      ...gridDetails({ begins, ownBase: ZERO }, inputs, lastWeek),
      running: {
        position: text(gridPosition(strategy.state)),
        idleBase: text(totalBase(state.idle)),
        realized: text(realized),
        totalProfit: text(total),
      },
    },
  };
}

/** Returns the most quote that the grid uses after the change; it takes no more base of the account. */
export const usesOfEdit = (
  strategy: GridStrategy,
  planned: PlannedGridEdit,
  inputs: EditInputs,
): PairAmounts => ({ quote: mostQuote(beginsOfEdit(strategy, planned, inputs)), base: ZERO });

export const editWarnings = (
  strategy: GridStrategy,
  planned: PlannedGridEdit,
  inputs: EditInputs,
): Warning[] => [
  ...planned.edited.warnings,
  ...feeWarnings(inputs.market),
  ...idleWarnings(planned, inputs.market),
  ...fundsOfEdit(planned, beginsOfEdit(strategy, planned, inputs), inputs),
];

const EDITED_FIELDS = [
  "lowerPrice",
  "upperPrice",
  "gridLevels",
  "orderSize",
  "gridSpacing",
  "allowLoss",
  "reinvest",
] as const;

/** Lists each changed field with its old and new value. */
export function describeChanges({ before, config }: Pick<EditedGrid, "before" | "config">) {
  const describe = (value: Decimal | number | boolean | undefined): string =>
    value === undefined ? "none" : typeof value === "bigint" ? text(value) : String(value);
  const plain = EDITED_FIELDS.flatMap((field) =>
    before[field] === config[field]
      ? []
      : [{ field, from: describe(before[field]), to: describe(config[field]) }],
  );
  const [one, other] = [before.centered?.spacing, config.centered?.spacing];
  return [
    ...plain,
    ...endingChanges(before, config),
    ...(one === other ? [] : [{ field: "spacing", from: describe(one), to: describe(other) }]),
  ];
}
