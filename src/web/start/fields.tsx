import type { Child } from "hono/jsx";
import { useRef, useState } from "hono/jsx/dom";
import { useEffect } from "../effect.ts";
import { endingSettings } from "../endings.ts";
import { pairOf } from "../format.ts";
import { COMMON_PAIR, type Holdings, useHoldings } from "../holdings.ts";
import { type Loaded, useLoad } from "../live.ts";
import { NumberInput, PairField } from "../plan-area.tsx";
import { useRoute } from "../route.ts";
import type { Exchanges } from "../types.ts";
import { Choice, Failed, Field, valueIn } from "../ui.tsx";
import { type Form, formOf, NO_PRICES, type TextName } from "./form.ts";

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
  const ending = endingSettings(quote);
  const ends = [ending.stopLossPrice, ending.takeProfitPrice, ending.trailingStopPercent, ending.maxLoss];
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
      {ends.map(({ name, label, hint }) => text(name, label, hint))}
      {text("trailDown", `Follow down to, ${quote}`, "The range moves with the price, down to here")}
      {text("trailUp", `Follow up to, ${quote}`, "The range moves with the price, up to here")}
      {text(ending.triggerPrice.name, ending.triggerPrice.label, ending.triggerPrice.hint)}
      <Field label={ending.endsAt.label} hint={ending.endsAt.hint}>
        <input
          autocomplete="off"
          value={form.endsAt}
          onInput={(event: Event) => change({ endsAt: valueIn(event) })}
        />
      </Field>
      <Field label={ending.onEnd.label}>
        <Choice value={form.onEnd} choices={BASE_AT_END} choose={(onEnd: string) => change({ onEnd })} />
      </Field>
    </div>
  );
}

const BASE_AT_END = [
  ["", "Is kept"],
  ["sell", "Is sold"],
] as const;

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

export interface MarketChoice {
  readonly exchange: string;
  readonly symbol: string;
}

interface MarketFormState<F extends MarketChoice> {
  readonly form: F;
  readonly change: (changed: Partial<F>) => void;
  readonly exchanges: Loaded<Exchanges>;
  readonly holdings: Holdings;
  readonly quote: string;
}

/** Returns a form of a market, by default on the first exchange with the most valuable asset of the account. */
export function useMarketForm<F extends MarketChoice>(first: F): MarketFormState<F> {
  const [form, setForm] = useState<F>(first);
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const holdings = useHoldings(form.exchange, exchanges.data);
  const change = (changed: Partial<F>) => setForm((before) => ({ ...before, ...changed }));
  const [pair = holdings.pairs && COMMON_PAIR] = holdings.pairs ?? [];
  useEffect(() => {
    const exchange = exchanges.data?.exchanges[0]?.id;
    if (exchange !== undefined)
      setForm((before) => (before.exchange === "" ? { ...before, exchange } : before));
    return undefined;
  }, [exchanges.data]);
  useEffect(() => {
    if (pair !== undefined)
      setForm((before) => (before.symbol === "" ? { ...before, symbol: pair } : before));
    return undefined;
  }, [pair]);
  return { form, change, exchanges, holdings, quote: pairOf(form.symbol).quote };
}

/**
 * Returns the form of a grid, from the address. Another pair clears the prices of the pair before, and has the order size
 * that was typed in its quote.
 */
export function useGridForm(): MarketFormState<Form> {
  const grid = useMarketForm(formOf(useRoute().query));
  const { symbol, orderSize: typed } = grid.form;
  const sizes = useRef<Record<string, string>>({});
  const change = (changed: Partial<Form>) => {
    const next = changed.symbol ?? symbol;
    if (next === symbol) return grid.change(changed);
    sizes.current = { ...sizes.current, [grid.quote]: typed };
    const orderSize = sizes.current[pairOf(next).quote] ?? "";
    grid.change({ ...NO_PRICES, orderSize, ...changed });
  };
  return { ...grid, change };
}
