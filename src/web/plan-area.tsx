import type { Child } from "hono/jsx";
import { isUnanswered } from "./api.ts";
import { Failed, NoticeBox } from "./ui.tsx";
import type { Planning, RequestedPlan } from "./use-plan.ts";

/** Shows the plan; if the previous plan was outdated, explains that it was not executed and that this is a new one. */
export function PlanArea<P>({
  planning: { plan, error, refused, isOld, again },
  empty,
  children,
}: {
  planning: Planning<P>;
  empty: Child;
  children: (plan: RequestedPlan<P>) => Child;
}) {
  const isUnknown = refused !== undefined && isUnanswered(refused);
  return (
    <>
      {isUnknown ? (
        <NoticeBox kind="warning">
          It is unknown whether the last plan was carried out: {refused.message}. Check the page Strategies
          before you try again.
        </NoticeBox>
      ) : null}
      {error ? <Failed error={error} again={again} /> : null}
      {refused && !isUnknown && !error ? (
        <NoticeBox kind="warning">
          Nothing changed: {refused.message}. {isOld ? "Updating the plan…" : "Here is the new plan."}
        </NoticeBox>
      ) : null}
      {plan ? <div class={isOld ? "old" : ""}>{children(plan)}</div> : null}
      {plan || error ? null : <p class="empty">{empty}</p>}
    </>
  );
}
