import { ask, part } from "../api.ts";
import { amount, digitsOf, number } from "../format.ts";
import { type Loaded, useLoad } from "../load.ts";
import { linkTo, useRoute } from "../route.ts";
import { type Column, Table } from "../table.tsx";
import type { Balances, Exchanges, OpenOrders, Session } from "../types.ts";
import { Section, Shown, Time, useAsk } from "../ui.tsx";

/** What an exchange's account has, and its open orders. */
export function Account({ session }: { session: Session }) {
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
          <BalancesPart key={`b ${exchange}`} exchange={exchange} />
          <OrdersPart key={`o ${exchange}`} exchange={exchange} session={session} />
        </>
      )}
    </>
  );
}

function BalancesPart({ exchange }: { exchange: string }) {
  const balances = useLoad<Balances>("GET /balance", { exchange });
  return (
    <Section title="Balances" aside={<Again of={balances} />}>
      <Shown of={balances} rows={5}>
        {(data) => (
          <Table
            label={`Balances on ${exchange}`}
            columns={[
              { name: "Asset", isHead: true, of: ({ asset }) => asset, by: ({ asset }) => asset },
              {
                name: "Total",
                isNumber: true,
                of: ({ total }) => amount(total),
                by: ({ total }) => Number(total),
              },
              {
                name: "Free",
                isNumber: true,
                of: ({ free }) => amount(free),
                by: ({ free }) => Number(free),
              },
              {
                name: "In orders",
                isNumber: true,
                of: ({ used }) => amount(used),
                by: ({ used }) => Number(used),
              },
            ]}
            rows={data.balances}
            keyOf={({ asset }) => asset}
            empty="This account has nothing: deposit on the exchange, then look again."
          />
        )}
      </Shown>
    </Section>
  );
}

type Order = OpenOrders["orders"][number];

function OrdersPart({ exchange, session }: { exchange: string; session: Session }) {
  const orders = useLoad<OpenOrders>("GET /orders", { exchange });
  const [question, put] = useAsk();
  const cancel = ({ id, symbol, side, remaining, price }: Order) =>
    put({
      title: "Cancel this order?",
      says: `${side} ${number(remaining)} ${symbol} at ${number(price)} is taken back. A grid that it belongs to places it again with its next pass: stop or pause that one first.`,
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
  // Each pair has its own decimals.
  const digits = (symbol: string, of: (order: Order) => number) =>
    digitsOf(orders.data?.orders.filter((order) => order.symbol === symbol).map(of) ?? []);
  const priceText = ({ symbol, price }: Order) =>
    number(
      price,
      digits(symbol, (order) => order.price),
    );
  const sizeText = ({ symbol }: Order, size: number) =>
    number(
      size,
      digits(symbol, (order) => order.amount),
    );
  const columns: readonly Column<Order>[] = [
    { name: "Pair", isHead: true, of: ({ symbol }) => symbol, by: ({ symbol }) => symbol },
    {
      name: "Side",
      of: ({ side }) => <b class={side === "buy" ? "up" : "down"}>{side}</b>,
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
    ...(session.scope === "read"
      ? []
      : [{ name: "Cancel", of: (order: Order) => <Cancel order={order} cancel={cancel} /> }]),
  ];
  return (
    <Section title="Open orders" aside={<Again of={orders} />}>
      <Shown of={orders} rows={6}>
        {(data) => (
          <Table
            label={`Open orders on ${exchange}`}
            columns={columns}
            rows={data.orders}
            keyOf={({ id }) => id}
            empty="No order is open here."
          />
        )}
      </Shown>
      {question}
    </Section>
  );
}

const Cancel = ({ order, cancel }: { order: Order; cancel: (order: Order) => void }) => (
  <button
    type="button"
    aria-label={`Cancel ${order.side} of ${number(order.amount)} ${order.symbol} at ${number(order.price)}`}
    onClick={() => cancel(order)}
  >
    Cancel
  </button>
);

/** The exchange is asked when a person wants to know. */
const Again = ({ of }: { of: Loaded<unknown> }) => (
  <button type="button" onClick={() => of.again()}>
    Look again
  </button>
);
