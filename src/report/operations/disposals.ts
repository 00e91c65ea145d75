/**
 * Computes sales with their costs and the remaining inventory, by first in, first out and by average cost. All in
 * quote.
 */

import * as z from "zod";
import { fieldsCsv } from "../../kernel/csv.ts";
import { type Decimal, decimal, min, mulDiv, roundToStep, text, wire, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Fill } from "../../model/order.ts";
import type { FillPlace, ReportStore } from "../store.ts";

export const DisposalShape = lazy(() =>
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

/** Few enough that other requests wait only a few milliseconds for one part. */
const FILLS_PER_READ = 250;
/** Maximum number of fills; first in, first out needs all of them from the beginning. */
const MAX_FILLS_READ = 500_000;

const DISPOSAL_STEP = decimal("0.00000001");

// Paper trading is not income.
const isReal = ({ account, superseded }: Fill): boolean =>
  !superseded && parseAccountKey(account).kind !== "dry";

export const noHolding = (): DisposalHolding => ({ lots: [], first: 0, base: ZERO, cost: ZERO });

/** Returns the cost of an amount at the average cost of the inventory. */
const averageCost = ({ base, cost }: DisposalHolding, amount: Decimal): Decimal =>
  base === ZERO ? ZERO : mulDiv(cost, { times: min(amount, base), over: base }, "half");

export const DISPOSAL_COLUMNS = [
  "time",
  "symbol",
  "amount",
  "proceeds",
  "fee",
  "gainFifo",
  "gainAverage",
  "costFifo",
  "costAverage",
] as const;

export const disposalsCsv = (disposals: readonly DisposalRow[]): string =>
  fieldsCsv(Object.keys(DisposalShape().shape) as (keyof DisposalRow)[], disposals);

export type DisposalRow = z.output<ReturnType<typeof DisposalShape>>;

/** Formats sums for people: quotients have more digits than are useful. */
export function disposalsView(disposals: readonly DisposalRow[]) {
  const short = (value: string | null) =>
    value === null ? null : wire(roundToStep(decimal(value), DISPOSAL_STEP, "half"));
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

export async function readDisposals(
  reports: ReportStore,
  { from, to }: { from: Millis; to: Millis },
  between: () => Promise<void>,
): Promise<DisposalRow[]> {
  const holdings = new Map<string, DisposalHolding>();
  const rows: DisposalRow[] = [];
  let after: FillPlace | undefined;
  for (let read = 0; ; read += FILLS_PER_READ) {
    if (read > MAX_FILLS_READ)
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
    if (fills.length < FILLS_PER_READ) {
      rows.sort((a, b) => a.timestamp - b.timestamp);
      await between();
      return rows;
    }
  }
}

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

/** One sale. If it exceeds all known purchases, its cost is unknown, because the base came from elsewhere. */
export interface Disposal {
  readonly fill: Fill;
  /** Base sold, including a fee in base. */
  readonly amount: Decimal;
  /** Quote received, minus the fee. */
  readonly proceeds: Decimal;
  /** The fee's value in quote; null if unknown. */
  readonly fee: Decimal | null;
  readonly costFifo: Decimal | null;
  readonly costAverage: Decimal | null;
  /** Purchase time of its oldest part; null if unknown. */
  readonly acquiredAt: Millis | null;
}

interface DisposalLot {
  readonly at: Millis;
  readonly base: Decimal;
  readonly cost: Decimal;
}

/** An account's inventory of a pair's base, from its fills. Booking a fill changes it. */
export interface DisposalHolding {
  /** Oldest first, from position `first`; copying the list for each fill would take quadratic time. */
  readonly lots: DisposalLot[];
  first: number;
  base: Decimal;
  cost: Decimal;
}

/** Books one fill in time order. Returns the sale, if it is one. */
export function dispose(holding: DisposalHolding, fill: Fill): Disposal | undefined {
  const { base, quote } = splitPair(fill.symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((sum, bookedFee) => (bookedFee.asset === asset ? sum + bookedFee.amount : sum), ZERO);
  const others = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = others.reduce((sum, { value = ZERO }) => sum + value, ZERO);
  const paid = feeIn(quote) + worth;
  if (fill.side === "buy") {
    const lot = { at: fill.at, base: fill.amount - feeIn(base), cost: fill.notional + paid };
    holding.lots.push(lot);
    holding.base += lot.base;
    holding.cost += lot.cost;
    return undefined;
  }
  const amount = fill.amount + feeIn(base);
  const isKnown = holding.base >= amount;
  const matched = min(amount, holding.base);
  const average = averageCost(holding, amount);
  const acquiredAt = isKnown ? (holding.lots[holding.first]?.at ?? null) : null;
  const fifo = takeFirst(holding, matched);
  holding.base -= matched;
  holding.cost = holding.base === ZERO ? ZERO : holding.cost - average;
  const inBase = mulDiv(fill.notional, { times: feeIn(base), over: fill.amount }, "up");
  return {
    fill,
    amount,
    proceeds: fill.notional - paid,
    fee: others.some(({ value }) => value === undefined) ? null : paid + inBase,
    costFifo: isKnown ? fifo : null,
    costAverage: isKnown ? average : null,
    acquiredAt,
  };
}

/** Removes an amount from the oldest lots. Returns its cost. */
function takeFirst(holding: DisposalHolding, amount: Decimal): Decimal {
  const { lots } = holding;
  let [left, cost] = [amount, ZERO];
  for (let lot = lots[holding.first]; lot && left > ZERO; lot = lots[holding.first]) {
    if (lot.base > left) {
      const part = mulDiv(lot.cost, { times: left, over: lot.base }, "half");
      lots[holding.first] = { ...lot, base: lot.base - left, cost: lot.cost - part };
      return cost + part;
    }
    left -= lot.base;
    cost += lot.cost;
    holding.first++;
  }
  if (holding.first === lots.length) holding.first = lots.length = 0;
  return cost;
}
