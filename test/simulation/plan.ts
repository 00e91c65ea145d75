import { SANDBOX_TIMING } from "../../src/adapters/sandbox/venue.ts";
import { type Decimal, decimal } from "../../src/kernel/decimal.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { Market } from "../../src/model/market.ts";
import type { Timing } from "../../src/ports/venue.ts";
import {
  againstOwn,
  calmDeeds,
  type Deed,
  editDeed,
  handDeed,
  JUMPING_CLOCKS,
  limitsDeed,
  share,
  start,
  startOfAny,
  wildDeeds,
} from "./deeds.ts";
import { ofNewEdition, withHintsAs } from "./editions.ts";
import { TOKEN } from "./fee-token.ts";
import type { Random } from "./random.ts";
import { type Edition, IS_OF, type Shape, START, SYMBOLS } from "./shape.ts";

/** As of a real venue: requests expire after 5 s, reads lag up to a minute. */
export const REAL_TIMING: Timing = {
  leaseTtl: 45_000,
  requestTimeout: 10_000,
  expiry: 5000,
  skew: 1000,
  readLag: 60_000,
  secondMiss: 20_000,
  overlap: 60_000,
  tradesEvery: 60_000,
  backoff: { first: 15_000, max: 300_000 },
};

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
  /** The venue takes its fees in a token of its own. */
  readonly tokenFees: boolean;
  /** Other places tell other prices now and then. */
  readonly doubts: boolean;
  /** How old every read of orders and trades is. */
  readonly lag: number;
  /** Faults are a mix of the seed's own, and bounds are played to the bound. */
  readonly atBounds: boolean;
  /** Its database loses what it wrote last, is put back more than once, and its clock steps. */
  readonly shaken: boolean;
  /** The venue tells of many orders in one call. */
  readonly looksAtMany: boolean;
  /** The share of records of more than one strategy that the store refuses as a whole. */
  readonly refused: number;
  /** How often the service believes it steps its accounts: it says where nobody watches a stop price. */
  readonly watchedEvery: number | undefined;
  /** Clocks jump, each alone. */
  readonly jumps: boolean;
  readonly edition: Edition;
  /** Until faults end, processes whose stream is live pause for so many intervals between ticks. */
  readonly quietTicks?: number;
  /** When other places give no price, or the exchange no book, after all else is quiet. */
  readonly silence?: { readonly from: number; readonly to: number; readonly of: "others" | "own" };
}

/** Processes that die and databases that are away leave orders whose answer nobody has written down. */
const UNANSWERED = new Set<Deed["kind"]>(["kill_process", "outage", "backup", "restore"]);

export function planOf(random: Random, shape: Shape): Plan {
  const plan = withHintsAs(shape.hints, drawn(random, shape));
  const isAnswered = shape.broken === "steady lag, all answered";
  return isAnswered ? { ...plan, deeds: plan.deeds.filter(({ deed }) => !UNANSWERED.has(deed.kind)) } : plan;
}

function drawn(random: Random, { ticks, calm, timing: request, edition = 1, grid, strategy }: Shape): Plan {
  const isReal = request === undefined ? edition === 10 || random.chance(0.5) : request === "real";
  const timing = isReal ? REAL_TIMING : SANDBOX_TIMING;
  const interval = isReal ? 5000 : 1000;
  const quietAt = START + ticks * interval;
  const settling =
    timing.leaseTtl +
    timing.expiry +
    timing.skew +
    timing.readLag +
    timing.secondMiss +
    timing.tradesEvery +
    190_000;
  // So long a spread that has widened with the price takes to be what was asked for.
  const calming =
    strategy === "quote" || edition === IS_OF.quotesBesideGrids || edition === IS_OF.endings ? HOUR : 0;
  const late = !calm && isReal && random.chance(0.5);
  const plan: Plan = {
    timing,
    interval,
    processes: calm ? 1 : random.whole(1, 2),
    quietAt,
    // The longest that anything may still be on its way, and the wait for trades that never come.
    endAt:
      quietAt +
      (calm && !late ? settling - 100_000 : settling) +
      (late ? 660_000 : 0) +
      120 * interval +
      calming,
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
        : wildDeeds(random, { interval, quietAt }, (symbol) => startOfAny(random, symbol)).map((one) =>
            sellingStop(random, one),
          ),
    tokenFees: false,
    doubts: false,
    lag: 0,
    atBounds: false,
    shaken: false,
    looksAtMany: false,
    refused: 0,
    watchedEvery: undefined,
    jumps: false,
    edition,
  };
  if (edition < 3) return plan;
  const third = withEdition3(random, plan, calm !== undefined);
  if (edition < 4 || calm) return third;
  if (edition === 5) return withLimits(random, third);
  if (edition === 7) return withEdits(random, third);
  if (edition === 8) return shaken(random, third);
  if (edition === 10) return withJumps(random, atBounds(random, third));
  if (edition > 10) return ofNewEdition(random, atBounds(random, third));
  if (edition === 9) return withMany(random, atBounds(random, third));
  if (edition > 5) return atBounds(random, third);
  const deeds = [...third.deeds, ...againstOwn(random, { quietAt })];
  return { ...third, deeds: deeds.sort((a, b) => a.at - b.at) };
}

/** Its clock is off by the whole skew, and all of its reads may be as old as they may be. */
function atBounds(random: Random, plan: Plan): Plan {
  const { skew, readLag } = plan.timing;
  return {
    ...plan,
    atBounds: true,
    skew: random.pick([-skew, 0, skew]),
    lag: random.pick([0, 0, readLag]),
  };
}

const withMany = (random: Random, plan: Plan): Plan => ({
  ...plan,
  looksAtMany: random.chance(0.7),
  refused: random.pick([0, 0.1, 0.5]),
  watchedEvery: random.chance(0.7) ? plan.interval : undefined,
});

/** Two minutes, an hour and a day, ahead or behind, for less than a minute or for some. */
const JUMPS = [2 * MINUTE, HOUR, DAY].flatMap((by) => [by, -by]);

/** One clock at a time jumps, and is right again before the next one does. */
function withJumps(random: Random, plan: Plan): Plan {
  const count = random.whole(1, 3);
  const span = (plan.quietAt - START) / count;
  const jumps = Array.from({ length: count }, (_, place): Due => {
    const lasts = Math.floor(span * (random.chance(0.5) ? 0.02 : 0.4 * random.share()));
    const at = START + Math.floor(span * (place + 0.05 + 0.5 * random.share()));
    const [clock, millis] = [random.pick(JUMPING_CLOCKS), random.pick(JUMPS)];
    return { at, deed: { kind: "clock_jump", clock, millis, lasts } };
  });
  return { ...plan, jumps: true, deeds: [...plan.deeds, ...jumps].sort((a, b) => a.at - b.at) };
}

type Due = Plan["deeds"][number];

/** Of what an older database has forgotten the open list and trades tell, as far as they show all at once. */
function shaken(random: Random, plan: Plan): Plan {
  const { interval, timing } = plan;
  const span = plan.quietAt - START;
  const any = (from: number, to: number) => START + Math.floor(span * (from + (to - from) * random.share()));
  const tails = Array.from({ length: random.whole(0, 3) }, () => any(0.05, 0.9)).flatMap((at): Due[] => [
    { at, deed: { kind: "keep_tail" } },
    { at: at + random.whole(50, 20 * interval), deed: { kind: "lose_tail" } },
  ]);
  const back = any(0.1, 0.4);
  const restores = Array.from({ length: random.pick([0, 2, 3]) }, (_, i): Due[] => [
    { at: any(0.4, 0.95), deed: { kind: "restore" } },
    ...(i === 0 ? [{ at: back, deed: { kind: "backup" as const } }] : []),
  ]).flat();
  // Beside the venue's clock, which is off by less: together they keep within the bound.
  const half = Math.floor(timing.skew / 2);
  const steps = Array.from({ length: random.whole(0, 4) }, (): Due => {
    return { at: any(0.05, 0.95), deed: { kind: "clock_step", millis: random.whole(-half, half) } };
  });
  const own = plan.deeds.filter(({ deed }) => deed.kind !== "backup" && deed.kind !== "restore");
  return {
    ...plan,
    late: false,
    lag: 0,
    shaken: true,
    skew: random.whole(-half, half),
    deeds: [...own, ...tails, ...restores, ...steps].sort((a, b) => a.at - b.at),
  };
}

const sellingStop = (random: Random, { at, deed }: Due): Due => ({
  at,
  deed: deed.kind === "stop" && !deed.keep && random.chance(0.5) ? { ...deed, sell: true } : deed,
});

function withEdition3(random: Random, plan: Plan, always: boolean): Plan {
  return {
    ...plan,
    tokenFees: always || random.chance(0.5),
    doubts: true,
    lag: random.chance(0.3) ? random.whole(0, plan.timing.readLag) : 0,
    holdings: { ...plan.holdings, [TOKEN]: decimal(random.pick(["100000", "1.01"])) },
    deeds: [...plan.deeds, ...(always ? [] : lateStarts(random, plan))]
      .map(({ at, deed }) => ({ at, deed: doubting(random, deed) }))
      .sort((a, b) => a.at - b.at),
  };
}

/** Limits from the beginning, and others later: people raise and lower them while orders are under way. */
function withLimits(random: Random, plan: Plan): Plan {
  const span = plan.quietAt - START;
  const later = Array.from(
    { length: random.whole(0, 3) },
    () => START + random.whole(0, Math.floor(span * 0.95)),
  );
  // People at two screens, each looking at what the other has not used up yet.
  const bursts = later.flatMap((at) =>
    Array.from({ length: 6 }, () => ({ at: at + random.whole(0, 200), deed: handDeed(random) })),
  );
  const limits = [START, ...later].map((at) => ({ at, deed: limitsDeed(random, plan.interval) }));
  const deeds = [...limits, ...bursts.map(({ at, deed }) => ({ at: at + 5 * plan.interval, deed }))];
  return { ...plan, deeds: [...plan.deeds, ...deeds].sort((a, b) => a.at - b.at) };
}

/** People who change what runs, now and then twice in a moment. */
function withEdits(random: Random, plan: Plan): Plan {
  const span = plan.quietAt - START;
  const moments = Array.from(
    { length: random.whole(1, 5) },
    () => START + random.whole(10 * plan.interval, Math.floor(span * 0.95)),
  );
  const edits = moments.flatMap((at) => [
    { at, deed: editDeed(random) },
    ...(random.chance(0.2) ? [{ at: at + random.whole(0, 500), deed: editDeed(random) }] : []),
  ]);
  return { ...plan, deeds: [...plan.deeds, ...edits].sort((a, b) => a.at - b.at) };
}

/** Grids beside others that have moved, been laid out anew or left base idle by then. */
function lateStarts(random: Random, { quietAt }: Plan): Due[] {
  if (random.chance(0.5)) return [];
  const at = START + Math.floor((quietAt - START) * (0.3 + 0.5 * random.share()));
  return [{ at, deed: startOfAny(random, random.pick(SYMBOLS)) }];
}

const doubting = (random: Random, deed: Deed): Deed =>
  deed.kind === "start_centered"
    ? { ...deed, options: { ...deed.options, confidence: share(random, 0, 900) } }
    : deed;
