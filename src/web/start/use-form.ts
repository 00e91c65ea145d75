import { useState } from "hono/jsx/dom";
import { COMMON_PAIR, type Holdings, useHoldings } from "../account/holdings.ts";
import { useEffect } from "../effect.ts";
import { pairOf } from "../format.ts";
import type { Loaded } from "../load.ts";
import { useLoad } from "../load.ts";
import { useRoute } from "../route.ts";
import type { Exchanges } from "../types.ts";
import { type Form, formOf, NO_PRICES } from "./form.ts";

export interface MarketChoice {
  readonly exchange: string;
  readonly symbol: string;
}

export interface MarketFormState<F extends MarketChoice> {
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

/** Returns the form of a grid, from the address. Another pair clears the prices of the pair before. */
export function useGridForm(): MarketFormState<Form> {
  const grid = useMarketForm(formOf(useRoute().query));
  const { symbol } = grid.form;
  const change = (changed: Partial<Form>) =>
    grid.change((changed.symbol ?? symbol) === symbol ? changed : { ...NO_PRICES, ...changed });
  return { ...grid, change };
}
