import { useState } from "hono/jsx/dom";
import { amount, duration, inPercent, money, pairOf } from "./format.ts";
import { useLoad } from "./live.ts";
import { WatchedMarkets } from "./markets/watched-pairs.tsx";
import { linkTo } from "./route.ts";
import { kindOfDefinition } from "./strategy/kind-paths.ts";
import { nameColumn, passColumn, profitColumn, stateColumn, strategyState } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn, usePages } from "./table.tsx";
import type { Definitions, Session, StrategyRow, StrategyTable } from "./types.ts";
import { ChangeStat, FoldedSection, NoticeBox, Section, Shown, Stat, valueIn } from "./ui.tsx";

/** The page of all strategies: the total P&L, then each one. */
export function Strategies({ session }: { session: Session }) {
  const running = useLoad<StrategyTable>("GET /strategies", {}, { live: true });
  return (
    <>
      <h1>Strategies</h1>
      <Shown of={running} rows={8}>
        {({ strategies, totals, warnings }) => (
          <>
            {warnings.map((warning) => (
              <NoticeBox key={warning} kind="warning">
                {warning}
              </NoticeBox>
            ))}
            {totals.map((total) => (
              <Totals key={`${total.quote} ${total.mode}`} total={total} />
            ))}
            <Running rows={strategies} session={session} />
          </>
        )}
      </Shown>
      <StartOwnLinks session={session} />
      <WatchedMarkets />
      <FoldedSection title="Stopped" isClosed>
        {() => <Stopped />}
      </FoldedSection>
    </>
  );
}

function Running({ rows, session }: { rows: readonly StrategyRow[]; session: Session }) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/);
  const textOf = ({ id, name, definition, exchange, symbol, status, phase }: StrategyRow) =>
    `${id} ${name ?? ""} ${definition} ${exchange} ${symbol} ${status} ${phase}`.toLowerCase();
  const shown = rows.filter((row) => words.every((word) => textOf(row).includes(word)));
  return (
    <Section
      title={`Running (${rows.length})`}
      aside={
        <input
          type="search"
          aria-label="Filter by definition, exchange, pair or state"
          placeholder="Filter: definition, exchange, pair, state"
          value={search}
          onInput={(event: Event) => setSearch(valueIn(event))}
        />
      }
    >
      <Table
        label="Running strategies"
        columns={LIST_COLUMNS}
        rows={shown}
        keyOf={({ id }) => id}
        empty={rows.length > 0 ? "No strategy matches the filter." : <NoneRuns session={session} />}
      />
    </Section>
  );
}

const NoneRuns = ({ session }: { session: Session }) => (
  <>
    No strategy runs.{" "}
    {session.scope === "read" ? (
      "Use a token with scope trade to start one."
    ) : (
      <a href={linkTo("start")}>Start one</a>
    )}
  </>
);

function Stopped() {
  const { before, pager } = usePages<string>();
  const page = useLoad<StrategyTable>("GET /strategies", { status: "stopped", before }, { keep: true });
  return (
    <Shown of={page}>
      {({ strategies, next }) => (
        <>
          <Table
            label="Stopped strategies"
            columns={LIST_COLUMNS}
            rows={strategies}
            keyOf={({ id }) => id}
            empty="No stopped strategies."
          />
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

const unrealizedOf = ({ totalProfit, profit }: Pick<StrategyRow, "totalProfit" | "profit">): number | null =>
  totalProfit === null ? null : Number(totalProfit) - Number(profit);

/** Returns the profit compared with buy and hold; unknown while the price is. */
const aheadOfHolding = ({
  totalProfit,
  holdingProfit,
}: Pick<StrategyRow, "totalProfit" | "holdingProfit">): number | null =>
  totalProfit === null || holdingProfit === null ? null : Number(totalProfit) - Number(holdingProfit);

const LIST_COLUMNS: readonly TableColumn<StrategyRow>[] = [
  nameColumn(({ definition }) => kindOfDefinition(definition)),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  profitColumn("Realized", ({ profit }) => profit),
  {
    name: "Of capital",
    isNumber: true,
    of: ({ profitPercent }) => (profitPercent === null ? "–" : inPercent(profitPercent)),
    by: ({ profitPercent }) => profitPercent ?? Number.NEGATIVE_INFINITY,
  },
  profitColumn("vs buy and hold", aheadOfHolding),
  stateColumn(strategyState),
  {
    name: "Orders",
    isNumber: true,
    of: ({ openOrders, filledOrders }) => `${openOrders} open, ${filledOrders} filled`,
    by: ({ filledOrders }) => filledOrders,
  },
  {
    name: "Position",
    isNumber: true,
    of: ({ position, symbol }) => `${amount(position)} ${pairOf(symbol).base}`,
    by: ({ position }) => Number(position),
  },
  numberColumn("Age", ({ runningTime }) => runningTime, duration),
  passColumn(),
];

/** Links to the strategies of the user's own that can be started, if any. */
function StartOwnLinks({ session }: { session: Session }) {
  const { data } = useLoad<Definitions>("GET /definitions");
  const loaded = (data?.definitions ?? []).filter(({ builtIn }) => !builtIn);
  if (session.scope === "read" || loaded.length === 0) return null;
  return (
    <Section title="Written by you">
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
    </Section>
  );
}

/** P&L of the strategies of one quote asset; paper trading is separate. */
function Totals({ total }: { total: StrategyTable["totals"][number] }) {
  const { quote, mode, totalProfit, profit, capital } = total;
  const name = mode === "paper" ? `${quote} (paper trading)` : quote;
  return (
    <dl class="stats" aria-label={`Totals in ${name}`}>
      <ChangeStat name={`Total, ${name}`} of={totalProfit} isLarge />
      <ChangeStat name="Realized" of={profit} />
      <ChangeStat name="Unrealized" of={unrealizedOf(total)} />
      <ChangeStat name="vs buy and hold" of={aheadOfHolding(total)} />
      <Stat name="Capital">{`${money(capital)} ${quote}`}</Stat>
    </dl>
  );
}
