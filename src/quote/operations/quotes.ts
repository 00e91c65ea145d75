import {
  listedStrategy,
  marketTimeOf,
  openOrdersOf,
  phaseOut,
  positionOut,
  READS_STRATEGIES,
  readStatusViews,
  statusInput,
} from "../../engine/operations/reads.ts";
import { placedOut } from "../../engine/operations/shapes.ts";
import { describeStream } from "../../engine/pass/streams/down.ts";
import type { Order } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { QuoteStatusShape } from "../schema/input.ts";
import { quotesView } from "../schema/view.ts";
import { quotePricedOut, quoteRequestOut, sourcesOut } from "../start/planned-quote.ts";
import type { QuoteStrategy } from "../state.ts";
import { quoteChanges } from "./changes.ts";
import { QUOTE_STRATEGIES, quoteStarts } from "./start.ts";

const NOT_QUOTED = { reference: null, halfSpread: null, widenedBy: null, at: null, sources: [] };

function quoteOut(
  deps: Deps,
  view: StrategyView<QuoteStrategy>,
  { orders, killed }: { orders: readonly Order[]; killed: boolean },
) {
  const { strategy, memory } = view;
  const { id, symbol, config, state, lastError } = strategy;
  const { stalled: _, ...listed } = listedStrategy(deps, view, killed, {});
  const mark = memory.marks[symbol]?.mid ?? state.quoted?.reference ?? undefined;
  const quoted = state.quoted ?? NOT_QUOTED;
  return {
    ...listed,
    phase: phaseOut(strategy),
    ...quoteRequestOut(listed.exchange, symbol, config),
    ...quotePricedOut(quoted, sourcesOut(quoted)),
    quotedAt: marketTimeOf(deps, strategy, quoted.at),
    orders: openOrdersOf(orders, id).map(placedOut),
    ...positionOut(strategy, mark),
    refused: state.refused.map((refusal) => ({ ...refusal })),
    lastStepAt: marketTimeOf(deps, strategy, view.steppedAt),
    stream: describeStream(strategy.account, deps.streamReport?.()),
    lastError: lastError ?? view.accountError,
  };
}

const quoteStatus = operation({
  ...READS_STRATEGIES,
  name: "get_quote_status",
  summary: "Show quotes with their price, sources, orders and P&L",
  http: { route: "GET /strategy/quote/status", from: "query" },
  cli: {
    path: "quote status",
    positional: ["id"],
    watch: true,
    view: quotesView,
    examples: ["edgemaker quote status --watch"],
  },
  input: statusInput,
  output: QuoteStatusShape,
  async run(deps, { id }) {
    const { views, ...around } = await readStatusViews(deps, QUOTE_STRATEGIES, id);
    return { strategies: views.map((view) => quoteOut(deps, view, around)), count: views.length };
  },
});

/** Operations of quotes. */
export const quoteOperations = (ids: readonly string[]): Operation[] => [
  ...quoteStarts(ids),
  quoteStatus,
  ...quoteChanges,
];
