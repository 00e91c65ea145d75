import { useState } from "hono/jsx/dom";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { part } from "../api.ts";
import { GridChart } from "../chart/chart.tsx";
import { lineScaleOf } from "../chart/line-scale.ts";
import { useMovingCandles } from "../chart/moving.ts";
import { TwoLines } from "../chart/two-lines.tsx";
import { endingSettings } from "../endings.ts";
import {
  amount,
  change,
  type Digits,
  digitsOf,
  duration,
  feeText,
  money,
  number,
  pairOf,
  percent,
  yearlyPercent,
} from "../format.ts";
import { useLoad } from "../live.ts";
import { againstHolding, distanceText, NumberInput, rangeText } from "../plan-area.tsx";
import type { Fills, Grid, GridEditPlan, HistoricOrders, Session, Status, StatusOfAny } from "../types.ts";
import { ChangeStat, Choice, Failed, Field, NoticeBox, Section, Shown, Stat } from "../ui.tsx";
import { EditSection } from "./edit.tsx";
import { ENDS, gridLevels, MAX_ORDERS_LOADED } from "./levels.ts";
import { MainFigures, NameLine, PassStats, StrategyActions, StrategyHeader } from "./parts.tsx";
import { GridStats, OrderTable, planSlotsText } from "./plan.tsx";
import { profitOver } from "./profit-over.ts";
import { QualityPart } from "./quality.tsx";
import { EventsPart, FillsPart, OrdersPart, ReplayPart, Slots } from "./slots.tsx";

const endName = ({ reason, armed }: Stop): string => {
  const name = `${ENDS[reason].slice(0, 1).toUpperCase()}${ENDS[reason].slice(1)}`;
  return armed ? name : `${name}, not watched`;
};

const endText = ({ price, distancePercent }: Stop, digits: Digits) => (
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

const NO_FILLS: readonly never[] = [];

/** An empty field removes these settings, as 0 does over the API. */
const CLEARS: ReadonlySet<EditName> = new Set(["stopLossPrice", "takeProfitPrice"]);

const CHANGED_NAMES: Readonly<Record<string, string>> = {
  lowerPrice: "Lower price",
  upperPrice: "Upper price",
  gridLevels: "Levels",
  orderSize: "Per order",
  gridSpacing: "Spacing in price",
  spacing: "Spacing",
  allowLoss: "Can sell below cost",
};

/** The page of one grid: its P&L, state and actions. */
export function StrategyPage({ id, session }: { id: string; session: Session }) {
  const status = useLoad<Status>("GET /strategy/grid/status", { id }, { live: true });
  return (
    <Shown of={status} rows={12}>
      {({ strategies: [grid] }) => (grid ? <KnownGrid grid={grid} session={session} /> : null)}
    </Shown>
  );
}

function KnownGrid({ grid, session }: { grid: Grid; session: Session }) {
  const [isEdited, setEdited] = useState(false);
  const orders = useLoad<HistoricOrders>(
    `GET /strategies/${part(grid.id)}/orders`,
    { limit: MAX_ORDERS_LOADED },
    { live: true },
  );
  const digits = digitsOf(
    (grid.slots ?? []).flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]),
  );
  const of = { kind: "grid", id: grid.id } as const;
  // The specification's status lacks what a grid does by itself.
  const { endings = [] } =
    useLoad<StatusOfAny>(`GET /strategies/${part(grid.id)}`, {}, { live: true }).data ?? {};
  return (
    <>
      <StrategyHeader of={{ ...grid, endings }}>
        <StrategyActions
          of={{ ...grid, price: grid.markPrice }}
          session={session}
          editing={{ isEdited, turn: () => setEdited(!isEdited) }}
          whom="this grid"
          pause={`Nothing new is placed. ${countWithVerb(grid.openOrders, "order", "stays", "stay")} open and can fill. Stop and take-profit prices are not watched while it is paused.`}
          resume={`The next pass places the missing orders: at most ${money(grid.investment)} ${pairOf(grid.symbol).quote} in all slots.`}
        />
      </StrategyHeader>
      {grid.stopReason ? <NoticeBox kind="warning">{grid.stopReason}</NoticeBox> : null}
      {isEdited && grid.status !== "stopped" ? <Edit grid={grid} /> : null}
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

function GridFigures({ grid, digits }: { grid: Grid; digits: Digits }) {
  const { quote } = pairOf(grid.symbol);
  const price = (value: number | null) => (value === null ? "–" : number(value, digits));
  return (
    <MainFigures
      symbol={grid.symbol}
      total={grid.totalProfit}
      percent={
        grid.totalProfit === null || grid.investment === 0 ? null : (100 * grid.totalProfit) / grid.investment
      }
      realized={grid.profit}
      against={againstHolding(grid)}
      position={grid.position}
      price={grid.markPrice}
      beside={grid.stopPrices.map((stop) => (
        <Stat key={stop.reason} name={endName(stop)} tone={stop.armed ? "" : "warn"}>
          {endText(stop, digits)}
        </Stat>
      ))}
    >
      <ChangeStat name="Unrealized" of={grid.unrealizedProfit} />
      <Stat name="Yearly rate">{yearlyText(grid)}</Stat>
      <Stat name="Price">{price(grid.markPrice)}</Stat>
      <Stat name="Current range">{rangeText(grid, digits)}</Stat>
      <Stat name="Distance to range limit">{distanceText(grid)}</Stat>
      <Stat name="Average entry">{price(grid.averageCost)}</Stat>
      <Stat name="Break-even">{price(grid.breakEvenPrice)}</Stat>
      <Stat name="Orders">{`${grid.openOrders} open, ${grid.filledOrders} filled`}</Stat>
      <Stat name="Cycles">{grid.cycles}</Stat>
      <Stat name="Fees">{feesText(grid)}</Stat>
      <Stat name="Per order">{`${money(grid.orderSize)} ${quote}`}</Stat>
      <Stat name="Age">{duration(grid.runningTime)}</Stat>
      <PassStats of={grid} />
    </MainFigures>
  );
}

function yearlyText({ totalProfit, investment, runningTime }: Grid): string {
  const rate = yearlyPercent(totalProfit, investment, runningTime);
  return rate === undefined ? "after a week" : percent(rate / 100);
}

type Stop = Grid["stopPrices"][number];

function GridPrices({
  grid,
  orders,
  digits,
}: {
  grid: Grid;
  orders: HistoricOrders["orders"];
  digits: Digits;
}) {
  const [timeframe, setTimeframe] = useState<(typeof CHART_FRAMES)[number]>("15m");
  const { exchange, symbol } = grid;
  const priced = { price: grid.markPrice, at: grid.lastStepAt };
  const { candles, loaded } = useMovingCandles({ exchange, symbol, timeframe }, priced);
  const fills = useLoad<Fills>(`GET /strategies/${part(grid.id)}/fills`, { limit: 500 }, { live: true });
  return (
    <Section
      title="Price and levels"
      aside={<Choice label="Candle length" value={timeframe} choices={CHART_FRAMES} choose={setTimeframe} />}
    >
      {loaded.error ? <Failed error={loaded.error} again={loaded.again} /> : null}
      <GridChart
        label={`Candles of ${symbol} on ${exchange} with the grid at ${rangeText(grid, digits)}: ${pluralize(grid.openOrders, "open order")}, ${pluralize(fills.data?.count ?? 0, "fill")}`}
        candles={candles}
        fills={fills.data?.fills ?? NO_FILLS}
        digits={digitsOf([...candles.slice(-20).map(({ close }) => close), grid.lowerPrice])}
        levels={gridLevels(grid, orders)}
      />
      <Made grid={grid} candles={candles} fills={fills.data} />
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
  candles: ReturnType<typeof useMovingCandles>["candles"];
  fills: Fills | undefined;
}) {
  if (!fills) return null;
  const points = profitOver(grid, candles, { fills: fills.fills, isWhole: fills.next === null });
  const last = points.at(-1);
  if (!last || points.length < 2) return null;
  const { quote } = pairOf(grid.symbol);
  const scale = lineScaleOf(points);
  return (
    <TwoLines
      points={points}
      scale={scale}
      label={`Total P&L, now ${change(last.own)} ${quote}; buy and hold would have made ${change(last.buyAndHold)}`}
      caption={`Total P&L (solid) and buy and hold (dashed), ${change(scale.min)} to ${change(scale.max)} ${quote}`}
    />
  );
}

/** A form for new settings of a running grid: their effect, and a change to exactly that. */
function Edit({ grid }: { grid: Grid }) {
  const [typed, setTyped] = useState<EditTexts>({});
  return (
    <EditSection<GridEditPlan>
      title="Change this grid"
      id={grid.id}
      config={typedSettings(grid, typed)}
      fields={
        <div class="fields">
          {editFields(grid).map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint}>
              <NumberInput
                value={typed[name] ?? currentFieldText(grid, name)}
                change={(text) => setTyped((before) => ({ ...before, [name]: text }))}
              />
            </Field>
          ))}
        </div>
      }
      names={CHANGED_NAMES}
      empty="Change a setting. The orders to cancel and to place appear here."
      changed={() => setTyped({})}
      stats={(planned) => <RunningStats planned={planned} />}
      orders={(planned) =>
        planned.orders.length > 0 ? (
          <details>
            <summary>{planSlotsText(planned)}</summary>
            <OrderTable orders={planned.orders} symbol={planned.symbol} />
          </details>
        ) : null
      }
    />
  );
}

/** MainFigures of the grid before its change. */
function RunningStats({ planned }: { planned: GridEditPlan }) {
  const { running } = planned.details;
  const { base, quote } = pairOf(planned.symbol);
  return (
    <>
      <GridStats planned={planned} />
      <Stat name="Free quote">{`${money(Number(planned.free.quote))} ${quote}`}</Stat>
      {running ? (
        <Stat name="Realized P&L, stays">{`${change(Number(running.realized))} ${quote}`}</Stat>
      ) : null}
      {running && Number(running.idleBase) > 0 ? (
        <Stat name="Base without a sell order" tone="warn">{`${amount(running.idleBase)} ${base}`}</Stat>
      ) : null}
    </>
  );
}

type RangeName = "lowerPrice" | "upperPrice" | "stopLossPrice" | "takeProfitPrice";
type EditName = RangeName | "gridLevels" | "orderSize" | "budget" | "spacing" | "trailingStopPercent";
/** The user's edits only, because other values can change meanwhile. */
type EditTexts = Readonly<Partial<Record<EditName, string>>>;

interface EditField {
  readonly name: EditName;
  readonly label: string;
  readonly hint?: string;
}

/** Returns the fields of a grid that can be changed. */
function editFields({ symbol, centered }: Grid): readonly EditField[] {
  const { quote } = pairOf(symbol);
  const sizes: readonly EditField[] = [
    { name: "gridLevels", label: centered ? "Levels, 2 to 20" : "Levels, 2 to 100" },
    { name: "orderSize", label: `Per order, ${quote}` },
    { name: "budget", label: `Or total budget, ${quote}`, hint: "Instead of an order size" },
  ];
  const { stopLossPrice, takeProfitPrice, trailingStopPercent } = endingSettings(quote);
  const ends: readonly EditField[] = [
    { ...stopLossPrice, hint: "Leave empty for none" },
    { ...takeProfitPrice, hint: "Leave empty for none" },
    { ...trailingStopPercent, hint: "0 removes it" },
  ];
  if (centered)
    return [...sizes, { name: "spacing", label: "Spacing", hint: "As a share of the center price" }, ...ends];
  return [
    { name: "lowerPrice", label: `Lower price, ${quote}` },
    { name: "upperPrice", label: `Upper price, ${quote}` },
    ...sizes,
    ...ends,
  ];
}

/** Returns a field's current text; empty if it has none or the grid does not return it. */
function currentFieldText(grid: Grid, name: EditName): string {
  if (name === "budget" || name === "spacing" || name === "trailingStopPercent") return "";
  if (name !== "stopLossPrice" && name !== "takeProfitPrice") return String(grid[name]);
  const reason = name === "stopLossPrice" ? "stop_loss" : "take_profit";
  const stop = grid.stopPrices.find((one) => one.reason === reason);
  return stop ? String(stop.price) : "";
}

/** Returns the config of a change; undefined while nothing changes or a number is missing. */
function typedSettings(grid: Grid, typed: EditTexts): Readonly<Record<string, unknown>> | undefined {
  const changed = (Object.keys(typed) as EditName[]).filter(
    (name) => (typed[name] ?? "").trim() !== currentFieldText(grid, name),
  );
  const isMissing = (name: EditName) => typed[name]?.trim() === "" && !CLEARS.has(name);
  if (changed.length === 0 || changed.some(isMissing)) return undefined;
  return Object.fromEntries(changed.map((name) => [name, Number((typed[name] ?? "").trim())]));
}
