import { ask, part } from "../api.ts";
import { amount, money, pairOf } from "../format.ts";
import { pulse } from "../live.ts";
import type { Quoted, Session, StrategyChanged } from "../types.ts";
import { type Question, useAsk } from "../ui.tsx";

/** Actions for quotes; each first shows its effect in money. */
export function QuoteActions({
  quotes,
  session,
  isEdited,
  turnEdit,
}: {
  quotes: Quoted;
  session: Session;
  /** Whether its settings are being edited, and how to start and stop that. */
  isEdited: boolean;
  turnEdit: () => void;
}) {
  const [question, put] = useAsk();
  if (session.scope === "read") return null;
  const { phase, status, position } = quotes;
  const goesOn = phase === "paused" || status === "error";
  const button = (name: string, question: Question) => (
    <button
      type="button"
      class={question.dangerous ? "danger" : ""}
      disabled={phase === "stopping"}
      onClick={() => put(question)}
    >
      {name}
    </button>
  );
  return (
    <div class="actions">
      {status === "stopped" ? null : (
        <>
          <button
            type="button"
            aria-expanded={isEdited ? "true" : "false"}
            disabled={phase === "stopping"}
            onClick={turnEdit}
          >
            Edit
          </button>
          {goesOn ? button("Resume", resumption(quotes)) : button("Pause", withdrawal(quotes))}
          {button("Stop", ending(quotes, false))}
          {Number(position) > 0 ? button("Stop and sell", ending(quotes, true)) : null}
        </>
      )}
      {question}
    </div>
  );
}

const readAfter = async (answer: Promise<StrategyChanged>): Promise<string> => {
  const { message } = await answer;
  pulse.set(pulse.get() + 1);
  return message;
};

const withdrawal = ({ id, orders }: Quoted): Question => ({
  title: "Pause these quotes?",
  says: `Their ${orders.length} orders are canceled until you resume. The base stays.`,
  yes: "Pause them",
  act: () => readAfter(ask<StrategyChanged>(`POST /strategy/quote/${part(id)}/pause`, { body: {} })),
});

const resumption = ({ id, budget, symbol }: Quoted): Question => {
  const { base, quote } = pairOf(symbol);
  return {
    title: "Resume these quotes?",
    says: `The next pass places both sides again, with their budgets: ${money(Number(budget.quote))} ${quote} and ${amount(budget.base)} ${base}.`,
    yes: "Resume them",
    act: () => readAfter(ask<StrategyChanged>(`POST /strategy/quote/${part(id)}/resume`, { body: {} })),
  };
};

const ending = (quotes: Quoted, sellBase: boolean): Question => ({
  title: sellBase ? "Stop these quotes and sell their base?" : "Stop these quotes?",
  says: (
    <>
      <p>{quotes.orders.length} open orders are canceled. You cannot undo this.</p>
      <p>{whatBecomesOfBase(quotes, sellBase)}</p>
    </>
  ),
  yes: sellBase ? "Stop and sell" : "Stop them",
  dangerous: true,
  act: () => readAfter(ask<StrategyChanged>("DELETE /strategy/quote", { body: { id: quotes.id, sellBase } })),
});

function whatBecomesOfBase({ symbol, position, reference }: Quoted, sellBase: boolean): string {
  const { base, quote } = pairOf(symbol);
  const positionText = `${amount(position)} ${base}`;
  const worth =
    reference === null
      ? ""
      : `, worth ${money(Number(position) * reference)} ${quote} at the last reference price`;
  if (Number(position) === 0) return `They hold no ${base}.`;
  return sellBase
    ? `${positionText}${worth}, are sold at up to 10 % below the mid price, even into a thin order book.`
    : `${positionText}${worth}, stay yours and keep their market risk.`;
}
