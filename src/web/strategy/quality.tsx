import { isSpreadKnown } from "../../quality/known-spread.ts";
import { CauseBars } from "../chart/cause-bars.tsx";
import { MarkoutCurve } from "../chart/markout-curve.tsx";
import { change, inPercent, money, percent, toneOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { Quality } from "../types.ts";
import { FoldedSection, Shown } from "../ui.tsx";

/** P&L by cause, and markouts. It is loaded when it is opened, because it reads every fill of a week. */
export const QualityPart = ({ id }: { id: string }) => (
  <FoldedSection title="Execution quality" isClosed>
    {() => <QualityCharts id={id} />}
  </FoldedSection>
);

function QualityCharts({ id }: { id: string }) {
  const quality = useLoad<Quality>("GET /strategy/quality", { id });
  return (
    <Shown of={quality}>
      {({ days, sides, levels, hours }) =>
        days.length === 0 ? (
          <p class="empty">No figures for the last seven days yet. A running server records each day.</p>
        ) : (
          <>
            <CauseBars days={days} />
            <Table
              label="P&L by cause and day"
              columns={CAUSE_DAY_COLUMNS}
              rows={days.toReversed()}
              keyOf={({ day }) => day}
              empty="No days yet."
            />
            <MarkoutCurve sides={sides} levels={levels} />
            <MeasuresTable name="Side" rows={sides} of={({ side = "" }) => side} />
            <MeasuresTable name="Level" rows={levels} of={({ level, side = "" }) => `${level} ${side}`} />
            <MeasuresTable name="Hour, UTC" rows={hours} of={({ hour = 0 }) => `${hour}:00`} />
          </>
        )
      }
    </Shown>
  );
}

type CauseDay = Quality["days"][number];

const CAUSE_DAY_COLUMNS: readonly TableColumn<CauseDay>[] = [
  { name: "Day, UTC", isHead: true, of: ({ day }) => day },
  {
    name: "P&L",
    isNumber: true,
    of: ({ totalProfit }) => <span class={toneOf(totalProfit)}>{change(totalProfit)}</span>,
  },
  { name: "Spread", isNumber: true, of: (day) => (isSpreadKnown(day) ? change(day.spread) : "unknown") },
  { name: "Inventory", isNumber: true, of: ({ inventory }) => change(inventory) },
  { name: "Fees", isNumber: true, of: ({ fees }) => money(fees) },
  { name: "Fills", isNumber: true, of: ({ fills }) => fills },
  { name: "Without mid", isNumber: true, of: ({ withoutMid }) => withoutMid },
];

type MeasuresRow = Omit<Quality["sides"][number], "side"> & {
  readonly side?: string;
  readonly level?: number;
  readonly hour?: number;
};

interface MeasuresProps {
  readonly name: string;
  readonly rows: readonly MeasuresRow[];
  readonly of: (row: MeasuresRow) => string;
}

/** A share, with the number of fills that it does not know. */
const shareWithUnknown = (share: string | null, unknown: number): string => {
  const missing = unknown === 0 ? "" : `, ${unknown} unknown`;
  return share === null ? "unknown" : `${share}${missing}`;
};

const fine = (value: number | null): string | null => (value === null ? null : percent(value / 100, 4));

const MeasuresTable = ({ name, rows, of }: MeasuresProps) => (
  <Table
    label={`Execution by ${name.toLowerCase()}`}
    columns={[
      { name, isHead: true, of },
      { name: "Fills", isNumber: true, of: ({ fills }) => fills },
      {
        name: "Half-spread",
        isNumber: true,
        of: ({ halfSpreadPercent, withoutMid }) => shareWithUnknown(fine(halfSpreadPercent), withoutMid),
      },
      {
        name: "After 10 s",
        isNumber: true,
        of: ({ markouts }) => shareWithUnknown(fine(markouts[1]?.percent ?? null), markouts[1]?.unknown ?? 0),
      },
      {
        name: "After 5 min",
        isNumber: true,
        of: ({ markouts }) => shareWithUnknown(fine(markouts[3]?.percent ?? null), markouts[3]?.unknown ?? 0),
      },
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
