import { csv } from "../../kernel/csv.ts";
import { nearestNumber, withNumbers } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { DAY, dayOf, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { StrategyDay } from "../../model/news.ts";
import type { SpreadFill } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { betweenParts } from "../../ports/heavy.ts";
import type { HistoryPlace, Page } from "../../ports/stores/store.ts";
import { qualityAnswer } from "../answer.ts";
import { horizonText, isSpreadKnown } from "../known-spread.ts";
import {
  dayCounter,
  fillCounter,
  type MeasuredDay,
  type MeasuredStrategy,
  measuredDays,
} from "../measure.ts";
import {
  addSpread,
  newSpreadTally,
  newTally,
  type QualityAnswer,
  type QualityFigures,
  QualityShape,
  qualityInput,
  type SpreadTally,
} from "../tally.ts";

interface MeasuredRequest {
  /** First and last day. */
  readonly from: number;
  readonly to: number;
  /** Selects days of strategies. */
  readonly isOf: (day: StrategyDay) => boolean;
  /** Lets others run between two parts of the calculation. */
  readonly between: () => Promise<void>;
}

/** Dependencies of the operations on measured fills. */
export interface QualityDeps extends Deps {
  /** The rows of the reports; absent without reports. */
  readonly reports?: {
    /** Returns the rows of the days `from` to `to`, inclusive, at protocol time `now`. */
    daysOf(
      from: number,
      to: number,
    ): Promise<{ readonly now: Millis; readonly days: readonly StrategyDay[] }>;
  };
}

type MeasuredDeps = Required<Pick<QualityDeps, "store" | "marketTime" | "reports">>;

/** Number of days that are read at once. */
const DAYS_PER_READ = 31;

/** Reads the strategies with a day in the span, each with the fills of its days. */
async function readMeasured(
  deps: MeasuredDeps,
  { isGrouped, ...request }: MeasuredRequest & { readonly isGrouped: boolean },
) {
  const strategies: MeasuredStrategy[] = [];
  const until = await countFills(deps, request, {
    newTally,
    fillsOf: (strategy, page) => deps.store.measuredFillsOf(strategy, page),
    counter(days) {
      const strategy = { days, groups: isGrouped ? new Map() : null };
      strategies.push(strategy);
      return fillCounter(strategy);
    },
  });
  return { strategies, until };
}

/** Reads only what the fills earned against the mid at their time. */
export async function readSpreads(deps: MeasuredDeps, request: MeasuredRequest) {
  const all: MeasuredDay<SpreadTally>[] = [];
  await countFills(deps, request, {
    newTally: newSpreadTally,
    fillsOf: (strategy, page) => deps.store.spreadFillsOf(strategy, page),
    counter(days) {
      all.push(...days);
      return dayCounter(days, addSpread);
    },
  });
  return all;
}

/** How to read and count the fills of a strategy. */
interface FillSource<One, Counts> {
  readonly newTally: () => Counts;
  readonly fillsOf: (strategy: string, page: Page) => Promise<readonly One[]>;
  /** Returns a function that counts fills, newest first. */
  readonly counter: (days: readonly MeasuredDay<Counts>[]) => (fill: One) => void;
}

/** Returns the end of the span. */
async function countFills<One extends SpreadFill, Counts>(
  deps: MeasuredDeps,
  request: MeasuredRequest,
  { newTally: newCounts, fillsOf, counter }: FillSource<One, Counts>,
): Promise<Millis> {
  const { rows, until } = await readRows(deps, request);
  for (const ofStrategy of rows) {
    const { account, strategy } = ofStrategy[0] as StrategyDay;
    const place = parseAccountKey(account);
    const days = measuredDays(ofStrategy, {
      from: request.from,
      marketTime: (at) => deps.marketTime(place, at),
      newTally: newCounts,
    });
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) continue;
    const count = counter(days);
    let before: HistoryPlace | undefined = { at: last.until };
    while (before) {
      const fills = await fillsOf(strategy, { limit: FILLS_PER_PAGE, before });
      for (const fill of fills) count(fill);
      await request.between();
      const oldest: One | undefined = fills.length < FILLS_PER_PAGE ? undefined : fills.at(-1);
      before = oldest && oldest.at >= first.since ? { at: oldest.at, id: oldest.tradeId } : undefined;
    }
  }
  return until;
}

/** About 5 ms of calculation, so other requests are served between two pages. */
const FILLS_PER_PAGE = 500;

/** Reads the rows of each strategy, with the day before the span, and the end of the span. */
async function readRows(
  { reports }: Pick<MeasuredDeps, "reports">,
  { from, to, isOf, between }: MeasuredRequest,
): Promise<{ readonly rows: Iterable<readonly StrategyDay[]>; readonly until: Millis }> {
  const rows = new Map<string, StrategyDay[]>();
  let until = 0;
  for (let first = from - 1; first <= to; first += DAYS_PER_READ) {
    const { days, now } = await reports.daysOf(first, Math.min(to, first + DAYS_PER_READ - 1));
    for (const day of days.filter(isOf)) {
      const known = rows.get(day.strategy);
      if (known) known.push(day);
      else rows.set(day.strategy, [day]);
    }
    until = Math.min(now, (to + 1) * DAY);
    await between();
  }
  return { rows: rows.values(), until };
}

const DEFAULT_QUALITY_DAYS = 7;
const MAX_QUALITY_DAYS = 92;

const CAUSE_COLUMNS = [
  "day",
  "quote",
  "dryRun",
  "totalProfit",
  "spread",
  "inventory",
  "fees",
  "fills",
  "withoutMid",
] as const;

/** Columns of the tables, most important first. */
const QUALITY_COLUMNS = [
  "id",
  "day",
  "side",
  "level",
  "hour",
  "totalProfit",
  "spread",
  "inventory",
  "fees",
  "fills",
  "withoutMid",
  "halfSpread %",
  "toxic %",
  "after 10 s %",
  "after 5 min %",
  "after 1 s %",
  "after 1 min %",
  "after 1 h %",
  "quote",
  "notional",
  "symbol",
  "exchange",
  "dryRun",
];

const knownShare = (share: number | null, unknown: number): string =>
  share === null ? "unknown" : unknown === 0 ? String(share) : `${share} (${unknown} unknown)`;

const markoutsShown = (markouts: QualityFigures["markouts"]): Record<string, string> =>
  Object.fromEntries(
    markouts.map(({ after, percent, unknown }) => [
      `after ${horizonText(after)} %`,
      knownShare(percent, unknown),
    ]),
  );

/** Formats measures for people: each share with the number of fills that it does not know. */
const measuredShown = <T extends Omit<MeasuredRow, "side">>({
  halfSpreadPercent,
  withoutMid,
  toxicPercent,
  unmeasured,
  markouts,
  notional,
  ...row
}: T) => ({
  ...row,
  notional: nearestNumber(notional),
  "halfSpread %": knownShare(halfSpreadPercent, withoutMid),
  "toxic %": knownShare(toxicPercent, unmeasured),
  ...markoutsShown(markouts),
});

const spreadShown = <T extends SpreadRow>(row: T) => {
  const numbers = withNumbers(row, ["totalProfit", "spread", "inventory", "fees"]);
  return { ...numbers, spread: isSpreadKnown(row) ? numbers.spread : "unknown" };
};

export const qualityOperation: Operation = operation({
  name: "get_quality",
  summary: "Show what fills earned and cost: spread, inventory, fees, markouts",
  effect: "read",
  access: "token",
  lane: "heavy",
  http: { route: "GET /strategy/quality", from: "query" },
  cli: {
    path: "quality",
    positional: ["id"],
    view: qualityView,
    columns: QUALITY_COLUMNS,
    examples: [
      "edgemaker quality",
      "edgemaker quality quote-kraken-BTC-USDT-1767225600000 --from 2026-01-01",
    ],
  },
  mcp: { isSelfContained: true },
  failure: "Internal error",
  input: qualityInput,
  output: QualityShape,
  csv: (answer) =>
    csv(
      CAUSE_COLUMNS,
      (answer as QualityAnswer).days.map((day) => CAUSE_COLUMNS.map((name) => day[name])),
    ),
  async run({ reports, store, local, marketTime }: QualityDeps, request, call) {
    if (!reports) throw new AppError("Not found", "reports are not available here");
    const today = dayOf(await store.now());
    const to = request.to === undefined ? today : dayOf(Date.parse(request.to));
    const from = request.from === undefined ? to - DEFAULT_QUALITY_DAYS + 1 : dayOf(Date.parse(request.from));
    if (from > to || to - from >= MAX_QUALITY_DAYS)
      throw new AppError("Invalid request", `from must be at most ${MAX_QUALITY_DAYS - 1} days before to`);
    const { strategies, until } = await readMeasured(
      { reports, store, marketTime },
      {
        from,
        to,
        isGrouped: request.id !== undefined,
        isOf: ({ strategy }) => request.id === undefined || strategy === request.id,
        between: () => betweenParts(local, call),
      },
    );
    if (
      request.id !== undefined &&
      strategies.length === 0 &&
      !(await store.strategies({ id: request.id }))[0]
    )
      throw new AppError("Not found", `there is no strategy ${request.id}`);
    return qualityAnswer({ from: from * DAY, to: until }, strategies);
  },
});

type MeasuredRow = QualityAnswer["sides"][number];

type SpreadRow = Omit<QualityAnswer["days"][number], "day">;

export function qualityView(answer: unknown) {
  const { from, to, strategies, days, sides, levels, hours, count } = answer as QualityAnswer;
  return {
    from,
    to,
    count,
    strategies: strategies.map((one) => measuredShown(spreadShown(one))),
    days: days.map(spreadShown),
    ...(sides.length > 0
      ? {
          sides: sides.map(measuredShown),
          levels: levels.map(measuredShown),
          hours: hours.map(measuredShown),
        }
      : {}),
  };
}
