import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { digitsOf } from "../format.ts";
import type { Candles } from "../types.ts";
import { Failed, Field } from "../ui.tsx";
import { byBudget, type Form } from "./form.ts";

const SPANS = [
  ["Narrow: where the last day was", "15m", 96],
  ["Usual: where the last week was", "1h", 168],
  ["Wide: where the last month was", "4h", 180],
] as const;

/** Fills the numbers in from a budget and how far the price may go. */
export function Budget({
  form,
  change,
  quote,
}: {
  form: Form;
  change: (changed: Partial<Form>) => void;
  quote: string;
}) {
  const [budget, setBudget] = useState("1000");
  const [span, setSpan] = useState("1");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const fill = async (event: Event) => {
    event.preventDefault();
    const [, timeframe, limit] = SPANS[Number(span)] ?? SPANS[1];
    const { exchange, symbol } = form;
    try {
      const { candles } = await ask<Candles>("GET /ohlcv", { query: { exchange, symbol, timeframe, limit } });
      const digits = Math.min(8, digitsOf(candles.slice(-20).map(({ close }) => close)));
      change(byBudget(candles, Number(budget), digits));
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
      <Field label="How far the price may go">
        <select value={span} onChange={(event: Event) => setSpan((event.target as HTMLSelectElement).value)}>
          {SPANS.map(([name], at) => (
            <option key={name} value={String(at)}>
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
