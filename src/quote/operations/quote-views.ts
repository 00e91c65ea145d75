import { AppError } from "../../kernel/errors.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { asQuote, isQuote } from "../kind.ts";
import type { QuoteStrategy } from "../state/state.ts";

export type QuotesView = StrategyView<QuoteStrategy>;

/** Returns the quotes among strategies of all kinds. */
export const quotesAmong = (views: readonly StrategyView[]): QuotesView[] =>
  views
    .filter(({ strategy }) => isQuote(strategy))
    .map((view) => ({ ...view, strategy: asQuote(view.strategy) }));

export async function quoteView({ store }: Deps, id: string): Promise<QuotesView> {
  const [view] = quotesAmong(await store.strategies({ id }));
  if (!view) throw new AppError("Not found", `there are no quotes ${id}`);
  return view;
}
