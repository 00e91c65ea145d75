import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { countWithVerb, pluralize } from "../kernel/plain-text.ts";
import { DAY } from "../kernel/time.ts";
import { part } from "./api.ts";
import { GridChart } from "./chart/chart.tsx";
import { type LinePoint, lineScaleOf } from "./chart/line-scale.ts";
import { useMovingCandles } from "./chart/moving.ts";
import { TwoLines } from "./chart/two-lines.tsx";
import {
  amount,
  change,
  type Digits,
  dailyFigures,
  digitsOf,
  duration,
  inPercent,
  money,
  number,
  numberOr,
  pairOf,
  percent,
  utc,
  yearlyPercent,
} from "./format.ts";
import { useLoad } from "./live.ts";
import { OwnCode } from "./own/code.tsx";
import { EditPart, SettingsTable } from "./own/edit.tsx";
import type { EditTexts } from "./own/typed-change.ts";
import { DayBars } from "./report.tsx";
import { goTo, linkTo, useRoute } from "./route.ts";
import { chartLevels, ENDS } from "./strategy/levels.ts";
import { ById, MainFigures, NameLine, StrategyActions, StrategyHeader } from "./strategy/parts.tsx";
import { profitOver } from "./strategy/profit-over.ts";
import { QualityPart } from "./strategy/quality.tsx";
import { QuoteOverview } from "./strategy/quotes.tsx";
import { EventsPart, FillsPart, OpenOrderPart, OrdersPart, ReplayPart, Slots } from "./strategy/slots.tsx";
import type { AnyStrategy, Fills, OwnStatus, Quoted, ReportAnswer, Session } from "./types.ts";
import { Ago, ChangeStat, Choice, Failed, NoticeBox, Section, Shown, Stat, Waiting } from "./ui.tsx";

/** The page of one strategy of any definition: its state, P&L, chart and actions. */
export const StrategyPage = ({ id, session }: { id: string; session: Session }) => (
  <ById<AnyStrategy> id={id}>{(one) => <KnownStrategy one={one} session={session} />}</ById>
);

const TABS = [
  ["", "Overview"],
  ["orders", "Orders and fills"],
  ["quality", "Quality"],
  ["backtest", "Real against backtest"],
  ["settings", "Settings"],
  ["events", "Events"],
] as const;

const CHART_FRAMES = ["5m", "15m", "1h", "4h", "1d"] as const;

/** What a definition calls itself, and what a pause and a resume do. */
const pageWords = (one: AnyStrategy) => {
  const { base, quote } = pairOf(one.symbol);
  const orders = countWithVerb(one.openOrders, "order");
  if (one.kind === "grid")
    return {
      whom: "this grid",
      pause: `Nothing new is placed. ${countWithVerb(one.openOrders, "order", "stays", "stay")} open and can fill. Stop and take-profit prices are not watched while it is paused.`,
      resume: `The next pass places the missing orders: at most ${money(one.capital)} ${quote} in all slots.`,
    };
  if (one.kind === "quote")
    return {
      whom: "these quotes",
      pause: `Their ${orders} canceled until you resume. The base stays.`,
      resume: `The next pass places both sides again, with their budgets: ${money(one.budget.quote)} ${quote} and ${amount(one.budget.base)} ${base}.`,
    };
  return {
    whom: "this strategy",
    pause: `Its ${orders} canceled until you resume. The base stays.`,
    resume: "The next pass calls its function, and places its orders again.",
  };
};

function KnownStrategy({ one, session }: { one: AnyStrategy; session: Session }) {
  const tab = useRoute().words[2] ?? "";
  const words = pageWords(one);
  return (
    <>
      <StrategyHeader of={one}>
        <StrategyActions
          of={one}
          session={session}
          edit={() => openTab(one.id, "settings")}
          {...words}
          hasFailed={one.kind === "strategy" && one.lastError !== null}
        />
      </StrategyHeader>
      {one.stopReason ? <NoticeBox kind="warning">{one.stopReason}</NoticeBox> : null}
      <p class="quiet">{standingText(one)}</p>
      {one.kind === "strategy" && one.status !== "stopped" ? <OwnCode name={one.definition} /> : null}
      <StrategyParts one={one} session={session} tab={tab} whom={words.whom} />
    </>
  );
}

const tabPath = (id: string, tab: string) => ["strategy", id, ...(tab === "" ? [] : [tab])];
const openTab = (id: string, tab: string) => goTo(...tabPath(id, tab));

const TabLinks = ({ of: { id, kind }, tab }: { of: AnyStrategy; tab: string }) => (
  <nav class="tabs" aria-label="Parts of the strategy">
    {TABS.filter(([name]) => name !== "backtest" || kind === "grid").map(([name, title]) => (
      <a key={name} href={linkTo(...tabPath(id, name))} {...(name === tab ? { "aria-current": "page" } : {})}>
        {title}
      </a>
    ))}
  </nav>
);

interface PartsProps {
  readonly one: AnyStrategy;
  readonly session: Session;
  readonly tab: string;
  readonly whom: string;
}

/** The figures, the tabs, and the chart with the parts of the open tab. */
function StrategyParts({ one, session, tab, whom }: PartsProps) {
  const { exchange, symbol } = one;
  const [typed, type] = useState<EditTexts>({});
  const [timeframe, setTimeframe] = useState<(typeof CHART_FRAMES)[number]>("15m");
  const priced = { price: one.price === null ? null : Number(one.price), at: one.lastStepAt };
  const { candles, loaded } = useMovingCandles({ exchange, symbol, timeframe }, priced);
  const digits = digitsOf([
    ...candles.slice(-20).map(({ close }) => close),
    ...one.orders.map(({ price }) => price),
  ]);
  const mayEdit = one.status !== "stopped" && session.scope !== "read";
  const hasChart = tab === "" || tab === "settings";
  const route = hasChart ? `GET /strategies/${part(one.id)}/fills` : undefined;
  const fills = useLoad<Fills>(route, { limit: 500 }, { live: true }).data;
  return (
    <>
      <StrategyFigures one={one} digits={digits} />
      <TabLinks of={one} tab={tab} />
      {hasChart ? (
        <Section
          title="Price and levels"
          aside={
            <Choice label="Candle length" value={timeframe} choices={CHART_FRAMES} choose={setTimeframe} />
          }
        >
          {loaded.error ? <Failed error={loaded.error} again={loaded.again} /> : null}
          <FilledChart
            one={one}
            candles={candles}
            fills={fills}
            digits={digits}
            {...(mayEdit ? gridBounds(one, typed) : {})}
            moved={(bound, price) =>
              type((before) => ({ ...before, [BOUND_FIELDS[bound]]: price.toFixed(digits ?? 8) }))
            }
            released={() => openTab(one.id, "settings")}
          />
        </Section>
      ) : null}
      {tab === "" ? (
        <ProfitPart one={one} candles={loaded.data || loaded.error ? candles : undefined} fills={fills} />
      ) : null}
      {tab === "settings" ? (
        <>
          {mayEdit ? <EditPart one={one} whom={whom} typed={typed} type={type} /> : null}
          <SettingsTable one={one} />
          <NameLine of={one} session={session} />
        </>
      ) : (
        <ShownTab one={one} digits={digits} tab={tab} />
      )}
    </>
  );
}

function ShownTab({ one, digits, tab }: { one: AnyStrategy; digits: Digits; tab: string }) {
  const { id, symbol, kind } = one;
  // Stopped quotes have no reference price, spread or target any more.
  if (tab === "" && kind === "quote")
    return one.status === "stopped" ? null : <QuoteOverview quotes={one} digits={digits} />;
  if (tab === "" && kind === "strategy") return <OwnValues one={one} />;
  if (tab === "quality") return <QualityPart id={id} />;
  if (tab === "backtest" && kind === "grid") return <ReplayPart grid={one} />;
  if (tab === "events") return <EventsPart id={id} />;
  if (tab !== "orders") return null;
  return (
    <>
      {kind === "grid" ? <Slots grid={one} digits={digits} /> : <OpenOrderPart one={one} />}
      <FillsPart id={id} digits={digits} symbol={symbol} />
      <OrdersPart id={id} digits={digits} />
    </>
  );
}

/** Describes what a strategy is doing now: its orders, and where the price is in its range. */
function standingText({
  status,
  openOrders,
  waitingSlots,
  price,
  lowerBound,
  upperBound,
  stopPrices,
}: AnyStrategy): string {
  if (status === "stopped") return "It is stopped and has no orders.";
  const trigger = stopPrices.find(({ reason }) => reason === "trigger");
  if (trigger) return `It waits for the price ${number(trigger.price)}, and places no order before.`;
  const orders = `${pluralize(openOrders, "open order")}${waitingSlots > 0 ? `, ${waitingSlots} waiting` : ""}`;
  const [at, lower, upper] = [price, lowerBound, upperBound].map(Number) as [number, number, number];
  if (price === null || lowerBound === null || upperBound === null || upper <= lower) return `${orders}.`;
  const share = (at - lower) / (upper - lower);
  const [, where] = RANGE_WORDS.find(([end]) => share < end) ?? RANGE_WORDS[4];
  return `${orders}, price ${where} its range.`;
}

/** Shares of the range up to which the words apply. */
const RANGE_WORDS = [
  [0, "below"],
  [0.25, "near the lower end of"],
  [0.75, "in the middle of"],
  [1.000001, "near the upper end of"],
  [Number.POSITIVE_INFINITY, "above"],
] as const;

function StrategyFigures({ one, digits }: { one: AnyStrategy; digits: Digits }) {
  const { quote } = pairOf(one.symbol);
  const { lowerBound, upperBound, totalProfit, capital, runningTime, lastStepAt, stream } = one;
  const rate = yearlyPercent(totalProfit === null ? null : Number(totalProfit), Number(capital), runningTime);
  return (
    <MainFigures
      of={one}
      beside={one.stopPrices.map(({ reason, price, armed, distancePercent: away }) => (
        <Stat key={reason} name={stopName(reason, armed)} tone={armed ? "" : "warn"}>
          {number(price, digits)} {away === null ? null : <small>{percent(away / 100, 1)}</small>}
        </Stat>
      ))}
    >
      <ChangeStat name="Unrealized" of={one.unrealizedProfit} />
      <Stat name="Yearly rate">{rate === undefined ? "after a week" : percent(rate / 100)}</Stat>
      <Stat name="Price">{numberOr(one.price, digits)}</Stat>
      {lowerBound === null || upperBound === null ? null : (
        <Stat name="Current range">{`${number(lowerBound, digits)} – ${number(upperBound, digits)}`}</Stat>
      )}
      <Stat name="Average entry">{numberOr(one.averageCost, digits)}</Stat>
      <Stat name="Break-even">{numberOr(one.breakEvenPrice, digits)}</Stat>
      <Stat name={`Capital, ${quote}`}>{money(capital)}</Stat>
      <Stat name="Orders">{`${one.openOrders} open, ${one.filledOrders} filled`}</Stat>
      <Stat name="Fees">{`${money(one.feesPaid)} ${quote}`}</Stat>
      {one.kind === "grid" ? <Stat name="Cycles">{one.cycles}</Stat> : null}
      {one.kind === "quote" && one.status !== "stopped" ? <QuoteStatus quotes={one} digits={digits} /> : null}
      <Stat name="Age">{duration(runningTime)}</Stat>
      <Stat name="Last pass">{lastStepAt === null ? "none yet" : <Ago at={lastStepAt} />}</Stat>
      {stream === null ? null : <Stat name="Stream">{stream}</Stat>}
    </MainFigures>
  );
}

const stopName = (reason: keyof typeof ENDS, isArmed: boolean): string => {
  const name = `${ENDS[reason].slice(0, 1).toUpperCase()}${ENDS[reason].slice(1)}`;
  return isArmed ? name : `${name}, not watched`;
};

function QuoteStatus({ quotes, digits }: { quotes: Quoted; digits: Digits }) {
  const { reference, halfSpreadPercent, widenedBy, spreadPercent } = quotes;
  return (
    <>
      <Stat name="Reference price">{reference === null ? "no price" : number(reference, digits)}</Stat>
      <Stat name="Requested spread">{inPercent(spreadPercent)}</Stat>
      <Stat name="Current spread">
        {halfSpreadPercent === null ? "–" : inPercent(2 * halfSpreadPercent)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{` by ${widenedBy}`}</small>}
      </Stat>
    </>
  );
}

const BOUND_FIELDS = { lower: "lowerPrice", upper: "upperPrice" } as const;

/** Returns the bounds of a grid between two prices, as they are typed or are now. */
function gridBounds(one: AnyStrategy, typed: EditTexts): Pick<ChartPartProps, "bounds"> {
  if (one.kind !== "grid" || one.centered) return {};
  const now = one.rangeNow ?? one;
  const boundOf = (name: "lowerPrice" | "upperPrice") => Number(typed[name]) || Number(now[name]);
  return { bounds: { lower: boundOf("lowerPrice"), upper: boundOf("upperPrice") } };
}

interface ChartPartProps extends Pick<Parameters<typeof GridChart>[0], "bounds" | "moved" | "released"> {
  readonly one: AnyStrategy;
  readonly candles: ReturnType<typeof useMovingCandles>["candles"];
  readonly fills: Fills | undefined;
  readonly digits: Digits;
}

const NO_FILLS: readonly never[] = [];
/** A running server records the day each minute. */
const DAYS_INTERVAL_MS = 60_000;

const FilledChart = ({ one, fills, digits, ...shown }: ChartPartProps) => (
  <GridChart
    {...shown}
    label={`Candles of ${one.symbol} on ${one.exchange}: ${pluralize(one.openOrders, "open order")}, ${pluralize(fills?.count ?? 0, "fill")}`}
    fills={fills?.fills ?? NO_FILLS}
    digits={digits}
    levels={chartLevels(one)}
  />
);

/** P&L over the time of the chart next to buy and hold, and P&L by day. */
function ProfitPart({
  one,
  candles,
  fills,
}: Pick<ChartPartProps, "one" | "fills"> & { candles: ChartPartProps["candles"] | undefined }) {
  const report = useLoad<ReportAnswer>("GET /report", { month: true }, { every: DAYS_INTERVAL_MS });
  const { quote } = pairOf(one.symbol);
  const points = fills && candles ? profitLines(one, candles, fills) : [];
  const last = points.at(-1);
  const { min, max } = lineScaleOf(points);
  return (
    <Section title="P&L">
      <div class="halves">
        {last ? (
          <TwoLines
            points={points}
            label={`Total P&L, now ${change(last.own)} ${quote}; buy and hold would have made ${change(last.buyAndHold)}`}
            caption={`Total P&L (solid) and buy and hold (dashed), ${change(min)} to ${change(max)} ${quote}`}
          />
        ) : fills && candles ? (
          <p class="empty">
            {one.status === "stopped"
              ? "It stopped before the first candle of the chart."
              : "P&L over time appears with the first price."}
          </p>
        ) : (
          <Waiting rows={4} />
        )}
        <Shown of={report} rows={4}>
          {(data) => {
            const figures = dailyFigures(daysOf(data, one.id));
            return figures.days.length > 1 ? (
              <DayBars figures={figures} quote={quote} />
            ) : (
              <p class="empty">P&L by day appears on the second day. A running server records each day.</p>
            );
          }}
        </Shown>
      </div>
    </Section>
  );
}

/** Returns P&L and buy and hold at each candle, from zero at the start if that is among the candles. */
function profitLines(
  one: AnyStrategy,
  candles: ChartPartProps["candles"],
  { fills, next }: Fills,
): readonly LinePoint[] {
  const isWhole = next === null;
  const points = profitOver(one, candles, { fills, isWhole });
  const [first] = points;
  if (!first || !isWhole || one.startedAt < (candles[0]?.timestamp ?? 0)) return points;
  return [{ timestamp: first.timestamp - 1, own: 0, buyAndHold: 0 }, ...points];
}

/** Returns the known days of a strategy in a report, of which the last one is the last of the period. */
function daysOf({ strategies, to }: ReportAnswer, id: string) {
  const days = strategies.find((one) => one.id === id)?.days ?? [];
  return days.flatMap((totalProfit, at) =>
    totalProfit === null ? [] : [{ day: utc(to - (days.length - 1 - at) * DAY).slice(0, 10), totalProfit }],
  );
}

/** Notes and the state that a user's own function has returned. */
const OwnValues = ({ one: { notes, state } }: { one: OwnStatus }): Child => (
  <>
    {Object.keys(notes).length === 0 ? null : (
      <Section title="Notes">
        <dl class="stats">
          {Object.entries(notes).map(([name, value]) => (
            <Stat key={name} name={name}>
              {String(value)}
            </Stat>
          ))}
        </dl>
      </Section>
    )}
    {state == null ? null : (
      <Section title="State">
        <pre class="code" tabIndex={0}>
          {JSON.stringify(state, null, 2)}
        </pre>
      </Section>
    )}
  </>
);
