import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { money } from "../format.ts";
import { NumberInput } from "../number-input.tsx";
import { Choice, Failed, Field } from "../ui.tsx";
import { type Form, type GuideAnswered, guidedForm } from "./form.ts";

const HOW_FAR = [
  ["narrow", "Narrow: range of the last day"],
  ["usual", "Usual: range of the last week"],
  ["wide", "Wide: range of the last month"],
] as const;

const BEYOND = [
  ["wait", "Wait until it returns"],
  ["follow", "Follow it by half the range"],
  ["stop", "Stop a little beyond, and sell the base"],
] as const;

/** A round number that the account can afford. */
const USUAL_BUDGET = 1000;

interface BudgetProps {
  readonly form: Form;
  readonly change: (changed: Partial<Form>) => void;
  readonly quote: string;
  /** Free quote of the account; undefined if unknown. */
  readonly free: number | undefined;
}

/** Fills in the form from a budget, a price range, and what happens beyond it. */
export function BudgetPart({ form, change, quote, free }: BudgetProps) {
  const [typed, setBudget] = useState<string | undefined>(undefined);
  const budget = typed ?? String(Math.min(USUAL_BUDGET, Math.floor(free ?? USUAL_BUDGET)));
  const [onLeave, setOnLeave] = useState("wait");
  const [width, setWidth] = useState("usual");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const latest = useRef<Event | null>(null);
  const market = useRef("");
  market.current = `${form.symbol} on ${form.exchange}`;
  const fill = async (event: Event) => {
    event.preventDefault();
    latest.current = event;
    const requested = market.current;
    const { exchange, symbol } = form;
    const body = { exchange, symbol: symbol.trim().toUpperCase(), budget: Number(budget), width, onLeave };
    try {
      const guide = await ask<GuideAnswered>("POST /strategy/grid/guide", { body });
      // An older response must not replace the newer one, or fill the form of another market.
      if (latest.current !== event || market.current !== requested) return;
      change(guidedForm(guide));
      setError(undefined);
    } catch (failed) {
      if (latest.current === event) setError(failed as ApiError);
    }
  };
  return (
    <form class="fields" onSubmit={(event: Event) => void fill(event)}>
      <Field
        label={`Budget, ${quote}`}
        // An empty line until the amount arrives, so that no button moves under the pointer.
        hint={free === undefined ? "\u00a0" : `${money(free)} ${quote} free`}
      >
        <NumberInput value={budget} change={setBudget} />
      </Field>
      <Field label="Width of the range" wide>
        <Choice value={width} choices={HOW_FAR} choose={setWidth} />
      </Field>
      <Field label="If the price leaves the range" wide>
        <Choice value={onLeave} choices={BEYOND} choose={setOnLeave} />
      </Field>
      <button type="submit" disabled={form.exchange === "" || form.symbol === ""}>
        Fill in the numbers
      </button>
      {error ? <Failed error={error} /> : null}
    </form>
  );
}
