/** The list and the status of strategies, for people. */
import type * as z from "zod";
import { centsOfProfit } from "../kernel/plain-text.ts";
import { calledBy } from "../model/strategy.ts";
import type { DefinitionsShape, StrategyListShape, StrategyRowShape } from "./schema.ts";

type RowText = z.output<ReturnType<typeof StrategyRowShape>>;
type Listed = z.output<ReturnType<typeof StrategyListShape>>;

const MODE_TEXT: Readonly<Record<RowText["mode"], string>> = {
  real: "",
  paper: " (paper trading)",
  simulated: "",
};

const quoteIn = ({ symbol }: Pick<RowText, "symbol">): string => symbol.split("/")[1] ?? "";

const marketText = ({ symbol, exchange, mode }: Pick<RowText, "symbol" | "exchange" | "mode">): string =>
  `${symbol} on ${exchange}${MODE_TEXT[mode]}`;

/** Returns one total for each quote asset and mode. */
const totalLine = (totals: Listed["totals"]): string =>
  totals
    .map(({ quote, mode, totalProfit, count }) => {
      const name = `${quote}${MODE_TEXT[mode]}`;
      const total = totalProfit === null ? "unknown until all prices are known" : centsOfProfit(totalProfit);
      return `${total} ${name}, ${count} ${count === 1 ? "strategy" : "strategies"}`;
    })
    .join("; ");

const NONE_RUNS = "no strategy runs; `edgemaker list --all` includes stopped ones";

/** Formats the list with short problem texts; `status` explains what to do. */
export function strategyListView(answer: unknown) {
  const { strategies, count, totals, next, warnings } = answer as Listed;
  return {
    ...(count > 0 ? { total: totalLine(totals) } : { note: NONE_RUNS }),
    ...(warnings.length > 0 ? { warnings } : {}),
    strategies: strategies.map((row) => ({
      strategy: calledBy(row),
      definition: row.definition,
      market: marketText(row),
      status:
        row.status === row.phase || row.status === "stopped" ? row.status : `${row.status}, ${row.phase}`,
      total: row.totalProfit === null ? "unknown" : `${centsOfProfit(row.totalProfit)} ${quoteIn(row)}`,
      percent: row.profitPercent,
      orders: row.openOrders,
      notices: row.notices.map(({ code }) => code).join(" "),
      startedAt: row.startedAt,
    })),
    count,
    ...(next === null ? {} : { next }),
  };
}

/** Formats the definitions without their schemas, which `--json` has. */
export function definitionsView(answer: unknown) {
  const { definitions, count } = answer as z.output<ReturnType<typeof DefinitionsShape>>;
  return {
    definitions: definitions.map(({ name, title, summary, version, config }) => ({
      name,
      title,
      summary,
      version,
      settings: Object.keys((config.properties as object | undefined) ?? {}).join(", "),
    })),
    count,
  };
}
