import { useState } from "hono/jsx/dom";
import { useLoad } from "./load.ts";
import { WatchedMarkets } from "./markets/watched.tsx";
import { OwnStrategies } from "./own/table.tsx";
import { Quotes } from "./quotes/table.tsx";
import { linkTo } from "./route.ts";
import { GridsTable } from "./strategies-table.tsx";
import { usePages } from "./table.tsx";
import { Totals } from "./totals.tsx";
import type { Grid, OwnStatuses, QuotesStatus, Session, Status } from "./types.ts";
import { FoldedSection, NoticeBox, Section, Shown, valueIn } from "./ui.tsx";

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
