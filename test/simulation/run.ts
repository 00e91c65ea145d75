import { isGrid } from "../../src/grid/state/state.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { EVERY_SCOPE } from "../../src/limits/standing.ts";
import type { LimitSettings } from "../../src/model/limits.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { isQuote } from "../../src/quote/state.ts";
import { BY } from "../support/by.ts";
import { act, type Beside } from "./actions.ts";
import type { Violation } from "./checks.ts";
import type { Deed } from "./deeds.ts";
import type { Density } from "./density.ts";
import type { Faults } from "./faults.ts";
import { finish } from "./finish.ts";
import { rightWithin } from "./liveness.ts";
import { QUOTED_MAX_AGE } from "./quote-deeds.ts";
import type { Random } from "./random.ts";
import type { Request } from "./requests.ts";
import { IS_OF } from "./shape.ts";
import { createSimulation, noteChange, type Options, SLOWER } from "./world.ts";

export interface Result {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly passes: number;
  readonly calls: number;
  /** Before faults end. */
  readonly callsUntilQuiet: number;
  /** From the last fault until the last thing that anything changed for it. */
  readonly right: { readonly millis: number; readonly passes: number };
  /** From the end of faults until nothing was left to happen. */
  readonly settled: number;
  readonly density: Density;
  readonly hash: number;
  readonly orders: number;
  readonly fills: number;
  /** What grids did as a whole: an exit counts once, a rebuild and a trail each. */
  readonly moves: number;
  readonly lines: readonly string[];
  /** What reached the exchange. */
  readonly requests: readonly Request[];
}

/** One run from its seed: deeds and faults, then quiet, then what has to hold. */
export async function simulate(options: Options): Promise<Result> {
  const sim = await createSimulation(options);
  const { plan, scheduler, state, checks, trace } = sim;
  const beside = begin(sim, options);
  // Also after the last of the slow requests that may still switch it on.
  for (const wait of sim.killAt === undefined && options.calm !== "panic" ? [0, 181_000] : []) {
    scheduler.at(plan.quietAt + wait, async () => {
      state.dirty = true;
      // From now on orders are placed that had to wait for it.
      const { kill, limits } = sim.tables();
      if (kill.on || limits.set[EVERY_SCOPE]) noteChange(state, scheduler.now());
      liftLimits(sim);
      await sim.store.setKill(false, BY);
    });
  }
  watchSilence(sim);
  if (sim.versions)
    scheduler.at(plan.quietAt, () => {
      for (const process of sim.alive().filter(({ isNewer }) => !isNewer)) sim.killProcess(process);
    });
  const after = () => {
    if (!state.dirty) return;
    state.dirty = false;
    checks.looked();
    sim.versions?.looked(sim.tables().strategies.values());
  };
  await scheduler.runUntil(plan.quietAt, after);
  const callsUntilQuiet = trace.calls();
  const passesUntilQuiet = state.passes;
  await scheduler.runUntil(plan.endAt, after, restOf(sim));
  const restedAt = scheduler.now();
  const right = {
    millis: Math.max(0, state.changedAt - plan.quietAt),
    passes: Math.max(0, state.passesAtChange - passesUntilQuiet),
  };
  if (options.trouble && right.millis > rightWithin(options.trouble, plan))
    checks.violate(`it came right ${right.millis} ms after the last fault, in ${right.passes} passes`);
  const density = sim.density.sum();
  const { commits } = await quietly(sim, after);
  if (commits > 0)
    checks.violate(`two passes over what had come to rest wrote to the venue ${commits} times`);
  finish(sim, beside);
  await sim.mirror?.finish(sim.tables());
  return {
    seed: options.seed,
    violations: checks.violations,
    passes: state.passes,
    calls: trace.calls(),
    callsUntilQuiet,
    settled: restedAt - plan.quietAt,
    density,
    right,
    hash: trace.hash(),
    orders: sim.tables().orders.size,
    fills: fillsOf(sim),
    moves: movesIn(sim),
    lines: trace.lines,
    requests: sim.requests.list,
  };
}

/** The requests of an even run until people do nothing more: it has no faults to come right after. */
export async function evenRequestsOf(options: Omit<Options, "evenly">): Promise<readonly Request[]> {
  const even = { ...options, evenly: true };
  const sim = await createSimulation(even);
  begin(sim, even);
  await sim.scheduler.runUntil(sim.plan.quietAt, () => {});
  return sim.requests.list;
}

/** Starts the processes, and plans what people do. Returns what they will have moved. */
function begin(sim: Simulation, { calm, seed, evenly }: Options): Beside {
  const { plan, scheduler, state } = sim;
  const beside: Beside = new Map();
  for (let count = 0; count < plan.processes; count++) sim.spawn();
  for (const { at, deed } of plan.deeds)
    scheduler.at(at, () => act(sim, deed, beside)?.catch(unlessUnlisted));
  if (plan.doubts && !calm && !evenly) {
    const ask = (deed: Deed) => scheduler.at(scheduler.now(), () => act(sim, deed, beside));
    const later = (deed: Deed) => scheduler.at(scheduler.now() + 60_000, () => act(sim, deed, beside));
    state.meddle = meddling({
      random: sim.random,
      isQuiet: () => scheduler.now() >= plan.quietAt,
      // Of every other seed with rates of calls, in which a process knows what it has switched.
      isOften: plan.edition === IS_OF.budgets && seed % 2 === 1,
      ask,
      later,
    });
  }
  return beside;
}

/** Passes in which a price that is too old is noticed, and its orders are cancelled. */
const WITHDRAWN_WITHIN = 5;

/** Quotes that use one source of prices have no open orders while it gives none. */
function watchSilence({ plan, scheduler, checks, tables }: Simulation): void {
  const { silence, interval } = plan;
  if (!silence) return;
  const remaining = silence.of === "own" ? "others" : "own";
  const dependent = () =>
    [...tables().strategies.values()].filter(
      (strategy) => isQuote(strategy) && strategy.config.weights[remaining] === 0n && !strategy.config.fixed,
    );
  const look = () => {
    for (const { number } of dependent()) {
      const [order] = checks.liveOf(number);
      if (order)
        checks.violate(`${order.clientId} is open although its source has given no price for so long`);
    }
  };
  scheduler.at(silence.from, () => {
    // Otherwise the silence changes nothing, and the run can end before it.
    if (!dependent().some(({ status }) => status !== "stopped")) return;
    const first = silence.from + QUOTED_MAX_AGE + WITHDRAWN_WITHIN * SLOWER * interval;
    for (let at = first; at < silence.to; at += 10 * MINUTE) scheduler.at(at, look);
    // By then they quote again.
    scheduler.at(silence.to + 10 * MINUTE, () => undefined);
  });
}

const movesOf = (strategy: Strategy) =>
  isGrid(strategy) ? (strategy.state.rebuild ?? strategy.state.trail.way ?? strategy.state.signal) : null;

/** What a person does on a pair that is delisted comes to nothing. */
function unlessUnlisted(error: unknown): void {
  if (!(error instanceof VenueError && error.failure === "unlisted")) throw error;
}

type Simulation = Awaited<ReturnType<typeof createSimulation>>;

/** Rounds of two passes in which what has not ended yet may end: a grid far from the price follows it step by step. */
const MAX_FINISH_ROUNDS = 40;

/** Returns the moves of grids as in a result. */
const movesIn = ({ tables }: Simulation): number =>
  [...tables().strategies.values()].reduce(
    (sum, one) =>
      sum +
      one.state.generation +
      (isGrid(one) ? Math.abs(one.state.trail.steps) : 0) +
      (one.state.exit ? 1 : 0),
    0,
  );

/** Number of fills on all exchanges. */
const fillsOf = ({ history, simulations }: Simulation): number =>
  [...simulations.keys()].reduce((sum, exchange) => sum + history.allFills(exchange).length, 0);

/** Number of changes on all exchanges. */
const commitsOf = ({ history, simulations }: Simulation): number =>
  [...simulations.keys()].reduce((sum, exchange) => sum + history.effects(exchange), 0);

/**
 * Returns whether a world has come to rest: nothing is on its way, no row waits for a time, and for as long as any
 * bound lasts no pass has changed anything. If quotes wait only for the calm of the price, the time until then is
 * skipped: its passes would change nothing.
 */
function restOf(sim: Simulation) {
  const { scheduler, state, plan, tables } = sim;
  const { leaseTtl, expiry, skew, readLag, secondMiss, tradesEvery, backoff } = plan.timing;
  const longest = leaseTtl + expiry + skew + readLag + secondMiss + tradesEvery + 4 * plan.interval;
  let version = commitsOf(sim);
  return () => {
    const now = scheduler.now();
    const latest = commitsOf(sim);
    if (latest !== version) noteChange(state, now);
    version = latest;
    if (scheduler.waiting() > 0 || now - state.changedAt < longest) return false;
    const { accounts, strategies, orders, unsettled } = tables();
    const isSoon = (time: number) => time + backoff.max > now;
    if ([...accounts.values()].some(({ failures, retryAt }) => failures > 0 || isSoon(retryAt))) return false;
    for (const id of unsettled) {
      const order = orders.get(id);
      if (order?.state === "pending" || order?.state === "unknown" || order?.booked !== order?.filled)
        return false;
    }
    const isStill = [...strategies.values()].every((strategy) => {
      const { state: own, status, wants, phase } = strategy;
      if (status === "stopped") return true;
      const waits = [own.recoversUntil, own.releaseAt ?? 0, ...own.slots.map(({ retryAt }) => retryAt)];
      const isBehind = (own.epoch ?? strategy.epoch) !== tables().epoch;
      const isUnderWay = own.exit ?? movesOf(strategy) ?? (isBehind ? "behind" : null) ?? own.searchSince;
      return wants !== "stop" && !isUnderWay && phase !== "starting" && !waits.some(isSoon);
    });
    if (!isStill) return false;
    state.stillUntil = Math.max(...[...strategies.values()].map(calmAt));
    return state.stillUntil + SLOWER * plan.interval < now;
  };
}

/** Returns when the spread of running quotes has its final width: an hour after the last move of the price. */
const calmAt = (strategy: Strategy): number =>
  isQuote(strategy) && strategy.wants === "run" && strategy.config.rules.volatilityFactor > 0n
    ? Math.max(0, ...strategy.state.recentPrices.map(({ at }) => at + HOUR))
    : 0;

/**
 * Two more passes: over a world that has come to rest they do nothing. An order in the market can still fill, and a grid
 * can still follow the price: then there are two more.
 */
async function quietly(sim: Simulation, after: () => void) {
  const { scheduler, plan } = sim;
  for (let left = MAX_FINISH_ROUNDS; ; left--) {
    const [before, fills, moves] = [commitsOf(sim), fillsOf(sim), movesIn(sim)];
    await scheduler.runUntil(scheduler.now() + 2 * SLOWER * plan.interval + 1000, after);
    const isDone = fillsOf(sim) === fills && movesIn(sim) === moves;
    if (isDone || left === 0) return { commits: commitsOf(sim) - before };
  }
}

/** From then on every slot has its order again. */
function liftLimits({ store, tables }: Simulation): void {
  const { version, set } = tables().limits;
  if (!set[EVERY_SCOPE]) return;
  const off = Object.keys(set[EVERY_SCOPE]).map((name) => [name, null]);
  const settings = Object.fromEntries(off) as LimitSettings;
  void store.setLimits({ version, scope: EVERY_SCOPE, settings, message: "lifted" }, BY);
}

interface People {
  readonly random: Random;
  readonly isQuiet: () => boolean;
  /** The switch is turned more often, and what is sent meanwhile is answered at once. */
  readonly isOften: boolean;
  readonly ask: (deed: Deed) => void;
  /** The same after a while. */
  readonly later: (deed: Deed) => void;
}

/**
 * People who ask for something in the very middle of a pass: between what it has read and what it records, and
 * between what it has recorded and what it sends.
 */
export const meddling =
  ({ random, isQuiet, isOften, ask, later }: People): Faults =>
  ({ kind, name }) => {
    if (isQuiet()) return undefined;
    if (name === "ticker" && random.chance(0.01)) {
      const nth = random.whole(0, 2);
      const wish = random.pick(["pause", "run", "run", "run", "stop"] as const);
      ask(wish === "stop" ? { kind: wish, nth, keep: false } : { kind: wish, nth });
    }
    if (kind !== "create" || !random.chance(isOften ? 0.1 : 0.02)) return undefined;
    ask({ kind: "kill", on: true });
    later({ kind: "kill", on: false });
    return isOften ? undefined : "slow";
  };
