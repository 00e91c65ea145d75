/** Plans a change of running quotes with the functions that a pass uses, and formats it for people. */
import { placedOut } from "../../engine/operations/shapes.ts";
import { type Decimal, max, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { hashOfPlan } from "../../kernel/hash.ts";
import { type Balance, balanceIn } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { type Both, lockedBy } from "../../model/reserve.ts";
import { formatDefence } from "../defence.ts";
import { requestedChange } from "../pass/begin.ts";
import { type Quoting, quotingOf } from "../pass/quoting.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";
import { cadenceOf, type QuoteInputs, quotePricedOut, quoteWarnings, sourcesOut } from "./planned-quote.ts";
import { type ChangeRequest, changedQuote } from "./requested-config.ts";

/** The old and new value; `none` without a value. */
export interface ChangeText {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** A checked change: the new configuration, and its description. */
export interface QuoteChange {
  readonly config: QuoteConfig;
  readonly changes: readonly ChangeText[];
}

/**
 * Returns the change of a configuration, including a change that waits for its pass. Throws AppError if nothing
 * changes, or if the change is invalid.
 */
export function changeOfQuote(strategy: QuoteStrategy, request: ChangeRequest): QuoteChange {
  if (request.size !== undefined && request.depth !== undefined)
    throw new AppError("Invalid order size", "set either size or depth, not both");
  const before = requestedChange(strategy) ?? strategy.config;
  const config = changedQuote(before, request);
  const changes = fieldChanges(changeableFields(before), changeableFields(config));
  if (changes.length > 0) return { config, changes };
  throw new AppError("Invalid request", "this changes nothing; set at least one field, for example spread");
}

type QuoteFields = Readonly<Record<string, Decimal | number | string | undefined>>;

const changeableFields = ({ rules, maxLoss, fixed, tolerance }: QuoteConfig): QuoteFields => ({
  spread: 2n * rules.halfSpread,
  levels: rules.levels,
  size: rules.sizes.model === "depth" ? undefined : rules.sizes.size,
  depth: rules.sizes.model === "depth" ? rules.sizes.depth : undefined,
  maxBase: rules.mostBase,
  minBase: rules.leastBase,
  maxLoss,
  defend: rules.defence && formatDefence(rules.defence),
  fixedPrice: fixed?.price,
  tolerance: tolerance.price,
});

const fieldText = (value: QuoteFields[string]): string =>
  value === undefined ? "none" : typeof value === "bigint" ? text(value) : String(value);

const fieldChanges = (before: QuoteFields, after: QuoteFields): ChangeText[] =>
  Object.keys(after).flatMap((field) => {
    const [from, to] = [fieldText(before[field]), fieldText(after[field])];
    return from === to ? [] : [{ field, from, to }];
  });

export const quoteChangesText = (changes: readonly ChangeText[]): string =>
  changes.map(({ field, from, to }) => `${field} ${from} to ${to}`).join(", ");

export interface PlannedChange extends QuoteChange {
  readonly quoting: Quoting;
  /** Stays the same while the same quotes would get the same change; it does not depend on their moving orders. */
  readonly hash: string;
}

/** Plans a change; `orders` are the account's unsettled ones. */
export function planChange(
  strategy: QuoteStrategy,
  request: ChangeRequest,
  inputs: QuoteInputs,
  orders: readonly Order[],
): PlannedChange {
  const made = changeOfQuote(strategy, request);
  const { market, book, open, elsewhere, volatility, now, interval } = inputs;
  const live = orders.filter((order) => order.strategy === strategy.id);
  const mine = new Set(live.flatMap(({ exchangeId }) => exchangeId ?? []));
  const own = open.filter(({ id }) => !mine.has(id));
  const observed = { market, quote: undefined, book, elsewhere, open, error: null };
  const pass = { observed, now, interval, isSimulated: true };
  const quoting = quotingOf({ ...strategy, config: made.config }, market, pass, { live, own }, volatility);
  return { ...made, quoting, hash: hashOfChange(strategy, made.config) };
}

export const hashOfChange = ({ id, edits = 0 }: QuoteStrategy, config: QuoteConfig): string =>
  hashOfPlan([id, edits, config]);

/** Returns the current budget after its fills. */
const budgetNow = ({ state }: QuoteStrategy, { budget }: QuoteConfig): Both => ({
  base: max(ZERO, state.base),
  quote: max(ZERO, budget.quote + state.ledger.quote),
});

/** Returns the free balances, including what its own orders lock, because they can be moved. */
export function freedOf(
  strategy: QuoteStrategy,
  orders: readonly Order[],
  { market, balances }: { readonly market: Market; readonly balances: readonly Balance[] },
): Balance[] {
  const locked = lockedBy(strategy, orders, market);
  return (["base", "quote"] as const).map((side) => {
    const { asset, free, used } = balanceIn(balances, market[side]);
    return { asset, free: free + locked[side], used: max(ZERO, used - locked[side]) };
  });
}

export function plannedChangeOut(strategy: QuoteStrategy, planned: PlannedChange, inputs: QuoteInputs) {
  const { config, changes, quoting, hash } = planned;
  const { plan, bids, asks } = quoting;
  const priced = {
    reference: plan.reference.price,
    halfSpread: plan.prices?.halfSpread ?? null,
    widenedBy: plan.widenedBy,
  };
  const has = budgetNow(strategy, config);
  const paused =
    strategy.wants === "pause"
      ? [{ code: "paused", message: "it is paused: it changes when it is resumed" }]
      : [];
  return {
    id: strategy.id,
    changes: changes.map((changeText) => ({ ...changeText })),
    ...quotePricedOut(priced, sourcesOut(plan.reference)),
    kept: bids.kept.length + asks.kept.length,
    cancelled: bids.misplaced.length + asks.misplaced.length,
    orders: [...bids.lacking, ...asks.lacking].map(placedOut),
    refused: plan.cuts.map(({ side, level, because }) => ({ side, level, reason: because })),
    cadence: cadenceOf(inputs, config),
    warnings: [...paused, ...quoteWarnings({ config, plan, has, state: strategy.state }, inputs)],
    planHash: hash,
  };
}
