import type * as z from "zod";
import { describeStopPrice } from "../../engine/operations/stop-prices.ts";
import { plainNumber } from "../../kernel/decimal.ts";
import { centsOfProfit, pluralize } from "../../kernel/plain-text.ts";
import { describeRefusal, describeWaits } from "../../model/refusal-text.ts";
import { calledBy } from "../../model/strategy.ts";
import { gridRangeText } from "./range-view.ts";
import type { ListShape, StatusShape } from "./schema.ts";

type GridsShown = z.output<ReturnType<typeof StatusShape>>;
type GridShown = GridsShown["strategies"][number] & Partial<EndingRow>;

/** What a strategy does by itself, as the list and the status of any strategy have it. */
interface EndingRow {
  readonly id: string;
  readonly endings: readonly string[];
}

/** Adds what each grid does by itself, which the specification's status lacks. */
export function withEndings(answer: unknown, other: unknown) {
  const { strategies, ...rest } = answer as GridsShown;
  const { strategies: rows = [other as EndingRow] } = other as {
    readonly strategies?: readonly EndingRow[];
  };
  const known = new Map(rows.map(({ id, endings }) => [id, endings]));
  return { ...rest, strategies: strategies.map((grid) => ({ ...grid, endings: known.get(grid.id) ?? [] })) };
}

/** Formats grids for people: total P&L first, then a few lines each. */
export const gridsView = (answer: unknown) => {
  const { strategies, count, next, warnings } = answer as GridsShown;
  return {
    ...(strategies.length > 0
      ? { total: totalsText(strategies) }
      : { note: "no grid runs; `edgemaker grid status --all` includes stopped grids" }),
    ...(warnings.length > 0 ? { warnings } : {}),
    strategies: strategies.map(gridView),
    count,
    ...(next === null ? {} : { next }),
  };
};

/** Formats the list with short problem texts; `grid status` explains what to do. */
export const listView = (answer: unknown) => {
  const { strategies, count } = answer as z.output<ReturnType<typeof ListShape>>;
  const words = strategies.map(({ notices, rangeNow, follows: _, startedAt, ...grid }) => ({
    ...grid,
    ...(rangeNow === null
      ? {}
      : { range: `${plainNumber(rangeNow.lowerPrice)} – ${plainNumber(rangeNow.upperPrice)}` }),
    notices: notices.map(({ code }) => code).join(" "),
    startedAt,
  }));
  return { strategies: words, count };
};

/** Returns whether any grid is stalled. */
export const hasStalled = (answer: unknown): boolean => (answer as GridsShown).strategies.some(isStalled);

const isStalled = ({ notices }: GridShown): boolean => notices.some(({ code }) => code === "stalled");

/** Returns a total for each quote asset, with paper trading apart; an unknown part makes it unknown. */
function totalsText(grids: readonly GridShown[]): string {
  const nameOf = ({ symbol, dryRun }: GridShown) =>
    `${quoteAssetOf(symbol)}${dryRun ? " (paper trading)" : ""}`;
  const names = [...new Set(grids.map(nameOf))];
  return names
    .map((name) => {
      const mine = grids.filter((grid) => nameOf(grid) === name);
      const total = knownSum(mine.map(({ totalProfit }) => totalProfit));
      const text = total === null ? "unknown until all prices are known" : `${centsOfProfit(total)} ${name}`;
      const count = pluralize(mine.length, "grid");
      return names.length > 1 && total === null ? `${name}: ${text}, ${count}` : `${text}, ${count}`;
    })
    .join("; ");
}

function gridView(grid: GridShown) {
  const [base, quote] = grid.symbol.split("/");
  const stalled = grid.notices.find(({ code }) => code === "stalled")?.message;
  const trouble = grid.notices.find(({ code }) => TROUBLES.has(code))?.message;
  const notices = grid.notices
    .filter(({ code }) => code !== "stalled" && !TROUBLES.has(code))
    .map(({ message }) => message);
  const hasEnded = grid.status === "stopped";
  const stops = hasEnded ? [] : grid.stopPrices.map(describeStopPrice);
  return {
    grid: calledBy(grid),
    market: `${grid.symbol} on ${grid.exchange}${grid.dryRun ? " (paper trading)" : ""}${grid.markPrice === null ? "" : `, at ${plainNumber(grid.markPrice)}`}`,
    status: statusText(grid),
    ...(stalled === undefined ? {} : { stalled }),
    ...(grid.lastError === null ? {} : { error: trouble ?? grid.lastError }),
    total: describeTotal(grid, quote),
    profit: `${centsOfProfit(grid.profit)} ${quote} realized, ${grid.unrealizedProfit === null ? "unrealized unknown" : `${centsOfProfit(grid.unrealizedProfit)} unrealized`}; fees ${describeFees(grid)}`,
    ...gridRangeText(grid, quote),
    orders: `${grid.openOrders} open, ${grid.filledOrders} filled, ${pluralize(grid.cycles, "cycle")}`,
    holds:
      grid.averageCost === null
        ? `no ${base}`
        : `${grid.position} ${base} at ${centsText(grid.averageCost)}, ${grid.breakEvenPrice === null ? "dust: less than can be sold" : `break-even ${centsText(grid.breakEvenPrice)}`}`,
    ...(stops.length > 0 ? { stops: stops.join("; ") } : {}),
    ...(grid.endings?.length ? { "by itself": grid.endings.join("; ") } : {}),
    ...(grid.refused.length > 0 && !hasEnded
      ? {
          waiting: describeWaits(
            grid.refused.map(withCommand),
            grid.refused.flatMap(({ slot, lowerPrice }) =>
              lowerPrice === undefined ? [] : { slot, lowerPrice },
            ),
            { total: grid.gridLevels },
          ),
        }
      : {}),
    ...(notices.length > 0 ? { notice: notices.join(". ") } : {}),
    runningTime: grid.runningTime,
    lastStepAt: grid.lastStepAt,
    ...(grid.stream === null ? {} : { stream: grid.stream }),
  };
}

/** Adds the command that ends a wait for the kill switch. */
const withCommand = (refused: GridShown["refused"][number]) =>
  refused.reason === "killed"
    ? { ...refused, detail: `${describeRefusal(refused)}; \`edgemaker kill off\` ends it` }
    : refused;

/** Notices that explain their error and what to do. */
const TROUBLES = new Set(["key_refused", "key_missing", "exchange_unavailable"]);

function statusText({ status, phase, stopReason }: GridShown): string {
  if (stopReason !== null) return status === "stopped" ? stopReason : `${status}, ${phase}: ${stopReason}`;
  return status === phase || status === "stopped" ? status : `${status}, ${phase}`;
}

/** Formats the total as a share of the investment, and next to buy and hold. */
function describeTotal({ totalProfit, investment, holdingProfit }: GridShown, quote = ""): string {
  if (totalProfit === null) return "unknown until there is a price";
  const percent =
    investment > 0
      ? `${centsOfProfit((100 * totalProfit) / investment)} % of ${centsText(investment)} ${quote}`
      : "";
  const against =
    holdingProfit === null ? "" : `, ${centsOfProfit(totalProfit - holdingProfit)} vs buy and hold`;
  return `${centsOfProfit(totalProfit)} ${quote}, ${percent}${against}`;
}

const describeFees = ({ fees }: GridShown): string =>
  Object.entries(fees)
    .map(([asset, fee]) => `${centsText(Number(fee))} ${asset}`)
    .join(", ") || "none";

const quoteAssetOf = (symbol: string): string => symbol.split("/")[1] ?? symbol;

const knownSum = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);

const centsText = (value: number): string =>
  plainNumber(Number(value.toPrecision(Math.abs(value) < 100 ? 4 : 7)));
