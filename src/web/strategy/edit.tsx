import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { pairOf } from "../format.ts";
import { PlanArea } from "../plan-area.tsx";
import type { Grid, PlannedEditAnswer } from "../types.ts";
import { Field, Section, useAsk, valueIn } from "../ui.tsx";
import { type RequestedPlan, usePlan } from "../use-plan.ts";
import { asItStands, type EditTexts, editBody, editFields } from "./edit-form.ts";
import { EditPlan, editSays } from "./edit-plan.tsx";
import { carriedOut } from "./parts.tsx";

/** A form for new settings of a running grid: their effect, and a change to exactly that. */
export function Edit({ grid, digits }: { grid: Grid; digits: number }) {
  const [typed, setTyped] = useState<EditTexts>({});
  const [question, put] = useAsk();
  const route = `/strategy/grid/${part(grid.id)}`;
  const body = editBody(grid, typed);
  const planning = usePlan<PlannedEditAnswer>(`POST ${route}/preview`, body);
  const { quote } = pairOf(grid.symbol);
  const change = async ({ body, planned }: RequestedPlan<PlannedEditAnswer>) => {
    const message = await planning.carryOut(() =>
      carriedOut(`PATCH ${route}`, { ...body, planHash: planned.planHash }),
    );
    setTyped({});
    return message;
  };
  const confirm = (plan: RequestedPlan<PlannedEditAnswer>) =>
    put({
      title: "Change this grid?",
      says: editSays(plan.planned, quote),
      yes: "Change it",
      act: () => change(plan),
    });
  return (
    <Section title="Change this grid">
      <EditFields
        grid={grid}
        typed={typed}
        change={(more) => setTyped((before) => ({ ...before, ...more }))}
      />
      {body ? (
        <PlanArea planning={planning} empty="Planning…">
          {(plan) => (
            <>
              <EditPlan grid={grid} planned={plan.planned} digits={digits} />
              <button type="button" class="primary" disabled={planning.isOld} onClick={() => confirm(plan)}>
                Change exactly as planned
              </button>
            </>
          )}
        </PlanArea>
      ) : (
        <p class="empty">Change a setting. The orders to cancel and to place appear here.</p>
      )}
      {question}
    </Section>
  );
}

const EditFields = ({
  grid,
  typed,
  change,
}: {
  grid: Grid;
  typed: EditTexts;
  change: (more: EditTexts) => void;
}) => (
  <div class="fields">
    {editFields(grid).map(({ name, label, hint }) => (
      <Field key={name} label={label} hint={hint}>
        <input
          inputMode="decimal"
          autocomplete="off"
          value={typed[name] ?? asItStands(grid, name)}
          onInput={(event: Event) => change({ [name]: valueIn(event) })}
        />
      </Field>
    ))}
  </div>
);
