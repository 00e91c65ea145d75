import type { Pass } from "../../engine/pass/step.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { AppError } from "../../kernel/errors.ts";
import { parseAccountKey } from "../../model/account.ts";
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
export async function passesOver(deps: Deps, id: string, isDone: (view: QuotesView) => boolean) {
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
