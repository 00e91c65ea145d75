import type { Child } from "hono/jsx";
import { ask, part } from "../api.ts";
import { amount, money, pairOf } from "../format.ts";
import { pulse } from "../live.ts";
import type { Grid, Session, Stopped } from "../types.ts";
import { type Question, useAsk } from "../ui.tsx";

interface Changed {
  readonly message: string;
}

/** Actions for a grid; each first shows its effect in money. */
export function GridActions({
  grid,
  session,
  isEdited,
  turnEdit,
}: {
  grid: Grid;
  session: Session;
  /** Whether its settings are being edited, and how to start and stop that. */
  isEdited: boolean;
  turnEdit: () => void;
}) {
  const [question, put] = useAsk();
  if (session.scope === "read") return null;
  const isStopping = grid.phase === "stopping";
  const goesOn = grid.phase === "paused" || grid.status === "error";
  const button = (name: string, question: Question) => (
    <button
      type="button"
      class={question.dangerous ? "danger" : ""}
      disabled={isStopping}
      onClick={() => put(question)}
    >
      {name}
    </button>
  );
  // The result of a stop is still shown after the page knows that the grid has stopped.
  return (
    <div class="actions">
      {grid.status === "stopped" ? null : (
        <>
          <button
            type="button"
            aria-expanded={isEdited ? "true" : "false"}
            disabled={isStopping}
            onClick={turnEdit}
          >
            Edit
          </button>
          {goesOn ? button("Resume", resume(grid)) : button("Pause", pauseQuestion(grid))}
          {button("Stop", stopQuestion(grid, false))}
          {Number(grid.position) > 0 ? button("Stop and sell", stopQuestion(grid, true)) : null}
        </>
      )}
      {question}
    </div>
  );
}

const messageAfter = async (answer: Promise<Changed>): Promise<Child> => {
  const { message } = await answer;
  pulse.set(pulse.get() + 1);
  return message;
};

const pauseQuestion = (grid: Grid): Question => ({
  title: "Pause this grid?",
  says: `Nothing new is placed. ${grid.openOrders} orders stay open and can fill. Stop and take-profit prices are not watched while it is paused.`,
  yes: "Pause it",
  act: () => messageAfter(ask<Changed>(`POST /strategy/grid/${part(grid.id)}/pause`, { body: {} })),
});

const resume = (grid: Grid): Question => ({
  title: "Resume this grid?",
  says: `The next pass places the missing orders: at most ${money(grid.investment)} ${pairOf(grid.symbol).quote} in all slots.`,
  yes: "Resume it",
  act: () => messageAfter(ask<Changed>(`POST /strategy/grid/${part(grid.id)}/resume`, { body: {} })),
});

const stopQuestion = (grid: Grid, sellBase: boolean): Question => ({
  title: sellBase ? "Stop this grid and sell its base?" : "Stop this grid?",
  says: (
    <>
      <p>{grid.openOrders} open orders are canceled. You cannot undo this.</p>
      <p>{sellBase ? sells(grid) : keeps(grid)}</p>
    </>
  ),
  yes: sellBase ? "Stop and sell" : "Stop it",
  dangerous: true,
  act: () =>
    messageAfter(
      ask<Stopped>("DELETE /strategy/grid", { body: { id: grid.id, cancelOrders: true, sellBase } }),
    ),
});

/** Maximum distance of a sale below the mid price, as a factor. */
const COLLAR = 0.9;

function sells({ symbol, position, markPrice, averageCost }: Grid): string {
  const { base, quote } = pairOf(symbol);
  const baseAmount = Number(position);
  const cost = averageCost === null ? "" : ` It was bought for ${money(baseAmount * averageCost)} ${quote}.`;
  if (markPrice === null) return `${amount(position)} ${base} are sold; their price is unknown.${cost}`;
  return `${amount(position)} ${base} are sold, worth ${money(baseAmount * markPrice)} ${quote} at the price of the last pass. The lowest price is 10 % below the mid: ${money(baseAmount * markPrice * COLLAR)} ${quote} now.${cost}`;
}

function keeps({ symbol, position, markPrice, averageCost }: Grid): string {
  const { base, quote } = pairOf(symbol);
  const baseAmount = Number(position);
  if (baseAmount === 0) return `It holds no ${base}.`;
  const worth = markPrice === null ? "" : `, worth ${money(baseAmount * markPrice)} ${quote} now`;
  const cost = averageCost === null ? "" : `, bought for ${money(baseAmount * averageCost)} ${quote}`;
  return `${amount(position)} ${base}${worth}${cost}, stay yours and keep their market risk.`;
}
