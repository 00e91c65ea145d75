import { amount, money } from "../format.ts";
import { useLoad } from "../load.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { BalanceAnswer } from "../types.ts";
import { Section, Shown, Stat } from "../ui.tsx";
import { Again } from "./again.tsx";

/** An account's balances, and their value in its exchange's quote asset. */
export function BalancesPart({ exchange, quote }: { exchange: string; quote: string }) {
  const balances = useLoad<{ balances: readonly BalanceAnswer[] }>("GET /balance", { exchange, quote });
  return (
    <Section title="Balances" aside={<Again of={balances} />}>
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
