import * as z from "zod";
import { fieldsCsv } from "../../kernel/csv.ts";
import { decimal, snap, text, wire } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Fill } from "../../model/fill.ts";
import { type Operation, operation } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { type Disposal, type DisposalHolding, dispose, noHolding } from "../disposals.ts";
import type { FillPlace, ReportDeps, ReportStore } from "../store.ts";

const DisposalShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    time: z.string(),
    exchange: z.string(),
    symbol: z.string(),
    id: z.string().describe("The exchange's id of the trade"),
    strategy: z.string().nullable(),
    amount: z.string().describe("Base sold, including a fee in base"),
    proceeds: z.string().describe("In quote, minus the fee"),
    fee: z.string().nullable().describe("In quote; null if its value is unknown"),
    acquiredAt: z.string().nullable().describe("Purchase time of the oldest part"),
    costFifo: z.string().nullable().describe("In quote; null if more was sold than bought here"),
    gainFifo: z.string().nullable(),
    costAverage: z.string().nullable(),
    gainAverage: z.string().nullable(),
  }),
);
type DisposalRow = z.output<ReturnType<typeof DisposalShape>>;

const disposalColumns = () => Object.keys(DisposalShape().shape) as (keyof DisposalRow)[];

const FILLS_PER_READ = 1000;
/** Maximum number of fills; first in, first out needs all of them from the beginning. */
const MOST_FILLS_READ = 500_000;

export const disposalOperation: Operation = operation({
  name: "get_disposals",
  summary: "List each sale with its cost and gain, for a tax return",
  effect: "read",
  access: "token",
  lane: "heavy",
  http: { route: "GET /report/disposals", from: "query" },
  cli: {
    path: "disposals",
    view: disposalsView,
    columns: [
      "time",
      "symbol",
      "amount",
      "proceeds",
      "fee",
      "gainFifo",
      "gainAverage",
      "costFifo",
      "costAverage",
    ],
    examples: ["edgemaker disposals --from 2026-01-01 --to 2026-12-31 --format csv"],
  },
  mcp: { isSelfContained: true },
  failure: "Internal error",
  input: () =>
    z.object({
      from: dayField("from").describe("First day, in UTC"),
      to: dayField("to").describe("Last day, in UTC"),
    }),
  output: () => z.object({ disposals: z.array(DisposalShape()), count: z.number() }),
  csv: (answer) =>
    fieldsCsv(disposalColumns(), (answer as { readonly disposals: readonly DisposalRow[] }).disposals),
  async run({ reports, local }: ReportDeps, { from, to }, call) {
    if (!reports) throw new AppError("Not found", "reports are not available here");
    const span = { from: Date.parse(from), to: Date.parse(to) + DAY };
    if (!(span.from < span.to))
      throw new AppError("Invalid request", "from must be a day before to, or the same day");
    const disposals = await readDisposals(reports, span, () => betweenParts(local, call));
    return { disposals, count: disposals.length };
  },
});

/** Formats sums for people: quotients have more digits than are useful. */
function disposalsView(answer: unknown) {
  const { disposals } = answer as { readonly disposals: readonly DisposalRow[] };
  const short = (value: string | null) =>
    value === null ? null : wire(snap(decimal(value), LEAST_SHOWN, "half"));
  return {
    disposals: disposals.map(({ timestamp: _same, ...row }) => ({
      ...row,
      costFifo: short(row.costFifo),
      gainFifo: short(row.gainFifo),
      costAverage: short(row.costAverage),
      gainAverage: short(row.gainAverage),
    })),
    count: disposals.length,
  };
}

const LEAST_SHOWN = decimal("0.00000001");

async function readDisposals(
  reports: ReportStore,
  { from, to }: { from: Millis; to: Millis },
  between: () => Promise<void>,
): Promise<DisposalRow[]> {
  const holdings = new Map<string, DisposalHolding>();
  const rows: DisposalRow[] = [];
  let after: FillPlace | undefined;
  for (let read = 0; ; read += FILLS_PER_READ) {
    if (read > MOST_FILLS_READ)
      throw new AppError(
        "Invalid request",
        "there are too many fills for one report; export each grid separately",
      );
    const fills = await reports.fillsInOrder(after, FILLS_PER_READ);
    await between();
    for (const fill of fills.filter(isReal)) {
      if (fill.at >= to) continue;
      const key = `${fill.account} ${fill.symbol}`;
      const holding = holdings.get(key) ?? noHolding();
      holdings.set(key, holding);
      const disposal = dispose(holding, fill);
      if (disposal && fill.at >= from) rows.push(disposalRow(disposal));
    }
    after = fills.at(-1);
    if (fills.length < FILLS_PER_READ) return rows.sort((a, b) => a.timestamp - b.timestamp);
  }
}

// Paper trading is not income.
const isReal = ({ account, superseded }: Fill): boolean =>
  !superseded && parseAccountKey(account).kind !== "dry";

function disposalRow({
  fill,
  amount,
  proceeds,
  fee,
  costFifo,
  costAverage,
  acquiredAt,
}: Disposal): DisposalRow {
  const gain = (cost: bigint | null) => (cost === null ? null : text(proceeds - cost));
  const report = (value: bigint | null) => (value === null ? null : text(value));
  return {
    timestamp: fill.at,
    time: new Date(fill.at).toISOString(),
    exchange: parseAccountKey(fill.account).exchange,
    symbol: fill.symbol,
    id: fill.tradeId,
    strategy: fill.strategy,
    amount: text(amount),
    proceeds: text(proceeds),
    fee: report(fee),
    acquiredAt: acquiredAt === null ? null : new Date(acquiredAt).toISOString(),
    costFifo: report(costFifo),
    gainFifo: gain(costFifo),
    costAverage: report(costAverage),
    gainAverage: gain(costAverage),
  };
}
