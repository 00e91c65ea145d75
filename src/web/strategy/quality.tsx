import { EXIT_SLOT, FIRST_WHOLE_SLOT } from "../../model/strategy.ts";
import { isSpreadKnown } from "../../quality/known-spread.ts";
import { DayChart } from "../chart/day-chart.tsx";
import { MarkoutCurve } from "../chart/markout-curve.tsx";
import { change, inPercent, money, number, percent, toneOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { Quality } from "../types.ts";
import { Section, Shown } from "../ui.tsx";

const causeDayColumns = (quote: string): readonly TableColumn<CauseDay>[] => [
  { name: "Day, UTC", isHead: true, of: ({ day }) => day },
  {
    name: `P&L, ${quote}`,
    isNumber: true,
    of: ({ totalProfit }) => <span class={toneOf(totalProfit)}>{change(totalProfit)}</span>,
  },
  {
    name: `Spread, ${quote}`,
    isNumber: true,
    of: (day) => (isSpreadKnown(day) ? change(day.spread) : "Unknown"),
  },
  { name: `Inventory, ${quote}`, isNumber: true, of: ({ inventory }) => change(inventory) },
  { name: `Fees, ${quote}`, isNumber: true, of: ({ fees }) => money(fees) },
  { name: "Fills", isNumber: true, of: ({ fills }) => number(fills) },
  { name: "Fills without mid", isNumber: true, of: ({ withoutMid }) => number(withoutMid) },
];

/** A share, with the number of fills that it does not know. */
const shareWithUnknown = (share: string | null, unknown: number): string => {
  const missing = unknown === 0 ? "" : `, ${number(unknown)} unknown`;
  return share === null ? "Unknown" : `${share}${missing}`;
};

const fine = (value: number | null): string | null => (value === null ? null : percent(value / 100, 4));

const markoutText = (one: MeasuresRow["markouts"][number] | undefined): string =>
  shareWithUnknown(fine(one?.percent ?? null), one?.unknown ?? 0);

const MeasuresTable = ({ name, rows, of }: MeasuresProps) => (
  <Table
    label={`Execution by ${name.toLowerCase()}`}
    columns={[
      { name, isHead: true, of },
      { name: "Fills", isNumber: true, of: ({ fills }) => number(fills) },
      {
        name: "Half-spread",
        isNumber: true,
        of: ({ halfSpreadPercent, withoutMid }) => shareWithUnknown(fine(halfSpreadPercent), withoutMid),
      },
      { name: "After 10 s", isNumber: true, of: ({ markouts }) => markoutText(markouts[1]) },
      { name: "After 5 min", isNumber: true, of: ({ markouts }) => markoutText(markouts[3]) },
      {
        name: "Toxic",
        isNumber: true,
        of: ({ toxicPercent, unmeasured }) =>
          shareWithUnknown(toxicPercent === null ? null : inPercent(toxicPercent, 1), unmeasured),
      },
    ]}
    rows={rows}
    keyOf={of}
    empty="No fills yet."
  />
);

/** Causes of P&L, each with the value that it adds to the total. */
const PROFIT_CAUSES = [
  ["spread", ({ spread }: QualityDay) => Number(spread)],
  ["inventory", ({ inventory }: QualityDay) => Number(inventory)],
  ["fees", ({ fees }: QualityDay) => -Number(fees)],
] as const;

/** P&L by cause, and markouts. */
export function QualityPart({ id }: { id: string }) {
  const quality = useLoad<Quality>("GET /strategy/quality", { id });
  return (
    <Section title="Execution quality">
      <Shown of={quality}>
        {({ days, sides, levels, hours }) =>
          days.length === 0 ? (
            <p class="empty">No figures for the last seven days yet. A running server records each day.</p>
          ) : (
            <>
              <CauseBars days={days} />
              <Table
                label="P&L by cause and day"
                columns={causeDayColumns(days[0]?.quote ?? "")}
                rows={days.toReversed()}
                keyOf={({ day }) => day}
                empty="No days yet."
              />
              <MarkoutCurve sides={sides} levels={levels} />
              <MeasuresTable name="Side" rows={sides} of={({ side }) => SIDE_NAMES[side ?? "buy"]} />
              <MeasuresTable name="Level" rows={levels} of={levelName} />
              <MeasuresTable name="Hour, UTC" rows={hours} of={({ hour = 0 }) => `${hour}:00`} />
            </>
          )
        }
      </Shown>
    </Section>
  );
}

const SIDE_NAMES = { buy: "Buys", sell: "Sells" } as const;

/** Names the orders of a level; those of the whole strategy have none. */
function levelName({ level = 0, side = "buy" }: MeasuresRow): string {
  if (level < FIRST_WHOLE_SLOT) return `Level ${level}, ${SIDE_NAMES[side].toLowerCase()}`;
  return level === EXIT_SLOT ? "Sale at the end" : "Initial buy";
}

type CauseDay = Quality["days"][number];

type MeasuresRow = Omit<Quality["sides"][number], "side"> & {
  readonly side?: "buy" | "sell";
  readonly level?: number;
  readonly hour?: number;
};

interface MeasuresProps {
  readonly name: string;
  readonly rows: readonly MeasuresRow[];
  readonly of: (row: MeasuresRow) => string;
}

type QualityDay = Quality["days"][number];

/** Three bars a day: spread, inventory and fees, which add up to the P&L. */
function CauseBars({ days }: { days: Quality["days"] }) {
  const { day: last, quote } = days.at(-1) ?? {};
  const total = days.reduce((sum, { totalProfit }) => sum + Number(totalProfit), 0);
  return (
    <DayChart
      days={days.map((day) => ({
        day: day.day,
        bars: PROFIT_CAUSES.map(([color, of]) => ({
          color,
          value: of(day),
          title: `${day.day}, ${color}: ${color === "spread" && !isSpreadKnown(day) ? "unknown" : `${change(of(day))} ${day.quote}`}`,
        })),
      }))}
      label={`P&L by cause and day from ${days[0]?.day} to ${last}: ${change(total)} ${quote} in all`}
      caption={(range) => (
        <>
          P&L by day: <b class="spread">spread</b>, <b class="inventory">inventory</b> and{" "}
          <b class="fees">fees</b>, {range} {quote}; days in UTC
        </>
      )}
    />
  );
}
