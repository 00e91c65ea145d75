import { stepUntil } from "../../engine/pass/step-until.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Deps } from "../../ports/deps.ts";
import { QuoteChangedShape } from "../schema/shapes.ts";
import { type QuotesView, quoteView } from "./quote-views.ts";

export const CHANGES_QUOTES = { effect: "trade", access: "token", output: QuoteChangedShape } as const;

/** One that a person may still change. */
export async function changeableQuotes(deps: Deps, id: string): Promise<QuotesView> {
  const view = await quoteView(deps, id);
  const { status, wants } = view.strategy;
  if (status !== "stopped" && wants !== "stop") return view;
  throw new AppError(
    "Conflict",
    `${id} ${status === "stopped" ? "is stopped" : "is stopping"}: start new quotes`,
  );
}

/** A pass or two where this process makes them, and what has become of it. */
export const passesOver = (deps: Deps, id: string, isDone: (view: QuotesView) => boolean) =>
  stepUntil(deps, () => quoteView(deps, id), isDone);

export const changedOut = (
  { strategy: { id, status, phase } }: QuotesView,
  message: string,
  success = true,
) => ({
  success,
  id,
  status,
  phase,
  message,
});
