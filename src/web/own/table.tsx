import { amount, pairOf } from "../format.ts";
import { type Loaded, useLoad } from "../load.ts";
import { linkTo } from "../route.ts";
import { nameColumn, profitColumn, stateColumn, strategyState } from "../strategy/parts.tsx";
import { Table, type TableColumn } from "../table.tsx";
import type { OwnList, OwnStatus, OwnStatuses, Session } from "../types.ts";
import { Failed, Section } from "../ui.tsx";

const OWN_COLUMNS: readonly TableColumn<OwnStatus>[] = [
  nameColumn("declared", ({ strategy, symbol }) => `${strategy} ${symbol}`),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  stateColumn(strategyState),
  {
    name: "Orders",
    isNumber: true,
    of: ({ orders, filledOrders }) => `${orders.length} open, ${filledOrders} filled`,
  },
  {
    name: "Position",
    isNumber: true,
    of: ({ position, symbol }) => `${amount(position)} ${pairOf(symbol).base}`,
  },
];

/** Running strategies of the user's own, and those that can be started; nothing without any. */
export function OwnStrategies({ session, status }: { session: Session; status: Loaded<OwnStatuses> }) {
  const list = useLoad<OwnList>("GET /strategy/declared/list", {}, { live: true });
  const { loaded = [], count = 0 } = list.data ?? {};
  if (list.error) return <Failed error={list.error} again={list.again} />;
  if (loaded.length + count === 0) return null;
  return (
    <Section title={`Written by you (${count})`}>
      {status.data && count > 0 ? (
        <Table
          label="Running strategies of your own"
          columns={OWN_COLUMNS}
          rows={status.data.strategies}
          keyOf={({ id }) => id}
          empty="None runs."
        />
      ) : null}
      {session.scope === "read" || loaded.length === 0 ? null : (
        <p>
          Start:{" "}
          {loaded.map(({ name, summary }) => (
            <>
              <a key={name} href={linkTo("start-own", name)} title={summary ?? ""}>
                {name}
              </a>{" "}
            </>
          ))}
        </p>
      )}
    </Section>
  );
}
