import { csv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { DAY, dayOf } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { StrategyDay } from "../../model/day.ts";
import type { MeasuredFill } from "../../model/fill.ts";
import { type Operation, operation } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import type { HistoryPlace } from "../../ports/stores/history-store.ts";
import type { Store } from "../../ports/stores/store.ts";
import { qualityAnswer } from "../answer.ts";
import { addFill, type MeasuredDay, type MeasuredStrategy, measuredDays, newMeasured } from "../measure.ts";
import { type QualityAnswer, QualityShape, qualityInput } from "../schema.ts";
import { QUALITY_COLUMNS, qualityView } from "../view.ts";

const DEFAULT_DAYS = 7;
const LONGEST_SPAN = 92;

const CAUSE_COLUMNS = [
  ...(["day", "quote", "dryRun", "totalProfit", "spread"] as const),
  ...(["inventory", "fees", "fills", "withoutMid"] as const),
];

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
  async run({ reports, store, local, marketTime }, request, call) {
    if (!reports) throw new AppError("Not found", "reports are not available here");
    const today = dayOf(await store.now());
    const to = request.to === undefined ? today : dayOf(Date.parse(request.to));
    const from = request.from === undefined ? to - DEFAULT_DAYS + 1 : dayOf(Date.parse(request.from));
    if (from > to || to - from >= LONGEST_SPAN)
      throw new AppError("Invalid request", `from must be at most ${LONGEST_SPAN - 1} days before to`);
    const { days, now } = await reports.daysOf(from - 1, to);
    const measured: MeasuredStrategy[] = [];
    for (const rows of byStrategy(days, request.id)) {
      const account = parseAccountKey((rows[0] as StrategyDay).account);
      const span = measuredDays(rows, { from, marketTime: (at) => marketTime(account, at) });
      if (span.length > 0) measured.push(await measureFillsOf(store, span, () => betweenParts(local, call)));
    }
    if (request.id !== undefined && measured.length === 0 && !(await store.strategies({ id: request.id }))[0])
      throw new AppError("Not found", `there is no strategy ${request.id}`);
    const shown = qualityAnswer({ from: from * DAY, to: Math.min(now, (to + 1) * DAY) }, measured);
    return request.id === undefined ? { ...shown, sides: [], levels: [], hours: [] } : shown;
  },
});

function byStrategy(days: readonly StrategyDay[], id: string | undefined): StrategyDay[][] {
  const rows = new Map<string, StrategyDay[]>();
  for (const day of days)
    if (id === undefined || day.strategy === id)
      rows.set(day.strategy, [...(rows.get(day.strategy) ?? []), day]);
  return [...rows.values()];
}

/** About 10 ms of calculation, so other requests are served between two pages. */
const FILLS_A_PAGE = 250;

/** Reads the fills of a strategy's days, newest first. The cost grows with these fills only. */
async function measureFillsOf(
  store: Pick<Store, "measuredFillsOf">,
  days: readonly MeasuredDay[],
  between: () => Promise<void>,
): Promise<MeasuredStrategy> {
  const measured = newMeasured(days);
  const [first, last] = [days[0], days.at(-1)] as [MeasuredDay, MeasuredDay];
  let before: HistoryPlace | undefined = { at: last.until };
  while (before) {
    const fills = await store.measuredFillsOf(first.row.strategy, { limit: FILLS_A_PAGE, before });
    for (const fill of fills) addFill(measured, fill);
    await between();
    const oldest: MeasuredFill | undefined = fills.length < FILLS_A_PAGE ? undefined : fills.at(-1);
    before = oldest && oldest.at >= first.since ? { at: oldest.at, id: oldest.tradeId } : undefined;
  }
  return measured;
}
