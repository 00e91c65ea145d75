/** Random inputs for every operation that trades, around the current price. */

import { starts } from "../../support/starts.ts";
import type { Random } from "../random.ts";

export type Input = Readonly<Record<string, unknown>>;

export interface Market {
  readonly exchange: string;
  readonly symbol: string;
  readonly mid: number;
}

/** What exists already, for actions that need an id. */
export interface Targets {
  readonly grids: readonly { readonly id: string; readonly isCentered: boolean }[];
  readonly quotes: readonly string[];
  readonly orders: readonly string[];
}

export interface Drawn {
  readonly tool: string;
  /** What a tool of many definitions starts. */
  readonly starts?: string;
  readonly input: Input;
}

/** Rounds to five digits, as a person types it. */
const figure = (value: number): number => Number(value.toPrecision(5));
const between = (random: Random, least: number, most: number): number =>
  figure(least + random.share() * (most - least));
/** Draws small values as often as large ones. */
const size = (random: Random, least: number, most: number): number =>
  figure(least * (most / least) ** random.share());
const maybe = (random: Random, share: number, make: () => Input): Input =>
  random.chance(share) ? make() : {};

function gridOptions(random: Random): Input {
  return {
    allowLoss: true,
    ...maybe(random, 0.5, () => ({ useOwnBase: random.chance(0.5) })),
    ...maybe(random, 0.2, () => ({ initialBuy: true })),
    ...maybe(random, 0.2, () => ({ postOnly: false })),
    ...maybe(random, 0.03, () => ({ dryRun: true })),
  };
}

function rangeOf(random: Random, mid: number) {
  const center = mid * between(random, 0.97, 1.03);
  const half = size(random, 0.003, 0.06);
  return { lowerPrice: figure(center * (1 - half)), upperPrice: figure(center * (1 + half)) };
}

function stopPrices(random: Random, { lowerPrice, upperPrice }: ReturnType<typeof rangeOf>): Input {
  return {
    ...maybe(random, 0.3, () => ({ stopLossPrice: figure(lowerPrice * between(random, 0.97, 0.999)) })),
    ...maybe(random, 0.2, () => ({ takeProfitPrice: figure(upperPrice * between(random, 1.001, 1.03)) })),
  };
}

export function drawGrid(random: Random, { exchange, symbol, mid }: Market): Drawn {
  const range = rangeOf(random, mid);
  return {
    tool: "start_grid",
    input: {
      exchange,
      symbol,
      ...range,
      gridLevels: random.whole(2, 8),
      orderSize: size(random, 10, 3000),
      ...gridOptions(random),
      ...stopPrices(random, range),
      ...maybe(random, 0.1, () => ({ triggerPrice: figure(mid * between(random, 0.985, 1.015)) })),
      ...maybe(random, 0.2, () => ({
        trail: {
          up: figure(range.upperPrice * between(random, 1.005, 1.05)),
          down: figure(range.lowerPrice * between(random, 0.95, 0.995)),
        },
      })),
      ...maybe(random, 0.2, () => ({ spacingModel: "geometric" })),
      ...maybe(random, 0.1, () => ({ maxPosition: between(random, 0.01, 0.9) })),
      ...maybe(random, 0.1, () => ({ safetyReserve: between(random, 0.01, 0.9) })),
    },
  };
}

function drawnStart(definition: string, fields: Input): Drawn {
  const [tool, input] = starts(definition, fields);
  return { tool, starts: definition, input };
}

export function drawCentered(random: Random, { exchange, symbol }: Market): Drawn {
  return drawnStart("centered", {
    exchange,
    symbol,
    levels: random.whole(1, 4),
    spacing: size(random, 0.002, 0.02),
    size: size(random, 10, 500),
    maxPosition: size(random, 0.003, 0.8),
    safetyReserve: between(random, 0, 0.5) || 0.01,
    deviation: size(random, 0.002, 0.02),
    deviationFrom: random.pick(["edge", "center"]),
    ...gridOptions(random),
  });
}

export function drawQuotes(random: Random, { exchange, symbol, mid }: Market): Drawn {
  return drawnStart("quote", {
    exchange,
    symbol,
    spreadPercent: size(random, 0.1, 2),
    levels: random.whole(1, 3),
    ...(random.chance(0.8)
      ? { size: size(random, 10, 3000) }
      : { depth: size(random, 100, 3000), withinPercent: 3 }),
    baseBudget: figure(size(random, 20, 30_000) / mid),
    quoteBudget: size(random, 20, 30_000),
    volatilityFactor: 0,
    useOthers: false,
    useDex: false,
    ...maybe(random, 0.1, () => ({ maxLoss: size(random, 1, 1000) })),
    ...maybe(random, 0.03, () => ({ dryRun: true })),
  });
}

export function drawOrder(random: Random, { exchange, symbol, mid }: Market): Drawn {
  const type = random.pick(["limit", "market"] as const);
  return {
    tool: "create_order",
    input: {
      exchange,
      symbol,
      type,
      side: random.pick(["buy", "sell"]),
      amount: figure(size(random, 10, 20_000) / mid),
      ...(type === "limit" ? { price: figure(mid * between(random, 0.97, 1.03)) } : {}),
    },
  };
}

function drawGridEdit(random: Random, mid: number, { id, isCentered }: Targets["grids"][number]): Drawn {
  const shared = {
    ...maybe(random, 0.4, () => ({ gridLevels: 2 * random.whole(1, 4) })),
    ...maybe(random, 0.5, () => ({ orderSize: size(random, 10, 3000) })),
    allowLoss: true,
  };
  const changed = (config: object): Drawn => ({ tool: "edit_strategy", input: { id, config } });
  if (isCentered) return changed({ ...shared, spacing: size(random, 0.002, 0.02) });
  const range = rangeOf(random, random.chance(0.3) ? mid * 1.08 : mid);
  return changed({
    ...shared,
    ...maybe(random, 0.6, () => range),
    ...(random.chance(0.2) ? { stopLossPrice: 0 } : stopPrices(random, range)),
  });
}

const anyOf = <T>(random: Random, list: readonly T[]): T | undefined =>
  list.length === 0 ? undefined : random.pick(list);

/** Draws any action of the limited caller. Returns undefined if it needs an id and nothing exists. */
export function drawAction(random: Random, market: Market, targets: Targets): Drawn | undefined {
  const { exchange, symbol, mid } = market;
  const grid = anyOf(random, targets.grids);
  const quotes = anyOf(random, targets.quotes);
  const order = anyOf(random, targets.orders);
  const sells = { sellBase: random.chance(0.6) };
  const drawn: readonly (() => Drawn | undefined)[] = [
    () => drawGrid(random, market),
    () => drawCentered(random, market),
    () => drawQuotes(random, market),
    () => drawOrder(random, market),
    () =>
      order === undefined ? undefined : { tool: "cancel_order", input: { exchange, symbol, id: order } },
    () => ({ tool: "cancel_all_orders", input: { exchange, ...maybe(random, 0.5, () => ({ symbol })) } }),
    () => grid && { tool: "stop_strategy", input: { id: grid.id, cancelOrders: true, ...sells } },
    () => grid && { tool: "stop_strategy", input: { id: grid.id, cancelOrders: false } },
    () => grid && { tool: "pause_strategy", input: { id: grid.id } },
    () => grid && { tool: "resume_strategy", input: { id: grid.id } },
    () => grid && drawGridEdit(random, mid, grid),
    () => grid && drawGridEdit(random, mid, grid),
    () => (quotes === undefined ? undefined : { tool: "stop_strategy", input: { id: quotes, ...sells } }),
    () => (quotes === undefined ? undefined : { tool: "pause_strategy", input: { id: quotes } }),
    () => (quotes === undefined ? undefined : { tool: "resume_strategy", input: { id: quotes } }),
    () =>
      quotes === undefined
        ? undefined
        : {
            tool: "edit_strategy",
            input: {
              id: quotes,
              config: { size: size(random, 10, 5000), spreadPercent: size(random, 0.1, 2) },
            },
          },
  ];
  return random.pick(drawn)();
}
