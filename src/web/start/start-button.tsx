import { ask } from "../api.ts";
import { amount, money, pairOf } from "../format.ts";
import { goTo } from "../route.ts";
import type { Planned, Session, Started } from "../types.ts";
import { NoticeBox, useAsk } from "../ui.tsx";
import type { Planning, RequestedPlan } from "../use-plan.ts";

/** Starts exactly the shown plan of a grid, after a confirmation. */
export function StartButton({
  route,
  plan: { body, planned },
  planning: { isOld, carryOut },
  session,
}: {
  route: string;
  plan: RequestedPlan<Planned>;
  planning: Planning<Planned>;
  session: Session;
}) {
  const [question, put] = useAsk();
  const { exchange, symbol } = planned.config;
  const { base, quote } = pairOf(symbol);
  if (session.scope === "read") return <NoticeBox>You need a token with scope trade to start it.</NoticeBox>;
  const start = async () => {
    const started = await carryOut(() =>
      ask<Started>(route, {
        body: { ...body, planHash: planned.planHash },
        headers: { "idempotency-key": crypto.randomUUID() },
      }),
    );
    goTo("strategy", started.id);
    return started.message;
  };
  const confirm = () =>
    put({
      title: `Start this grid on ${exchange}?`,
      says: (
        <p>
          {planned.orders.length} orders are placed now: {money(Number(planned.investment.quote))} {quote} in
          buys
          {Number(planned.ownBaseUsed) > 0 ? (
            <b>
              , and {amount(planned.ownBaseUsed)} {base} of your own base in sells
            </b>
          ) : null}
          . It can use up to {money(Number(planned.maxQuoteUsed))} {quote}. If the market moves and the plan
          changes, nothing starts.
        </p>
      ),
      yes: "Start it",
      act: start,
    });
  return (
    <>
      <button type="button" class="primary" disabled={isOld} onClick={confirm}>
        Start exactly this plan
      </button>
      {question}
    </>
  );
}
