import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { pairOf } from "../format.ts";
import { NumberInput } from "../number-input.tsx";
import type { Grid, PlannedEditAnswer } from "../types.ts";
import { Field } from "../ui.tsx";
import { asItStands, type EditTexts, editBody, editFields } from "./edit-form.ts";
import { EditPlan, editSays } from "./edit-plan.tsx";
import { EditSection } from "./edit-section.tsx";

/** A form for new settings of a running grid: their effect, and a change to exactly that. */
export function Edit({ grid, digits }: { grid: Grid; digits: number }) {
  const [typed, setTyped] = useState<EditTexts>({});
  const change = (more: EditTexts) => setTyped((before) => ({ ...before, ...more }));
  return (
    <EditSection<PlannedEditAnswer>
      title="Change this grid"
      yes="Change it"
      path={`/strategy/grid/${part(grid.id)}`}
      body={editBody(grid, typed)}
      fields={<EditFields grid={grid} typed={typed} change={change} />}
      empty="Change a setting. The orders to cancel and to place appear here."
      says={(planned) => editSays(planned, pairOf(grid.symbol).quote)}
      changed={() => setTyped({})}
    >
      {(planned) => <EditPlan grid={grid} planned={planned} digits={digits} />}
    </EditSection>
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
        <NumberInput
          value={typed[name] ?? asItStands(grid, name)}
          change={(text) => change({ [name]: text })}
        />
      </Field>
    ))}
  </div>
);
