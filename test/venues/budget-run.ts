/**
 * Two quiet grids on kraken, whose counters are on, and a person who asks for the balance, places and cancels every ten
 * seconds. In real time the exchange's counters, our budget and the timer go by this machine's clock; otherwise all of
 * them by one that moves when told, and then nothing is said of how long things take.
 */

import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { startTimer } from "../../cli/host/timer.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Tier } from "../../src/model/market.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { buy, del, get, post } from "../support/orders.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const TICK: Millis = 5 * SECOND;
const BETWEEN: Millis = 10 * SECOND;
const RANGES = { "BTC/USDT": ["57000", "63000"], "ETH/USDT": ["2850", "3150"] } as const;
/** Of a request to the exchange and of its answer, in real time. */
const ON_THE_WAY: Millis = 60;
const SLOTS = 20;

export interface BudgetRun {
  readonly tier: Tier;
  readonly rounds: number;
  readonly isReal?: boolean;
}

export interface BudgetReport {
  /** The service's answers to the person, by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Calls that found the exchange's counter full. */
  readonly limited: number;
  readonly cancelMillis: readonly Millis[];
  /** Of stopping one of the grids, and what was left of it then. */
  readonly stopMillis: Millis;
  readonly left: number;
  readonly status: string | undefined;
  readonly calls: Readonly<Record<string, number>>;
}

export async function runBudget({ tier, rounds, isReal = false }: BudgetRun): Promise<BudgetReport> {
  const setup = await emulatedExchanges({ names: ["kraken"], tier, ...(isReal ? { time: REAL } : {}) });
  try {
    return await withSetup(setup, { rounds, isReal });
  } finally {
    await setup.close();
  }
}

const REAL = { local: nodeLocal, now: () => Date.now(), pass: () => Date.now() };

type Setup = Awaited<ReturnType<typeof emulatedExchanges>>;

async function withSetup(
  setup: Setup,
  { rounds, isReal }: { rounds: number; isReal: boolean },
): Promise<BudgetReport> {
  const { deps, time } = setup;
  const exchange = setup.exchange("kraken");
  const app = await appOver(deps);
  const pass = async (millis: Millis): Promise<void> => {
    if (isReal) return new Promise((after) => setTimeout(after, millis));
    for (let passed = 0; passed < millis; passed += TICK) {
      time.pass(TICK);
      await runRound(deps);
    }
  };
  if (isReal) exchange.latency.before = exchange.latency.after = ON_THE_WAY;
  const grids = await start(deps);
  const timer = isReal ? startTimer(deps, TICK) : undefined;
  await pass(60 * SECOND);
  exchange.resetCounts();
  const person = createPerson(app);
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    await person.act();
    await pass(isReal ? Math.max(0, BETWEEN - (performance.now() - before)) : BETWEEN);
  }
  const calls = countsOf(exchange);
  const stopping = performance.now();
  await runOperation(deps, "stop_strategy", { id: grids[0], cancelOrders: true });
  const stopMillis = performance.now() - stopping;
  await timer?.stop();
  const [view] = await deps.store.strategies({ id: grids[0] ?? "" });
  return {
    ...person.report(),
    stopMillis,
    calls,
    limited: exchange.limited.length,
    left: exchange.open("BTC/USDT").length,
    status: view?.strategy.status,
  };
}

async function start(deps: Setup["deps"]): Promise<string[]> {
  const ids: string[] = [];
  for (const [symbol, [lower, upper]] of Object.entries(RANGES)) {
    const { id } = await runOperation<{ id: string }>(
      deps,
      "start_grid",
      gridInput({ symbol, lowerPrice: decimal(lower), upperPrice: decimal(upper), gridLevels: SLOTS }),
    );
    ids.push(id);
  }
  return ids;
}

function createPerson(app: Awaited<ReturnType<typeof appOver>>) {
  const answers: Record<string, number> = {};
  const cancelMillis: Millis[] = [];
  const count = (answer: Response): Response => {
    answers[answer.status] = (answers[answer.status] ?? 0) + 1;
    return answer;
  };
  return {
    async act(): Promise<void> {
      count(await get(app, "/balance?exchange=kraken"));
      const placed = count(await post(app, buy("kraken", { price: 55500 })));
      const { order } = (await placed.json()) as { order?: { id: string } };
      const before = performance.now();
      count(await del(app, `/orders/${order?.id ?? "none"}?exchange=kraken&symbol=BTC/USDT`));
      cancelMillis.push(performance.now() - before);
    },
    report: () => ({ answers, cancelMillis }),
  };
}

function countsOf({ count }: ReturnType<Setup["exchange"]>): Record<string, number> {
  const routes = [
    "balance",
    "open",
    "order",
    "closed",
    "fills",
    "fee",
    "create",
    "cancel",
    "ticker",
  ] as const;
  return Object.fromEntries(routes.map((route) => [route, count(route)]));
}
