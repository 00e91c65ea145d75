import { useState } from "hono/jsx/dom";
import { useHoldings } from "./account/holdings.ts";
import { type Loaded, useLoad } from "./load.ts";
import { PairField } from "./pair-field.tsx";
import { goTo, useRoute } from "./route.ts";
import type { Exchanges } from "./types.ts";
import { Field } from "./ui.tsx";

export interface MarketTyped {
  readonly exchange: string;
  readonly symbol: string;
}

const PAIR_TYPED = /^[A-Z0-9]+\/[A-Z0-9]+$/;

/** Returns the market in the address, else a common one on the first exchange. */
export function useMarket(place: string): {
  readonly market: MarketTyped | undefined;
  readonly exchanges: Loaded<Exchanges>;
} {
  const { words } = useRoute();
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const [, exchange = exchanges.data?.exchanges[0]?.id, symbol = "BTC/USDT"] =
    words[0] === place ? words : [];
  return { market: exchange === undefined ? undefined : { exchange, symbol }, exchanges };
}

/** Chooses an exchange and a pair, and stores them in the address for bookmarks. */
export function MarketForm({
  place,
  market,
  exchanges,
}: {
  place: string;
  market: MarketTyped;
  exchanges: Exchanges;
}) {
  const [symbol, setSymbol] = useState(market.symbol);
  const holdings = useHoldings(market.exchange, exchanges);
  const show = (event: Event) => {
    event.preventDefault();
    if (PAIR_TYPED.test(symbol)) goTo(place, market.exchange, symbol);
  };
  return (
    <form class="fields line" onSubmit={show}>
      <Field label="Exchange">
        <select
          value={market.exchange}
          onChange={(event: Event) => goTo(place, (event.target as HTMLSelectElement).value, market.symbol)}
        >
          {exchanges.exchanges.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </Field>
      <PairField value={symbol} pairs={holdings.pairs} change={setSymbol} />
      <button type="submit">Show</button>
    </form>
  );
}
