import { useState } from "hono/jsx/dom";
import { COMMON_PAIR, type Holdings, useHoldings } from "./account/holdings.ts";
import { type Loaded, useLoad } from "./load.ts";
import { PairField } from "./pair-field.tsx";
import { goTo, useRoute } from "./route.ts";
import type { MarketChoice } from "./start/use-form.ts";
import type { Exchanges } from "./types.ts";
import { Choice, Field } from "./ui.tsx";

const PAIR_TYPED = /^[A-Z0-9]+\/[A-Z0-9]+$/;

/** Returns the market in the address, else that of the account's most valuable asset on the first exchange. */
export function useMarket(place: string): {
  readonly market: MarketChoice | undefined;
  readonly exchanges: Loaded<Exchanges>;
  readonly holdings: Holdings;
} {
  const { words } = useRoute();
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const [, exchange = exchanges.data?.exchanges[0]?.id, chosen] = words[0] === place ? words : [];
  const holdings = useHoldings(exchange, exchanges.data);
  const symbol = chosen ?? (holdings.pairs && (holdings.pairs[0] ?? COMMON_PAIR));
  return {
    market: exchange === undefined || symbol === undefined ? undefined : { exchange, symbol },
    exchanges,
    holdings,
  };
}

/** Chooses an exchange and a pair, and stores them in the address for bookmarks. */
export function MarketForm({
  place,
  market,
  exchanges,
  holdings,
}: {
  place: string;
  market: MarketChoice;
  exchanges: Exchanges;
  holdings: Holdings;
}) {
  const [symbol, setSymbol] = useState(market.symbol);
  const show = (event: Event) => {
    event.preventDefault();
    if (PAIR_TYPED.test(symbol)) goTo(place, market.exchange, symbol);
  };
  return (
    <form class="fields line" onSubmit={show}>
      <Field label="Exchange">
        <Choice
          value={market.exchange}
          choices={exchanges.exchanges.map(({ id }) => id)}
          choose={(exchange: string) => goTo(place, exchange, market.symbol)}
        />
      </Field>
      <PairField value={symbol} pairs={holdings.pairs} change={setSymbol} />
      <button type="submit">Show</button>
    </form>
  );
}
