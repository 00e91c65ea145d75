import { ask, part } from "../api.ts";
import { digitsOf, number } from "../format.ts";
import { useLoad } from "../load.ts";
import { linkTo, useRoute } from "../route.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { Exchanges, OpenOrders, Session } from "../types.ts";
import { Section, Shown, SideText, Time, useAsk } from "../ui.tsx";
import { Again } from "./again.tsx";
import { BalancesPart } from "./balances.tsx";
import { WithdrawPart } from "./withdraw.tsx";

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
          <WithdrawPart key={`w ${exchange}`} exchange={exchange} />
          <AccountOrders key={`o ${exchange}`} exchange={exchange} session={session} />
        </>
      )}
    </>
  );
}

type OpenOrder = OpenOrders["orders"][number];

function AccountOrders({ exchange, session }: { exchange: string; session: Session }) {
  const orders = useLoad<OpenOrders>("GET /orders", { exchange });
  const [question, put] = useAsk();
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
    <Section title="Open orders" aside={<Again of={orders} />}>
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
  const digits = (symbol: string, of: (order: OpenOrder) => number) =>
    digitsOf(orders.filter((order) => order.symbol === symbol).map(of));
  const priceText = ({ symbol, price }: OpenOrder) =>
    number(
      price,
      digits(symbol, (order) => order.price),
    );
  const sizeText = ({ symbol }: OpenOrder, size: number) =>
    number(
      size,
      digits(symbol, (order) => order.amount),
    );
  return [
    { name: "Pair", isHead: true, of: ({ symbol }) => symbol, by: ({ symbol }) => symbol },
    {
      name: "Side",
      of: ({ side }) => <SideText side={side} />,
      by: ({ side }) => side,
    },
    { name: "Price", isNumber: true, of: priceText, by: ({ price }) => price },
    {
      name: "Amount",
      isNumber: true,
      of: (order) => sizeText(order, order.amount),
      by: (order) => order.amount,
    },
    {
      name: "Filled",
      isNumber: true,
      of: (order) => sizeText(order, order.filled),
      by: ({ filled }) => filled,
    },
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
