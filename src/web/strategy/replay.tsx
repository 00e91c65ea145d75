import { part } from "../api.ts";
import { change, inPercent, number, pairOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { Table } from "../table.tsx";
import type { Grid, ReplayedGrid } from "../types.ts";
import { FoldedSection, NoticeBox, Shown, Stat, Time } from "../ui.tsx";

/** A backtest over the candles of the grid's own time, compared with its fills; calculated when it is opened. */
export const ReplayPart = ({ grid }: { grid: Grid }) => (
  <FoldedSection title="Replay" isClosed>
    {() => <ReplayResult grid={grid} />}
  </FoldedSection>
);

function ReplayResult({ grid: { id, symbol } }: { grid: Grid }) {
  const replay = useLoad<ReplayedGrid>(`GET /strategy/grid/${part(id)}/replay`, { limit: 0 });
  const { quote } = pairOf(symbol);
  return (
    <Shown of={replay}>
      {({ text, isWhole, matchPercent, executed, causes, record, candles, ...of }) => (
        <>
          {isWhole ? null : (
            <NoticeBox kind="warning">
              The server stops a replay after two seconds. This one ended before the last candle.
            </NoticeBox>
          )}
          <p>{text}</p>
          <dl class="stats" aria-label="Replay">
            <Stat name="Filled orders that match">{inPercent(matchPercent, 2)}</Stat>
            <Stat name="Filled orders, grid and backtest">{`${executed.record} and ${executed.candles}`}</Stat>
            <Stat name={`Total of the grid, ${quote}`}>{change(Number(record.total))}</Stat>
            <Stat name={`Total of the backtest, ${quote}`}>{change(Number(candles.total))}</Stat>
          </dl>
          <Table
            label="Causes of differences"
            columns={[
              { name: "Cause", isHead: true, of: (one) => one.text },
              { name: "Count", isNumber: true, of: (one) => one.count },
            ]}
            rows={causes}
            keyOf={(one) => one.text}
            empty="No differences."
          />
          <p class="quiet">
            {number(of.bars)} candles of {of.timeframe} from <Time at={of.fromAt} /> to{" "}
            <Time at={of.untilAt} />.
          </p>
        </>
      )}
    </Shown>
  );
}
