import { useState } from "hono/jsx/dom";
import { useEffect } from "../effect.ts";
import { pairOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { useRoute } from "../route.ts";
import type { Exchanges } from "../types.ts";
import { type Form, formOf } from "./form.ts";

/** Returns the form of a grid, from the address, by default on the first exchange. */
export function useGridForm() {
  const { query } = useRoute();
  const [form, setForm] = useState<Form>(formOf(query));
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const change = (changed: Partial<Form>) => setForm((before) => ({ ...before, ...changed }));
  useEffect(() => {
    const first = exchanges.data?.exchanges[0]?.id;
    if (form.exchange === "" && first !== undefined) change({ exchange: first });
  }, [exchanges.data]);
  return { form, change, exchanges, quote: pairOf(form.symbol).quote };
}
