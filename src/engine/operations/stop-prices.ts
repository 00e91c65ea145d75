import type * as z from "zod";
import { type Decimal, div, ONE, plainNumber, roundToStep, wire, ZERO } from "../../kernel/decimal.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { stopLevels } from "../decide/ending.ts";
import type { stopPriceShape } from "./shapes.ts";

type StopPriceOut<Money = number | string> = Omit<z.input<ReturnType<typeof stopPriceShape>>, "price"> & {
  readonly price: Money;
};

type ReportedNotices = readonly { readonly code: string }[];

/** Notices that mean a reached price may have no effect. */
const UNWATCHED = new Set(["stalled", "stop_price_unwatched", "stop_price_held_up"]);

/** Returns the prices at which a strategy starts and stops, in the form that `as` gives them. */
export function stopPricesOf<Money>(
  { strategy, memory }: Omit<StrategyView, "now">,
  notices: ReportedNotices,
  as: (price: Decimal) => Money,
): StopPriceOut<Money>[] {
  const { config, status, phase, wants, state, symbol } = strategy;
  const mark = memory.marks[symbol]?.mid;
  const isWatched = ![...state.notices, ...notices].some(({ code }) => UNWATCHED.has(code));
  const isRunning = status === "running" && phase !== "starting" && phase !== "stopping";
  const { below, above } = stopLevels(strategy);
  const trailed = below?.reason === "trailing_stop" ? below.price : undefined;
  const prices = [
    ["stop_loss", config.stopLossPrice, isRunning],
    ["trailing_stop", trailed, isRunning],
    ["take_profit", above?.price, isRunning],
    ["trigger", status === "idle" ? config.triggerPrice : undefined, status === "idle"],
  ] as const;
  return prices.flatMap(([reason, price, isLive]) =>
    price === undefined
      ? []
      : [
          {
            reason,
            price: as(price),
            distancePercent: mark === undefined || mark === ZERO ? null : distancePercent(price, mark),
            armed: isLive && isWatched && wants === "run" && state.exit === null,
          },
        ],
  );
}

const distancePercent = (price: Decimal, mark: Decimal): number =>
  wire(roundToStep(div((price - mark) * 100n, mark, "half"), ONE / 100n, "half"));

/** Describes a stop or trigger price with its distance. */
export function describeStopPrice({ reason, price, distancePercent, armed }: StopPriceOut): string {
  const word = reason.replace("_", " ");
  const away =
    distancePercent === null
      ? ""
      : `, ${Math.abs(distancePercent)} % ${distancePercent < 0 ? "below" : "above"} the price`;
  return `${word} at ${plainNumber(price)}${away}, ${armed ? "armed" : "not armed"}`;
}
