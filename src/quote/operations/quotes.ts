import * as z from "zod";
import { stalledFor, stalledNotices } from "../../engine/pass/stalled.ts";
import { positionAccounts } from "../../engine/position/ledger.ts";
import { text, wire } from "../../kernel/decimal.ts";
import { idField } from "../../kernel/fields.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteKind } from "../kind.ts";
import { QuoteListShape, QuoteStatusShape } from "../schema/shapes.ts";
import { quotesView } from "../schema/view.ts";
import { quotePricedOut, quoteRequestOut } from "../start/planned-quote.ts";
import { quoteChanges } from "./changes.ts";
import { type QuotesView, quotesAmong, quoteView } from "./quote-views.ts";
import { quoteStarts } from "./start.ts";

const KILLED = { code: "killed", message: "the kill switch is on: nothing is placed until it is off" };

function noticesOfView(deps: Deps, view: QuotesView, killed: boolean) {
  const { state, status } = view.strategy;
  const isKilled = killed && status !== "stopped";
  return [...state.notices, ...stalledNotices(view, deps.interval), ...(isKilled ? [KILLED] : [])].map(
    (one) => ({
      ...one,
    }),
  );
}

const listedOf = (deps: Deps, view: QuotesView, killed: boolean) => {
  const { id, account, symbol, status, startedAt } = view.strategy;
  const { exchange, kind } = parseAccountKey(account);
  const stalled = stalledFor(view, deps.interval) > 0;
  const dryRun = kind === "dry";
  return {
    id,
    dryRun,
    exchange,
    symbol,
    status,
    stalled,
    notices: noticesOfView(deps, view, killed),
    startedAt,
  };
};

const RESTS: readonly Order["state"][] = ["submitted", "open", "partially_filled"];

function quoteOut(
  deps: Deps,
  view: QuotesView,
  { orders, killed }: { orders: readonly Order[]; killed: boolean },
) {
  const { strategy, memory } = view;
  const { id, symbol, phase, wants, status, config, state, lastError } = strategy;
  const { stalled: _, ...listed } = listedOf(deps, view, killed);
  const mark = memory.marks[symbol]?.mid ?? state.quoted?.reference ?? undefined;
  const { realized, total, position, averageCost, filledOrders } = positionAccounts(strategy, mark);
  const quoted = state.quoted ?? {
    reference: null,
    halfSpread: null,
    widenedBy: null,
    at: null,
    sources: [],
  };
  return {
    ...listed,
    phase: wants === "stop" && status !== "stopped" ? "stopping" : phase,
    ...quoteRequestOut(listed.exchange, symbol, config),
    ...quotePricedOut(
      quoted,
      quoted.sources.map(({ source, because }) => ({ source, counted: because === null, because })),
    ),
    quotedAt: quoted.at,
    orders: orders
      .filter((order) => order.strategy === id && RESTS.includes(order.state))
      .map(({ side, price, amount, filled }) => ({
        side,
        price: wire(price),
        amount: wire(amount - filled),
      })),
    filledOrders,
    profit: wire(realized),
    totalProfit: mark === undefined ? null : wire(total),
    position: text(position),
    averageCost: averageCost === null ? null : wire(averageCost),
    refused: state.refused.map((refusal) => ({ ...refusal })),
    lastStepAt: view.steppedAt,
    lastError: lastError ?? view.accountError,
  };
}

const READS_QUOTES = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
} as const;

const quoteStatus = operation({
  ...READS_QUOTES,
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
  input: () =>
    z.object({
      id: idField("Invalid request").optional().describe("Strategy id; default: all running ones"),
    }),
  output: QuoteStatusShape,
  async run(deps, { id }) {
    const views =
      id === undefined
        ? quotesAmong(await deps.store.strategies({ stopped: false, kind: quoteKind.name }))
        : [await quoteView(deps, id)];
    const account = id === undefined ? undefined : views[0]?.strategy.account;
    const around = { orders: await deps.store.unsettledOrders(account), killed: await deps.store.killed() };
    return { strategies: views.map((view) => quoteOut(deps, view, around)), count: views.length };
  },
});

const listQuotes = operation({
  ...READS_QUOTES,
  name: "list_quotes",
  summary: "List running quotes",
  http: { route: "GET /strategy/quote/list", from: "query" },
  cli: { path: "quote list" },
  input: () => z.object({}),
  output: QuoteListShape,
  async run(deps) {
    const killed = await deps.store.killed();
    const views = quotesAmong(await deps.store.strategies({ stopped: false, kind: quoteKind.name }));
    return { strategies: views.map((view) => listedOf(deps, view, killed)), count: views.length };
  },
});

/** Operations of quotes. */
export const quoteOperations = (ids: readonly string[]): Operation[] => [
  ...quoteStarts(ids),
  quoteStatus,
  listQuotes,
  ...quoteChanges,
];
