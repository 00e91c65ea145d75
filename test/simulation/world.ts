import type { ListedPath, PricePath } from "../../src/adapters/sandbox/matching.ts";
import { type Simulation, simulatedVenue } from "../../src/adapters/sandbox/venue.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import type { Decimal } from "../../src/kernel/decimal.ts";
import { hashText, mixHash } from "../../src/kernel/hash.ts";
import { type Pair, splitPair } from "../../src/kernel/pair.ts";
import { kindsWith } from "../../src/kinds.ts";
import type { Book, Market } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { followKind } from "../kinds/follow.ts";
import { simulatedDefinitions } from "../own/deeds.ts";
import { EXAMPLES } from "../own/examples.ts";
import { type Budgets, createBudgets } from "./budgets.ts";
import type { Net } from "./calls.ts";
import { createChecks } from "./checks.ts";
import { createClocks } from "./clocks.ts";
import type { MarketRules } from "./deeds.ts";
import { createDensity, isInDoubt } from "./density.ts";
import { even, evenRandom } from "./even.ts";
import { answering, type Fault, type Faults, fresh, noFaults, randomFaults, swarmFaults } from "./faults.ts";
import { feesInToken, TOKEN } from "./fee-token.ts";
import { illegibleRows, windowsOf } from "./fill-windows.ts";
import { historyBooks, lateTrades, promptTrades } from "./history.ts";
import { faultsOf, troubled } from "./liveness.ts";
import { walk } from "./market.ts";
import { createMirror, type StopAgain } from "./mirror.ts";
import { planOf } from "./plan.ts";
import { localOf, type SimStore, storesOf, venueOf } from "./ports.ts";
import { createRandom } from "./random.ts";
import { referenceOf } from "./reference.ts";
import { createRequests } from "./requests.ts";
import { createScheduler } from "./scheduler.ts";
import {
  EXCHANGE,
  editionOf,
  IS_OF,
  isSteady,
  OTHER_EXCHANGES,
  type Shape,
  START,
  SYMBOLS,
  TICKS,
} from "./shape.ts";
import { refusing } from "./store/refusing.ts";
import { memoryStore } from "./store/store.ts";
import { copyTables, emptyTables, type Tables } from "./store/tables.ts";
import { type Process, startTask, type Task } from "./task.ts";
import { createTrace } from "./trace.ts";
import { unkind } from "./unkind-book.ts";
import { createVersionChecks, nextVersion } from "./versions.ts";
import { watch } from "./watch.ts";
import { wrongAnswers } from "./wrong-answers.ts";

export const ACCOUNT = { exchange: EXCHANGE, kind: "sandbox", host: "" } as const;

/** A sandbox's prices are of any moment in which they are asked for: quotes, which look at how old one is, have an exchange. */
const accountOf = ({ strategy, edition }: Pick<Shape, "strategy" | "edition">) =>
  strategy === "quote" || edition === IS_OF.quotesBesideGrids || edition === IS_OF.endings
    ? { ...ACCOUNT, host: "exchange.example" }
    : ACCOUNT;

/** The simulated venue lists no token of the chain: nothing may ask for one. */
const noChain = () => Promise.reject(new Error("the simulation has no chain"));

/** Passes over a world that lies still are up to so many times as far apart. */
export const SLOWER = 12;

export function noteChange(
  state: { changedAt: number; passesAtChange: number; readonly passes: number },
  at: number,
): void {
  state.changedAt = at;
  state.passesAtChange = state.passes;
}

/** It took the account, whatever came of it. */
const PASSED = new Set(["stepped", "short", "failed"]);

export interface Options extends Shape {
  readonly seed: number;
  /** In place of the seed's own. */
  readonly faults?: Faults;
  /** Keeps the trace's lines. */
  readonly keep?: boolean;
  /** Does all on libSQL too. */
  readonly mirrored?: boolean;
  /** Without faults, and in a time that only writes to the exchange take: its requests depend on few details. */
  readonly evenly?: boolean;
  /** The call at which the kill switch is put on, for good. */
  readonly killAt?: number;
}

/** One run's world: a store, a venue, processes, and what may go wrong between them. */
export async function createSimulation({
  seed,
  faults,
  keep = false,
  mirrored = false,
  killAt,
  evenly = false,
  ...shape
}: Options) {
  const random = createRandom(seed);
  const drawn = planOf(random, { edition: editionOf(seed), ...shape });
  const plan = evenly ? even(drawn) : shape.trouble ? troubled(drawn, shape.trouble) : drawn;
  const scheduler = createScheduler(START);
  const { now } = scheduler;
  const clocks = createClocks(now);
  const databaseNow = () => now() + state.clockOff + clocks.off("database");
  const trace = createTrace(now, keep);
  const requests = createRequests(now);
  const tables = emptyTables();
  const token: Pair = `${TOKEN}/USDT`;
  const symbols = plan.tokenFees ? [...SYMBOLS, token] : SYMBOLS;
  const paths = new Map(
    symbols.map((symbol) => [
      symbol,
      walk(random, { start: START, until: plan.quietAt, ticks: TICKS, step: plan.interval }),
    ]),
  );
  const pathOf = (symbol: Pair): PricePath => paths.get(symbol) as PricePath;
  const holdings = Object.fromEntries(
    Object.entries(plan.holdings).map(([asset, total]) => [asset, { total, used: 0n }]),
  );
  const isOld = shape.broken === "read lag" || isSteady(shape.broken);
  const readLag = plan.timing.readLag * (isOld ? 10 : 1);
  const definitions =
    shape.strategy === "example" ? EXAMPLES : simulatedDefinitions(() => now() < plan.quietAt);
  const kinds = kindsOf([...kindsWith(definitions), followKind as unknown as Kind]);
  // Five times as old as they may be, all of them alike.
  const steady = isSteady(shape.broken) ? plan.timing.readLag * 5 : plan.doubts ? plan.lag : undefined;
  const exchanges = plan.edition === IS_OF.accounts ? [EXCHANGE, ...OTHER_EXCHANGES] : [EXCHANGE];
  const checks = createChecks(
    () => now() + state.clockOff,
    () => tables,
    {
      kinds,
      jumps: plan.jumps,
      leaseTtl: plan.timing.leaseTtl,
      skew: plan.doubts ? plan.timing.skew : 0,
      oldest: Math.max(readLag, steady ?? 0),
      quote: plan.holdings.USDT ?? 0n,
      exchanges,
    },
  );
  const history = historyBooks(
    {
      now,
      start: START,
      holdings,
      delay: plan.late ? lateTrades(seed, plan.edition === IS_OF.lateRestores ? 0.6 : 0.1) : promptTrades,
      quietAt: plan.quietAt,
      memory: readLag + 1000,
    },
    (committed) => checks.committed(committed, history.latest(committed.exchange).holdings.USDT?.total ?? 0n),
  );
  const mirror = mirrored
    ? await createMirror({
        now,
        exchange: EXCHANGE,
        start: START,
        holdings,
        late: plan.late,
        differs: checks.violate,
      })
    : undefined;
  const inMemory = memoryStore(tables, databaseNow);
  const kept = mirror?.store(inMemory) ?? inMemory;
  const store =
    plan.refused === 0
      ? kept
      : refusing(kept, () => !isQuiet() && random.chance(plan.refused), checks.refused);

  const books = mirror?.books(history.books) ?? history.books;

  const state = {
    dirty: false,
    /** When a row or the venue last changed, but for leases and notes. */
    changedAt: START,
    passes: 0,
    /** How many passes had been made by then. */
    passesAtChange: 0,
    /** Until then nothing changes but the time since the last move of the price. */
    stillUntil: 0,
    down: new Set<string>(),
    /** Reads of the exchange that are down alone. */
    downAlone: new Set<string>(),
    /** Exchanges that are down while the others are not. */
    away: new Set<string>(),
    isClosed: false,
    backup: undefined as Tables | undefined,
    tail: undefined as Tables | undefined,
    /** How far the database's clock has stepped. */
    clockOff: 0,
    meddle: undefined as Faults | undefined,
  };
  const listings = new Map<Pair, ListedPath>(
    symbols.map((symbol) => [
      symbol,
      { market: { ...plan.market, ...splitPair(symbol), symbol }, path: pathOf(symbol) },
    ]),
  );
  const delisted = new Map<Pair, ListedPath>();
  const simulation: Simulation = {
    account: accountOf({ ...shape, edition: plan.edition }),
    venue: EXCHANGE,
    books: plan.tokenFees ? feesInToken(books) : books,
    clock: { origin: START, created: START, speed: 1, passed: 0 },
    listings: (_venue, symbol) => listings.get(symbol),
    rules: { fill: "touch", parts: plan.parts },
    timing: plan.timing,
    sleep: async () => {},
  };
  const processes: Process[] = [];
  const isQuiet = () => now() >= plan.quietAt;
  /** Nothing goes wrong any more: the longer passes have changed nothing, the longer each waits for the next. */
  const pause = () => {
    if (!isQuiet() && plan.quietTicks) return plan.quietTicks * plan.interval;
    if (state.stillUntil > now()) return state.stillUntil - now() + 1;
    const still = isQuiet() ? now() - Math.max(plan.quietAt, state.changedAt) : 0;
    return Math.min(Math.max(plan.interval, still), (shape.trouble ? 1 : SLOWER) * plan.interval);
  };
  const alone = shape.trouble && faultsOf(shape.trouble, random, isQuiet);
  const any =
    (evenly ? noFaults : faults) ??
    alone ??
    (plan.atBounds ? swarmFaults(random, isQuiet) : randomFaults(random, isQuiet));
  const happening =
    shape.broken === "steady lag, all answered" ? answering(any) : plan.shaken ? fresh(any) : any;
  const density = createDensity();
  const net: Net = {
    scheduler,
    random: evenly ? evenRandom() : random,
    isEven: evenly,
    drawFor: (name) => (evenly ? createRandom(mixHash(mixHash(hashText(name), seed), now())) : random),
    trace,
    tally: density,
    faults: (call) => {
      if (call.index === killAt) {
        tables.kill = { ...tables.kill, on: true };
        state.dirty = true;
      }
      return state.meddle?.(call) ?? happening(call);
    },
    quietAt: plan.quietAt,
    ...(plan.atBounds ? { latest: plan.timing.expiry + plan.timing.skew } : {}),
    isDown: (what) => state.down.has(what),
    isDownAlone: (name) => state.downAlone.has(name),
    kill: ({ process }) => killProcess(process),
  };
  // Both at once, a restored database and rows that cannot be read, are not simulated.
  const restores = plan.shaken || plan.deeds.some(({ deed }) => deed.kind === "restore");
  const illegible = illegibleRows(seed, restores ? START : plan.quietAt);
  const wrong =
    plan.edition === IS_OF.wrongAnswers && !evenly ? wrongAnswers({ random, seed, plan, now }) : undefined;
  const behaviour = {
    past: history.past,
    skew: shape.broken === "skew" ? plan.skew - 60_000 : plan.skew,
    readLag,
    lag: steady === undefined ? undefined : () => (now() < plan.quietAt ? steady : 0),
    expires: shape.broken !== "expiry",
    looksAtMany: plan.looksAtMany,
    readsTogether: seed % 2 === 0,
    // A rate of few calls goes with pages of many rows.
    windows: windowsOf(plan.edition === IS_OF.budgets ? 0 : seed),
    illegible,
    isClosed: () => state.isClosed,
    leaving: checks.leaving,
    requests,
    clocks,
    compares: plan.jumps,
    ...(wrong && { wrong }),
    isAway: (exchange: string) => state.away.has(exchange),
    shownBook(symbol: Pair, book: Book): Book {
      const result = isQuiet() ? book : unkind(book, seed, now());
      checks.quotes.bookText(symbol, result);
      return result;
    },
  };
  const watched = watch(store, (matters) => {
    state.dirty = true;
    if (matters) noteChange(state, now());
  });

  const budgets =
    plan.edition === IS_OF.budgets ? createBudgets({ random, now, violate: checks.violate }) : undefined;
  const storeOf = storesOf(net, budgets ? paying(watched, budgets) : watched, budgets && (() => tables.kill));
  const simulations = new Map(
    exchanges.map((exchange): [string, Simulation] => [
      exchange,
      { ...simulation, account: { ...simulation.account, exchange }, venue: exchange },
    ]),
  );

  // The next version of the program, beside this one.
  const newer = kindsOf([...kindsWith(definitions), followKind as unknown as Kind].map(nextVersion));
  const kindsFor = ({ isNewer = false }: Process) => (isNewer ? newer : kinds);

  function depsOf(task: Task): Deps {
    const made = new Map<string, Venue>();
    const venue = (exchange: string): Venue => {
      const found = made.get(exchange);
      if (found) return found;
      const one = simulations.get(exchange) ?? simulation;
      const next = venueOf(net, task, { inner: simulatedVenue(one), ...one }, { ...behaviour, budgets });
      made.set(exchange, next);
      return next;
    };
    return {
      kinds: kindsFor(task.process),
      exchanges: [],
      venue,
      venueOf: (account) =>
        account.kind === ACCOUNT.kind && simulations.has(account.exchange)
          ? venue(account.exchange)
          : undefined,
      marketTime: (_account, at) => at,
      inTime: (_who, read) => read(),
      ...(plan.doubts
        ? { reference: referenceOf(net, task, pathOf, checks.quotes.otherText, plan.silence) }
        : {}),
      dex: { pools: noChain, market: noChain, price: noChain },
      store: storeOf(task),
      local: localOf(net, task),
      ...(plan.watchedEvery === undefined ? {} : { interval: plan.watchedEvery }),
      log: (_level, message, fields) => trace.add(`log ${message} ${fields?.reason ?? fields?.message}`),
    };
  }

  const run = (
    process: Process,
    flow: (deps: Deps) => Promise<unknown>,
    befallen?: (fault: Fault) => void,
  ): Promise<void> =>
    startTask(
      process,
      async (task) => {
        await flow(depsOf(task)).catch((error: unknown) => {
          trace.add(`failed ${String(error)}`);
          // No deed and no pass may meet what the simulated world has not.
          if (error instanceof TypeError) checks.violate(String(error));
        });
      },
      befallen,
    );

  const isOldNow = () => (behaviour.lag?.() ?? 0) > 0;
  const stepOnce = (process: Process, ended = () => {}) => {
    const troubles = density.begin(isOldNow() || isInDoubt(tables));
    return run(
      process,
      async (deps) => {
        try {
          for (const { outcome } of await runRound(deps)) {
            if (outcome === "stepped" || outcome === "short") state.passes++;
            if (PASSED.has(outcome)) troubles.ended();
          }
        } finally {
          ended();
        }
      },
      troubles.befallen,
    );
  };

  function spawn(): void {
    const process: Process = {
      id: processes.length,
      isAlive: true,
      isEven: evenly,
      isNewer: plan.edition === IS_OF.versions && (isQuiet() || processes.length % 2 === 1),
      // A process's own clock has fractions of a millisecond.
      bornAt: now() - random.whole(0, 1_000_000) - (plan.edition === IS_OF.hints ? 0.4 : 0),
    };
    processes.push(process);
    let isStepping = false;
    let next = 0;
    const after = (wait: number) => {
      const mine = ++next;
      scheduler.quietly(now() + wait, () => (mine === next ? beat() : undefined));
    };
    const beat = async (): Promise<void> => {
      if (!process.isAlive) return;
      const began = now();
      after(pause());
      if (isStepping) return;
      isStepping = true;
      await stepOnce(process, () => {
        isStepping = false;
        if (isQuiet() && state.changedAt >= began) after(plan.interval);
      });
    };
    after(random.whole(1, plan.interval));
  }

  function killProcess(process: Process): void {
    if (!process.isAlive) return;
    process.isAlive = false;
    trace.add(`process ${process.id} dies`);
    scheduler.at(now() + random.whole(100, 5000), spawn);
  }

  return {
    kinds: plan.edition === IS_OF.versions ? newer : kinds,
    strategy: shape.strategy,
    requests,
    broken: shape.broken,
    seed,
    random,
    plan,
    scheduler,
    trace,
    density,
    checks,
    history,
    simulation,
    simulations,
    /** Where `finish` looks. */
    exchange: EXCHANGE,
    clocks,
    illegible,
    /** As the exchange names a trade. */
    tradeId: (fill: { readonly id: string; readonly symbol: string }) => wrong?.id(fill) ?? fill.id,
    store,
    state,
    processes,
    run,
    spawn,
    stepOnce,
    killProcess,
    tables: () => tables,
    mirror,
    killAt,
    /** Of programs of two versions. */
    versions: plan.edition === IS_OF.versions ? createVersionChecks(checks.violate) : undefined,
    alive: () => processes.filter(({ isAlive }) => isAlive),
    marketOf: (symbol: Pair): Market => (listings.get(symbol) ?? delisted.get(symbol))?.market as Market,
    isDelisted: (symbol: Pair) => delisted.has(symbol),
    changeRules(symbol: Pair, rules: Partial<MarketRules>): void {
      const listed = listings.get(symbol);
      if (!listed) return;
      const market = { ...listed.market, ...rules };
      listings.set(symbol, { market, path: scaled(listed.path, listed.market.tick, market.tick) });
      checks.feeIs(symbol, market.maker);
    },
    delist(symbol: Pair): void {
      const listed = listings.get(symbol);
      if (!listed) return;
      delisted.set(symbol, listed);
      listings.delete(symbol);
    },
    async backup(): Promise<void> {
      state.backup = copyTables(tables);
      await mirror?.backup();
    },
    keepTail(): void {
      state.tail = copyTables(tables);
    },
    /** The power fails, and what was committed last is gone. */
    loseTail(): void {
      if (!state.tail) return;
      for (const process of processes) killProcess(process);
      Object.assign(tables, copyTables(state.tail), { epoch: tables.epoch });
      state.dirty = true;
      checks.restored(false);
    },
    /** Every process dies and the store is what it was, but for the epoch. */
    async restore(): Promise<void> {
      if (!state.backup) return;
      for (const process of processes) killProcess(process);
      const epoch = Math.max(tables.epoch, state.backup.epoch) + 1;
      const before = tables.strategies;
      Object.assign(tables, copyTables(state.backup), { epoch });
      state.tail = undefined;
      const again = stopAgain(tables.strategies, before);
      await mirror?.restore(again);
      checks.restored(true);
    },
  };
}

/** Stops a strategy again that went on in a database without its stop, as `db restore` does. Returns what it changed. */
function stopAgain(restored: Tables["strategies"], before: Tables["strategies"]): readonly StopAgain[] {
  return [...restored.values()].flatMap((strategy): StopAgain[] => {
    const { status, phase } = before.get(strategy.id) ?? strategy;
    if (strategy.status !== "stopped" || status === "stopped") return [];
    restored.set(strategy.id, { ...strategy, status, phase, stoppedAt: null });
    return [{ id: strategy.id, status, phase }];
  });
}

/** The same price in ticks of another size. */
function scaled(path: PricePath, from: Decimal, to: Decimal): PricePath {
  const ticks = (old: number) => Math.max(1, Math.round((old * Number(from)) / Number(to)));
  return {
    ...path,
    at: (time) => ticks(path.at(time)),
    corners: (since, until) => path.corners(since, until).map((one) => ({ ...one, ticks: ticks(one.ticks) })),
    inside: (since, until) => path.inside(since, until).map(ticks),
  };
}

/** A lease is taken together with the first calls of its pass. */
const paying = (store: SimStore, budgets: Budgets): SimStore => ({
  ...store,
  async takeLease(request) {
    const snapshot = await store.takeLease(request);
    return snapshot && { ...snapshot, isPaid: request.calls !== undefined && budgets.pays(request.calls) };
  },
});

export type Sim = Awaited<ReturnType<typeof createSimulation>>;
