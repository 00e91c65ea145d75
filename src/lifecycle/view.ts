/** The list and the status of strategies, for people. */
import type * as z from "zod";
import { describeStopPrice } from "../engine/operations/stop-prices.ts";
import { nearestNumber, plainNumber } from "../kernel/decimal.ts";
import { centsOfProfit, pluralize } from "../kernel/plain-text.ts";
import { describeRefusals } from "../model/refusal-text.ts";
import { calledBy } from "../model/strategy.ts";
import type { Kind } from "../ports/kind.ts";
import type { DefinitionsShape, StatusBaseShape, StrategyListShape, StrategyRowShape } from "./schema.ts";

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
      return `${total} ${name}, ${count === 1 ? "1 strategy" : `${count} strategies`}`;
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
      status: statusWords(row),
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
      settings: settingNames(config).join(", "),
    })),
    count,
  };
}

const statusWords = ({ status, phase }: RowText): string =>
  status === phase || status === "stopped" ? status : `${status}, ${phase}`;

/** Returns whether a strategy, or one of a list, is stalled. */
export function hasStalledIn(answer: unknown): boolean {
  const { strategies, stalled } = answer as { strategies?: readonly RowText[]; stalled?: boolean };
  return stalled === true || (strategies ?? []).some((row) => row.stalled);
}

/** Notices that explain their error and what to do. */
const EXPLAINS_ERROR = new Set(["key_refused", "key_missing", "exchange_unavailable"]);

/** Returns the lines that every strategy has before and after those of its definition. */
function commonLines(row: RowText) {
  const { totalProfit, profit, profitPercent, capital, holdingProfit, notices, lastError } = row;
  const quote = quoteIn(row);
  const [base] = row.symbol.split("/");
  const messageOf = (isOf: (code: string) => boolean) =>
    notices.filter(({ code }) => isOf(code)).map(({ message }) => message);
  const [stalled] = messageOf((code) => code === "stalled");
  const [explained] = messageOf((code) => EXPLAINS_ERROR.has(code));
  const others = messageOf((code) => code !== "stalled" && !EXPLAINS_ERROR.has(code));
  const share =
    profitPercent === null
      ? ""
      : `, ${centsOfProfit(profitPercent)} % of ${plainNumber(nearestNumber(capital))} ${quote}`;
  const against =
    totalProfit === null || holdingProfit === null
      ? ""
      : `, ${centsOfProfit(nearestNumber(totalProfit) - nearestNumber(holdingProfit))} vs buy and hold`;
  return {
    first: {
      strategy: calledBy(row),
      definition: row.definition,
      market: marketText(row),
      status: statusWords(row),
      ...(stalled === undefined ? {} : { stalled }),
      ...(lastError === null ? {} : { error: explained ?? lastError }),
      total:
        totalProfit === null
          ? "unknown until there is a price"
          : `${centsOfProfit(totalProfit)} ${quote}${share}${against}`,
      profit: `${centsOfProfit(profit)} ${quote} realized`,
    },
    orders: { orders: `${row.openOrders} open, ${row.filledOrders} filled` },
    holds: { holds: Number(row.position) === 0 ? `no ${base}` : `${row.position} ${base}` },
    endings: row.endings.length > 0 ? { "by itself": row.endings.join("; ") } : {},
    last: {
      ...(others.length > 0 ? { notice: others.join(". ") } : {}),
      lastStepAt: row.lastStepAt,
    },
  };
}

/** Formats all running strategies: total P&L first, then a few lines each. */
export function runningView(answer: unknown) {
  const { strategies, count, totals, warnings } = answer as Listed;
  return {
    ...(count > 0 ? { total: totalLine(totals) } : { note: NONE_RUNS }),
    ...(warnings.length > 0 ? { warnings } : {}),
    strategies: strategies.map((row) => {
      const { first, orders, holds, endings, last } = commonLines(row);
      const waiting =
        row.waitingSlots > 0
          ? { waiting: `${pluralize(row.waitingSlots, "order")}; its own status says why` }
          : {};
      return { ...first, ...orders, ...holds, ...endings, ...waiting, ...last };
    }),
    count,
  };
}

const sevenDigits = (price: string): string => plainNumber(Number(Number(price).toPrecision(7)));

type StatusText = z.output<ReturnType<typeof StatusBaseShape>>;

/** Formats one strategy: what all have, and the lines of its definition. */
export const statusView = (kinds: readonly Kind[]) => (answer: unknown) => {
  const status = answer as StatusText;
  const { details, averageCost, breakEvenPrice, unrealizedProfit, feesPaid, stopPrices, waiting } = status;
  const { first, orders, holds, endings, last } = commonLines(status);
  const kind = kinds.find(({ group }) => group === details?.kind);
  const at = averageCost === null ? "" : ` at ${sevenDigits(averageCost)}`;
  const even = breakEvenPrice === null ? "" : `, break-even ${sevenDigits(breakEvenPrice)}`;
  const { waiting: waits = describeRefusals(waiting), ...lines } = kind?.statusLines(status) ?? {};
  const unrealized =
    unrealizedProfit === null ? "unrealized unknown" : `${centsOfProfit(unrealizedProfit)} unrealized`;
  return {
    ...first,
    ...(status.stopReason === null ? {} : { reason: status.stopReason }),
    profit: `${first.profit}, ${unrealized}; fees ${plainNumber(nearestNumber(feesPaid))} ${quoteIn(status)}`,
    ...(status.price === null ? {} : { "last price": plainNumber(nearestNumber(status.price)) }),
    ...lines,
    ...orders,
    holds: `${holds.holds}${at}${even}`,
    ...(stopPrices.length > 0 ? { stops: stopPrices.map(describeStopPrice).join("; ") } : {}),
    ...endings,
    ...(waiting.length > 0 ? { waiting: waits } : {}),
    ...last,
    ...(status.stream === null ? {} : { stream: status.stream }),
  };
};

/** Returns the names of a config's fields; a definition with several forms has those of all. */
function settingNames({ properties = {}, anyOf = [] }: Readonly<Record<string, unknown>>): readonly string[] {
  const forms = (anyOf as readonly Readonly<Record<string, unknown>>[]).flatMap(settingNames);
  return [...new Set([...Object.keys(properties as object), ...forms])];
}
