import * as z from "zod";
import type { Pass } from "../../engine/pass/step.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { idField } from "../../kernel/fields.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Preview } from "../../model/proposal.ts";
import { byOf, type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteEditInput, quoteStopInput } from "../schema/input.ts";
import { QuoteChangedShape } from "../schema/shapes.ts";
import { type AskedChange, changedQuote } from "../start/asked-config.ts";
import { type QuotesView, quoteView } from "./quote-views.ts";

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
  summary: "Stop quoting and cancel its orders",
  failure: "Cancel failed",
  http: { route: "DELETE /strategy/quote", from: "body" },
  cli: {
    path: "quote stop",
    positional: ["id"],
    examples: ["edgemaker quote stop quote-mexc-SNEK-USDT-1767225600000"],
  },
  input: quoteStopInput,
  async preview(deps, { id, sellBase }) {
    const { strategy } = await quoteView(deps, id);
    const held = `${text(strategy.state.base)} of base`;
    return previewOf(
      `stop ${id}, cancelling its orders${sellBase ? `, and sell ${held} below the market` : ""}`,
      sellBase ? "a thin book is sold into at up to 10 % below its middle" : `${held} stay in the account`,
    );
  },
  async run(deps, { id, ...flags }, call) {
    const before = await quoteView(deps, id);
    if (before.strategy.status !== "stopped")
      await deps.store.setWants(id, "stop", { keepOrders: false, ...flags }, byOf(call));
    const { view, why } = await passesOver(deps, id, ({ strategy }) => strategy.status === "stopped");
    const isOver = view.strategy.status === "stopped";
    return changedOut(
      view,
      isOver
        ? `${id} is stopped and has no orders left`
        : `${id} is stopping: ${view.openOrders} of its orders may still live${why}; the next passes finish it`,
    );
  },
});

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
    async preview(deps, { id }) {
      await changeableQuotes(deps, id);
      return previewOf(
        isPaused ? `withdraw the orders of ${id} until it is resumed` : `let ${id} quote again`,
        isPaused ? "what it holds stays, and loses what the price loses" : "as when it was started",
      );
    },
    async run(deps, { id }, call) {
      await changeableQuotes(deps, id);
      await deps.store.setPaused(id, isPaused, byOf(call));
      const { view, why } = await passesOver(deps, id, ({ openOrders }) => isPaused && openOrders === 0);
      const message = isPaused ? `${id} is paused: its orders are withdrawn${why}` : `${id} goes on${why}`;
      return changedOut(view, message, view.strategy.status !== "error");
    },
  });

const editQuote = operation({
  ...CHANGES_QUOTES,
  name: "edit_quote",
  summary: "Change running quotes; what is left out stays",
  failure: "Start failed",
  http: { route: "PATCH /strategy/quote/:id", from: "body" },
  cli: {
    path: "quote edit",
    positional: ["id"],
    steps: true,
    examples: ["edgemaker quote edit quote-mexc-SNEK-USDT-1767225600000 --spread 0.015"],
  },
  input: quoteEditInput,
  async preview(deps, { id, ...asked }) {
    const { strategy } = await changeableQuotes(deps, id);
    checkChange(asked);
    changedQuote(strategy.config, asked);
    const told = Object.keys(asked).join(", ");
    return previewOf(
      `change ${told} of ${id}`,
      "its orders move to where they should be with its next passes",
    );
  },
  async run(deps, { id, ...asked }, call) {
    const { strategy } = await changeableQuotes(deps, id);
    checkChange(asked);
    const config = changedQuote(strategy.config, asked);
    const told = `asked to be changed: ${Object.keys(asked).join(", ")}`;
    if (!(await deps.store.setEdit(id, { config, after: strategy.edits ?? 0, told }, byOf(call))))
      throw new AppError(
        "Conflict",
        `${id} was changed by somebody else meanwhile: look at it, and ask again`,
      );
    const { view, why } = await passesOver(
      deps,
      id,
      ({ strategy: { state, edits = 0 } }) => edits === (state.edits ?? 0),
    );
    const isMade = (view.strategy.edits ?? 0) === (view.strategy.state.edits ?? 0);
    return changedOut(view, `${id} ${isMade ? "is changed" : "changes with its next passes"}${why}`);
  },
});

function checkChange(asked: AskedChange): void {
  if (Object.values(asked).every((one) => one === undefined))
    throw new AppError("Invalid request", "say what is to be changed, for example spread");
  if (asked.size !== undefined && asked.depth !== undefined)
    throw new AppError("Invalid order size", "give size or depth, and not both");
}

/** What a person may do to quotes that run. */
export const quoteChanges: readonly Operation[] = [pausing(true), pausing(false), editQuote, stopQuote];
