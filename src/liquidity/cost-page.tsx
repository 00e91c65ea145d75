import { DataTable } from "../kernel/html.tsx";
import type { CostAnswer } from "./cost.ts";
import { countText, NOT_KNOWN, quote } from "./page-figures.ts";

interface CostRow {
  /** Names the market, or the sum. */
  readonly name: string;
  /** Null if it is unknown. */
  readonly cost: CostAnswer | null;
  readonly isTotal?: boolean;
}

const COST_HEADS = [
  ...["Market", "P&L", "Spread captured", "Inventory", "Fees"],
  ...["Fills", "Fills without a mid price"],
];

/** Renders P&L by cause, one row per market; nothing if it was not requested. */
export const costPart = (rows: readonly CostRow[] | undefined) =>
  rows !== undefined && (
    <>
      <h2>What it cost</h2>
      <DataTable heads={COST_HEADS} rows={rows.map(costCells)} kind="costs" />
      {rows.some(({ cost }) => cost === null) && (
        <p>Not known: no strategy of the market has figures for these days.</p>
      )}
    </>
  );

function costCells({ name, cost, isTotal = false }: CostRow) {
  if (cost === null) return [name, NOT_KNOWN, ...COST_HEADS.slice(2).map(() => "–")];
  const { totalProfit, spread, inventory, fees, fills, withoutMid } = cost;
  const amount = (value: number | null) =>
    value === null ? NOT_KNOWN : `${quote(value, amountDigits(cost))}\u00a0${cost.quote}`;
  return [
    isTotal ? <b>{name}</b> : name,
    <b class={totalProfit < 0 ? "loss" : "gain"}>{amount(totalProfit)}</b>,
    ...[spread, inventory, fees].map(amount),
    countText(fills),
    countText(withoutMid),
  ];
}

/** Two decimals, or six where two would show small amounts as zero. */
const amountDigits = ({ totalProfit, spread, inventory, fees }: CostAnswer): number =>
  [totalProfit, spread ?? 0, inventory, fees].some((value) => Math.abs(value) >= 1) ? 2 : 6;
