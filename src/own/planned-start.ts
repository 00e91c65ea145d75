/** Plans a start with the functions that a pass uses. */

import { type EndingConfig, endingTextsOf, endingWarnings } from "../engine/operations/ending-fields.ts";
import { closedWarnings } from "../engine/operations/start-reads.ts";
import { midOfBook, withFirstBase } from "../engine/position/position.ts";
import { type Decimal, max, min, ONE, text, ZERO } from "../kernel/decimal.ts";
import { NO_STOP } from "../kernel/fields.ts";
import { type Soon, withValue } from "../kernel/soon.ts";
import { metLimitWarnings } from "../limits/standing.ts";
import { type AccountKey, type Balance, balanceIn, parseAccountKey } from "../model/account.ts";
import type { Standings } from "../model/limits.ts";
import { type Book, feeWarnings, type Market, type Side } from "../model/market.ts";
import type { Draft } from "../model/order.ts";
import type { CurrentPlan } from "../model/shown-plan.ts";
import { freeBeside, type PairAmounts, type Refusal } from "../model/strategy.ts";
import type { AnyStrategyDefinition } from "../ports/definition.ts";
import type { RequestedPrices, StrategyContext } from "../ports/kind.ts";
import type { PlanFacts, StartRequest } from "../ports/plan.ts";
import type { Timing, VenueOrder } from "../ports/venue.ts";
import { type NamedOrder, othersBook } from "./pass/ask.ts";
import { runOwnStrategy } from "./pass/run.ts";
import {
  newOwnStrategyState,
  type OwnStrategy,
  type OwnStrategyConfig,
  type OwnStrategyState,
  versionOf,
} from "./state.ts";

/** Data that a start needs of the account and its market. */
export interface PlanInputs {
  readonly account: AccountKey;
  readonly market: Market;
  readonly book: Book;
  /** Candles and prices elsewhere, if the definition requests them. */
  readonly requested: RequestedPrices;
  readonly open: readonly VenueOrder[];
  readonly balances: readonly Balance[];
  /** Balances that other strategies of the account still need. */
  readonly kept: PairAmounts;
  readonly killed: boolean;
  readonly standings: Standings;
  readonly timing: Timing;
  readonly now: number;
  readonly interval: number;
}

export interface PlannedOwnStrategy {
  readonly config: OwnStrategyConfig;
  readonly orders: readonly NamedOrder[];
  readonly refused: readonly (Omit<Refusal, "slot"> & { readonly id: string })[];
  /** Assets of which it can use all that is free, because the request sets no budget. */
  readonly unlimited: readonly ("base" | "quote")[];
  /** Mid price of the book; null if it lacks a side. */
  readonly mid: Decimal | null;
  /** Why its function failed. */
  readonly fault: string | null;
  readonly shown: CurrentPlan;
}

/** A start with the config that the definition's rules accept. */
export type OwnStart = Pick<StartRequest, "exchange" | "symbol" | "dryRun" | "baseBudget" | "quoteBudget"> &
  Pick<OwnStrategyConfig, "options"> & { readonly endings?: EndingConfig };

/** Why a start without a mid price is refused. */
export const ONE_SIDED = "the order book does not have two sides; try again when others quote both";

export const ownStrategyConfigOf = (
  definition: AnyStrategyDefinition,
  { options, endings }: Pick<OwnStart, "options" | "endings">,
  budget: PairAmounts,
): OwnStrategyConfig => ({
  ...endings,
  definition: definition.name,
  version: versionOf(definition),
  options,
  budget,
  ...(definition.mayTake ? { postOnly: false } : {}),
});

export function planOwnStrategy(
  definition: AnyStrategyDefinition,
  request: OwnStart,
  budget: PairAmounts,
  inputs: PlanInputs,
): Soon<PlannedOwnStrategy> {
  const config = ownStrategyConfigOf(definition, request, budget);
  const strategy = strategyToPlan(config, inputs);
  const ran = runOwnStrategy([definition], strategy, [], contextOf(inputs));
  return withValue(ran, ({ intents = [], strategy: { state, lastError } = strategy }) => {
    const plan = planOf({ intents, state, lastError }, config, inputs);
    const { exchange, symbol, dryRun = false, baseBudget, quoteBudget } = request;
    const { orders, mid } = plan;
    const available = strategy.config.budget;
    return {
      ...plan,
      unlimited: [
        ...(baseBudget === undefined ? (["base"] as const) : []),
        ...(quoteBudget === undefined ? (["quote"] as const) : []),
      ],
      shown: {
        approved: [exchange, dryRun, symbol, config, available, orders.map(({ id, side }) => [id, side])],
        price: mid,
        takes: takesOf(orders, inputs),
      },
    };
  });
}

/** Returns the orders of a pass by their ids, and those that it does not place. */
export function planOf(
  { intents, state: { ids, refused, fault }, lastError }: PlannedPass,
  config: OwnStrategyConfig,
  inputs: PlanInputs,
): Pick<PlannedOwnStrategy, "config" | "orders" | "refused" | "mid" | "fault"> {
  const orders = intents.map(({ slot, side, price, amount }) => ({
    id: ids[slot] ?? "",
    side,
    price,
    amount,
  }));
  const notPlaced = refused.map(({ slot, ...one }) => ({ id: ids[slot] ?? "", ...one }));
  return {
    config,
    orders,
    refused: notPlaced,
    mid: midOfMarket(inputs) ?? null,
    fault: fault?.message ?? lastError,
  };
}

/** Returns the sides of the orders that fill at once. */
function takesOf(orders: readonly NamedOrder[], { book: { bids, asks } }: PlanInputs): Side[] {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  const doesTake = ({ side, price }: NamedOrder) =>
    side === "buy" ? ask !== undefined && price >= ask : bid !== undefined && price <= bid;
  return orders.filter(doesTake).map(({ side }) => side);
}

interface PlannedPass extends Pick<OwnStrategy, "state" | "lastError"> {
  readonly intents: readonly Draft[];
}

const marketSnapshot = ({
  market,
  book,
  open,
  requested,
}: PlanInputs): Pick<StrategyContext, "observed"> => ({
  observed: { market, book, open, ...requested, quote: undefined, error: null },
});

/** Returns the mid price of others' orders. */
function midOfMarket(inputs: PlanInputs): Decimal | undefined {
  const book = othersBook(marketSnapshot(inputs));
  return book && midOfBook(book);
}

/** Returns the strategy as its first pass will see it, with its budget from the current free balances. */
function strategyToPlan(config: OwnStrategyConfig, inputs: PlanInputs): OwnStrategy {
  const { market, balances, kept, now, account } = inputs;
  const free = freeBeside(kept, balances, market);
  const budget = { base: min(config.budget.base, free.base), quote: min(config.budget.quote, free.quote) };
  const state: OwnStrategyState = withFirstBase(newOwnStrategyState(midOfMarket(inputs) ?? ONE), budget.base);
  return {
    id: "",
    number: 0,
    kind: "declared",
    version: 1,
    account,
    symbol: market.symbol,
    config: { ...config, budget },
    state,
    wants: "run",
    ...NO_STOP,
    status: "running",
    phase: "placing",
    lastError: null,
    startedAt: now,
    stoppedAt: null,
    epoch: 0,
    resumes: 0,
    request: null,
  };
}

export function contextOf(inputs: PlanInputs): StrategyContext {
  const { account, market, balances, open, standings, timing, now, interval } = inputs;
  const free = (asset: string) => max(ZERO, balanceIn(balances, asset).free);
  return {
    ...marketSnapshot(inputs),
    now,
    interval,
    isSimulated: parseAccountKey(account).host === "",
    timing,
    window: { sendBy: now, notAfter: now },
    funds: { [market.base]: free(market.base), [market.quote]: free(market.quote) },
    doubted: new Set<string>(),
    capital: undefined,
    confidence: undefined,
    ownBase: { least: ZERO, isSure: true },
    resting: open.map(({ side, price, id }) => ({ side, price, id })),
    killed: false,
    panics: false,
    orphan: null,
    stranger: null,
    unshown: null,
    epoch: 0,
    limit: Number.MAX_SAFE_INTEGER,
    slow: null,
    bounds: { standings, now },
    judge: (strategy) => strategy,
  };
}

/** Returns the plan of a start; under the kill switch no order is placed. */
export function ownFacts(plan: Omit<PlannedOwnStrategy, "shown">, inputs: PlanInputs): PlanFacts {
  const { config, mid, orders, refused } = plan;
  const stopped = inputs.killed ? orders.map(({ id }) => ({ id, reason: "killed" })) : [];
  return {
    what: config.definition,
    price: mid,
    orders: inputs.killed ? [] : orders,
    refused: [...refused, ...stopped],
    free: freeBeside(inputs.kept, inputs.balances, inputs.market),
    worstCase: worstLoss(plan, inputs),
    losses: [],
    triggerPrice: config.triggerPrice,
    endings: endingTextsOf(config, inputs.market.quote),
    notes: [],
    details: { kind: "strategy", config: { ...config.options } },
  };
}

function worstLoss(
  { config: { budget } }: Pick<PlannedOwnStrategy, "config">,
  { market: { base, quote } }: PlanInputs,
): string {
  return `the strategy may spend all of ${text(budget.quote)} ${quote} on ${base} and sell all of ${text(budget.base)} ${base}; what it holds loses what the price loses`;
}

/** Warns that a strategy can use the whole balance, which nobody chose. */
function balanceWarnings(
  { unlimited, config: { budget } }: Pick<PlannedOwnStrategy, "unlimited" | "config">,
  market: Market,
) {
  if (unlimited.length === 0) return [];
  const amounts = unlimited.map((side) => `${text(budget[side])} ${market[side]}`).join(" and ");
  const message = `it may use all of the free ${amounts}; set a budget to use less`;
  return [{ code: "whole_balance", message }];
}

export function warningsOf(
  plan: Omit<PlannedOwnStrategy, "shown"> & { readonly highest?: Decimal | undefined },
  { killed, market, book: { bids, asks, at } }: PlanInputs,
) {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  const quote = bid === undefined || ask === undefined ? undefined : { bid, ask, at };
  const { fault, mid, refused } = plan;
  return [
    ...balanceWarnings(plan, market),
    ...feeWarnings(market),
    ...closedWarnings(market),
    ...metLimitWarnings(refused),
    ...endingWarnings(plan.config, { quote, highest: plan.highest }),
    ...(fault === null ? [] : [{ code: "strategy_failed", message: fault }]),
    ...(mid === null ? [{ code: "no_book", message: ONE_SIDED }] : []),
    ...(killed ? [{ code: "killed", message: "the kill switch is on: the start would be refused" }] : []),
  ];
}
