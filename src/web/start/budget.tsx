import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { Failed, Field } from "../ui.tsx";
import { type Form, type GuideAnswered, guidedForm } from "./form.ts";

const HOW_FAR = [
  ["narrow", "Narrow: range of the last day"],
  ["usual", "Usual: range of the last week"],
  ["wide", "Wide: range of the last month"],
] as const;

/** Fills in the form from a budget and a price range. */
export function BudgetPart({
  form,
  change,
  quote,
}: {
  form: Form;
  change: (changed: Partial<Form>) => void;
  quote: string;
}) {
  const [budget, setBudget] = useState("1000");
  const [width, setWidth] = useState("usual");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const fill = async (event: Event) => {
    event.preventDefault();
    const { exchange, symbol } = form;
    const body = { exchange, symbol: symbol.trim().toUpperCase(), budget: Number(budget), width };
    try {
      change(guidedForm(await ask<GuideAnswered>("POST /strategy/grid/guide", { body })));
      setError(undefined);
    } catch (failed) {
      setError(failed as ApiError);
    }
  };
  return (
    <form class="fields" onSubmit={(event: Event) => void fill(event)}>
      <Field label={`Budget, ${quote}`}>
        <input
          inputMode="decimal"
          value={budget}
          onInput={(event: Event) => setBudget((event.target as HTMLInputElement).value)}
        />
      </Field>
      <Field label="Width of the range" wide>
        <select
          value={width}
          onChange={(event: Event) => setWidth((event.target as HTMLSelectElement).value)}
        >
          {HOW_FAR.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" disabled={form.exchange === ""}>
        Fill in the numbers
      </button>
      {error ? <Failed error={error} /> : null}
    </form>
  );
}
