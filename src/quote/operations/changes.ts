import { endingChanges } from "../../engine/operations/ending-fields.ts";
import { freedOf, readForChange, venueForChange } from "../../engine/operations/start-reads.ts";
import { budgetLeft } from "../../engine/position/position.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Order } from "../../model/order.ts";
import type { ApprovedPlan } from "../../model/shown-plan.ts";
import { pendingEdit } from "../../model/strategy.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { EditRequest, FieldChange, PlanFacts, PlanReader, ReadyEdit } from "../../ports/plan.ts";
import { type Quoting, quotingOf } from "../pass/quoting.ts";
import { formatDefence } from "../plan.ts";
import {
  type ChangeRequest,
  changedQuote,
  type QuoteInputs,
  quoteFacts,
  quoteWarnings,
} from "../start/planned-quote.ts";
import type { QuoteConfig, QuoteStrategy } from "../state.ts";
import { readQuotesAt, readQuotesExposure } from "./readings.ts";

/** Checks a change of quotes; only its plan reads the market. */
export async function readQuoteEdit(
  deps: StrategyDeps,
  { strategy, config: request }: EditRequest<QuoteStrategy>,
  { actor }: PlanReader,
): Promise<ReadyEdit> {
  const { config, changes } = changeOfQuote(strategy, request);
  return {
    changes,
    warnings: [],
    shown: approvedChange(strategy, config),
    exposure: () => readQuotesExposure(deps, { ...strategy, config }, config),
    config: async () => config,
    async plan() {
      const { account, symbol, id } = strategy;
      const venue = venueForChange(deps, account);
      const readings = await readForChange(venue, async () =>
        readQuotesAt(deps, { venue, symbol, balances: await venue.balances(), actor, beside: id }),
      );
      const orders = await deps.store.unsettledOrders(account);
      const inputs = { ...readings, balances: freedOf(strategy, orders, readings) };
      const planned = planChange(strategy, config, inputs, orders);
      const { bids, asks } = planned.quoting;
      return {
        market: inputs.market,
        killed: inputs.killed,
        uses: budgetLeft({ ...strategy, config }),
        warnings: changeWarnings(strategy, planned, inputs),
        kept: bids.kept.length + asks.kept.length,
        cancelled: bids.misplaced.length + asks.misplaced.length,
        facts: () => changeFacts(strategy, planned, inputs),
      };
    },
  };
}

type QuoteFields = Readonly<Record<string, Decimal | number | string | undefined>>;

const changeableFields = ({ rules, fixed, tolerance }: QuoteConfig): QuoteFields => ({
  spreadPercent: 200n * rules.halfSpread,
  levels: rules.levels,
  size: rules.sizes.model === "depth" ? undefined : rules.sizes.size,
  depth: rules.sizes.model === "depth" ? rules.sizes.depth : undefined,
  maxBase: rules.mostBase,
  minBase: rules.leastBase,
  defend: rules.defence && formatDefence(rules.defence),
  fixedPrice: fixed?.price,
  tolerancePercent: 100n * tolerance.price,
});

const fieldText = (value: QuoteFields[string]): string =>
  value === undefined ? "none" : typeof value === "bigint" ? text(value) : String(value);

const fieldChanges = (before: QuoteFields, after: QuoteFields): FieldChange[] =>
  Object.keys(after).flatMap((field) => {
    const [from, to] = [fieldText(before[field]), fieldText(after[field])];
    return from === to ? [] : [{ field, from, to }];
  });

/** Returns what a change approves. Its orders follow the price within the same budget, so the price does not matter. */
export const approvedChange = ({ id, edits = 0 }: QuoteStrategy, config: QuoteConfig): ApprovedPlan => ({
  approved: [id, edits, config],
  price: null,
});

/** A checked change: the new configuration, and its description. */
interface QuoteChange {
  readonly config: QuoteConfig;
  readonly changes: readonly FieldChange[];
}

/**
 * Returns the change of a configuration, including a change that waits for its pass. Throws AppError if the
 * change is invalid.
 */
export function changeOfQuote(strategy: QuoteStrategy, request: ChangeRequest): QuoteChange {
  if (request.size !== undefined && request.depth !== undefined)
    throw new AppError("Invalid order size", "set either size or depth, not both");
  const before = pendingEdit(strategy) ?? strategy.config;
  const config = changedQuote(before, request);
  const own = fieldChanges(changeableFields(before), changeableFields(config));
  return { config, changes: [...own, ...endingChanges(before, config)] };
}

interface PlannedChange {
  readonly config: QuoteConfig;
  readonly quoting: Quoting;
}

/** Plans a change of running quotes with the functions that a pass uses; `orders` are the account's unsettled ones. */
export function planChange(
  strategy: QuoteStrategy,
  config: QuoteConfig,
  inputs: QuoteInputs,
  orders: readonly Order[],
): PlannedChange {
  const { market, book, open, elsewhere, volatility, now, interval } = inputs;
  const live = orders.filter((order) => order.strategy === strategy.id);
  const mine = new Set(live.flatMap(({ exchangeId }) => exchangeId ?? []));
  const own = open.filter(({ id }) => !mine.has(id));
  const observed = { market, quote: undefined, book, elsewhere, open, error: null };
  const pass = { observed, now, interval, isSimulated: true };
  const quoting = quotingOf({ ...strategy, config }, market, pass, { live, own }, volatility);
  return { config, quoting };
}

/** Returns the plan of a change: the levels that lack their order. */
export function changeFacts(
  strategy: QuoteStrategy,
  { config, quoting: { plan, bids, asks } }: PlannedChange,
  inputs: QuoteInputs,
): PlanFacts {
  const placed = { ...plan, bids: bids.lacking, asks: asks.lacking };
  const reference = plan.reference.price;
  const facts = quoteFacts(
    { config: { ...config, budget: budgetLeft({ ...strategy, config }) }, plan: placed, reference },
    inputs,
  );
  return { ...facts, notes: [...facts.notes, "its orders move to the new settings with the next passes"] };
}

export function changeWarnings(
  strategy: QuoteStrategy,
  { config, quoting }: PlannedChange,
  inputs: QuoteInputs,
) {
  const paused =
    strategy.wants === "pause"
      ? [{ code: "paused", message: "it is paused: it changes when it is resumed" }]
      : [];
  const has = budgetLeft({ ...strategy, config });
  return [...paused, ...quoteWarnings({ config, plan: quoting.plan, has, state: strategy.state }, inputs)];
}
