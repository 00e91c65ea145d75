import type { Child } from "hono/jsx";
import { type Digits, number } from "../format.ts";
import { Table } from "../table.tsx";
import type { CandlesAnswer, FillAnswer } from "../types.ts";
import { Time } from "../ui.tsx";

/** A price level: an open order, or another important price. */
export interface ChartLevel {
  readonly price: number;
  readonly kind: "buy" | "sell" | "empty" | "refused" | "line" | "stop";
  /** Label next to it, over a full line. Levels without one are ticks at the edge, and lines while the chart is pointed at. */
  readonly name?: string | undefined;
  /** Amount of its order, next to its tick. */
  readonly amount?: string | undefined;
}

export interface ChartContent {
  readonly candles: readonly CandlesAnswer["candles"][number][];
  readonly levels: readonly ChartLevel[];
  readonly fills: readonly Pick<FillAnswer, "side" | "price" | "timestamp">[];
  /** Decimals of the market's prices. */
  readonly digits: Digits;
}

const KIND_WORDS: Readonly<Record<ChartLevel["kind"], string>> = {
  buy: "open buy",
  sell: "open sell",
  empty: "no order",
  refused: "waits",
  line: "price",
  stop: "stop price",
};

export const Legend = ({ levels }: { levels: readonly ChartLevel[] }) => (
  <ul class="legend" aria-hidden="true">
    {(["buy", "sell", "empty", "refused"] as const)
      .filter((kind) => levels.some((level) => level.kind === kind))
      .map((kind) => (
        <li key={kind} class={`key ${kind}`}>
          {KIND_WORDS[kind]}
        </li>
      ))}
  </ul>
);

export const LevelTable = ({ levels, digits }: { levels: readonly ChartLevel[]; digits: Digits }): Child => (
  <Table
    label="Levels of the chart"
    columns={[
      { name: "Price", isNumber: true, isHead: true, of: ({ price }: ChartLevel) => number(price, digits) },
      { name: "Type", of: ({ kind, name }: ChartLevel) => name ?? KIND_WORDS[kind] },
      { name: "Amount", isNumber: true, of: (level: ChartLevel) => level.amount ?? "–" },
    ]}
    rows={levels.toSorted((a, b) => b.price - a.price)}
    keyOf={({ price, kind, name }) => `${price} ${kind} ${name}`}
    empty="No levels yet."
  />
);

/** Number of candles in the table, the newest ones. */
const MAX_TABLE_CANDLES = 20;

export function CandleTable({ candles, fills, digits }: ChartContent): Child {
  const shown = candles.slice(-MAX_TABLE_CANDLES);
  const times = fills.map(({ timestamp }) => candleAt(candles, timestamp));
  const price = (name: string, of: (one: (typeof shown)[number]) => number) => ({
    name,
    isNumber: true,
    of: (one: (typeof shown)[number]) => number(of(one), digits),
  });
  return (
    <Table
      label="Candles of the chart"
      columns={[
        { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
        price("Open", ({ open }) => open),
        price("High", ({ high }) => high),
        price("Low", ({ low }) => low),
        price("Close", ({ close }) => close),
        {
          name: "Fills",
          isNumber: true,
          of: ({ timestamp }) => times.filter((at) => at === timestamp).length,
        },
      ]}
      rows={shown.toReversed()}
      keyOf={({ timestamp }) => timestamp}
      empty="No candles yet."
    />
  );
}

/** Returns the start of the candle of a time. */
export const candleAt = (candles: ChartContent["candles"], at: number): number =>
  candles.findLast(({ timestamp }) => timestamp <= at)?.timestamp ?? at;
