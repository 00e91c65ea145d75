import {
  CHANGES_STRATEGY,
  changeable,
  changedOut,
  pauseParts,
  stopParts,
} from "../../engine/operations/changes.ts";
import { viewNamed } from "../../engine/operations/views.ts";
import { readForChange, venueForChange } from "../../engine/pass/change-venue.ts";
import { stepUntil } from "../../engine/pass/step-until.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { type By, byOf } from "../../model/events.ts";
import type { Preview } from "../../model/proposal.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteEditInput, quoteEditPreviewInput } from "../schema/input.ts";
import { PlannedQuoteChangeShape } from "../schema/shapes.ts";
import {
  changeOfQuote,
  freedOf,
  hashOfChange,
  type PlannedChange,
  planChange,
  plannedChangeOut,
  type QuoteChange,
  quoteChangesText,
} from "../start/planned-change.ts";
import type { QuoteInputs } from "../start/planned-quote.ts";
import type { ChangeRequest } from "../start/requested-config.ts";
import type { QuoteStrategy } from "../state/state.ts";
import { readQuotesExposure } from "./exposures.ts";
import { QUOTE_STRATEGIES } from "./quote-views.ts";
import { readQuotesAt } from "./readings.ts";

const changeableQuotes = async (deps: Deps, id: string) =>
  changeable(await viewNamed(deps, QUOTE_STRATEGIES, id), QUOTE_STRATEGIES.again);

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
    what: `change ${out.id}: ${fields}; ${out.cancelled} orders are canceled, ${out.orders.length} placed, and ${out.kept} stay`,
    cost: "nothing immediately; its orders use the budget set at the start",
    worstCase:
      "its orders move to the new settings with the next passes, and filled amounts lose value with the price",
    limits: [out.cadence.message, ...out.warnings.map(({ message }) => message)],
    holds: { planHash: planned.hash },
  };
}

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
    examples: ["edgemaker quote edit quote-mexc-SNEK-USDT-1767225600000 --spread 0.015"],
  },
  input: quoteEditInput,
  async prepare(deps, { id, planHash, ...request }, call) {
    const { strategy } = await changeableQuotes(deps, id);
    const change = changeOfQuote(strategy, request);
    if (planHash !== undefined && planHash !== hashOfChange(strategy, change.config)) throw noLongerHolds();
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
  by: By,
) {
  const text = `change requested: ${quoteChangesText(changes)}`;
  if (!(await deps.store.setEdit(id, { config, after, description: text }, by)))
    throw new AppError("Conflict", `${id} was changed at the same time; check it and repeat the request`);
  const { view, why } = await stepUntil(
    deps,
    () => viewNamed(deps, QUOTE_STRATEGIES, id),
    ({ strategy: { state, edits = 0 } }) => edits === (state.edits ?? 0),
  );
  const isMade = (view.strategy.edits ?? 0) === (view.strategy.state.edits ?? 0);
  return changedOut(view, `${id} ${isMade ? "is changed" : "changes with its next passes"}${why}`);
}

/** Operations on running quotes. */
export const quoteChanges: readonly Operation[] = [
  operation(pauseParts(QUOTE_STRATEGIES, true)),
  operation(pauseParts(QUOTE_STRATEGIES, false)),
  previewQuoteEdit,
  editQuote,
  operation(stopParts(QUOTE_STRATEGIES)),
];
