import { SANDBOX_TIMING } from "../../src/adapters/sandbox/venue.ts";
import { type Decimal, decimal } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Market, Timing } from "../../src/ports.ts";
import type { Random } from "./random.ts";

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;
/** The price of every symbol at the start, in ticks of 0.01. */
export const TICKS = 10_000;
export const SYMBOLS: readonly Pair[] = ["AAA/USDT", "BBB/USDT"];

/** As of a real venue: requests expire after 5 s, reads lag up to a minute. */
export const REAL_TIMING: Timing = {
  leaseTtl: 45_000,
  requestTimeout: 10_000,
  expiry: 5000,
  skew: 1000,
  readLag: 60_000,
  secondMiss: 20_000,
  overlap: 60_000,
  backoff: { first: 15_000, most: 300_000 },
};

export type Deed =
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
  | { readonly kind: "kill"; readonly on: boolean }
  | {
      readonly kind: "hand";
      readonly symbol: Pair;
      readonly side: "buy" | "sell";
      readonly price: Decimal;
      readonly amount: Decimal;
    }
  | { readonly kind: "hand_cancel_all"; readonly symbol: Pair }
  | {
      readonly kind: "outside_order";
      readonly symbol: Pair;
      readonly side: "buy" | "sell";
      readonly price: Decimal;
    }
  | { readonly kind: "outside_cancel"; readonly nth: number }
  | { readonly kind: "deposit"; readonly asset: string; readonly amount: Decimal }
  | { readonly kind: "duplicate_tick" | "backup" | "restore" | "kill_process" }
  | { readonly kind: "outage"; readonly what: "store" | "venue"; readonly millis: number }
  | { readonly kind: "maintenance"; readonly millis: number };

/** Everything about a run that is drawn before it begins. */
export interface Plan {
  readonly timing: Timing;
  readonly interval: number;
  readonly processes: number;
  /** Faults and deeds happen before this time; after it everything has to come right. */
  readonly quietAt: number;
  readonly endAt: number;
  readonly skew: number;
  readonly late: boolean;
  readonly parts: boolean;
  readonly market: Omit<Market, "symbol" | "base" | "quote">;
  readonly holdings: Readonly<Record<string, Decimal>>;
  readonly deeds: readonly { readonly at: number; readonly deed: Deed }[];
}

/** What the venue is relied upon for, and does not keep here. */
export type Bound = "expiry" | "skew" | "read lag";

export interface Shape {
  readonly ticks: number;
  readonly broken?: Bound;
  /** Nothing but one start, and a stop where asked for. */
  readonly calm?: "run" | "stop";
  readonly timing?: "sandbox" | "real";
  /** The first knows range grids without options; seeds from a million on are of the second. */
  readonly edition?: 1 | 2;
  /** Of a calm run: the deeds of this kind of grid. */
  readonly grid?: "range" | "trail" | "centered" | "exit";
}

export function planOf(random: Random, { ticks, calm, timing: asked, edition = 1, grid }: Shape): Plan {
  const isReal = asked === undefined ? random.chance(0.5) : asked === "real";
  const timing = isReal ? REAL_TIMING : SANDBOX_TIMING;
  const interval = isReal ? 5000 : 1000;
  const quietAt = START + ticks * interval;
  const settling =
    timing.leaseTtl + timing.expiry + timing.skew + timing.readLag + timing.secondMiss + 190_000;
  const late = !calm && isReal && random.chance(0.5);
  return {
    timing,
    interval,
    processes: calm ? 1 : random.whole(1, 2),
    quietAt,
    // The longest that anything may still be on its way, and the wait for trades that never come.
    endAt: quietAt + (calm && !late ? settling - 100_000 : settling) + (late ? 660_000 : 0) + 4 * interval,
    skew: isReal ? random.whole(-timing.skew, timing.skew) : 0,
    late,
    parts: !calm || random.chance(0.5),
    market: {
      tick: decimal("0.01"),
      lot: decimal("0.001"),
      minAmount: decimal("0.001"),
      minNotional: decimal("5"),
      active: true,
      maker: decimal("0.001"),
      taker: decimal("0.001"),
      buyFeeIn: random.pick(["base", "quote"]),
    },
    holdings: {
      USDT: decimal(random.pick(["100000", "100000", "700"])),
      AAA: decimal(random.pick(["100", "3", "0"])),
      BBB: decimal("50"),
    },
    deeds: calm
      ? calmDeeds(random, { calm, quietAt, grid })
      : edition === 1
        ? wildDeeds(random, { interval, quietAt }, (symbol) => start(random, symbol))
        : wildDeeds(random, { interval, quietAt }, (symbol) => startOfAny(random, symbol)).map(
            ({ at, deed }) => ({
              at,
              deed: deed.kind === "stop" && !deed.keep && random.chance(0.5) ? { ...deed, sell: true } : deed,
            }),
          ),
  };
}

const price = (random: Random, percent: number): Decimal =>
  (decimal("1") * BigInt(Math.round(10_000 + (random.share() * 2 - 1) * percent * 100))) / 100n;

function start(random: Random, symbol: Pair): Deed {
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

const share = (random: Random, least: number, most: number): Decimal =>
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

function startOfAny(random: Random, symbol: Pair): Deed {
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

function calmDeeds(
  random: Random,
  { calm, quietAt, grid = "range" }: { calm: "run" | "stop"; quietAt: number; grid: Shape["grid"] },
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

function wildDeeds(
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
  maybe(0.4, 4, () => ({
    kind: "hand",
    symbol: random.pick(SYMBOLS),
    side: random.pick(["buy", "sell"]),
    price: price(random, 10),
    amount: decimal("0.5"),
  }));
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
