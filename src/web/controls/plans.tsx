import { ask, part } from "../api.ts";
import { useLoad } from "../load.ts";
import type { PendingPlan } from "../types.ts";
import { NoticeBox, Section, Shown, Time, useAsk } from "../ui.tsx";

/** Agents' plans for a person to approve or refuse. */
export function Plans() {
  const plans = useLoad<{ plans: readonly PendingPlan[] }>("GET /plans", {}, { live: true });
  return (
    <>
      <h1>Agents</h1>
      <Shown of={plans}>
        {(data) =>
          data.plans.length === 0 ? (
            <p class="empty">No plans are waiting. A plan of an agent appears here for five minutes.</p>
          ) : (
            data.plans.map((plan) => <OnePlan key={plan.id} plan={plan} again={plans.again} />)
          )
        }
      </Shown>
    </>
  );
}

function OnePlan({ plan, again }: { plan: PendingPlan; again: () => void }) {
  const [question, put] = useAsk();
  const decide = (how: "approve" | "refuse") =>
    put({
      title: how === "approve" ? "Approve this plan?" : "Refuse this plan?",
      says: `${plan.what}. Cost: ${plan.cost}. Worst case: ${plan.worstCase}.`,
      yes: how === "approve" ? "Approve it" : "Refuse it",
      dangerous: how === "approve",
      act: async () => {
        const { message } = await ask<{ message: string }>(`POST /plans/${part(plan.id)}/${how}`, {
          body: {},
        });
        again();
        return message;
      },
    });
  return (
    <Section
      title={`${plan.tool}, by ${plan.by}`}
      aside={
        <div class="actions">
          {plan.approved ? (
            <b class="tag up">approved</b>
          ) : (
            <button type="button" onClick={() => decide("approve")}>
              Approve
            </button>
          )}
          <button type="button" onClick={() => decide("refuse")}>
            Refuse
          </button>
        </div>
      }
    >
      <p>{plan.what}</p>
      <p class="quiet">
        Cost: {plan.cost}. Worst case: {plan.worstCase}. Expires <Time at={plan.expiresAt} />.
      </p>
      {plan.limits.map((limit) => (
        <NoticeBox key={limit}>{limit}</NoticeBox>
      ))}
      {question}
    </Section>
  );
}
