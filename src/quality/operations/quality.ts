import { csv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { DAY, dayOf } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { qualityAnswer } from "../answer.ts";
import { type QualityAnswer, QualityShape, qualityInput } from "../schema.ts";
import { QUALITY_COLUMNS, qualityView } from "../view.ts";
import { type QualityDeps, readMeasured } from "./measured.ts";

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
  async run({ reports, store, local, marketTime }: QualityDeps, request, call) {
    if (!reports) throw new AppError("Not found", "reports are not available here");
    const today = dayOf(await store.now());
    const to = request.to === undefined ? today : dayOf(Date.parse(request.to));
    const from = request.from === undefined ? to - DEFAULT_DAYS + 1 : dayOf(Date.parse(request.from));
    if (from > to || to - from >= LONGEST_SPAN)
      throw new AppError("Invalid request", `from must be at most ${LONGEST_SPAN - 1} days before to`);
    const { strategies, until } = await readMeasured(
      { reports, store, marketTime },
      {
        ...{ from, to },
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
