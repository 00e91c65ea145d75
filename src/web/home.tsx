import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { AccountTotals } from "./account.tsx";
import { useEffect } from "./effect.ts";
import { change, dailyFigures, digitsOf, inPercent, money, number, pairOf, toneOf } from "./format.ts";
import { useLoad } from "./live.ts";
import { WatchedMarkets } from "./markets/watched-pairs.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { DayBars } from "./report.tsx";
import { linkTo } from "./route.ts";
import { SinceLastVisit } from "./since.tsx";
import { nameColumn, profitColumn, StateTag, stateName } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn, usePages } from "./table.tsx";
import type { Exchanges, ReportAnswer, Session, StrategyRow, StrategyTable } from "./types.ts";
import { Ago, ChangeStat, Failed, PressedChoice, Section, Shown, Stat, valueIn, Warnings } from "./ui.tsx";

/** Names of the periods, each with its days. */
const PERIODS = [
  ["day", "Today", 1],
  ["week", "7 days", 7],
  ["month", "30 days", 30],
  ["all", "All", Infinity],
] as const;
type ProfitPeriod = (typeof PERIODS)[number][0];

/** The first day of the period of all days. */
const ALL_FROM = "2020-01-01";

/** A list of at most this many rows is loaded more often, so that what happens without an event is seen soon. */
const MAX_SHORT = 100;
const [SHORT_INTERVAL_MS, LONG_INTERVAL_MS] = [10_000, 60_000] as const;

/** The first page: what needs the user, the P&L, and every strategy. */
export function Home({ session }: { session: Session }) {
  const [every, setEvery] = useState<number>(LONG_INTERVAL_MS);
  const running = useLoad<StrategyTable>("GET /strategies", {}, { live: true, every });
  const { length } = running.data?.strategies ?? { length: Infinity };
  useEffect(() => {
    setEvery(length <= MAX_SHORT ? SHORT_INTERVAL_MS : LONG_INTERVAL_MS);
    return undefined;
  }, [length <= MAX_SHORT]);
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const [period, setPeriod] = useState<ProfitPeriod>("week");
  const span = period === "all" ? { from: ALL_FROM } : { month: true };
  const report = useLoad<ReportAnswer>("GET /report", span, { every: LONG_INTERVAL_MS, keep: true });
  return (
    <>
      <header class="title">
        <h1>Strategies</h1>
        {session.scope === "read" ? null : (
          <a class="button primary large" href={linkTo("start")}>
            New strategy
          </a>
        )}
      </header>
      <Shown of={running} rows={8}>
        {({ strategies, totals, warnings }) => (
          <>
            <Warnings of={warnings.map((message) => ({ code: message, message }))} />
            <NeedsYou rows={strategies} session={session} />
            <SinceLastVisit rows={strategies} session={session} />
            {report.error ? <Failed error={report.error} again={report.again} /> : null}
            {strategies.length === 0 ? <FirstSteps session={session} /> : null}
            <ProfitPanel
              totals={totals}
              // Until its own report arrives, the longest period is unknown.
              report={isOfPeriod(report.data, period) ? report.data : undefined}
              period={period}
              choosePeriod={setPeriod}
            />
            <Strategies running={strategies} report={report.data} />
            {exchanges.data ? <AccountTotals exchanges={exchanges.data} /> : null}
          </>
        )}
      </Shown>
      <WatchedMarkets />
    </>
  );
}

const isOfPeriod = (report: ReportAnswer | undefined, period: ProfitPeriod): boolean =>
  period !== "all" || report?.from === Date.parse(ALL_FROM);

/** What a new user can do: without keys, without risk, and with both. */
function FirstSteps({ session: { scope, mode } }: { session: Session }) {
  const stopped = useLoad<StrategyTable>("GET /strategies", { status: "stopped", limit: 1 });
  if (stopped.data?.strategies.length !== 0) return null;
  if (scope === "read")
    return <p class="empty">No strategy runs. Use a token with scope trade to start one.</p>;
  const isSimulated = mode === "simulated";
  const steps = [
    isSimulated
      ? ["Try it simulated", "Exchange, prices and orders are simulated here.", "Start a grid", "start"]
      : ["Try it simulated", "Run a grid on historical prices, without keys.", "Run a backtest", "backtest"],
    [
      "Paper trading at live prices",
      `Orders are simulated, without keys.${isSimulated ? " On this server, prices are simulated too." : ""}`,
      "Start paper trading",
      "start?dryRun=true",
    ],
    [
      "Real orders",
      isSimulated ? "This server is simulated; a real one needs keys." : "Store the keys of your exchange.",
      "Enter keys",
      "access",
    ],
  ] as const;
  return (
    <Section title="First steps">
      <p>
        edgemaker trades for you on MEXC, Gate, Bitget and Kraken: grids that buy low and sell high, quotes on
        both sides of a market, and strategies of your own. Nothing is placed before you confirm its plan.
      </p>
      <ol class="steps">
        {steps.map(([title, text, button, path], at) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
            {path === "access" && scope !== "admin" ? (
              "An administrator does this."
            ) : (
              <a class={at === 0 ? "button primary" : "button"} href={`#/${path}`}>
                {button}
              </a>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

const totalName = ({ quote, mode }: StrategyTable["totals"][number]): string =>
  mode === "paper" ? `${quote} (paper trading)` : quote;

interface ProfitProps {
  readonly totals: StrategyTable["totals"];
  readonly report: ReportAnswer | undefined;
  readonly period: ProfitPeriod;
  readonly choosePeriod: (period: ProfitPeriod) => void;
}

/** P&L of one quote asset in one mode: sums of several would mean nothing. */
function ProfitPanel({ totals, report, period, choosePeriod }: ProfitProps) {
  const [chosen, choose] = useState<string>("");
  const total = totals.find((one) => totalName(one) === chosen) ?? totals[0];
  if (!total) return null;
  const { quote, mode, totalProfit, profit, capital, holdingProfit } = total;
  const name = totalName(total);
  const [, periodName = "", length = 1] = PERIODS.find(([one]) => one === period) ?? [];
  const figures = dailyFigures(
    (report?.days ?? [])
      .filter((day) => day.quote === quote && day.mode === mode)
      .filter(({ day }) => Date.parse(day) > (report?.to ?? 0) - length * 86_400_000),
  );
  const minus = (of: string | null) =>
    totalProfit === null || of === null ? null : Number(totalProfit) - Number(of);
  return (
    <Section
      title={`P&L in ${name}`}
      aside={
        <>
          {totals.length > 1 ? (
            <PressedChoice
              label="Quote asset"
              value={name}
              choices={totals.map((one) => [totalName(one), totalName(one)])}
              choose={choose}
            />
          ) : null}
          <PressedChoice label="Period" value={period} choices={PERIODS} choose={choosePeriod} />
        </>
      }
    >
      <dl class="stats" aria-label={`Totals in ${name}`}>
        <ChangeStat name={`Total, ${name}`} of={totalProfit} isLarge>
          {totalProfit === null || Number(capital) === 0 ? null : (
            <small>{inPercent((100 * Number(totalProfit)) / Number(capital), 2)}</small>
          )}
        </ChangeStat>
        <ChangeStat name={periodName} of={figures.days.at(-1)?.sum ?? null} isLarge />
        <ChangeStat name="Realized" of={profit} />
        <ChangeStat name="Unrealized" of={minus(profit)} />
        <ChangeStat name="vs buy and hold" of={minus(holdingProfit)} />
        <Stat name="Capital">{`${money(capital)} ${quote}`}</Stat>
      </dl>
      {figures.days.length > 1 ? <DayBars figures={figures} quote={quote} /> : null}
    </Section>
  );
}

const FILTERS = [
  ["running", "Active", "Active strategies", "No strategy runs."],
  ["stopped", "Stopped", "Stopped strategies", "No stopped strategies."],
  ["all", "All", "All strategies", "No strategies yet."],
] as const;
type Filter = (typeof FILTERS)[number][0];

interface ListProps {
  readonly running: readonly StrategyRow[];
  readonly report: ReportAnswer | undefined;
}

/** Every strategy in one table: the running ones, which arrive live, or pages of stored ones. */
function Strategies({ running, report }: ListProps) {
  const [filter, setFilter] = useState<Filter>("running");
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/);
  const [, title = "", label = "", none = ""] = FILTERS.find(([one]) => one === filter) ?? [];
  const daysById = new Map(report?.strategies.map(({ id, days }) => [id, days]));
  const table = (rows: readonly StrategyRow[]) => (
    <Table
      label={label}
      columns={homeColumns(daysById, new Set(rows.map(({ symbol }) => pairOf(symbol).quote)).size > 1)}
      rows={rows.filter((row) => words.every((word) => searchText(row).includes(word)))}
      keyOf={({ id }) => id}
      empty={rows.length > 0 ? "No strategy matches the filter." : none}
    />
  );
  return (
    <Section
      title={filter === "running" ? `Active (${running.length})` : title}
      aside={
        <>
          <PressedChoice label="Which strategies" value={filter} choices={FILTERS} choose={setFilter} />
          <input
            type="search"
            aria-label="Filter by definition, exchange, pair or state"
            placeholder="Pair, exchange, state"
            value={search}
            onInput={(event: Event) => setSearch(valueIn(event))}
          />
        </>
      }
    >
      {filter === "running" ? table(running) : <Stored key={filter} filter={filter} table={table} />}
    </Section>
  );
}

/** Stopped strategies, or all, in pages. */
function Stored({ filter, table }: { filter: Filter; table: (rows: readonly StrategyRow[]) => Child }) {
  const { before, pager } = usePages<string>();
  const which = filter === "all" ? { stopped: true } : { status: "stopped" };
  const page = useLoad<StrategyTable>("GET /strategies", { ...which, before }, { live: true, keep: true });
  return (
    <Shown of={page}>
      {({ strategies, next }) => (
        <>
          {table(strategies)}
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

const searchText = ({ id, name, definition, exchange, symbol, status, phase }: StrategyRow): string =>
  `${id} ${name ?? ""} ${definition} ${exchange} ${symbol} ${status} ${phase}`.toLowerCase();

/** Returns the columns, with what the report knows of each strategy's days. */
function homeColumns(
  daysById: ReadonlyMap<string, readonly (string | null)[]>,
  hasUnits: boolean,
): readonly TableColumn<StrategyRow>[] {
  const daysOf = ({ id, status }: StrategyRow) => (status === "stopped" ? [] : (daysById.get(id) ?? []));
  const hasCurves = [...daysById.values()].some(({ length }) => length > 1);
  return [
    nameColumn(),
    {
      name: "State",
      of: (row) => (
        <>
          <StateTag of={row} />
          {row.status === "stopped" ? null : (
            <small>pass {row.lastStepAt === null ? "to come" : <Ago at={row.lastStepAt} />}</small>
          )}
        </>
      ),
      by: stateName,
    },
    { name: "Price in its range", of: (row) => <PriceBar of={row} />, by: (row) => rangeShare(row) ?? -1 },
    {
      name: "P&L",
      isNumber: true,
      of: ({ totalProfit, profitPercent, symbol }) => (
        <span class={toneOf(totalProfit)}>
          {change(totalProfit)}
          {hasUnits ? `\u00a0${pairOf(symbol).quote}` : ""}
          {profitPercent === null ? null : <small>{inPercent(profitPercent, 2)}</small>}
        </span>
      ),
      by: ({ totalProfit }) => Number(totalProfit ?? Number.NEGATIVE_INFINITY),
    },
    profitColumn("Today", (row) => daysOf(row).at(-1) ?? null),
    ...(hasCurves ? [sparklines(daysOf)] : []),
    numberColumn("Open orders", ({ openOrders }) => openOrders),
  ];
}

/** Returns where the price is between its bounds, from 0 to 1, or beyond; undefined without price or bounds. */
function rangeShare({ price, lowerBound, upperBound }: StrategyRow): number | undefined {
  const [at, lower, upper] = [price, lowerBound, upperBound].map(Number) as [number, number, number];
  if (price === null || lowerBound === null || upperBound === null || upper <= lower) return undefined;
  return (at - lower) / (upper - lower);
}

/** The price on a bar between the ends of its range, or next to the one stop price. */
function PriceBar({ of }: { of: StrategyRow }) {
  const { price, lowerBound, upperBound, status } = of;
  if (price === null || status === "stopped") return "–";
  const share = rangeShare(of);
  const digits = digitsOf([lowerBound, upperBound]);
  const [lower, upper] = [lowerBound, upperBound].map((bound) => bound && number(bound, digits));
  if (share === undefined)
    return (
      <>
        {number(price)} <small>{lower ? `stop loss ${lower}` : upper ? `take profit ${upper}` : ""}</small>
      </>
    );
  return (
    <div class={share < 0 || share > 1 ? "range warn" : "range"}>
      {number(price)}
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${number(price)} between ${lower} and ${upper}`}
      >
        <rect width="100" height="6" />
        <rect class="price" x={Math.min(97, Math.max(0, 97 * share)).toFixed(1)} width="3" height="6" />
      </svg>
      <small>
        <span>{lower}</span>
        <span>{upper}</span>
      </small>
    </div>
  );
}

/** Returns a column with the sum of the last 30 days' P&L as a small line. */
function sparklines(daysOf: (row: StrategyRow) => readonly (string | null)[]): TableColumn<StrategyRow> {
  const sumsOf = (row: StrategyRow) => {
    const days = daysOf(row)
      .slice(-30)
      .filter((day) => day !== null);
    return [
      0,
      ...dailyFigures(days.map((totalProfit) => ({ day: "", totalProfit }))).days.map(({ sum }) => sum),
    ];
  };
  const by = (row: StrategyRow) => sumsOf(row).at(-1) ?? 0;
  const of = (row: StrategyRow) => {
    const [sums, last] = [sumsOf(row), by(row)];
    if (sums.length < 3) return "–";
    const [least, most] = [Math.min(...sums), Math.max(...sums)];
    const y = (sum: number) => 19 - (18 * (sum - least)) / Math.max(1e-9, most - least);
    const points = sums.map((sum, at) => `${(80 * at) / (sums.length - 1)},${y(sum)}`).join(" ");
    const label = `${change(last)} in 30 days`;
    return (
      <svg class={`spark ${toneOf(last)}`} viewBox="0 0 80 20" role="img" aria-label={label}>
        <polyline points={points} />
      </svg>
    );
  };
  return { name: "30 days", of, by };
}
