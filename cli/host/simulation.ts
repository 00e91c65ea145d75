/** Runs a strategy through the sandbox with crashes, lost responses and failed reads, and reports what broke. */
import type { StrategyPast } from "../../src/backtest/position/testing.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { movedByPosition } from "../../src/engine/position/position.ts";
import { type Decimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { messageOf, VenueError } from "../../src/kernel/errors.ts";
import { type Amount, Money } from "../../src/kernel/money.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import { createRandom } from "../../src/kernel/random.ts";
import type { Millis } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { startOperations } from "../../src/lifecycle/operations/start.ts";
import type { Balance } from "../../src/model/account.ts";
import { comparableText } from "../../src/own/pass/ask.ts";
import { asOwnStrategy, type OwnStrategy } from "../../src/own/state.ts";
import type { AnyStrategyDefinition, Declared, StrategyInput } from "../../src/ports/definition.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Store } from "../../src/ports/stores/store.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { type Clock, INTERVAL, SIMULATION_START, simulatedHost } from "./simulated-host.ts";

export interface SimulationInput {
  readonly config: Readonly<Record<string, unknown>>;
  /** An exchange of the sandbox, and a pair that it lists; default: BTC/USDT on kraken. */
  readonly exchange?: string;
  readonly symbol?: string;
  /** Prices one minute apart, or the text of a CSV file with candles; default: random prices. */
  readonly prices?: StrategyPast["prices"];
  /** Budgets; default: what the sandbox's account has. */
  readonly base?: Amount;
  readonly quote?: Amount;
  /** Number of passes, one minute apart; default 300. */
  readonly passes?: number;
  /** Chooses prices and faults: the same seed gives the same run. Default 1. */
  readonly seed?: number;
}

export interface SimulationResult {
  readonly passes: number;
  readonly restarts: number;
  readonly lostResponses: number;
  readonly failedReads: number;
  /** Orders that the exchange accepted, and fills. */
  readonly orders: number;
  readonly fills: number;
  /** Orders that were refused at the end, and why. */
  readonly refused: readonly string[];
  /** What broke, a sentence each; empty if nothing did. */
  readonly problems: readonly string[];
}

/** Passes in which a strategy must come to rest while the market stands still. */
const MAX_PASSES_TO_REST = 30;

interface SimulatedRun extends SimulatedStrategy {
  readonly faults: Faults;
  readonly advance: (by: Millis) => void;
  readonly restart: () => Promise<void>;
  readonly accepted: Set<string>;
  readonly first: readonly Balance[];
  readonly declared: () => readonly string[];
  readonly differences: () => readonly string[];
  restarts: number;
  deps: Deps;
  venue: Venue;
  crashed: Promise<"crashed">;
}

/**
 * Runs a strategy in the sandbox, with the code that trades and a database in memory. `reload` returns the definition
 * as a restarted process would load it. Throws for a config that is not valid.
 */
export async function simulateStrategy(
  definition: AnyStrategyDefinition,
  input: SimulationInput,
  reload?: () => AnyStrategyDefinition,
): Promise<SimulationResult> {
  const { guard = (work) => work() } = definition;
  guard(() => definition.config.parse(input.config));
  const { passes = 300 } = input;
  const started = await startRun(definition, input, reload);
  if (typeof started === "string") return { ...NOTHING_DONE, refused: [], problems: [started] };
  const problems = new Set<string>();
  let done = 0;
  for (; done < passes && problems.size === 0; done++) {
    const what = await onePass(started);
    for (const problem of await checkOpenOrders(started)) problems.add(problem);
    const { fault } = (await readOwnStrategy(started)).state;
    if (fault) problems.add(`it failed in pass ${done + 1}${what}: ${fault.message}`);
  }
  if (problems.size === 0) for (const problem of await bringToRest(started)) problems.add(problem);
  for (const difference of started.differences()) problems.add(difference);
  return simulationResult(started, done, [...problems]);
}

const NOTHING_DONE = { passes: 0, restarts: 0, lostResponses: 0, failedReads: 0, orders: 0, fills: 0 };

async function simulationResult(
  run: SimulatedRun,
  passes: number,
  problems: readonly string[],
): Promise<SimulationResult> {
  const { lostResponses, failedReads } = run.faults;
  const fills = await run.deps.store.fillsOf(run.id, { limit: 100_000 });
  const { refused, ids } = (await readOwnStrategy(run)).state;
  return {
    passes,
    restarts: run.restarts,
    lostResponses,
    failedReads,
    orders: run.accepted.size,
    fills: fills.length,
    problems,
    refused: refused.map(({ slot, reason, detail }) => `${ids[slot]}: ${detail ?? reason}`),
  };
}

/** Makes one pass; a crash ends it, and the next pass is of a restarted process. Returns what happened, for a message. */
async function onePass(run: SimulatedRun): Promise<string> {
  const { faults } = run;
  const lostBefore = faults.lostResponses;
  const store = faultyStore(run.deps.store, faults);
  const venue = faultyVenue(countingVenue(run), faults);
  const end = await Promise.race([runPass({ ...run.deps, store }, venue), run.crashed]);
  run.advance(INTERVAL);
  if (end === "crashed") {
    run.restarts++;
    await run.restart();
    return ", after a restart";
  }
  return faults.lostResponses > lostBefore ? ", after a lost response" : "";
}

const countingVenue = (run: SimulatedRun): Venue => ({
  ...run.venue,
  async create(order, permit) {
    const outcome = await run.venue.create(order, permit);
    if (outcome.result === "accepted") run.accepted.add(outcome.id);
    return outcome;
  },
});

/** Stops faults and prices, and makes passes until nothing changes. Then everything must agree. */
async function bringToRest(run: SimulatedRun): Promise<readonly string[]> {
  run.faults.isOn = false;
  for (let quiet = 0, count = 0; quiet < 3; count++) {
    if (count > MAX_PASSES_TO_REST)
      return [
        `it still changes its orders after ${MAX_PASSES_TO_REST} passes at the same prices and the same time`,
      ];
    const before = run.accepted.size;
    const open = (await run.venue.openOrders(run.symbol)).map(({ id }) => id).join();
    await runPass(run.deps, countingVenue(run));
    const after = (await run.venue.openOrders(run.symbol)).map(({ id }) => id).join();
    quiet = run.accepted.size === before && open === after ? quiet + 1 : 0;
  }
  const { fault } = (await readOwnStrategy(run)).state;
  if (fault) return [`it failed: ${fault.message}`];
  return checkAtRest(run, { first: run.first, declared: run.declared() });
}

/** Starts the strategy on a new sandbox; returns why it does not start, if it does not. */
async function startRun(
  definition: AnyStrategyDefinition,
  input: SimulationInput,
  reload: (() => AnyStrategyDefinition) | undefined,
): Promise<SimulatedRun | string> {
  const { exchange = "kraken", symbol = "BTC/USDT", seed = 1 } = input;
  if (!isPair(symbol)) throw new TypeError(`${symbol} is not a pair: use BASE/QUOTE, such as BTC/USDT`);
  const clock: Clock = { now: SIMULATION_START };
  const observed = observedDefinition(definition);
  const host = simulatedHost(input, { symbol, clock });
  const open = () => host.open([observed.definition]);
  const deps = await open();
  const venue = deps.venue(exchange);
  const first = await venue.balances();
  const started = await startStrategy(deps, observed.definition, { ...input, exchange, symbol });
  if ("trouble" in started) return started.trouble;
  clock.now += INTERVAL;
  const draw = createRandom(seed);
  const run: SimulatedRun = {
    deps,
    venue,
    symbol,
    id: started.id,
    first,
    restarts: 0,
    accepted: new Set((await venue.openOrders(symbol)).map(({ id }) => id)),
    faults: { ...NO_FAULTS, isOn: true, draw: () => draw() / 2 ** 32, crash: () => UNSETTLED },
    crashed: UNSETTLED,
    declared: observed.declared,
    differences: observed.differences,
    advance: (by) => {
      clock.now += by;
    },
    async restart() {
      if (reload) observed.restart(reload());
      run.deps = await open();
      run.venue = run.deps.venue(exchange);
      run.crashed = nextCrash(run.faults);
    },
  };
  run.crashed = nextCrash(run.faults);
  return run;
}

const UNSETTLED = new Promise<never>(() => undefined);
const NO_FAULTS = { lostResponses: 0, failedReads: 0 };

/** Returns a promise that resolves at the next crash; what crashed waits forever, as a process that ended. */
const nextCrash = (faults: Faults): SimulatedRun["crashed"] =>
  new Promise((resolve) => {
    faults.crash = () => {
      resolve("crashed");
      return UNSETTLED;
    };
  });

async function startStrategy(
  deps: Deps,
  definition: AnyStrategyDefinition,
  { exchange, symbol, config, base, quote }: SimulationInput,
): Promise<{ readonly id: string } | { readonly trouble: string }> {
  const start = startOperations([String(exchange)], kindsWith([definition])).find(
    ({ effect }) => effect === "trade",
  );
  if (!start) throw new Error(`${definition.name} has no start`);
  const budget = {
    ...(base === undefined ? {} : { baseBudget: Money.of(base).toNumber() }),
    ...(quote === undefined ? {} : { quoteBudget: Money.of(quote).toNumber() }),
  };
  const given = start.input
    .strict()
    .parse({ definition: definition.name, exchange, symbol, ...budget, config });
  try {
    return (await start.run(deps, given, { actor: "local" })) as { readonly id: string };
  } catch (error) {
    return { trouble: `it does not start: ${messageOf(error)}` };
  }
}

/** Compares the exchange, the database and the strategy's function. Each problem is a sentence. */
interface SimulatedStrategy {
  readonly deps: Deps;
  readonly venue: Venue;
  readonly symbol: Pair;
  readonly id: string;
}

async function readOwnStrategy({ deps, id }: SimulatedStrategy): Promise<OwnStrategy> {
  const [view] = await deps.store.strategies({ id });
  if (!view) throw new Error(`there is no strategy ${id}`);
  return asOwnStrategy(view.strategy);
}

/** Returns the exchange's open orders by the ids of the function; an unknown one has none. */
async function openById({ deps, venue, symbol }: SimulatedStrategy, { state }: OwnStrategy) {
  const rows = await deps.store.unsettledOrders();
  return (await venue.openOrders(symbol)).map(({ clientId }) => {
    const row = rows.find((order) => order.clientId === clientId);
    return row === undefined ? undefined : state.ids[row.slot];
  });
}

/** Checks what must hold at any moment: no id has two open orders. */
async function checkOpenOrders(simulated: SimulatedStrategy): Promise<string[]> {
  const ids = await openById(simulated, await readOwnStrategy(simulated));
  const twice = ids.filter((id, i) => id !== undefined && ids.indexOf(id) !== i);
  return [...new Set(twice)].map((id) => `two orders with the id ${id} were open at the same time`);
}

/** Checks what must hold when nothing is pending: the books equal the account, and each declared order is open or refused. */
async function checkAtRest(
  simulated: SimulatedStrategy,
  { first, declared }: { readonly first: readonly Balance[]; readonly declared: readonly string[] },
): Promise<string[]> {
  const strategy = await readOwnStrategy(simulated);
  const ids = await openById(simulated, strategy);
  const { refused } = strategy.state;
  const explained = new Set([...ids, ...refused.map(({ slot }) => strategy.state.ids[slot])]);
  return [
    ...(ids.includes(undefined) ? ["an order is open on the exchange that is not in the database"] : []),
    ...declared
      .filter((id) => !explained.has(id))
      .map((id) => `the order ${id} is neither open nor refused with a reason`),
    ...booksProblems(strategy, first, await simulated.venue.balances()),
  ];
}

function booksProblems(
  { state, symbol }: OwnStrategy,
  first: readonly Balance[],
  last: readonly Balance[],
): string[] {
  const booked = movedByPosition(state, symbol);
  const totalIn = (balances: readonly Balance[], asset: string): Decimal => {
    const found = balances.find((balance) => balance.asset === asset);
    return found ? found.free + found.used : ZERO;
  };
  return Object.entries(booked).flatMap(([asset, amount]) => {
    const moved = totalIn(last, asset) - totalIn(first, asset);
    return moved === amount
      ? []
      : [`the account's ${asset} changed by ${text(moved)}, and the strategy's books by ${text(amount)}`];
  });
}

/** Shares of the calls that each fault hits: a process that ends, a lost response, a failed read. */
const SHARES = { crash: 0.02, lost: 0.08, failedRead: 0.02 };

interface Faults {
  /** Whether faults happen. */
  isOn: boolean;
  lostResponses: number;
  failedReads: number;
  readonly draw: () => number;
  /** Ends the process at this point: the returned promise never settles. */
  crash: () => Promise<never>;
}

/** Returns the venue with faults: a write can take effect although its response is lost. */
function faultyVenue(venue: Venue, faults: Faults): Venue {
  const hits = (share: number) => faults.isOn && faults.draw() < share;
  const write = async <T>(send: () => Promise<T>): Promise<T | Lost> => {
    if (hits(SHARES.crash)) return faults.crash();
    if (hits(SHARES.lost)) return lostBefore(faults);
    const outcome = await send();
    if (hits(SHARES.crash)) return faults.crash();
    return hits(SHARES.lost) ? lostBefore(faults) : outcome;
  };
  const read = async <T>(send: () => Promise<T>): Promise<T> => {
    if (!hits(SHARES.failedRead)) return send();
    faults.failedReads++;
    throw new VenueError("unavailable", "the exchange did not respond");
  };
  return {
    ...venue,
    create: (order, permit) => write(() => venue.create(order, permit)),
    cancel: (order, permit) => write(() => venue.cancel(order, permit)),
    openOrders: (symbol) => read(() => venue.openOrders(symbol)),
    balances: () => read(() => venue.balances()),
    book: (symbol, limit) => read(() => venue.book(symbol, limit)),
    candles: (symbol, range) => read(() => venue.candles(symbol, range)),
    fills: (symbol, span) => read(() => venue.fills(symbol, span)),
  };
}

/** Returns the store, which the process can fail to reach after the exchange has responded. */
const faultyStore = (store: Store, faults: Faults): Store => ({
  ...store,
  settle: (...given) =>
    faults.isOn && faults.draw() < SHARES.crash ? faults.crash() : store.settle(...given),
});

interface Lost {
  readonly result: "unknown";
  readonly reason: string;
}

function lostBefore(faults: Faults): Lost {
  faults.lostResponses++;
  return { result: "unknown", reason: "the response was lost" };
}

/** A definition that remembers the ids of its last call, and compares a restarted function with the one before it. */
interface Observed {
  readonly definition: AnyStrategyDefinition;
  readonly declared: () => readonly string[];
  readonly differences: () => readonly string[];
  /** Uses another instance of the same strategy from now on. */
  readonly restart: (fresh: AnyStrategyDefinition) => void;
}

function observedDefinition(first: AnyStrategyDefinition): Observed {
  let current = first;
  let ids: readonly string[] = [];
  const differences = new Set<string>();
  return {
    definition: {
      ...first,
      isCalledTwice: true,
      orders(input: StrategyInput) {
        const result = current.orders(input);
        ids = idsOf(result);
        if (current !== first && comparableText(result) !== comparableText(first.orders(input)))
          differences.add(
            "a restarted process returned other orders than one that kept running: store what changes in `state`, not in variables",
          );
        return result;
      },
    },
    declared: () => ids,
    differences: () => [...differences],
    restart: (fresh) => {
      current = fresh;
    },
  };
}

function idsOf(result: Declared): readonly string[] {
  const orders = Array.isArray(result) ? result : (result as { orders?: unknown } | undefined)?.orders;
  return Array.isArray(orders) ? orders.map((order: { id?: unknown } | undefined) => String(order?.id)) : [];
}
