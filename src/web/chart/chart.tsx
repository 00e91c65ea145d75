import type { Child } from "hono/jsx";
import { useRef } from "hono/jsx/dom";
import { useEffect } from "../effect.ts";
import { number } from "../format.ts";
import { Table } from "../table.tsx";
import { type ChartContent, type ChartHandle, createGridChart } from "./create.ts";
import { type Bound, dragBounds } from "./drag.ts";
import type { Level } from "./levels.ts";

interface ChartProps extends ChartContent {
  /** Description of the chart for screen readers. */
  readonly label: string;
  /** Bounds that the user can drag, and where they are. */
  readonly bounds?: Readonly<Record<Bound, number>> | undefined;
  readonly moved?: ((bound: Bound, price: number) => void) | undefined;
}

/** Candles with a grid's levels, also as a table. */
export function GridChart({ label, bounds, moved, ...shown }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<ChartHandle | null>(null);
  const drag = useRef({ bounds, moved });
  drag.current = { bounds, moved };
  useEffect(() => {
    if (!element.current) return undefined;
    const made = createGridChart(element.current);
    chart.current = made;
    made.show(shown);
    const endDrag = dragBounds(element.current, made, () => drag.current ?? {});
    return () => {
      endDrag();
      made.remove();
      chart.current = null;
    };
  }, []);
  useEffect(() => {
    chart.current?.show(shown);
  }, [shown.candles, shown.fills, shown.digits, levelsText(shown.levels)]);
  return (
    <>
      <div class="chart" role="img" aria-label={label} ref={element} />
      <Legend levels={shown.levels} />
      <details>
        <summary>The chart as a table</summary>
        <LevelTable levels={shown.levels} digits={shown.digits} />
      </details>
    </>
  );
}

const levelsText = (levels: readonly Level[]): string =>
  levels.map(({ price, kind, name = "" }) => `${price}${kind}${name}`).join();

export const KIND_WORDS: Readonly<Record<Level["kind"], string>> = {
  buy: "open buy",
  sell: "open sell",
  empty: "no order",
  refused: "refused",
  line: "price",
  stop: "stop price",
};

const Legend = ({ levels }: { levels: readonly Level[] }) => (
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

const LevelTable = ({ levels, digits }: { levels: readonly Level[]; digits: number }): Child => (
  <Table
    label="Levels of the chart"
    columns={[
      { name: "Price", isNumber: true, isHead: true, of: ({ price }: Level) => number(price, digits) },
      { name: "Type", of: ({ kind, name }: Level) => name ?? KIND_WORDS[kind] },
    ]}
    rows={levels.toSorted((a, b) => b.price - a.price)}
    keyOf={({ price, kind, name }) => `${price} ${kind} ${name}`}
    empty="No levels yet."
  />
);
