import { stepUntil } from "../../engine/pass/step-until.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Deps } from "../../ports/deps.ts";
import { QuoteChangedShape } from "../schema/shapes.ts";
import { type QuotesView, quoteView } from "./quote-views.ts";

export const CHANGES_QUOTES = { effect: "trade", access: "token", output: QuoteChangedShape } as const;

/** Returns quotes that a user can still change. Throws otherwise. */
export async function changeableQuotes(deps: Deps, id: string): Promise<QuotesView> {
  const view = await quoteView(deps, id);
  const { status, wants } = view.strategy;
  if (status !== "stopped" && wants !== "stop") return view;
  throw new AppError(
    "Conflict",
    `${id} ${status === "stopped" ? "is stopped" : "is stopping"}: start new quotes`,
  );
}

/** Runs one or two passes if this process runs passes, and returns the quotes after them. */
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
