import type { Child } from "hono/jsx";
import { NumberInput } from "../number-input.tsx";
import { PairField } from "../pair-field.tsx";
import { Choice, Failed, Field } from "../ui.tsx";
import type { Form, TextName } from "./form.ts";
import type { MarketChoice, MarketFormState } from "./use-form.ts";

interface FieldsProps {
  readonly form: Form;
  readonly change: (changed: Partial<Form>) => void;
  readonly quote: string;
}

/** The form fields of a grid. */
export function NumberFields({ form, change, quote }: FieldsProps) {
  const text = (name: TextName, label: string, hint?: Child) => (
    <Field label={label} hint={hint}>
      <NumberInput value={form[name]} change={(typed) => change({ [name]: typed })} />
    </Field>
  );
  return (
    <div class="fields">
      {text("lowerPrice", `Lower price, ${quote}`)}
      {text("upperPrice", `Upper price, ${quote}`)}
      {text("gridLevels", "Levels, 2 to 100")}
      {text("orderSize", `Per order, ${quote}`)}
      <Field label="Spacing">
        <Choice
          value={form.spacingModel}
          choices={SPACING_CHOICES}
          choose={(spacingModel: Form["spacingModel"]) => change({ spacingModel })}
        />
      </Field>
      {text("stopLossPrice", `Stop loss, ${quote}`, "Stops and sells at or below")}
      {text("takeProfitPrice", `Take profit, ${quote}`, "Stops and sells at or above")}
      {text("trailDown", `Follow down to, ${quote}`, "The range moves with the price, down to here")}
      {text("trailUp", `Follow up to, ${quote}`, "The range moves with the price, up to here")}
      {text("triggerPrice", `Trigger, ${quote}`, "Waits until the market reaches this price")}
    </div>
  );
}

const SPACING_CHOICES = [
  ["linear", "Equal differences"],
  ["geometric", "Equal ratios"],
] as const;

const CHECKS = {
  useOwnBase: "Sell base already in the account",
  initialBuy: "Buy missing base at once",
  stopAtOnce: "Stop at the first price that reaches a stop loss or take profit",
  dryRun: "Paper trading: live prices, no real orders",
} as const;

type CheckName = keyof typeof CHECKS;

export const Checks = <Name extends CheckName>({
  form,
  change,
  names,
}: {
  form: Readonly<Record<Name, boolean>>;
  change: (changed: Readonly<Record<Name, boolean>>) => void;
  names: readonly Name[];
}) => (
  <div class="checks">
    {names.map((name) => (
      <label key={name} class="check">
        <input
          type="checkbox"
          checked={form[name]}
          onClick={() => change({ [name]: !form[name] } as Readonly<Record<Name, boolean>>)}
        />{" "}
        {CHECKS[name]}
      </label>
    ))}
  </div>
);

/** Fields for an exchange and a pair. */
export const WhereFields = <F extends MarketChoice>({
  form,
  change,
  exchanges,
  holdings,
}: Pick<MarketFormState<F>, "form" | "change" | "exchanges" | "holdings">) => (
  <div class="fields">
    {exchanges.error ? <Failed error={exchanges.error} again={exchanges.again} /> : null}
    <Field label="Exchange">
      <Choice
        value={form.exchange}
        choices={exchanges.data?.exchanges.map(({ id }) => id) ?? []}
        choose={(exchange: string) => change({ exchange } as Partial<F>)}
      />
    </Field>
    <PairField
      value={form.symbol}
      pairs={holdings.pairs}
      change={(symbol) => change({ symbol } as Partial<F>)}
    />
  </div>
);
