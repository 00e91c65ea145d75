import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { pluralize } from "../kernel/plain-text.ts";
import { amount, duration, inPercent, money, number, pairOf } from "./format.ts";
import { type Loaded, useLoad } from "./live.ts";
import { WatchedMarkets } from "./markets/watched-pairs.tsx";
import { againstHolding, distanceOf, distanceText, gridState } from "./plan-area.tsx";
import { linkTo } from "./route.ts";
import { nameColumn, passColumn, profitColumn, stateColumn, strategyState } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn, usePages } from "./table.tsx";
import type {
  Definitions,
  Grid,
  OwnStatus,
  OwnStatuses,
  Quoted,
  QuotesStatus,
  Session,
  Status,
} from "./types.ts";
import { ChangeStat, Failed, FoldedSection, NoticeBox, Section, Shown, Stat, valueIn } from "./ui.tsx";

/** The page of all grids: the total P&L, then each grid. */
export function Strategies({ session }: { session: Session }) {
  const running = useLoad<Status>("GET /strategy/grid/status", {}, { live: true });
  const quoting = useLoad<QuotesStatus>("GET /strategy/quote/status", {}, { live: true });
  const own = useLoad<OwnStatuses>("GET /strategy/declared/status", {}, { live: true });
  // The totals are above the grids and count all; showing one after the other would move everything below.
  const isLoaded = [quoting, own].every(({ data, error }) => data || error);
  const all = isLoaded ? running : { ...running, data: undefined };
  return (
    <>
      <h1>Strategies</h1>
      <Shown of={all} rows={8}>
        {({ strategies, warnings }) => (
          <>
            {warnings.map((warning) => (
              <NoticeBox key={warning} kind="warning">
                {warning}
              </NoticeBox>
            ))}
            {quoting.data && own.data ? (
              <Totals grids={strategies} others={[...quoting.data.strategies, ...own.data.strategies]} />
            ) : null}
            <Running grids={strategies} session={session} />
          </>
        )}
      </Shown>
      <Quotes running={quoting} />
      <OwnStrategies session={session} status={own} />
      <WatchedMarkets />
      <FoldedSection title="Stopped grids" isClosed>
        {() => <StoppedGrids />}
      </FoldedSection>
    </>
  );
}

function Running({ grids, session }: { grids: readonly Grid[]; session: Session }) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/);
  const textOf = ({ id, name, exchange, symbol, status, phase }: Grid) =>
    `${id} ${name ?? ""} ${exchange} ${symbol} ${status} ${phase}`.toLowerCase();
  const shown = grids.filter((grid) => words.every((word) => textOf(grid).includes(word)));
  return (
    <Section
      title={`Grids (${grids.length})`}
      aside={
        <input
          type="search"
          aria-label="Filter by exchange, pair or state"
          placeholder="Filter: exchange, pair, state"
          value={search}
          onInput={(event: Event) => setSearch(valueIn(event))}
        />
      }
    >
      <GridsTable
        label="Running grids"
        grids={shown}
        empty={grids.length > 0 ? "No grid matches the filter." : <NoneRuns session={session} />}
      />
    </Section>
  );
}

const NoneRuns = ({ session }: { session: Session }) => (
  <>
    No grid runs.{" "}
    {session.scope === "read" ? (
      "Use a token with scope trade to start one."
    ) : (
      <a href={linkTo("start")}>Start one</a>
    )}
  </>
);

function StoppedGrids() {
  const { before, pager } = usePages<string>();
  const page = useLoad<Status>(
    "GET /strategy/grid/status",
    { stopped: true, limit: 100, before },
    { keep: true },
  );
  return (
    <Shown of={page}>
      {({ strategies, next }) => (
        <>
          <GridsTable
            label="Stopped grids"
            grids={strategies.filter(({ status }) => status === "stopped")}
            empty="No stopped grids."
          />
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

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
function OwnStrategies({ session, status }: { session: Session; status: Loaded<OwnStatuses> }) {
  const list = useLoad<Definitions>("GET /definitions");
  const loaded = (list.data?.definitions ?? []).filter(({ builtIn }) => !builtIn);
  const { count = 0 } = status.data ?? {};
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

const sourceText = ({ source }: Quoted["sources"][number]): string =>
  source === "own" ? "own book" : source;

const restingOf = ({ orders }: Quoted, side: "buy" | "sell"): number =>
  orders.filter((order) => order.side === side).length;

const QUOTE_COLUMNS: readonly TableColumn<Quoted>[] = [
  nameColumn("quote"),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  stateColumn(strategyState),
  {
    name: "Reference price",
    isNumber: true,
    of: ({ reference, sources }) => (
      <>
        {reference === null ? "no price" : number(reference)}
        <small>
          {sources
            .filter(({ counted }) => counted)
            .map(sourceText)
            .join(", ") || "no source counts"}
        </small>
      </>
    ),
    by: ({ reference }) => reference ?? 0,
  },
  {
    name: "Spread",
    isNumber: true,
    of: ({ halfSpreadPercent, spreadPercent, widenedBy }) => (
      <>
        {inPercent(halfSpreadPercent === null ? spreadPercent : 2 * halfSpreadPercent)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{`by ${widenedBy}`}</small>}
      </>
    ),
    by: ({ spreadPercent }) => spreadPercent,
  },
  {
    name: "Orders",
    isNumber: true,
    of: (quote) =>
      `${pluralize(restingOf(quote, "buy"), "bid")}, ${pluralize(restingOf(quote, "sell"), "ask")}, ${quote.filledOrders} filled`,
    by: ({ filledOrders }) => filledOrders,
  },
  {
    name: "Position",
    isNumber: true,
    of: ({ position, symbol }) => `${amount(position)} ${pairOf(symbol).base}`,
    by: ({ position }) => Number(position),
  },
  passColumn(),
];

/** A table of running quotes, if any. */
function Quotes({ running }: { running: Loaded<QuotesStatus> }) {
  const { data, error, again } = running;
  if (error) return <Failed error={error} again={again} />;
  if (data === undefined || data.count === 0) return null;
  return (
    <Section title={`Quotes (${data.count})`}>
      <Table
        label="Running quotes"
        columns={QUOTE_COLUMNS}
        rows={data.strategies}
        keyOf={({ id }) => id}
        empty="No quotes run."
      />
    </Section>
  );
}

const GRID_COLUMNS: readonly TableColumn<Grid>[] = [
  nameColumn("grid", undefined, () => null),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  profitColumn("Realized", (grid) => grid.profit),
  profitColumn("Unrealized", ({ unrealizedProfit }) => unrealizedProfit),
  profitColumn("vs buy and hold", againstHolding),
  stateColumn(gridState),
  {
    name: "Distance to range limit",
    isNumber: true,
    of: (grid) => (
      <span class={(distanceOf(grid) ?? 1) < 0 ? "down" : (distanceOf(grid) ?? 1) < 0.01 ? "warn" : ""}>
        {distanceText(grid)}
      </span>
    ),
    by: (grid) => distanceOf(grid) ?? Number.POSITIVE_INFINITY,
  },
  {
    name: "Orders",
    isNumber: true,
    of: ({ openOrders, filledOrders }) => `${openOrders} open, ${filledOrders} filled`,
    by: ({ filledOrders }) => filledOrders,
  },
  numberColumn("Age", ({ runningTime }) => runningTime, duration),
  passColumn(),
];

const GridsTable = ({ label, grids, empty }: { label: string; grids: readonly Grid[]; empty: Child }) => (
  <Table label={label} columns={GRID_COLUMNS} rows={grids} keyOf={({ id }) => id} empty={empty} />
);

/** A strategy whose capital is not known. */
type Other = Quoted | OwnStatus;

/** P&L of all strategies by quote asset; paper trading is separate. */
function Totals({ grids, others }: { grids: readonly Grid[]; others: readonly Other[] }) {
  const nameOf = ({ symbol, dryRun }: Pick<Grid, "symbol" | "dryRun">) =>
    `${pairOf(symbol).quote}${dryRun ? " (paper trading)" : ""}`;
  return (
    <>
      {[...new Set([...grids, ...others].map(nameOf))].map((name) => (
        <Group
          key={name}
          name={name}
          grids={grids.filter((grid) => nameOf(grid) === name)}
          others={others.filter((one) => nameOf(one) === name)}
        />
      ))}
    </>
  );
}

interface GroupOf {
  readonly name: string;
  readonly grids: readonly Grid[];
  readonly others: readonly Other[];
}

function Group({ name, grids, others }: GroupOf) {
  const all = [...grids, ...others];
  const total = sumOf(all.map(({ totalProfit }) => totalProfit));
  const realized = sumOf(all.map(({ profit }) => profit));
  const unrealized = sumOf([
    ...grids.map(({ unrealizedProfit }) => unrealizedProfit),
    ...others.map(openProfit),
  ]);
  const against = sumOf(grids.map(againstHolding));
  const capital = sumOf(grids.map(({ investment }) => investment)) ?? 0;
  const [quote = name] = name.split(",");
  return (
    <dl class="stats" aria-label={`Totals in ${name}`}>
      <ChangeStat name={`Total, ${name}`} of={total} isLarge />
      <ChangeStat name="Realized" of={realized} />
      <ChangeStat name="Unrealized" of={unrealized} />
      {grids.length > 0 ? (
        <>
          <ChangeStat name={others.length > 0 ? "Grids vs buy and hold" : "vs buy and hold"} of={against} />
          <Stat
            name={others.length > 0 ? "Capital of grids" : "Capital"}
          >{`${money(capital)} ${quote}`}</Stat>
        </>
      ) : null}
    </dl>
  );
}

const openProfit = ({ totalProfit, profit }: Other): number | null =>
  totalProfit === null ? null : totalProfit - profit;

/** Returns the sum; an unknown value makes it unknown. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);
