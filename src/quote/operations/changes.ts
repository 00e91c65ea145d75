import { CHANGES_STRATEGY, changeable, changedOut, viewNamed } from "../../engine/operations/reads.ts";
import { placedOut } from "../../engine/operations/shapes.ts";
import { readForChange, venueForChange } from "../../engine/operations/start-reads.ts";
import { runPassesUntil } from "../../engine/pass/round.ts";
import { type Decimal, max, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { type Balance, balanceIn } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import type { Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Preview } from "../../model/proposal.ts";
import { type ApprovedPlan, checkHolds, planHashOf } from "../../model/shown-plan.ts";
import { lockedBy, type PairAmounts } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { type Quoting, quotingOf, requestedChange } from "../pass/quoting.ts";
import { formatDefence } from "../plan.ts";
import { PlannedQuoteChangeShape, quoteEditInput, quoteEditPreviewInput } from "../schema/input.ts";
import {
  type ChangeRequest,
  changedQuote,
  passIntervalAdvice,
  type QuoteInputs,
  quotePricedOut,
  quoteWarnings,
  sourcesOut,
} from "../start/planned-quote.ts";
import type { QuoteConfig, QuoteStrategy } from "../state.ts";
import { QUOTE_STRATEGIES, readQuotesAt, readQuotesExposure } from "./start.ts";

const changeableQuotes = async (deps: Deps, id: string) =>
  changeable(await viewNamed(deps, QUOTE_STRATEGIES, id), ": start new quotes");

/** Prepares a change of quotes. */
async function readyChange(deps: Deps, id: string, request: ChangeRequest, actor: string) {
  const { strategy } = await changeableQuotes(deps, id);
  const { account, symbol } = strategy;
  const venue = venueForChange(deps, account);
  const readings = await readForChange(venue, async () => {
    const place = { venue, symbol, balances: await venue.balances(), actor, beside: id };
    return readQuotesAt(deps, place);
  });
  const orders = await deps.store.unsettledOrders(account);
  const inputs = { ...readings, balances: freedOf(strategy, orders, readings) };
  return { strategy, inputs, planned: planChange(strategy, request, inputs, orders) };
}

const changeableFields = ({ rules, maxLoss, fixed, tolerance }: QuoteConfig): QuoteFields => ({
  spreadPercent: 200n * rules.halfSpread,
  levels: rules.levels,
  size: rules.sizes.model === "depth" ? undefined : rules.sizes.size,
  depth: rules.sizes.model === "depth" ? rules.sizes.depth : undefined,
  maxBase: rules.mostBase,
  minBase: rules.leastBase,
  maxLoss,
  defend: rules.defence && formatDefence(rules.defence),
  fixedPrice: fixed?.price,
  tolerancePercent: 100n * tolerance.price,
});

const fieldText = (value: QuoteFields[string]): string =>
  value === undefined ? "none" : typeof value === "bigint" ? text(value) : String(value);

const fieldChanges = (before: QuoteFields, after: QuoteFields): ChangeText[] =>
  Object.keys(after).flatMap((field) => {
    const [from, to] = [fieldText(before[field]), fieldText(after[field])];
    return from === to ? [] : [{ field, from, to }];
  });

/** Returns what a change approves. Its orders follow the price within the same budget, so the price does not matter. */
export const approvedChange = ({ id, edits = 0 }: QuoteStrategy, config: QuoteConfig): ApprovedPlan => ({
  approved: [id, edits, config],
  price: null,
});

/** Returns the current budget after its fills. */
const budgetNow = ({ state }: QuoteStrategy, { budget }: QuoteConfig): PairAmounts => ({
  base: max(ZERO, state.base),
  quote: max(ZERO, budget.quote + state.ledger.quote),
});

const previewQuoteEdit = operation({
  name: "preview_quote_edit",
  summary: "Show what a change of running quotes would keep, cancel and place",
  effect: "read",
  access: "token",
  failure: "Exchange error",
  http: { route: "POST /strategy/quote/:id/preview", from: "body" },
  input: quoteEditPreviewInput,
  output: PlannedQuoteChangeShape,
  async run(deps, { id, ...request }, { actor }) {
    const { strategy, planned, inputs } = await readyChange(deps, id, request, actor);
    return plannedChangeOut(strategy, planned, inputs);
  },
});

function previewOfChange(strategy: QuoteStrategy, planned: PlannedChange, inputs: QuoteInputs): Preview {
  const out = plannedChangeOut(strategy, planned, inputs);
  const fields = out.changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(", ");
  return {
    what: `change ${out.id}: ${fields}; ${countWithVerb(out.cancelled, "order")} canceled, ${out.orders.length} placed, and ${out.kept} ${out.kept === 1 ? "stays" : "stay"}`,
    cost: "nothing immediately; its orders use the budget set at the start",
    worstCase:
      "its orders move to the new settings with the next passes, and filled amounts lose value with the price",
    limits: [out.cadence.message, ...out.warnings.map(({ message }) => message)],
    holds: { planHash: planned.hash },
  };
}

export const quoteChangesText = (changes: readonly ChangeText[]): string =>
  changes.map(({ field, from, to }) => `${field} ${from} to ${to}`).join(", ");

const editQuote = operation({
  ...CHANGES_STRATEGY,
  name: "edit_quote",
  summary: "Change running quotes; other settings stay",
  failure: "Exchange error",
  http: { route: "PATCH /strategy/quote/:id", from: "body" },
  cli: {
    path: "quote edit",
    positional: ["id"],
    steps: true,
    examples: ["edgemaker quote edit quote-mexc-SNEK-USDT-1767225600000 --spread-percent 1.5"],
  },
  input: quoteEditInput,
  async prepare(deps, { id, planHash, ...request }, call) {
    const { strategy } = await changeableQuotes(deps, id);
    const change = changeOfQuote(strategy, request);
    checkHolds(approvedChange(strategy, change.config), planHash);
    return {
      async preview() {
        const { planned, inputs } = await readyChange(deps, id, request, call.actor);
        return previewOfChange(strategy, planned, inputs);
      },
      strategies: [id],
      exposure: () => readQuotesExposure(deps, strategy, change.config),
      act: () => changeByHand(deps, strategy, change, byOf(call)),
    };
  },
});

async function changeByHand(
  deps: Deps,
  { id, edits: after = 0 }: QuoteStrategy,
  { config, changes }: QuoteChange,
  by: ActorAndRequest,
) {
  const text = `change requested: ${quoteChangesText(changes)}`;
  if (!(await deps.store.setEdit(id, { config, after, description: text }, by)))
    throw new AppError("Conflict", `${id} was changed at the same time; check it and repeat the request`);
  const { view, why } = await runPassesUntil(
    deps,
    () => viewNamed(deps, QUOTE_STRATEGIES, id),
    ({ strategy: { state, edits = 0 } }) => edits === (state.edits ?? 0),
  );
  const isMade = (view.strategy.edits ?? 0) === (view.strategy.state.edits ?? 0);
  return changedOut(view, `${id} ${isMade ? "is changed" : "changes with its next passes"}${why}`);
}

/** Operations on running quotes. */
export const quoteChanges: readonly Operation[] = [previewQuoteEdit, editQuote];

/** The old and new value; `none` without a value. */
interface ChangeText {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** A checked change: the new configuration, and its description. */
interface QuoteChange {
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
  throw new AppError(
    "Invalid request",
    "this changes nothing; set at least one value, for example the spread",
  );
}

type QuoteFields = Readonly<Record<string, Decimal | number | string | undefined>>;

interface PlannedChange extends QuoteChange {
  readonly quoting: Quoting;
  /** Stays the same while the same quotes would get the same change; it does not depend on their moving orders. */
  readonly hash: string;
}

/** Plans a change of running quotes with the functions that a pass uses; `orders` are the account's unsettled ones. */
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
  return { ...made, quoting, hash: planHashOf(approvedChange(strategy, made.config)) };
}

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
    cadence: passIntervalAdvice(inputs, config),
    warnings: [...paused, ...quoteWarnings({ config, plan, has, state: strategy.state }, inputs)],
    planHash: hash,
  };
}
