import { useState } from "hono/jsx/dom";
import { isPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { OpenOrdersPart } from "../account.tsx";
import { GridChart } from "../chart/chart.tsx";
import { type Digits, digitsOf, inPercent, number, numberOr, pairOf } from "../format.ts";
import { COMMON_PAIR, type Holdings, useHoldings } from "../holdings.ts";
import { BookLadder } from "../ladder.tsx";
import { useLoad } from "../live.ts";
import { PairField } from "../plan-area.tsx";
import { goTo, linkTo, useRoute } from "../route.ts";
import { Table } from "../table.tsx";
import { BOOK_INTERVAL_MS, PLANNED_LEVELS, TicketForm } from "../ticket.tsx";
import type {
  BookAnswer,
  CandlesAnswer,
  Exchanges,
  MarketChoice,
  OpenOrders,
  Session,
  TickerAnswer,
  Trades,
} from "../types.ts";
import { Choice, Failed, Field, FoldedSection, Section, Shown, Stat, Time } from "../ui.tsx";

/** One market: its price, its book and recent trades. */
export function Markets({ session }: { session: Session }) {
  const { market, exchanges, holdings } = useMarket();
  return (
    <>
      <h1>Markets</h1>
      <Shown of={exchanges}>
        {(data) =>
          market ? (
            <>
              <MarketForm key={market.symbol} market={market} exchanges={data} holdings={holdings} />
              <OneMarket
                key={`${market.exchange} ${market.symbol}`}
                market={market}
                session={session}
                hasKeys={data.exchanges.some(({ id, configured }) => configured && id === market.exchange)}
              />
            </>
          ) : data.exchanges.length > 0 ? null : (
            <p class="empty">No exchange is configured. Set EDGEMAKER_EXCHANGES and restart the server.</p>
          )
        }
      </Shown>
    </>
  );
}

interface OneMarketProps {
  readonly market: MarketChoice;
  readonly session: Session;
  /** Whether the server has keys to trade there. */
  readonly hasKeys: boolean;
}

function OneMarket({ market, session, hasKeys }: OneMarketProps) {
  const { exchange } = market;
  const every = BOOK_INTERVAL_MS;
  const ticker = useLoad<TickerAnswer>("GET /ticker", { ...market }, { every });
  const book = useLoad<BookAnswer>("GET /orderbook", { ...market, limit: PLANNED_LEVELS }, { every });
  const trades = useLoad<Trades>("GET /trades", { ...market, limit: 50 }, { every });
  const orders = useLoad<OpenOrders>(hasKeys ? "GET /orders" : undefined, { ...market });
  const [price, setPrice] = useState<string | undefined>(undefined);
  const digits = digitsOf(
    [...(book.data?.bids ?? []), ...(book.data?.asks ?? [])].map((level) => level.price),
  );
  const ticket = { market, session, orders, price, setPrice };
  const canTrade = hasKeys && session.scope !== "read";
  return (
    <>
      <Shown of={ticker}>{(data) => <TickerPrices ticker={data} digits={digits} />}</Shown>
      <p>
        <a href={`${linkTo("start")}?${new URLSearchParams({ ...market })}`}>Start a grid here</a>
      </p>
      <MarketCandles {...market} digits={digits} />
      <div class="halves">
        <Section title="Book">
          <Shown of={book} rows={12}>
            {(data) => <BookLadder book={data} digits={digits} choose={canTrade ? setPrice : undefined} />}
          </Shown>
        </Section>
        <div>
          {canTrade ? (
            <Section title="New order">
              <Shown of={book} rows={12}>
                {(data) => <TicketForm {...ticket} book={data} />}
              </Shown>
            </Section>
          ) : null}
          {hasKeys ? <OpenOrdersPart exchange={exchange} session={session} orders={orders} /> : null}
          <FoldedSection title="Trades">
            {() => (
              <Shown of={trades} rows={12}>
                {(data) => <TradeList trades={data} digits={digits} />}
              </Shown>
            )}
          </FoldedSection>
        </div>
      </div>
    </>
  );
}

const MARKET_FRAMES = ["5m", "15m", "1h", "4h", "1d"] as const;
const NO_MARKS: readonly never[] = [];

function MarketCandles({ digits, ...market }: MarketChoice & { digits: Digits }) {
  const [timeframe, setTimeframe] = useState<string>("1h");
  const candles = useLoad<CandlesAnswer>("GET /ohlcv", { ...market, timeframe, limit: 200 });
  return (
    <Section
      title="Candles"
      aside={<Choice label="Candle length" value={timeframe} choices={MARKET_FRAMES} choose={setTimeframe} />}
    >
      {candles.error ? <Failed error={candles.error} again={candles.again} /> : null}
      <GridChart
        label={`Candles of ${market.symbol} on ${market.exchange}`}
        candles={candles.data?.candles ?? NO_MARKS}
        fills={NO_MARKS}
        digits={digits}
        levels={NO_MARKS}
      />
    </Section>
  );
}

function TickerPrices({ ticker, digits }: { ticker: TickerAnswer; digits: Digits }) {
  const { base, quote } = pairOf(ticker.symbol);
  return (
    <dl class="stats">
      <Stat name={`Last, ${quote}`} tone="large">
        {numberOr(ticker.last, digits)}
      </Stat>
      <Stat name="Bid" tone="up">
        {number(ticker.bid, digits)}
      </Stat>
      <Stat name="Ask" tone="down">
        {number(ticker.ask, digits)}
      </Stat>
      <Stat name="Spread">{`${number(ticker.spread, digits)} (${inPercent(ticker.spreadPercent, 3)})`}</Stat>
      <Stat name={`24 h, ${base}`}>{numberOr(ticker.baseVolume, 2)}</Stat>
      <Stat name={`24 h, ${quote}`}>{numberOr(ticker.quoteVolume, 0)}</Stat>
      <Stat name="As of">
        <Time at={ticker.timestamp} />
      </Stat>
    </dl>
  );
}

function TradeList({ trades, digits }: { trades: Trades; digits: Digits }) {
  const { summary } = trades;
  const sizes = digitsOf(trades.trades.map(({ amount }) => amount));
  return (
    <>
      <p class="quiet">
        {pluralize(summary.count, "trade")}: {pluralize(summary.buyCount, "buy")} of{" "}
        {number(summary.buyVolume)}, {pluralize(summary.sellCount, "sell")} of{" "}
        {`${number(summary.sellVolume)}; VWAP ${number(summary.vwap, digits)}`}
      </p>
      <Table
        label="Trades"
        columns={[
          { name: "Time", of: ({ timestamp }) => <Time at={timestamp} /> },
          {
            name: "Price",
            isNumber: true,
            of: ({ side, price }) => <span class={side}>{number(price, digits)}</span>,
          },
          { name: "Side", of: ({ side }) => side },
          { name: "Amount", isNumber: true, of: ({ amount }) => number(amount, sizes) },
        ]}
        rows={trades.trades}
        keyOf={({ id }) => id}
        empty="No recent trades."
      />
    </>
  );
}

/** Returns the market in the address, else that of the account's most valuable asset on the first exchange. */
function useMarket() {
  const { words } = useRoute();
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const [, exchange = exchanges.data?.exchanges[0]?.id, chosen] = words[0] === "markets" ? words : [];
  const holdings = useHoldings(exchange, exchanges.data);
  const symbol = chosen ?? (holdings.pairs && (holdings.pairs[0] ?? COMMON_PAIR));
  const market: MarketChoice | undefined = exchange && symbol ? { exchange, symbol } : undefined;
  return { market, exchanges, holdings };
}

interface MarketFormProps {
  readonly market: MarketChoice;
  readonly exchanges: Exchanges;
  readonly holdings: Holdings;
}

/** Chooses an exchange and a pair, and stores them in the address for bookmarks. */
function MarketForm({ market, exchanges, holdings }: MarketFormProps) {
  const [symbol, setSymbol] = useState(market.symbol);
  const show = (event: Event) => {
    event.preventDefault();
    if (isPair(symbol)) goTo("markets", market.exchange, symbol);
  };
  return (
    <form class="fields line" onSubmit={show}>
      <Field label="Exchange">
        <Choice
          value={market.exchange}
          choices={exchanges.exchanges.map(({ id }) => id)}
          choose={(exchange: string) => goTo("markets", exchange, market.symbol)}
        />
      </Field>
      <PairField value={symbol} pairs={holdings.pairs} change={setSymbol} />
      <button type="submit">Show</button>
    </form>
  );
}
