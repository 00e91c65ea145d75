import * as z from "zod";
import { describeReached, describeStopped } from "../../engine/decide/exit-message.ts";
import { type Decimal, div, mul, ONE, snap, sum, wire, ZERO } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { gridKind } from "../kind.ts";
import type { GridStrategy } from "../state/state.ts";

/** Prices at which a grid starts and stops, and its benchmark. */

export const StopPriceShape = lazy(() =>
  z.object({
    reason: z.enum(["stop_loss", "take_profit", "trigger"]),
    price: z.number(),
    distancePercent: z.number().nullable().describe("Distance from the last price; negative below it"),
    armed: z.boolean().describe("true if reaching the price has an effect now"),
  }),
);

type ReportedNotices = readonly { readonly code: string }[];

/** Notices that mean a reached price may have no effect. */
const UNWATCHED = new Set(["stalled", "stop_price_unwatched", "stop_price_held_up"]);

export function stopPricesOf(
  { strategy, memory }: StrategyView<GridStrategy>,
  watch: ReportedNotices,
): z.input<ReturnType<typeof StopPriceShape>>[] {
  const { config, status, phase, wants, state, symbol } = strategy;
  const mark = memory.marks[symbol]?.mid;
  const isWatched = ![...state.notices, ...watch].some(({ code }) => UNWATCHED.has(code));
  const isRunning = status === "running" && phase !== "starting" && phase !== "stopping" && !state.rebuild;
  const prices = [
    ["stop_loss", config.stopLossPrice, isRunning],
    ["take_profit", config.takeProfitPrice, isRunning],
    ["trigger", status === "idle" ? config.triggerPrice : undefined, status === "idle"],
  ] as const;
  return prices.flatMap(([reason, price, isLive]) =>
    price === undefined
      ? []
      : [
          {
            reason,
            price: wire(price),
            distancePercent: mark === undefined || mark === ZERO ? null : distancePercent(price, mark),
            armed: isLive && isWatched && wants === "run" && state.exit === null,
          },
        ],
  );
}

const distancePercent = (price: Decimal, mark: Decimal): number =>
  wire(snap(div((price - mark) * 100n, mark, "half"), ONE / 100n, "half"));

/** Returns the sum of all slots' orders. */
export const investmentOf = ({ state }: Pick<GridStrategy, "state">): Decimal =>
  sum(state.slots.map(({ size }) => size));

export const holdingProfit = ({ state }: Pick<GridStrategy, "state">, mark: Decimal): Decimal =>
  state.startPrice === ZERO
    ? ZERO
    : snap(
        mul(investmentOf({ state }), div(mark - state.startPrice, state.startPrice, "half"), "half"),
        ONE / 100n,
        "half",
      );

/** Returns what stopped it or is about to stop it. */
export function stopReasonOf(strategy: GridStrategy, mark: Decimal | undefined): string | null {
  const { state, status } = strategy;
  if (status === "stopped") return describeStopped(gridKind, strategy, mark) ?? null;
  return state.exit && state.exit.reason !== "stop" ? describeReached(state.exit, state.halted) : null;
}
