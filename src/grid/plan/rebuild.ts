import { ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Market, Quote } from "../../model/market.ts";
import { layAround } from "../ladder/centered.ts";
import { checkMinimum } from "../ladder/check-rules.ts";
import { layOut } from "../ladder/layout.ts";
import { ascends, levelsFrom } from "../ladder/levels.ts";
import { wideningOf } from "../ladder/volatility.ts";
import { drawAll, releaseInventory } from "../ledger/draw.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState } from "../state/state.ts";

interface RebuildMarket {
  readonly market: Market;
  readonly quote: Quote;
}

function laid(config: GridConfig, state: GridState, { market, quote }: RebuildMarket) {
  const { centered, orderSize } = config;
  const mid = midOf(quote);
  if (!centered) {
    const levels = levelsFrom(config, market.tick);
    return { center: mid, levels, slots: layOut(levels, orderSize, mid), widening: ONE };
  }
  const widening = centered.volatility
    ? (wideningOf(centered.volatility, state, quote.at) ?? state.widening)
    : ONE;
  const around = { config: centered, orderSize, mid, widening, tick: market.tick };
  return { ...layAround(around), widening };
}

/** Returns why the new grid cannot be placed; undefined if it can. Runs before anything is canceled. */
export function obstacle(config: GridConfig, state: GridState, inputs: RebuildMarket): string | undefined {
  const { levels, slots } = laid(config, state, inputs);
  if (!ascends(levels)) return "two of the new levels fall on one price";
  try {
    checkMinimum(slots, inputs.market, {
      name: config.centered ? "size" : "orderSize",
      size: config.orderSize,
    });
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Rebuilds the grid around the mid price after all its orders ended. The slots' base keeps its cost: it goes to the
 * new selling slots, and the rest becomes idle.
 */
export function layOutAnew(config: GridConfig, state: GridState, inputs: RebuildMarket): GridState {
  const { center, slots, widening } = laid(config, state, inputs);
  const emptied = releaseInventory(state, () => true);
  const fresh: GridState = {
    ...emptied,
    generation: state.rebuild?.generation ?? state.generation + 1,
    slots,
    center,
    laidAt: inputs.quote.at,
    widening,
    rebuild: null,
    // Steps count from the bounds of the configuration, which are those of the new levels.
    trail: { way: null, steps: 0 },
    firstBuy: config.centered ? emptied.firstBuy : null,
    refused: [],
  };
  return drawAll(fresh, config, inputs.market);
}
