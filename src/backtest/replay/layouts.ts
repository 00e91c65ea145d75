/** Compares the levels of a centered grid: each of its generations has its own. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { Cause, CauseCode } from "./cause.ts";
import type { Executed } from "./executed.ts";

interface Layouts {
  /** Placed by the grid, oldest first. */
  readonly orders: readonly Order[];
  /** Executed by the grid. */
  readonly executed: readonly Executed[];
  /** Executed in the backtest, and its last generation. */
  readonly candles: readonly Executed[];
  readonly last: number;
  readonly tick: Decimal;
  /** How far the times of the same layout can lie apart. */
  readonly within: Millis;
}

/** Returns the generations that the record and the backtest centered at different prices. */
export function centeredElsewhere(layouts: Layouts): ReadonlySet<number> {
  const { orders, executed, candles, last } = layouts;
  const recorded = orders.reduce((most, { generation }) => Math.max(most, generation), 0);
  const all = new Set([...executed, ...candles].map(({ generation }) => generation));
  const found = new Set<number>();
  let isBefore = false;
  for (const generation of [...all].sort((a, b) => a - b)) {
    const isInOne = generation > recorded || generation > last;
    isBefore = isInOne || (differsIn(generation, layouts) ?? isBefore);
    if (isBefore) found.add(generation);
  }
  return found;
}

/** Compares the prices of the same slots while the grid had them. Returns undefined if there is nothing to compare. */
function differsIn(generation: number, { orders, candles, tick, within }: Layouts): boolean | undefined {
  const executed = candles.filter((executed) => executed.generation === generation);
  const placed = orders.filter((order) => order.generation === generation);
  const from = (placed[0]?.createdAt ?? Number.POSITIVE_INFINITY) - within;
  const next = orders.find((order) => order.generation > generation);
  const until = (next?.createdAt ?? Number.POSITIVE_INFINITY) + within;
  const inTime = executed.filter(({ at }) => at >= from && at <= until);
  if (executed.length > 0 && inTime.length === 0) return true;
  // Buys first, because a sell can also be above its level.
  for (const side of ["buy", "sell"] as const) {
    const prices = new Map(
      placed.filter((order) => order.side === side).map(({ slot, price }) => [slot, price]),
    );
    const offs = inTime.flatMap((executed) => {
      const price = executed.side === side ? prices.get(executed.slot) : undefined;
      return price === undefined ? [] : [executed.price - price];
    });
    if (offs.length > 0) return offs.every((off) => off >= tick || -off >= tick);
  }
  return undefined;
}

/** Causes that explain nothing about an order at another level. */
const OF_ITS_LEVEL: ReadonlySet<CauseCode> = new Set([
  ...(["resting", "not_placed", "within_bar", "not_shown", "follows"] as const),
  ...(["canceled", "refused", "amount", "price"] as const),
]);

/** Returns the layout as the cause of a difference, if the levels were elsewhere. */
export function causeByLayout({ generation }: Executed, cause: Cause, elsewhere: ReadonlySet<number>): Cause {
  if (!elsewhere.has(generation) || !OF_ITS_LEVEL.has(cause.code)) return cause;
  const text = "the grid was centered at another price then";
  return { code: "centered", of: `generation ${generation}`, text };
}
