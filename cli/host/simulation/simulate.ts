/** Runs a strategy through the sandbox with crashes, lost responses and failed reads, and reports what broke. */
import type { StrategyPast } from "../../../src/backtest/position/testing.ts";
import { declaredStarts } from "../../../src/declared/operations/start.ts";
import { step } from "../../../src/engine/pass/step.ts";
import { messageOf } from "../../../src/kernel/errors.ts";
import { type Amount, Money } from "../../../src/kernel/money.ts";
import { isPair } from "../../../src/kernel/pair.ts";
import { createRandom } from "../../../src/kernel/random.ts";
import type { Millis } from "../../../src/kernel/time.ts";
import type { Balance } from "../../../src/model/account.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { checkAtRest, checkOpenOrders, readDeclared, type SimulatedStrategy } from "./checks.ts";
import { type Faults, faultyStore, faultyVenue } from "./faults.ts";
import { type Clock, INTERVAL, SIMULATION_START, simulatedHost } from "./host.ts";
import { observedDefinition } from "./observed.ts";

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
const MOST_TO_REST = 30;

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
  definition.config.parse(input.config);
  const { passes = 300 } = input;
  const started = await startRun(definition, input, reload);
  if (typeof started === "string") return { ...NOTHING_DONE, refused: [], problems: [started] };
  const problems = new Set<string>();
  let done = 0;
  for (; done < passes && problems.size === 0; done++) {
    const what = await onePass(started);
    for (const problem of await checkOpenOrders(started)) problems.add(problem);
    const { fault } = (await readDeclared(started)).state;
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
  const { refused, ids } = (await readDeclared(run)).state;
  return {
    ...{ passes, restarts: run.restarts, lostResponses, failedReads },
    ...{ orders: run.accepted.size, fills: fills.length, problems },
    refused: refused.map(({ slot, reason, detail }) => `${ids[slot]}: ${detail ?? reason}`),
  };
}

/** Makes one pass; a crash ends it, and the next pass is of a restarted process. Returns what happened, for a message. */
async function onePass(run: SimulatedRun): Promise<string> {
  const { faults } = run;
  const lostBefore = faults.lostResponses;
  const store = faultyStore(run.deps.store, faults);
  const venue = faultyVenue(countingVenue(run), faults);
  const end = await Promise.race([step({ ...run.deps, store }, venue), run.crashed]);
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
    if (count > MOST_TO_REST)
      return [
        `it still changes its orders after ${MOST_TO_REST} passes at the same prices and the same time`,
      ];
    const before = run.accepted.size;
    const open = (await run.venue.openOrders(run.symbol)).map(({ id }) => id).join();
    await step(run.deps, countingVenue(run));
    const after = (await run.venue.openOrders(run.symbol)).map(({ id }) => id).join();
    quiet = run.accepted.size === before && open === after ? quiet + 1 : 0;
  }
  const { fault } = (await readDeclared(run)).state;
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
    ...{ deps, venue, symbol, id: started.id, first, restarts: 0 },
    accepted: new Set((await venue.openOrders(symbol)).map(({ id }) => id)),
    faults: { ...NO_FAULTS, isOn: true, draw: () => draw() / 2 ** 32, crash: () => UNSETTLED },
    ...{ crashed: UNSETTLED, declared: observed.declared, differences: observed.differences },
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
  const start = declaredStarts([String(exchange)], [definition]).find(({ effect }) => effect === "trade");
  if (!start) throw new Error(`${definition.name} has no start`);
  const budget = {
    ...(base === undefined ? {} : { baseBudget: Money.of(base).toNumber() }),
    ...(quote === undefined ? {} : { quoteBudget: Money.of(quote).toNumber() }),
  };
  const given = start.input.strict().parse({ exchange, symbol, ...budget, ...config });
  try {
    return (await start.run(deps, given, { actor: "local" })) as { readonly id: string };
  } catch (error) {
    return { trouble: `it does not start: ${messageOf(error)}` };
  }
}
