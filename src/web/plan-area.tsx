import type { Child } from "hono/jsx";
import { Failed, Notice } from "./ui.tsx";
import type { Plan, Planning } from "./use-plan.ts";

/** What is planned now; where the plan before held no more, that it was not carried out and that this is another one. */
export function PlanArea<P>({
  planning: { plan, error, refused, isOld, again },
  empty,
  children,
}: {
  planning: Planning<P>;
  empty: Child;
  children: (plan: Plan<P>) => Child;
}) {
  return (
    <>
      {error ? <Failed error={error} again={again} /> : null}
      {refused && !error ? (
        <Notice kind="warning">
          Nothing was done, because {refused.message}. {isOld ? "Planning anew…" : "Here is the new plan."}
        </Notice>
      ) : null}
      {plan ? <div class={isOld ? "old" : ""}>{children(plan)}</div> : null}
      {plan || error ? null : <p class="empty">{empty}</p>}
    </>
  );
}
