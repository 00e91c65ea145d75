import * as z from "zod";
import { unexplainedAssets } from "../../engine/reconcile/books-check.ts";
import { type Decimal, roundToStep, text, texts, wire } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type CostDay, dateOf } from "../../model/limits.ts";
import { SIDES } from "../../model/market.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { costOf, gridBooks, gridPosition, unsoldBase } from "../booking.ts";
import type { GridStrategy, Slot } from "../state/state.ts";

/** Confidence in the market price; null if the grid does not use it or no pass has read it yet. */
export const confidenceShape = () =>
  z.object({ value: z.number(), source: z.string(), timestamp: z.number() }).nullable();

/** Accounting fields of a strategy's status. */
export const accountingShape = () => ({
  /** Value in quote of fees in third assets. */
  feesValue: z.number(),
  feesEstimated: z.boolean(),
  /** Base below a whole lot; null before the market was read. */
  dust: z.string().nullable(),
  confidence: confidenceShape(),
  unexplained: z.object({
    order: z.string().nullable(),
    since: z.number().nullable(),
    assets: z.record(z.string(), z.string()),
    /** Trades that cannot be booked as the exchange returns them. */
    trades: z.array(z.object({ order: z.string(), trade: z.string(), reason: z.string() })),
  }),
});

export const slotShape = <Money extends z.ZodType>(money: Money) =>
  z.object({
    slot: z.number(),
    lowerPrice: money,
    upperPrice: money,
    side: z.enum(SIDES),
    cycles: z.number(),
    position: z.string(),
    cost: money,
  });

export function accountingOut({ strategy, memory }: ViewWithoutTime) {
  const { state, symbol } = strategy;
  const lot = memory.marks[symbol]?.lot;
  const position = gridPosition(state);
  const { order = null, since = null, trades = [] } = state.unexplained ?? {};
  const assets = state.unexplained?.assets ?? unexplainedAssets(gridBooks, state, symbol);
  return {
    feesValue: wire(state.ledger.feesValue),
    feesEstimated: state.ledger.feesEstimated,
    dust: lot === undefined ? null : text(position - roundToStep(position, lot, "down")),
    confidence: confidenceOut({ strategy, memory }),
    unexplained: { order, since, assets: texts(assets), trades: [...trades] },
  };
}

export function confidenceOut({
  strategy: { config, symbol },
  memory,
}: Pick<ViewWithoutTime, "strategy" | "memory">): z.input<ReturnType<typeof confidenceShape>> {
  const known = config.confidence === undefined ? undefined : memory.confidence?.[symbol];
  return known ? { value: wire(known.value), source: known.source, timestamp: known.at } : null;
}

/** Returns deposits, withdrawals and manual trades since the account's first strategy started, per asset. */
export function unbookedBalanceChanges({ memory }: Pick<StrategyView, "memory">): Record<string, bigint> {
  const { baseline, balances, movedBefore: moved = memory.moved, unreadBalances = [] } = memory;
  if (!baseline || !balances) return {};
  const totals = new Map(balances.map(({ asset, free, used }) => [asset, free + used]));
  // Many exchanges no longer list an asset that has become worthless.
  const assets = [...new Set([...totals.keys(), ...Object.keys(baseline), ...Object.keys(moved)])];
  const changes = assets.map(
    (asset) => [asset, (totals.get(asset) ?? 0n) - (baseline[asset] ?? 0n) - (moved[asset] ?? 0n)] as const,
  );
  const unread = new Set(unreadBalances.map(({ asset }) => asset));
  return Object.fromEntries(changes.filter(([asset, change]) => change !== 0n && !unread.has(asset)));
}

export const slotOut = <Money>(slot: Slot, as: (amount: Decimal) => Money) => ({
  slot: slot.index,
  lowerPrice: as(slot.lower),
  upperPrice: as(slot.upper),
  side: slot.side,
  cycles: slot.cycles,
  position: text(unsoldBase(slot)),
  cost: as(costOf(slot)),
});

/** A view without its moment. */
export type ViewWithoutTime = Omit<StrategyView<GridStrategy>, "now">;

/**
 * Computes a result from a view, and caches it while all objects of the view are identical, so the store's cached
 * rows are not processed for each request. Neither the result nor the view may be modified.
 */
export function cachedPerView<Made>(make: (view: ViewWithoutTime) => Made): (view: ViewWithoutTime) => Made {
  const known = new WeakMap<GridStrategy, { readonly of: ViewWithoutTime; readonly made: Made }>();
  return (view) => {
    const last = known.get(view.strategy);
    if (last && isSame(last.of, view)) return last.made;
    const made = make(view);
    known.set(view.strategy, { of: view, made });
    return made;
  };
}

/** All fields of a view besides its strategy; a new field that is missing here is a type error. */
const BESIDE = Object.keys({
  memory: 0,
  costs: 0,
  openOrders: 0,
  steppedAt: 0,
  steppedBy: 0,
  accountError: 0,
  retryAt: 0,
} satisfies Record<Beside, 0>) as Beside[];
type Beside = Exclude<keyof ViewWithoutTime, "strategy">;

const isSame = (a: ViewWithoutTime, b: ViewWithoutTime): boolean =>
  BESIDE.every((part) => Object.is(a[part], b[part]));

const CountedCostShape = lazy(() =>
  z.object({
    /** UTC day. */
    day: z.string(),
    /** Protocol time of the first and the last counted pass. */
    from: z.number(),
    to: z.number(),
    exchangeCalls: z.number(),
    databaseRequests: z.number(),
    rowsRead: z.number().nullable(),
    rowsWritten: z.number().nullable(),
  }),
);

/** Usage of a strategy's passes on the newest day with a pass, and on the day before. */
export const CostShape = lazy(() => CountedCostShape().extend({ before: CountedCostShape().nullable() }));

type Counts = z.input<ReturnType<typeof CountedCostShape>>;

export function costOut(
  days: readonly CostDay[],
  strategy: string,
): z.input<ReturnType<typeof CostShape>> | null {
  const counts = days.flatMap(({ day, from, to, of }): Counts[] => {
    const cost = of[strategy];
    return cost ? [{ day: dateOf(day), from, to, ...cost }] : [];
  });
  const [newest, before = null] = counts;
  return newest ? { ...newest, before } : null;
}
