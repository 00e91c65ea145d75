import type { Child } from "hono/jsx";
import { PlanArea } from "../plan-area.tsx";
import { Section, useAsk } from "../ui.tsx";
import { type RequestedPlan, usePlan } from "../use-plan.ts";
import { carriedOut } from "./parts.tsx";

interface EditProps<P> {
  /** Title of the part; with a question mark, it confirms the change. */
  readonly title: string;
  readonly yes: string;
  /** Path of the strategy, which a change patches. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly fields: Child;
  readonly empty: string;
  readonly says: (planned: P) => string;
  readonly changed: () => void;
  readonly children: (planned: P) => Child;
}

/** New settings of a running strategy: their effect, and a change to exactly that. */
export function EditSection<P extends { readonly planHash: string }>(props: EditProps<P>) {
  const { title, yes, path, body, fields, empty, says, changed, children } = props;
  const [question, put] = useAsk();
  const planning = usePlan<P>(`POST ${path}/preview`, body);
  const change = async ({ body, planned: { planHash } }: RequestedPlan<P>) => {
    const message = await planning.carryOut(() => carriedOut(`PATCH ${path}`, { ...body, planHash }));
    changed();
    return message;
  };
  const confirm = (plan: RequestedPlan<P>) =>
    put({ title: `${title}?`, says: says(plan.planned), yes, act: () => change(plan) });
  return (
    <Section title={title}>
      {fields}
      {body ? (
        <PlanArea planning={planning} empty="Planning…">
          {(plan) => (
            <>
              {children(plan.planned)}
              <button type="button" class="primary" disabled={planning.isOld} onClick={() => confirm(plan)}>
                Change exactly as planned
              </button>
            </>
          )}
        </PlanArea>
      ) : (
        <p class="empty">{empty}</p>
      )}
      {question}
    </Section>
  );
}
