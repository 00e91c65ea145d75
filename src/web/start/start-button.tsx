import type { Child } from "hono/jsx";
import { type ApiError, ask, isUnanswered } from "../api.ts";
import { amount, money, pairOf } from "../format.ts";
import { goTo } from "../route.ts";
import { KIND_PATHS, type KindName } from "../strategy/kind-paths.ts";
import type { Planned, Session, Started } from "../types.ts";
import { NoticeBox, useAsk } from "../ui.tsx";
import type { Planning, RequestedPlan } from "../use-plan.ts";

interface StartButtonProps<P> {
  readonly route: string;
  readonly plan: RequestedPlan<P>;
  readonly planning: Planning<P>;
  readonly session: Session;
}

interface StartText {
  readonly title: string;
  readonly says: Child;
  readonly yes: string;
  /** The kind of what was started. */
  readonly kind: KindName;
}

/** A start without a known result, and its key: the same start has the same key, so it starts nothing twice. */
let unanswered: { readonly start: string; readonly key: string } | undefined;

async function startOnce(route: string, body: Readonly<Record<string, unknown>>) {
  const start = JSON.stringify([route, body]);
  const { key } = unanswered?.start === start ? unanswered : { key: crypto.randomUUID() };
  unanswered = { start, key };
  try {
    const started = await ask<Pick<Started, "id" | "message">>(route, {
      body,
      headers: { "idempotency-key": key },
    });
    unanswered = undefined;
    return started;
  } catch (error) {
    if (!isUnanswered(error as ApiError)) unanswered = undefined;
    throw error;
  }
}

/** Starts exactly the shown plan, after a confirmation. */
export function StartPlan<P extends { readonly planHash: string }>({
  route,
  plan: { body, planned },
  planning: { isOld, carryOut },
  session,
  title,
  says,
  yes,
  kind,
}: StartButtonProps<P> & StartText) {
  const [question, put] = useAsk();
  if (session.scope === "read") return <NoticeBox>You need a token with scope trade to start.</NoticeBox>;
  const act = async () => {
    const started = await carryOut(() => startOnce(route, { ...body, planHash: planned.planHash }));
    goTo(KIND_PATHS[kind], started.id);
    return started.message;
  };
  return (
    <>
      <button type="button" class="primary" disabled={isOld} onClick={() => put({ title, says, yes, act })}>
        Start exactly this plan
      </button>
      {question}
    </>
  );
}

/** Starts the shown plan of a grid. */
export function StartButton(props: StartButtonProps<Planned>) {
  const { planned } = props.plan;
  const { exchange, symbol } = planned.config;
  const { base, quote } = pairOf(symbol);
  return (
    <StartPlan
      {...props}
      kind="grid"
      title={`Start this grid on ${exchange}?`}
      says={
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
      }
      yes="Start it"
    />
  );
}
