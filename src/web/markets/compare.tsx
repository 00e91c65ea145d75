import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { pluralize } from "../../kernel/plain-text.ts";
import { part } from "../api.ts";
import { change, digitsOf, inPercent, number, pairOf } from "../format.ts";
import { useHoldings } from "../holdings.ts";
import { useLoad } from "../live.ts";
import { NumberInput, PairField } from "../plan-area.tsx";
import { Table } from "../table.tsx";
import type { ComparisonAnswer, DexPriceAnswer, DexTokens, Exchanges, Pools } from "../types.ts";
import { Choice, Field, LoadedAgo, NoticeBox, Section, Shown, Stat } from "../ui.tsx";

/** A pair on every exchange, and the profit of a price difference after fees and order book depth. */
export function Compare() {
  const [typed, setTyped] = useState({ symbol: "BTC/USDT", amount: "" });
  const [settings, requestedSettings] = useState(typed);
  const { symbol, amount } = settings;
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const { pairs } = useHoldings(exchanges.data?.exchanges[0]?.id, exchanges.data);
  const found = useLoad<ComparisonAnswer>("GET /price/compare", { symbol, amount, partial: true });
  const show = (event: Event) => {
    event.preventDefault();
    if (typed.symbol === symbol && typed.amount === amount) found.again();
    else requestedSettings(typed);
  };
  return (
    <>
      <h1>Compare</h1>
      <form class="fields line" onSubmit={show}>
        <PairField
          value={typed.symbol}
          pairs={pairs}
          change={(chosen) => setTyped({ ...typed, symbol: chosen })}
        />
        <Field label={`Amount, ${pairOf(typed.symbol).base}`}>
          <NumberInput
            placeholder="most profitable"
            value={typed.amount}
            change={(text) => setTyped({ ...typed, amount: text })}
          />
        </Field>
        <button type="submit">Compare</button>
      </form>
      <Shown of={found} rows={6}>
        {(data) => <Compared data={data} age={<LoadedAgo of={found} />} />}
      </Shown>
    </>
  );
}

function Compared({ data, age }: { data: ComparisonAnswer; age: Child }) {
  const { analysis, prices, unlisted, failed = [] } = data;
  const { quote } = pairOf(data.symbol);
  const digits = Math.min(
    10,
    digitsOf(prices.filter(({ pool }) => !pool).flatMap(({ bid, ask }) => [bid, ask])) ?? 10,
  );
  return (
    <>
      {failed.map(({ exchange, error }) => (
        <NoticeBox key={exchange} kind="warning">
          {exchange} is missing: {error}
        </NoticeBox>
      ))}
      <Executable analysis={analysis} quote={quote} />
      <Section title="Prices" aside={age}>
        <Table
          label="Prices by exchange"
          columns={[
            {
              name: "Exchange",
              isHead: true,
              of: ({ exchange, pool }) => (
                <>
                  {exchange}
                  {pool ? <small>{pool}</small> : null}
                </>
              ),
              by: ({ exchange }) => exchange,
            },
            { name: "Bid", isNumber: true, of: ({ bid }) => number(bid, digits), by: ({ bid }) => bid },
            { name: "Ask", isNumber: true, of: ({ ask }) => number(ask, digits), by: ({ ask }) => ask },
            {
              name: "Spread",
              isNumber: true,
              of: ({ spreadPercent }) => inPercent(spreadPercent, 3),
              by: ({ spreadPercent }) => spreadPercent,
            },
          ]}
          rows={prices}
          keyOf={({ exchange, pool }) => `${exchange} ${pool}`}
          empty="No exchange lists this pair. Choose another one."
        />
        {unlisted.length > 0 ? <p class="quiet">Not listed on {unlisted.join(", ")}.</p> : null}
      </Section>
    </>
  );
}

const REASONS = {
  one_venue: "only one exchange has a price",
  no_gain: "no amount makes a profit after fees",
  below_minimum: "the profitable amount is below the minimum order",
} as const;

function Executable({ analysis, quote }: { analysis: ComparisonAnswer["analysis"]; quote: string }) {
  const { executable, lowestAsk, highestBid } = analysis;
  return (
    <dl class="stats">
      <Stat name={`Profit after fees, ${quote}`} tone={executable.opportunity ? "large up" : "large"}>
        {executable.opportunity ? change(executable.net) : "nothing"}
      </Stat>
      {executable.opportunity ? (
        <>
          <Stat name="Buy, sell">{`${executable.buy}, ${executable.sell}`}</Stat>
          <Stat name="Amount">{number(executable.amount)}</Stat>
          <Stat name="Fees">{`${number(executable.fees, 2)} ${quote}`}</Stat>
          <Stat name="Return on cost">{inPercent(executable.netPercent, 3)}</Stat>
        </>
      ) : (
        <Stat name="Why">{executable.reason ? REASONS[executable.reason] : "–"}</Stat>
      )}
      <Stat name="Lowest ask">{`${number(lowestAsk.price)} (${lowestAsk.exchange})`}</Stat>
      <Stat name="Highest bid">{`${number(highestBid.price)} (${highestBid.exchange})`}</Stat>
      <Stat name="Before fees">{inPercent(analysis.spreadPercent, 3)}</Stat>
    </dl>
  );
}

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
            <Stat name="Sources">{pluralize(data.sources.length, "source")}</Stat>
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
