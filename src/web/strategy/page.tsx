import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { GridChart } from "../chart/chart.tsx";
import { lineScaleOf } from "../chart/line-scale.ts";
import { TwoLines } from "../chart/two-lines.tsx";
import { yearlyPercent } from "../daily.ts";
import { amount, change, digitsOf, duration, feeText, money, number, pairOf, percent } from "../format.ts";
import { againstHolding, distanceText, gridState, rangeText } from "../grid-figures.ts";
import { useLoad } from "../load.ts";
import type { CandlesAnswer, Fills, Grid, HistoricOrders, Session } from "../types.ts";
import { ChangeStat, Choice, Failed, NoticeBox, Section, Stat } from "../ui.tsx";
import { GridActions } from "./actions.tsx";
import { Edit } from "./edit.tsx";
import { EventsPart, FillsPart, OrdersPart } from "./history.tsx";
import { ENDS, gridLevels, MOST_LISTED } from "./levels.ts";
import { NameLine } from "./name.tsx";
import { ById, PassStats, StrategyHeader } from "./parts.tsx";
import { profitOver } from "./profit-over.ts";
import { QualityPart } from "./quality.tsx";
import { ReplayPart } from "./replay.tsx";
import { Slots } from "./slots.tsx";

/** The page of one grid: its P&L, state and actions. */
export const StrategyPage = ({ id, session }: { id: string; session: Session }) => (
  <ById<Grid> kind="grid" id={id} missing="There is no strategy with the id">
    {(grid) => <KnownGrid grid={grid} session={session} />}
  </ById>
);

function KnownGrid({ grid, session }: { grid: Grid; session: Session }) {
  const [isEdited, setEdited] = useState(false);
  const orders = useLoad<HistoricOrders>(
    `GET /strategy/grid/${part(grid.id)}/orders`,
    { limit: MOST_LISTED },
    { live: true },
  );
  const digits = digitsOf(
    (grid.slots ?? []).flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]),
  );
  const of = { kind: "grid", id: grid.id } as const;
  return (
    <>
      <StrategyHeader of={grid} state={gridState(grid)}>
        <GridActions grid={grid} session={session} editing={{ isEdited, turn: () => setEdited(!isEdited) }} />
      </StrategyHeader>
      {grid.stopReason ? <NoticeBox kind="warning">{grid.stopReason}</NoticeBox> : null}
      {isEdited && grid.status !== "stopped" ? <Edit grid={grid} digits={digits} /> : null}
      <GridFigures grid={grid} digits={digits} />
      <GridPrices grid={grid} orders={orders.data?.orders ?? []} digits={digits} />
      <Slots grid={grid} orders={orders.data?.orders ?? []} digits={digits} />
      <QualityPart id={grid.id} />
      <FillsPart of={of} digits={digits} symbol={grid.symbol} />
      <OrdersPart of={of} digits={digits} />
      <EventsPart of={of} />
      <ReplayPart grid={grid} />
      <NameLine of={grid} session={session} />
    </>
  );
}

function GridFigures({ grid, digits }: { grid: Grid; digits: number }) {
  const { base, quote } = pairOf(grid.symbol);
  const against = againstHolding(grid);
  const price = (value: number | null) => (value === null ? "–" : number(value, digits));
  return (
    <dl class="stats">
      <ChangeStat name={`Total, ${quote}`} of={grid.totalProfit} isLarge />
      <ChangeStat name="Realized" of={grid.profit} />
      <ChangeStat name="Unrealized" of={grid.unrealizedProfit} />
      <ChangeStat name="vs buy and hold" of={against} />
      <Stat name="Yearly rate">{yearlyText(grid)}</Stat>
      <Stat name="Price">{price(grid.markPrice)}</Stat>
      <Stat name="Current range">{rangeText(grid, digits)}</Stat>
      <Stat name="Distance to range limit">{distanceText(grid)}</Stat>
      <Stat name={`Position, ${base}`}>{amount(grid.position)}</Stat>
      <Stat name="Average entry">{price(grid.averageCost)}</Stat>
      <Stat name="Break-even">{price(grid.breakEvenPrice)}</Stat>
      {grid.stopPrices.map((stop) => (
        <Stat key={stop.reason} name={endName(stop)} tone={stop.armed ? "" : "warn"}>
          {endText(stop, digits)}
        </Stat>
      ))}
      <Stat name="Orders">{`${grid.openOrders} open, ${grid.filledOrders} filled`}</Stat>
      <Stat name="Cycles">{grid.cycles}</Stat>
      <Stat name="Fees">{feesText(grid)}</Stat>
      <Stat name="Per order">{`${money(grid.orderSize)} ${quote}`}</Stat>
      <Stat name="Age">{duration(grid.runningTime)}</Stat>
      <PassStats of={grid} />
    </dl>
  );
}

function yearlyText({ totalProfit, investment, runningTime }: Grid): string {
  const rate = yearlyPercent(totalProfit, investment, runningTime);
  return rate === undefined ? "after a week" : percent(rate / 100);
}

type Stop = Grid["stopPrices"][number];

const endName = ({ reason, armed }: Stop): string => {
  const name = `${ENDS[reason].slice(0, 1).toUpperCase()}${ENDS[reason].slice(1)}`;
  return armed ? name : `${name}, not watched`;
};

const endText = ({ price, distancePercent }: Stop, digits: number) => (
  <>
    {number(price, digits)}{" "}
    {distancePercent === null ? null : <small>{percent(distancePercent / 100, 1)}</small>}
  </>
);

const feesText = ({ symbol, fees }: Grid): string =>
  Object.entries(fees)
    .map(([asset, fee]) => feeText(asset, fee, symbol))
    .join(", ") || "none";

const CHART_FRAMES = ["5m", "15m", "1h", "4h", "1d"] as const;

function GridPrices({
  grid,
  orders,
  digits,
}: {
  grid: Grid;
  orders: HistoricOrders["orders"];
  digits: number;
}) {
  const [timeframe, setTimeframe] = useState<string>("15m");
  const { exchange, symbol } = grid;
  // Loaded once: an open page causes no exchange calls, and its price is that of the last pass.
  const candles = useLoad<CandlesAnswer>("GET /ohlcv", { exchange, symbol, timeframe, limit: 200 });
  const fills = useLoad<Fills>(`GET /strategy/grid/${part(grid.id)}/fills`, { limit: 500 }, { live: true });
  return (
    <Section
      title="Price and levels"
      aside={<Choice label="Candle length" value={timeframe} choices={CHART_FRAMES} choose={setTimeframe} />}
    >
      {candles.error ? <Failed error={candles.error} again={candles.again} /> : null}
      <GridChart
        label={`Candles of ${symbol} on ${exchange} with the grid at ${rangeText(grid, digits)}: ${grid.openOrders} open orders, ${fills.data?.count ?? 0} fills`}
        candles={candles.data?.candles ?? NO_FILLS}
        fills={fills.data?.fills ?? NO_FILLS}
        digits={digits}
        levels={gridLevels(grid, orders)}
      />
      <Made grid={grid} candles={candles.data?.candles ?? NO_FILLS} fills={fills.data} />
    </Section>
  );
}

/** P&L over the time of the candles, next to buy and hold. */
function Made({
  grid,
  candles,
  fills,
}: {
  grid: Grid;
  candles: CandlesAnswer["candles"] | readonly never[];
  fills: Fills | undefined;
}) {
  if (!fills) return null;
  const points = profitOver(grid, [...candles], { fills: fills.fills, isWhole: fills.next === null });
  const last = points.at(-1);
  if (!last || points.length < 2) return null;
  const { quote } = pairOf(grid.symbol);
  const scale = lineScaleOf(points);
  return (
    <TwoLines
      points={points}
      scale={scale}
      label={`Total P&L, now ${change(last.own)} ${quote}; buy and hold would have made ${change(last.buyAndHold)}`}
      caption={`Total P&L (solid) and buy and hold (dashed), ${change(scale.least)} to ${change(scale.most)} ${quote}`}
    />
  );
}

const NO_FILLS: readonly never[] = [];
