import { useState } from "hono/jsx/dom";
import { isPair } from "../kernel/pair.ts";
import { ask, part } from "./api.ts";
import { amount, digitsOf, money, number } from "./format.ts";
import { COMMON_PAIR, useHoldings } from "./holdings.ts";
import { type Loaded, useLoad } from "./live.ts";
import { PairField } from "./plan-area.tsx";
import { linkTo, useRoute } from "./route.ts";
import { numberColumn, Table, type TableColumn } from "./table.tsx";
import { BOOK_INTERVAL_MS, PLANNED_LEVELS, TicketForm } from "./ticket.tsx";
import type { BalanceAnswer, BalancesAnswer, BookAnswer, Exchanges, OpenOrders, Session } from "./types.ts";
import {
  FoldedSection,
  LoadedAgo,
  Section,
  Shown,
  SideText,
  Stat,
  Time,
  useConfirmation,
  Warnings,
} from "./ui.tsx";

/** The page of an exchange's account with its open orders. */
export function AccountPage({ session }: { session: Session }) {
  const { words } = useRoute();
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const exchange = words[1] ?? exchanges.data?.exchanges[0]?.id;
  return (
    <>
      <h1>Account</h1>
      <Shown of={exchanges}>
        {(data) => (
          <nav class="tabs" aria-label="Exchanges">
            {data.exchanges.map(({ id, kind, configured }) => (
              <a
                key={id}
                href={linkTo("account", id)}
                {...(id === exchange ? { "aria-current": "page" } : {})}
              >
                {id} <small>{configured ? kind : "no keys"}</small>
              </a>
            ))}
          </nav>
        )}
      </Shown>
      {exchange === undefined ? null : (
        <>
          <BalancesPart
            key={`b ${exchange}`}
            exchange={exchange}
            quote={exchanges.data?.exchanges.find(({ id }) => id === exchange)?.quotes[0] ?? "USDT"}
          />
          <FoldedSection key={`w ${exchange}`} title="Withdrawable amounts" isClosed>
            {() => <WithdrawTable exchange={exchange} />}
          </FoldedSection>
          <AccountOrders
            key={`o ${exchange}`}
            exchange={exchange}
            session={session}
            exchanges={exchanges.data}
          />
        </>
      )}
    </>
  );
}

type OpenOrder = OpenOrders["orders"][number];

interface AccountProps {
  readonly exchange: string;
  readonly exchanges: Exchanges | undefined;
  readonly session: Session;
}

function AccountOrders({ exchange, exchanges, session }: AccountProps) {
  const orders = useLoad<OpenOrders>("GET /orders", { exchange });
  return (
    <>
      {session.scope === "read" ? null : (
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

/** An account's balances, and their value in its exchange's quote asset. */
function BalancesPart({ exchange, quote }: { exchange: string; quote: string }) {
  const balances = useLoad<BalancesAnswer>("GET /balance", { exchange, quote });
  return (
    <Section title="Balances" aside={<RefreshButton of={balances} />}>
      <Shown of={balances} rows={5}>
        {(data) => <Valued exchange={exchange} quote={quote} balances={data.balances} />}
      </Shown>
    </Section>
  );
}

function Valued({
  exchange,
  quote,
  balances,
}: {
  exchange: string;
  quote: string;
  balances: readonly BalanceAnswer[];
}) {
  const known = balances.flatMap(({ worth }) => (worth == null ? [] : [Number(worth)]));
  const left = balances.length - known.length;
  return (
    <>
      <dl class="stats">
        <Stat name={`Total, ${quote}`} tone="large">
          {known.length === 0 && left > 0
            ? "unknown"
            : money(
                known.reduce((sum, one) => sum + one, 0),
                2,
              )}
        </Stat>
        <Stat name={`Assets without a ${quote} price`}>{left === 0 ? "none" : `${left}, not counted`}</Stat>
      </dl>
      <Table
        label={`Balances on ${exchange}`}
        columns={columnsIn(quote)}
        rows={balances}
        keyOf={({ asset }) => asset}
        empty="This account is empty. Deposit funds on the exchange, then refresh."
      />
    </>
  );
}

const column = (
  name: string,
  quote: string,
  of: (balance: BalanceAnswer) => string,
): TableColumn<BalanceAnswer> => ({
  name,
  isNumber: true,
  of: (balance) => (balance.asset === quote ? money(Number(of(balance)), 2) : amount(of(balance))),
  by: (balance) => Number(of(balance)),
});

const columnsIn = (quote: string): readonly TableColumn<BalanceAnswer>[] => [
  { name: "Asset", isHead: true, of: ({ asset }) => asset, by: ({ asset }) => asset },
  column("Total", quote, ({ total }) => total),
  column("Free", quote, ({ free }) => free),
  column("In orders", quote, ({ used }) => used),
  {
    name: `Worth, ${quote}`,
    isNumber: true,
    of: ({ worth }) => (worth == null ? "–" : money(Number(worth), 2)),
    by: ({ worth }) => Number(worth ?? -1),
  },
];

const withdrawColumn = (name: string, of: (row: BalanceAnswer) => string | undefined) =>
  numberColumn<BalanceAnswer>(name, (row) => Number(of(row)), number);

const COLUMNS: readonly TableColumn<BalanceAnswer>[] = [
  { name: "Asset", isHead: true, of: ({ asset }) => asset, by: ({ asset }) => asset },
  withdrawColumn("You can withdraw", ({ canWithdraw }) => canWithdraw),
  withdrawColumn("Needed by strategies", ({ kept }) => kept),
  withdrawColumn("In orders", ({ used }) => used),
  withdrawColumn("Total", ({ total }) => total),
  withdrawColumn("Missing", ({ missing }) => missing),
];

/** What can be withdrawn while every order stays funded. */
function WithdrawTable({ exchange }: { exchange: string }) {
  const plan = useLoad<BalancesAnswer>("GET /balance", { exchange, withdrawable: true });
  return (
    <Shown of={plan} rows={6}>
      {({ balances, warnings = [] }) => (
        <>
          <Warnings of={warnings} />
          <Table
            label={`Withdrawable amounts on ${exchange}`}
            columns={COLUMNS}
            rows={balances}
            keyOf={({ asset }) => asset}
            empty="This account is empty."
          />
          <p class="quiet">edgemaker never withdraws. These amounts leave no order of a strategy unfunded.</p>
        </>
      )}
    </Shown>
  );
}
