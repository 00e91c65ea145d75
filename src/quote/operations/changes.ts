import * as z from "zod";
import { readForChange, venueForChange } from "../../engine/pass/change-venue.ts";
import type { Pass } from "../../engine/pass/step.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { text } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { idField } from "../../kernel/fields.ts";
import type { StopWish } from "../../kernel/stop-flags.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { By } from "../../model/events.ts";
import type { Preview } from "../../model/proposal.ts";
import { byOf, type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteEditInput, quoteEditPreviewInput, quoteStopInput } from "../schema/input.ts";
import { PlannedQuoteChangeShape, QuoteChangedShape } from "../schema/shapes.ts";
import type { AskedChange } from "../start/asked-config.ts";
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
import type { QuotesSeen } from "../start/planned-quote.ts";
import type { QuoteStrategy } from "../state/state.ts";
import { type QuotesView, quoteView } from "./quote-views.ts";
import { readQuotesAt } from "./quote-world.ts";

const CHANGES_QUOTES = { effect: "trade", access: "token", output: QuoteChangedShape } as const;
const idInput = () => z.object({ id: idField("Invalid request").describe("Strategy id") });

const previewOf = (what: string, worstCase: string): Preview => ({
  what,
  cost: "nothing is bought for it",
  worstCase,
  limits: [],
});

/** One that a person may still change. */
async function changeableQuotes(deps: Deps, id: string): Promise<QuotesView> {
  const view = await quoteView(deps, id);
  const { status, wants } = view.strategy;
  if (status !== "stopped" && wants !== "stop") return view;
  throw new AppError(
    "Conflict",
    `${id} ${status === "stopped" ? "is stopped" : "is stopping"}: start new quotes`,
  );
}

/** A pass or two where this process makes them, and what has become of it. */
async function passesOver(deps: Deps, id: string, isDone: (view: QuotesView) => boolean) {
  const venue = deps.venueOf(parseAccountKey((await quoteView(deps, id)).strategy.account));
  let pass: Pass | undefined;
  for (let at = 0; venue && at < 2 && !isDone(await quoteView(deps, id)); at++)
    pass = await stepNow(deps, venue);
  const view = await quoteView(deps, id);
  const why =
    pass?.outcome === "failed"
      ? `; its pass failed (${pass.message}) and is tried again`
      : venue
        ? ""
        : `; a process that is configured for ${view.strategy.account} takes note of it`;
  return { view, why };
}

const changedOut = ({ strategy: { id, status, phase } }: QuotesView, message: string, success = true) => ({
  success,
  id,
  status,
  phase,
  message,
});

const stopQuote = operation({
  ...CHANGES_QUOTES,
  name: "stop_quote",
  lane: "urgent",
  summary: "Stop quoting and cancel its orders",
  failure: "Cancel failed",
  http: { route: "DELETE /strategy/quote", from: "body" },
  cli: {
    path: "quote stop",
    positional: ["id"],
    examples: ["edgemaker quote stop quote-mexc-SNEK-USDT-1767225600000"],
  },
  input: quoteStopInput,
  async prepare(deps, { id, ...flags }, call) {
    const { strategy } = await quoteView(deps, id);
    const held = `${text(strategy.state.base)} of base`;
    const { sellBase } = flags;
    return {
      preview: async () =>
        previewOf(
          `stop ${id}, cancelling its orders${sellBase ? `, and sell ${held} below the market` : ""}`,
          sellBase
            ? "a thin book is sold into at up to 10 % below its middle"
            : `${held} stay in the account`,
        ),
      act: () => stopQuotesByHand(deps, strategy, { keepOrders: false, ...flags }, byOf(call)),
    };
  },
});

async function stopQuotesByHand(deps: Deps, { id, status }: QuoteStrategy, how: StopWish, by: By) {
  if (status !== "stopped") await deps.store.setWants(id, "stop", how, by);
  const { view, why } = await passesOver(deps, id, ({ strategy }) => strategy.status === "stopped");
  const isOver = view.strategy.status === "stopped";
  return changedOut(
    view,
    isOver
      ? `${id} is stopped and has no orders left`
      : `${id} is stopping: ${view.openOrders} of its orders may still live${why}; the next passes finish it`,
  );
}

const pausing = (isPaused: boolean) =>
  operation({
    ...CHANGES_QUOTES,
    name: isPaused ? "pause_quote" : "resume_quote",
    summary: isPaused
      ? "Withdraw quotes until they are resumed"
      : "Let paused quotes, or ones in error, go on",
    failure: "Internal error",
    http: {
      route: isPaused ? "POST /strategy/quote/:id/pause" : "POST /strategy/quote/:id/resume",
      from: "body",
    },
    cli: {
      path: isPaused ? "quote pause" : "quote resume",
      positional: ["id"],
      ...(isPaused ? {} : { steps: true }),
    },
    input: idInput,
    async prepare(deps, { id }, call) {
      await changeableQuotes(deps, id);
      return {
        preview: async () =>
          previewOf(
            isPaused ? `withdraw the orders of ${id} until it is resumed` : `let ${id} quote again`,
            isPaused ? "what it holds stays, and loses what the price loses" : "as when it was started",
          ),
        async act() {
          await deps.store.setPaused(id, isPaused, byOf(call));
          const { view, why } = await passesOver(deps, id, ({ openOrders }) => isPaused && openOrders === 0);
          const message = isPaused
            ? `${id} is paused: its orders are withdrawn${why}`
            : `${id} goes on${why}`;
          return changedOut(view, message, view.strategy.status !== "error");
        },
      };
    },
  });

/** What a change of quotes would do now. */
async function readyChange(deps: Deps, id: string, asked: AskedChange, actor: string) {
  const { strategy } = await changeableQuotes(deps, id);
  const { account, symbol } = strategy;
  const venue = venueForChange(deps, account);
  const world = await readForChange(venue, async () => {
    const place = { venue, symbol, balances: await venue.balances(), actor, beside: id };
    return readQuotesAt(deps, place);
  });
  const orders = await deps.store.unsettledOrders(account);
  const seen = { ...world, balances: freedOf(strategy, orders, world) };
  return { strategy, seen, planned: planChange(strategy, asked, seen, orders) };
}

const previewQuoteEdit = operation({
  name: "preview_quote_edit",
  summary: "What changing running quotes would keep, cancel and place",
  effect: "read",
  access: "token",
  failure: "Exchange error",
  http: { route: "POST /strategy/quote/:id/preview", from: "body" },
  input: quoteEditPreviewInput,
  output: PlannedQuoteChangeShape,
  async run(deps, { id, ...asked }, { actor }) {
    const { strategy, planned, seen } = await readyChange(deps, id, asked, actor);
    return plannedChangeOut(strategy, planned, seen);
  },
});

function previewOfChange(strategy: QuoteStrategy, planned: PlannedChange, seen: QuotesSeen): Preview {
  const out = plannedChangeOut(strategy, planned, seen);
  const fields = out.changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(", ");
  return {
    what: `change ${out.id}: ${fields}; ${out.cancelled} orders are cancelled, ${out.orders.length} placed, and ${out.kept} stay`,
    cost: "nothing is bought for it: what it may use stays as it was asked for at its start",
    worstCase:
      "its orders follow the new figures with its next passes, and what fills loses what the price loses",
    limits: [out.cadence.message, ...out.warnings.map(({ message }) => message)],
    holds: { planHash: planned.hash },
  };
}

const editQuote = operation({
  ...CHANGES_QUOTES,
  name: "edit_quote",
  summary: "Change running quotes; what is left out stays",
  failure: "Exchange error",
  http: { route: "PATCH /strategy/quote/:id", from: "body" },
  cli: {
    path: "quote edit",
    positional: ["id"],
    steps: true,
    examples: ["edgemaker quote edit quote-mexc-SNEK-USDT-1767225600000 --spread 0.015"],
  },
  input: quoteEditInput,
  async prepare(deps, { id, planHash, ...asked }, call) {
    const { strategy } = await changeableQuotes(deps, id);
    const change = changeOfQuote(strategy, asked);
    if (planHash !== undefined && planHash !== hashOfChange(strategy, change.config)) throw noLongerHolds();
    return {
      async preview() {
        const { planned, seen } = await readyChange(deps, id, asked, call.actor);
        return previewOfChange(strategy, planned, seen);
      },
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
  const told = `asked to be changed: ${quoteChangesText(changes)}`;
  if (!(await deps.store.setEdit(id, { config, after, told }, by)))
    throw new AppError("Conflict", `${id} was changed by somebody else meanwhile: look at it, and ask again`);
  const { view, why } = await passesOver(
    deps,
    id,
    ({ strategy: { state, edits = 0 } }) => edits === (state.edits ?? 0),
  );
  const isMade = (view.strategy.edits ?? 0) === (view.strategy.state.edits ?? 0);
  return changedOut(view, `${id} ${isMade ? "is changed" : "changes with its next passes"}${why}`);
}

/** What a person may do to quotes that run. */
export const quoteChanges: readonly Operation[] = [
  pausing(true),
  pausing(false),
  previewQuoteEdit,
  editQuote,
  stopQuote,
];
