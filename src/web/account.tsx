import { useState } from "hono/jsx/dom";
import { type AccountRead, accountTotals } from "../account/totals.ts";
import { isPair } from "../kernel/pair.ts";
import { ask, part } from "./api.ts";
import { useEffect } from "./effect.ts";
import { amount, digitsOf, money, number } from "./format.ts";
import { COMMON_PAIR, useHoldings } from "./holdings.ts";
import { type Loaded, useLoad } from "./live.ts";
import { PairField } from "./plan-area.tsx";
import { linkTo, useRoute } from "./route.ts";
import { Table, type TableColumn } from "./table.tsx";
import { BOOK_INTERVAL_MS, PLANNED_LEVELS, TicketForm } from "./ticket.tsx";
import type { BalanceAnswer, BalancesAnswer, BookAnswer, Exchanges, OpenOrders, Session } from "./types.ts";
import {
  FoldedSection,
  LoadedAgo,
  NoticeBox,
  PressedChoice,
  Section,
  Shown,
  SideText,
  Stat,
  Time,
  useConfirmation,
  Warnings,
} from "./ui.tsx";

/** The page of all accounts, or of one of them with its open orders. */
export function AccountPage({ session }: { session: Session }) {
  const [, exchange] = useRoute().words;
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const tab = (name: string, id: string | undefined, text = "") => (
    <a
      key={name}
      href={id === undefined ? linkTo("account") : linkTo("account", id)}
      {...(id === exchange ? { "aria-current": "page" } : {})}
    >
      {name} <small>{text}</small>
    </a>
  );
  return (
    <>
      <h1>Account</h1>
      <Shown of={exchanges}>
        {(data) => (
          <>
            <nav class="tabs" aria-label="Accounts">
              {tab("All", undefined)}
              {data.exchanges.map(({ id, kind, configured }) => tab(id, id, configured ? kind : "no keys"))}
            </nav>
            {exchange === undefined ? (
              <AccountTotals exchanges={data} />
            ) : (
              <OneAccount key={exchange} exchange={exchange} exchanges={data} session={session} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** What all accounts are worth in one quote asset, and each of them. */
export function AccountTotals({ exchanges: { exchanges } }: { exchanges: Exchanges }) {
  const accounts = exchanges.filter(({ configured }) => configured);
  const quotes = [...new Set(accounts.flatMap((one) => one.quotes))];
  const [quote = "", setQuote] = useState(quotes[0]);
  const [read, setRead] = useState<{ quote?: string; data?: readonly AccountRead[]; at?: number }>({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const reads = accounts.map(({ id: exchange, kind }) =>
      ask<BalancesAnswer>("GET /balance", { query: { exchange, quote }, signal }).then(
        (answer) => ({ ...answer, kind }),
        (error: Error) => ({ exchange, kind, error: error.message }),
      ),
    );
    void Promise.all(reads).then((data) => signal.aborted || setRead({ quote, data, at: Date.now() }));
    return () => ended.abort();
  }, [quote, count]);
  if (accounts.length === 0) return null;
  const again = () => setCount(count + 1);
  const shown: Loaded<readonly AccountRead[]> = { ...(read.quote === quote ? read : {}), again };
  return (
    <Section
      title="Worth of all accounts"
      aside={
        <>
          {quotes.length > 1 ? (
            <PressedChoice label="Quote asset" value={quote} choices={quotes} choose={setQuote} />
          ) : null}
          <RefreshButton of={shown} />
        </>
      }
    >
      <Shown of={shown} rows={5}>
        {(data) => <Totals accounts={data} quote={quote} />}
      </Shown>
    </Section>
  );
}

const worthText = (worth: string | null | undefined) => (worth == null ? "unknown" : money(worth, 2));

/** Totals of accounts in a quote asset, with the names of what is not in them. */
const Totals = ({ accounts, quote }: { accounts: readonly AccountRead[]; quote: string }) => (
  <>
    {accountTotals(accounts).map(({ kind, worth, missing }) => (
      <div key={kind}>
        <dl class="stats">
          <Stat name={`Total, ${quote}${kind === "sandbox" ? ", simulated" : ""}`} tone="large">
            {worthText(worth)}
          </Stat>
        </dl>
        {accounts.length === 1 ? null : (
          <dl class="stats">
            {accounts
              .filter((one) => one.kind === kind)
              .map((one) => (
                <Stat key={one.exchange} name={one.exchange}>
                  {worthText(accountTotals([one])[0]?.worth)}
                </Stat>
              ))}
          </dl>
        )}
        {missing.length === 0 ? null : (
          <NoticeBox kind="warning">Not counted: {missing.join("; ")}.</NoticeBox>
        )}
      </div>
    ))}
  </>
);

type OpenOrder = OpenOrders["orders"][number];

interface AccountProps {
  readonly exchange: string;
  readonly exchanges: Exchanges;
  readonly session: Session;
}

function OneAccount({ exchange, exchanges, session }: AccountProps) {
  const known = exchanges.exchanges.find(({ id }) => id === exchange);
  const quote = known?.quotes[0] ?? "USDT";
  const balances = useLoad<BalancesAnswer>("GET /balance", { exchange, quote, withdrawable: true });
  const orders = useLoad<OpenOrders>("GET /orders", { exchange });
  return (
    <>
      <Section title="Balances" aside={<RefreshButton of={balances} />}>
        <Shown of={balances} rows={5}>
          {(data) => (
            <>
              <Warnings of={data.warnings ?? []} />
              <Totals accounts={[{ ...data, kind: known?.kind ?? "live" }]} quote={quote} />
              <Table
                label={`Balances on ${exchange}`}
                columns={columnsIn(quote)}
                rows={data.balances}
                keyOf={({ asset }) => asset}
                empty="This account is empty. Deposit funds on the exchange, then refresh."
              />
              <p class="quiet">
                edgemaker never withdraws. The amounts that you can withdraw leave no order of a strategy
                unfunded.
              </p>
            </>
          )}
        </Shown>
      </Section>
      {session.scope === "read" || !known?.configured ? null : (
        <FoldedSection title="New order" isClosed>
          {() => <PairTicket exchange={exchange} exchanges={exchanges} session={session} orders={orders} />}
        </FoldedSection>
      )}
      <OpenOrdersPart exchange={exchange} session={session} orders={orders} />
    </>
  );
}

/** A new order for a pair of the account. */
function PairTicket({
  exchange,
  exchanges,
  ...ticket
}: AccountProps & { readonly orders: Loaded<OpenOrders> }) {
  const { pairs } = useHoldings(exchange, exchanges);
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const symbol = typed ?? pairs?.[0] ?? (pairs && COMMON_PAIR) ?? "";
  const market = { exchange, symbol };
  const book = useLoad<BookAnswer>(
    isPair(symbol) ? "GET /orderbook" : undefined,
    { ...market, limit: PLANNED_LEVELS },
    { every: BOOK_INTERVAL_MS },
  );
  const [price, setPrice] = useState<string | undefined>(undefined);
  const choose = (pair: string) => {
    setTyped(pair);
    setPrice(undefined);
  };
  return (
    <>
      <PairField value={symbol} pairs={pairs} change={choose} />
      <Shown of={book}>
        {(data) => <TicketForm {...ticket} market={market} price={price} setPrice={setPrice} book={data} />}
      </Shown>
    </>
  );
}

interface OrdersProps {
  readonly exchange: string;
  readonly session: Session;
  readonly orders: Loaded<OpenOrders>;
}

/** Open orders of an account, each with a button that cancels it. */
export function OpenOrdersPart({ exchange, session, orders }: OrdersProps) {
  const [question, put] = useConfirmation();
  const cancel = ({ id, symbol, side, remaining, price }: OpenOrder) =>
    put({
      title: "Cancel this order?",
      says: `${side} ${number(remaining)} ${symbol} at ${number(price)} will be canceled. If it belongs to a grid, the next pass places it again; pause or stop that grid first.`,
      yes: "Cancel it",
      dangerous: true,
      act: async () => {
        const { message } = await ask<{ message: string }>(`DELETE /orders/${part(id)}`, {
          query: { exchange, symbol },
        });
        orders.again();
        return message;
      },
    });
  return (
    <Section title="Open orders" aside={<RefreshButton of={orders} />}>
      <Shown of={orders} rows={6}>
        {(data) => (
          <Table
            label={`Open orders on ${exchange}`}
            columns={orderColumns(data.orders, session.scope === "read" ? undefined : cancel)}
            rows={data.orders}
            keyOf={({ id }) => id}
            empty="No open orders."
          />
        )}
      </Shown>
      {question}
    </Section>
  );
}

function orderColumns(
  orders: readonly OpenOrder[],
  cancel: ((order: OpenOrder) => void) | undefined,
): readonly TableColumn<OpenOrder>[] {
  // Each pair has different decimals.
  const text = ({ symbol }: OpenOrder, value: number, of: "price" | "amount") =>
    number(value, digitsOf(orders.filter((order) => order.symbol === symbol).map((order) => order[of])));
  return [
    { name: "Pair", isHead: true, of: ({ symbol }) => symbol, by: ({ symbol }) => symbol },
    { name: "Side", of: ({ side }) => <SideText side={side} />, by: ({ side }) => side },
    ...(["price", "amount", "filled"] as const).map((of) => ({
      name: `${of.slice(0, 1).toUpperCase()}${of.slice(1)}`,
      isNumber: true,
      of: (order: OpenOrder) => text(order, order[of], of === "price" ? of : "amount"),
      by: (order: OpenOrder) => order[of],
    })),
    { name: "Placed", of: ({ timestamp }) => <Time at={timestamp} />, by: ({ timestamp }) => timestamp },
    ...(cancel === undefined
      ? []
      : [{ name: "Cancel", of: (order: OpenOrder) => <Cancel order={order} cancel={cancel} /> }]),
  ];
}

const Cancel = ({ order, cancel }: { order: OpenOrder; cancel: (order: OpenOrder) => void }) => (
  <button
    type="button"
    aria-label={`Cancel ${order.side} of ${number(order.amount)} ${order.symbol} at ${number(order.price)}`}
    onClick={() => cancel(order)}
  >
    Cancel
  </button>
);

/** The age of data from the exchange, and a button that reloads them on request. */
const RefreshButton = ({ of }: { of: Loaded<unknown> }) => (
  <span>
    <LoadedAgo of={of} />{" "}
    <button type="button" onClick={() => of.again()}>
      Refresh
    </button>
  </span>
);

const column = (
  name: string,
  quote: string,
  of: (balance: BalanceAnswer) => string | undefined,
): TableColumn<BalanceAnswer> => ({
  name,
  isNumber: true,
  of: (balance) => (balance.asset === quote ? money(of(balance) ?? 0, 2) : amount(of(balance) ?? "0")),
  by: (balance) => Number(of(balance)),
});

const columnsIn = (quote: string): readonly TableColumn<BalanceAnswer>[] => [
  { name: "Asset", isHead: true, of: ({ asset }) => asset, by: ({ asset }) => asset },
  column("Total", quote, ({ total }) => total),
  column("Free", quote, ({ free }) => free),
  column("In orders", quote, ({ used }) => used),
  column("Needed by strategies", quote, ({ kept }) => kept),
  column("You can withdraw", quote, ({ canWithdraw }) => canWithdraw),
  {
    name: `Worth, ${quote}`,
    isNumber: true,
    of: ({ worth }) => (worth == null ? "–" : money(Number(worth), 2)),
    by: ({ worth }) => Number(worth ?? -1),
  },
];
