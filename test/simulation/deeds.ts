import { type Decimal, decimal } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { LimitSettings } from "../../src/model/limits.ts";
import type { Market } from "../../src/model/market.ts";
import type { Random } from "./random.ts";
import { type Shape, START, SYMBOLS } from "./shape.ts";

export const JUMPING_CLOCKS = ["database", "process", "exchange"] as const;
export type JumpingClock = (typeof JUMPING_CLOCKS)[number];

export type Deed = Act & {
  /** The first one where nothing is said. */
  readonly exchange?: string;
};

type Act =
  | {
      readonly kind: "start";
      readonly symbol: Pair;
      readonly lower: Decimal;
      readonly upper: Decimal;
      readonly levels: number;
      readonly size: Decimal;
      readonly options?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: "start_centered";
      readonly symbol: Pair;
      readonly options: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "stop"; readonly nth: number; readonly keep: boolean; readonly sell?: boolean }
  | { readonly kind: "pause" | "run"; readonly nth: number }
  | { readonly kind: "edit"; readonly nth: number; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "kill"; readonly on: boolean }
  /** Asked again until it has been heard. */
  | { readonly kind: "panic"; readonly sell: boolean }
  | {
      readonly kind: "hand";
      readonly symbol: Pair;
      readonly side: "buy" | "sell";
      readonly price: Decimal;
      readonly amount: Decimal;
    }
  /** By hand at the price of an order of ours, or beyond it, on the side that would meet it. */
  | { readonly kind: "hand_against_own"; readonly nth: number; readonly beyond: Decimal }
  /** A buy and a sell by hand at once, at one price. */
  | { readonly kind: "hand_both"; readonly symbol: Pair; readonly price: Decimal }
  | { readonly kind: "hand_cancel_all"; readonly symbol: Pair }
  | {
      readonly kind: "outside_order";
      readonly symbol: Pair;
      readonly side: "buy" | "sell";
      readonly price: Decimal;
    }
  | { readonly kind: "outside_cancel"; readonly nth: number }
  | { readonly kind: "deposit"; readonly asset: string; readonly amount: Decimal }
  | { readonly kind: "duplicate_tick" | "hint" | "backup" | "restore" | "kill_process" }
  /** What is committed after the first is gone with the second, and nobody says so. */
  | { readonly kind: "keep_tail" | "lose_tail" }
  /** The database's clock is this far from where it was at the start. */
  | { readonly kind: "clock_step"; readonly millis: number }
  /** One clock alone is this far off for so long. */
  | {
      readonly kind: "clock_jump";
      readonly clock: JumpingClock;
      readonly millis: number;
      readonly lasts: number;
    }
  | { readonly kind: "outage"; readonly what: "store" | "venue"; readonly millis: number }
  | { readonly kind: "maintenance"; readonly millis: number }
  | { readonly kind: "limits"; readonly settings: LimitSettings }
  /** Quotes, by their own operations: `fields` as a person writes them. */
  | { readonly kind: "start_quote"; readonly symbol: Pair; readonly fields: Fields }
  | { readonly kind: "edit_quote"; readonly nth: number; readonly fields: Fields }
  /** The market has other rules from now on; its price stays what it is. */
  | { readonly kind: "rules"; readonly symbol: Pair; readonly rules: Partial<MarketRules> }
  | { readonly kind: "delist"; readonly symbol: Pair }
  | { readonly kind: "exchange_down"; readonly millis: number }
  /** One of the exchange's reads answers nothing, and the others go on. */
  | { readonly kind: "endpoint_down"; readonly names: readonly string[]; readonly millis: number };

export type MarketRules = Pick<Market, "tick" | "lot" | "minAmount" | "minNotional" | "maker" | "taker">;

export type Fields = Readonly<Record<string, unknown>>;

const price = (random: Random, percent: number): Decimal =>
  (decimal("1") * BigInt(Math.round(10_000 + (random.share() * 2 - 1) * percent * 100))) / 100n;

export function start(random: Random, symbol: Pair): Deed {
  const half = random.whole(2, 15);
  const center = 100 + random.whole(-3, 3);
  return {
    kind: "start",
    symbol,
    lower: decimal(String(center - half)),
    upper: decimal(String(center + half)),
    levels: random.whole(2, 6),
    size: decimal(String(random.whole(20, 200))),
  };
}

type Start = Extract<Deed, { kind: "start" }>;
type Options = Readonly<Record<string, unknown>>;

/** In thousandths. */
export const share = (random: Random, least: number, most: number): Decimal =>
  (decimal("1") * BigInt(random.whole(least, most))) / 1000n;
const plus = (value: Decimal, whole: number): Decimal =>
  value + decimal(String(Math.abs(whole))) * (whole < 0 ? -1n : 1n);

const trailOf = (random: Random, { lower, upper }: Start): Options => ({
  trail: {
    ...(random.chance(0.7) ? { up: plus(upper, random.whole(2, 20)) } : {}),
    ...(random.chance(0.7) ? { down: plus(lower, -random.whole(2, 20)) } : {}),
  },
});

const exitOf = (random: Random, { lower, upper }: Start): Options => ({
  ...(random.chance(0.7) ? { stopLossPrice: plus(lower, -random.whole(1, 3)) } : {}),
  ...(random.chance(0.5) ? { takeProfitPrice: plus(upper, random.whole(1, 3)) } : {}),
});

function startWith(random: Random, symbol: Pair, options: (random: Random, start: Start) => Options): Start {
  const plain = start(random, symbol) as Start;
  return { ...plain, options: options(random, plain) };
}

function startCentered(random: Random, symbol: Pair): Deed {
  const isVolatile = random.chance(0.3);
  return {
    kind: "start_centered",
    symbol,
    options: {
      levels: random.whole(1, 4),
      spacing: share(random, 5, 30),
      size: decimal(String(random.whole(20, 200))),
      confidence: 0n,
      deviation: share(random, 2, 15),
      deviationFrom: random.pick(["edge", "edge", "center"]),
      debounce: random.whole(1000, 60_000),
      maxPosition: share(random, 100, 1000),
      safetyReserve: share(random, 0, 300),
      spacingModel: random.pick(["linear", "geometric"]),
      spacingFactor: decimal("1.3"),
      sizeModel: random.pick(["flat", "pyramidal"]),
      volatility: isVolatile,
      volatilityLow: share(random, 1, 5),
      volatilityHigh: share(random, 10, 40),
      initialBuy: random.chance(0.3),
      ...(random.chance(0.3) ? { allowLoss: true } : {}),
    },
  };
}

export function startOfAny(random: Random, symbol: Pair): Deed {
  if (random.chance(0.4)) return startCentered(random, symbol);
  return startWith(random, symbol, (_, plain) => ({
    ...(random.chance(0.3) ? { spacingModel: "geometric" } : {}),
    ...(random.chance(0.3) ? { initialBuy: true } : {}),
    ...(random.chance(0.2) ? { useOwnBase: false } : {}),
    ...(random.chance(0.4) ? exitOf(random, plain) : {}),
    ...(random.chance(0.4) ? trailOf(random, plain) : {}),
    ...(random.chance(0.15) ? { triggerPrice: plus(plain.lower, random.whole(0, 6)) } : {}),
    ...(random.chance(0.2) ? { maxPosition: share(random, 100, 900) } : {}),
    ...(random.chance(0.2) ? { safetyReserve: share(random, 10, 300) } : {}),
    ...(random.chance(0.3) ? { allowLoss: true } : {}),
  }));
}

export function calmDeeds(
  random: Random,
  {
    calm,
    quietAt,
    grid = "range",
  }: { calm: NonNullable<Shape["calm"]>; quietAt: number; grid: Shape["grid"] },
) {
  const symbol = "AAA/USDT";
  const deed =
    grid === "centered"
      ? startCentered(random, symbol)
      : grid === "range"
        ? start(random, symbol)
        : startWith(random, symbol, grid === "trail" ? trailOf : exitOf);
  const first = { at: START + 100, deed };
  const middle = START + (quietAt - START) * 0.6;
  if (calm === "panic") {
    const byHand = {
      at: START + (quietAt - START) * 0.3,
      deed: { ...handDeed(random), side: "buy" } as Deed,
    };
    return [first, byHand, { at: middle, deed: { kind: "panic", sell: grid === "exit" } as Deed }];
  }
  if (calm === "edit") {
    const fields = { lowerPrice: decimal("92"), upperPrice: decimal("107"), gridLevels: 5 };
    return [first, { at: middle, deed: { kind: "edit", nth: 0, fields } as Deed }];
  }
  return calm === "run"
    ? [first]
    : [
        first,
        {
          at: middle,
          deed: { kind: "stop", nth: 0, keep: false, ...(grid === "exit" ? { sell: true } : {}) } as Deed,
        },
      ];
}

/** People who place orders where ours rest. */
export function againstOwn(random: Random, { quietAt }: { quietAt: number }): { at: number; deed: Deed }[] {
  const any = () => START + random.whole(0, Math.floor((quietAt - START) * 0.95));
  return Array.from({ length: random.whole(4, 16) }, () => ({
    at: any(),
    deed: random.chance(0.7)
      ? {
          kind: "hand_against_own" as const,
          nth: random.whole(0, 20),
          beyond: random.chance(0.5) ? 0n : decimal(String(random.whole(1, 4))),
        }
      : { kind: "hand_both" as const, symbol: random.pick(SYMBOLS), price: price(random, 5) },
  }));
}

export function wildDeeds(
  random: Random,
  { interval, quietAt }: { interval: number; quietAt: number },
  begin: (symbol: Pair) => Deed,
) {
  const span = quietAt - START;
  const deeds: { at: number; deed: Deed }[] = [];
  const early = () => START + random.whole(50, 10 * interval);
  const any = () => START + random.whole(0, Math.floor(span * 0.95));
  deeds.push({ at: early(), deed: begin("AAA/USDT") });
  if (random.chance(0.6)) deeds.push({ at: early(), deed: begin(random.pick(SYMBOLS)) });
  if (random.chance(0.25)) deeds.push({ at: early(), deed: begin(random.pick(SYMBOLS)) });
  const maybe = (probability: number, most: number, make: () => Deed) => {
    for (let left = most; left > 0 && random.chance(probability); left--)
      deeds.push({ at: any(), deed: make() });
  };
  maybe(0.3, 2, () => ({ kind: "stop", nth: random.whole(0, 2), keep: random.chance(0.2) }));
  maybe(0.2, 2, () => ({ kind: "pause", nth: random.whole(0, 2) }));
  maybe(0.3, 3, () => ({ kind: "run", nth: random.whole(0, 2) }));
  maybe(0.15, 2, () => ({ kind: "kill", on: true }));
  maybe(0.3, 2, () => ({ kind: "kill", on: false }));
  maybe(0.4, 4, () => handDeed(random));
  maybe(0.1, 1, () => ({ kind: "hand_cancel_all", symbol: random.pick(SYMBOLS) }));
  maybe(0.3, 2, () => ({
    kind: "outside_order",
    symbol: random.pick(SYMBOLS),
    side: random.pick(["buy", "sell"]),
    price: price(random, 10),
  }));
  maybe(0.4, 4, () => ({ kind: "outside_cancel", nth: random.whole(0, 9) }));
  maybe(0.3, 2, () => ({
    kind: "deposit",
    asset: random.pick(["USDT", "AAA"]),
    amount: decimal(String(random.whole(-50, 50))),
  }));
  maybe(0.5, 6, () => ({ kind: "duplicate_tick" }));
  maybe(0.3, 2, () => ({ kind: "kill_process" }));
  maybe(0.2, 2, () => ({
    kind: "outage",
    what: random.pick(["store", "venue"]),
    millis: random.whole(1000, 120_000),
  }));
  maybe(0.1, 1, () => ({ kind: "maintenance", millis: random.whole(1000, 120_000) }));
  if (random.chance(0.1)) {
    const at = START + random.whole(20 * interval, Math.floor(span * 0.5));
    deeds.push(
      { at, deed: { kind: "backup" } },
      { at: at + random.whole(interval, Math.floor(span * 0.4)), deed: { kind: "restore" } },
    );
  }
  return deeds.sort((a, b) => a.at - b.at);
}

/** Another range, other levels or sizes, another stop price; whatever does not fit the grid is refused. */
export function editDeed(random: Random): Deed {
  const half = random.whole(2, 15);
  const center = 100 + random.whole(-6, 6);
  const lower = decimal(String(center - half));
  const some = (probability: number, make: () => object) => (random.chance(probability) ? make() : {});
  return {
    kind: "edit",
    nth: random.whole(0, 2),
    fields: {
      ...some(0.6, () => ({ lowerPrice: lower, upperPrice: decimal(String(center + half)) })),
      ...some(0.4, () => ({ gridLevels: random.whole(1, 3) * 2 })),
      ...some(0.4, () => ({ orderSize: decimal(String(random.whole(20, 200))) })),
      ...some(0.1, () => ({ spacing: share(random, 5, 30) })),
      ...some(0.15, () => ({ stopLossPrice: plus(lower, -random.whole(1, 10)) })),
      ...some(0.15, () => ({ stopLossPrice: 0 })),
      ...some(0.2, () => ({ allowLoss: random.chance(0.5) })),
    },
  };
}

export const handDeed = (random: Random): Deed => ({
  kind: "hand",
  symbol: random.pick(SYMBOLS),
  side: random.pick(["buy", "sell"]),
  price: price(random, 10),
  amount: decimal("0.5"),
});

/** Limits that grids meet now and then: some are drawn tight, and each may be taken away again. */
export function limitsDeed(random: Random, interval: number): Deed {
  const usdt = (least: number, most: number) => ({ USDT: decimal(String(random.whole(least, most))) });
  const some = <T>(probability: number, make: () => T): T | null =>
    random.chance(probability) ? make() : null;
  return {
    kind: "limits",
    settings: {
      orderNotional: some(0.5, () => usdt(30, 250)),
      dayNotional: some(0.5, () => usdt(100, 4000)),
      openOrders: some(0.4, () => random.whole(1, 12)),
      orderGapMillis: some(0.2, () => random.whole(1, 4) * interval),
      strategyLoss: some(0.3, () => usdt(1, 30)),
      accountLoss: some(0.2, () => usdt(1, 60)),
      onLoss: random.pick(["pause", "stop"]),
    },
  };
}
