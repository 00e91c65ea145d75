import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { Table } from "../table.tsx";
import type { DexPriceAnswer, DexTokens, Pools } from "../types.ts";
import { Choice, Field, Section, Shown, Stat } from "../ui.tsx";

/** Number of digits of a pool's price, which is a ratio. */
const PRICE_DIGITS = 6;

/** Tokens on Cardano: their price and its pools. */
export function DexPage() {
  const tokens = useLoad<DexTokens>("GET /dex/tokens");
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const token = chosen ?? tokens.data?.tokens[0]?.symbol;
  return (
    <>
      <h1>DEX</h1>
      <Shown of={tokens}>
        {(data) => (
          <div class="fields line">
            <Field label="Token">
              <Choice
                value={token ?? ""}
                choices={data.tokens.map(({ symbol }) => symbol)}
                choose={setChosen}
              />
            </Field>
          </div>
        )}
      </Shown>
      {token === undefined ? null : <TokenPrice key={token} token={token} />}
    </>
  );
}

function TokenPrice({ token }: { token: string }) {
  const price = useLoad<DexPriceAnswer>(`GET /dex/price/${part(token)}`);
  const pools = useLoad<Pools>(`GET /dex/pools/${part(token)}`, { limit: 50 });
  return (
    <>
      <Shown of={price}>
        {(data) => (
          <dl class="stats">
            <Stat name={data.symbol} tone="large">
              {number(data.price)}
            </Stat>
            <Stat name="Confidence, 0 to 1">{number(data.confidence, 2)}</Stat>
            <Stat name="Sources">{`${data.sources.length} sources`}</Stat>
          </dl>
        )}
      </Shown>
      <Section title="Pools">
        <Shown of={pools} rows={6}>
          {(data) => (
            <Table
              label={`Pools of ${token}, largest first`}
              columns={[
                {
                  name: "Exchange",
                  isHead: true,
                  of: ({ dex, identifier }) => (
                    <>
                      {dex}
                      <small class="break">{identifier}</small>
                    </>
                  ),
                },
                {
                  name: "Value locked, ADA",
                  isNumber: true,
                  of: ({ tvl }) => number(tvl, 0),
                  by: ({ tvl }) => tvl,
                },
                {
                  name: "Price, ADA",
                  isNumber: true,
                  of: (pool) => number(pool.price, PRICE_DIGITS),
                  by: (pool) => pool.price,
                },
                { name: "ADA", isNumber: true, of: ({ reserveA }) => number(reserveA, 0) },
                { name: token, isNumber: true, of: ({ reserveB }) => number(reserveB, 0) },
              ]}
              rows={data.pools}
              keyOf={({ dex, identifier }) => `${dex} ${identifier}`}
              empty="No pool of this token was found. Choose another token, or try again later."
            />
          )}
        </Shown>
      </Section>
    </>
  );
}
